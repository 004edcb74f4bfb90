/* SPDX-License-Identifier: Apache-2.0 */
/* Capture discovery: the input describes a small directory tree. Each entry is a byte for its type and place, a name, a
 * byte for the content's length and the content. */
#include "tests/fuzz/directory.h"
#include "tests/fuzz/entries.h"

static void make_entry(struct input *input)
{
    uint8_t type = take_byte(input);
    char name[ENTRY_NAME_SIZE], path[256], target[64];
    const uint8_t *content;
    take_name(input, name);
    size_t length = take_bytes(input, take_byte(input) * (type & 16 ? 16u : 1u), &content);
    snprintf(path, sizeof path, "%s/%s%s", fuzz_directory, type & 8 ? "" : "data/", name);
    switch (type & 7) {
    case 5:
        snprintf(target, sizeof target, "%.*s", (int)(length < 60 ? length : 60), (const char *)content);
        if (symlink(target, path) != 0)
            return;
        break;
    case 6:
        if (mkfifo(path, 0600) != 0)
            return;
        break;
    case 7:
        if (mkdir(path, 0700) != 0)
            return;
        break;
    default:
        fuzz_write_file(path + strlen(fuzz_directory) + 1, content, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    struct capture_options options = {.clock_khz = take_byte(&input) & 1 ? 600000 : 0};
    struct err err = ERR_INIT;
    enum directory_class class;
    char path[80], fingerprint[65];
    fuzz_directory_make();
    fuzz_directory_clear();
    snprintf(path, sizeof path, "%s/data", fuzz_directory);
    EXPECT(mkdir(path, 0700) == 0);
    for (int i = 0; i < 12 && input.at < input.end; i++)
        make_entry(&input);
    EXPECT(capture_classify(fuzz_directory, &class, &err) == 0 && class == DIRECTORY_CAPTURE);
    EXPECT(capture_fingerprint(fuzz_directory, fingerprint, &err) == 0);
    expect_decoded(fuzz_directory, &options, fingerprint);
    return 0;
}
