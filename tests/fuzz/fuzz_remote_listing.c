/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that a hostile board may send: lists of files and checksums, keys of known hosts, and the acl.json that is
 * patched. The first byte chooses which one the rest is. */
#include "base/format/json_in.h"
#include "ssh/acl_json.h"
#include "ssh/session/known_hosts.h"
#include "ssh/transfer/listing.h"
#include "tests/fuzz/support.h"

static void try_listing(const char *text, size_t length)
{
    struct err err = ERR_INIT;
    struct listing listing;

    EXPECT(listing_parse(&listing, text, length, &err) == 0);
    for (size_t i = 0; i < listing.count; i++) {
        const char *path = listing.files[i].path;

        EXPECT(listing_path_problem(path) == NULL && path[0] != '/' && strstr(path, "//") == NULL);
        EXPECT(strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0 && strstr(path, "/../") == NULL);
        EXPECT(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
        EXPECT(i == 0 || strcmp(listing.files[i - 1].path, path) < 0);
        EXPECT(listing_find(&listing, path) == &listing.files[i]);
    }
    listing_release(&listing);
}

static void try_checksums(const char *text, size_t length)
{
    char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

    if (checksum_line_parse(CHECKSUM_SHA256, text, length, checksum, path))
        EXPECT(strlen(checksum) == CHECKSUM_TEXT_SIZE - 1 && path[0] != '\0' && strlen(path) < LISTING_MAX_PATH);
}

static void try_known_hosts(const char *text, size_t length)
{
    static const char key[] = "\0\0\0\13ssh-ed25519\0\0\0\1x";
    static const char *const types[] = {"ssh-ed25519", "ssh-rsa"};
    struct known_host_answer answer =
        known_hosts_check(text, length, "[board]:2222", "ssh-ed25519", key, sizeof key - 1);

    EXPECT(known_hosts_types(text, length, "[board]:2222", types, 2) < 4);
    EXPECT((answer.match == KNOWN_HOST_UNKNOWN) == (answer.line == 0));
}

/* Patches a text: the result is JSON again, and says what was wished. */
static void try_acl_json(const char *text, size_t length)
{
    static const struct acl_settings settings = {.output = "/home/p", .enabled = true, .metrics = "M", .interval = 7};
    struct err err = ERR_INIT;
    struct acl_dump dump;
    struct strbuf patched;

    strbuf_init(&patched, 2 * ACL_JSON_LIMIT);
    if (length <= ACL_JSON_LIMIT && acl_json_patch(text, length, &settings, &patched, &dump, &err) == 0) {
        struct json *root = json_parse(patched.data, patched.length, &err);
        const char *interval = json_string(json_member(json_member(root, "profiler"), "interval"));

        EXPECT(root != NULL && interval != NULL && strcmp(interval, "7") == 0);
        json_free(root);
    }
    strbuf_release(&patched);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const char *text, size_t length) = {try_listing, try_checksums, try_known_hosts,
                                                                     try_acl_json};

    if (size > 0)
        tries[data[0] % (sizeof tries / sizeof tries[0])]((const char *)data + 1, size - 1);
    return 0;
}
