/* SPDX-License-Identifier: Apache-2.0 */
/* known_hosts in OpenSSH's format. The keys and the hashed line were made with ssh-keygen. */
#include "ssh/session/known_hosts.h"
#include "ssh/transport/wire.h"
#include "tests/lib/scratch.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define KEY_A "AAAAC3NzaC1lZDI1NTE5AAAAIIRHIbMDyBtN1RZDQzCaj3QQmJ3alYXkcAhNmOdLcNhr"
#define KEY_B "AAAAC3NzaC1lZDI1NTE5AAAAIIkptmWezYxwTpn2k5wzaltGY90LwlrusSlC9ory9lwo"
#define KEY_ECDSA                                                                                                      \
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBARSRoBZLsXrZFIzcROaeP+"                                      \
    "NDLEAdCErj7ream9nuhs5dVzlyln9gGG5SQCvtnHcH2P2OPke9EFDwTOK6vVbzZM="
#define FINGERPRINT_A "SHA256:7Ku3NvSg1S7ySOqz/TYRuf8KWqIO4HhcYcODbKDLG1U"
#define HASHED_NAME "[board]:2222"
#define HASHED_LINE                                                                                                    \
    "|1|ouEbV5CHGNQcTCkDPTDHwgtG+Y8=|nstro8dbPu9wKdD7rdcPA3pwWgs= ssh-ed25519 "                                        \
    "AAAAC3NzaC1lZDI1NTE5AAAAIIRHIbMDyBtN1RZDQzCaj3QQmJ3alYXkcAhNmOdLcNhr"

/* The wire form of a key in base64. */
static size_t decode(const char *base64, unsigned char key[512])
{
    size_t length = strlen(base64);
    int n = EVP_DecodeBlock(key, (const unsigned char *)base64, (int)length);

    assert_true(n > 0);
    while (length > 0 && base64[--length] == '=')
        n--;
    return (size_t)n;
}

static void assert_match(const char *text, const char *name, const char *base64, enum known_host_match match,
                         size_t line)
{
    unsigned char key[512];
    size_t length = decode(base64, key);
    char type[64];
    struct known_host_answer answer;

    wire_key_type(&(struct bytes){key, length}, type, sizeof type);
    answer = known_hosts_check(text, strlen(text), name, type, key, length);
    assert_int_equal(answer.match, match);
    assert_int_equal(answer.line, line);
}

static void a_plain_name_finds_its_key(void **state)
{
    (void)state;
    assert_match("# comment\n\nother ssh-ed25519 " KEY_B "\nboard ssh-ed25519 " KEY_A " comment\n", "board", KEY_A,
                 KNOWN_HOST_SAME, 4);
    assert_match("other,board,third ssh-ed25519 " KEY_A, "board", KEY_A, KNOWN_HOST_SAME, 1);
    assert_match("Board ssh-ed25519 " KEY_A, "board", KEY_A, KNOWN_HOST_SAME, 1);
    assert_match("other ssh-ed25519 " KEY_A "\n", "board", KEY_A, KNOWN_HOST_UNKNOWN, 0);
    assert_match("", "board", KEY_A, KNOWN_HOST_UNKNOWN, 0);
}

static void another_key_of_the_same_type_is_a_changed_one(void **state)
{
    (void)state;
    assert_match("board ssh-ed25519 " KEY_B "\n", "board", KEY_A, KNOWN_HOST_CHANGED, 1);
    /* one of several keys is enough */
    assert_match("board ssh-ed25519 " KEY_B "\nboard ssh-ed25519 " KEY_A "\n", "board", KEY_A, KNOWN_HOST_SAME, 2);
}

static void a_key_of_another_type_only_is_told_apart(void **state)
{
    (void)state;
    assert_match("board ecdsa-sha2-nistp256 " KEY_ECDSA "\n", "board", KEY_A, KNOWN_HOST_TYPE, 1);
}

static void hashed_names_are_found(void **state)
{
    (void)state;
    assert_match(HASHED_LINE "\n", HASHED_NAME, KEY_A, KNOWN_HOST_SAME, 1);
    assert_match(HASHED_LINE "\n", "other", KEY_A, KNOWN_HOST_UNKNOWN, 0);
    assert_match("|1|broken|x ssh-ed25519 " KEY_A "\n|1| ssh-ed25519 " KEY_A "\n|1 ssh-ed25519 " KEY_A "\n", "board",
                 KEY_A, KNOWN_HOST_UNKNOWN, 0);
}

static void wildcards_and_negation_are_obeyed(void **state)
{
    (void)state;
    assert_match("*.lab,!evil.lab ssh-ed25519 " KEY_A, "board.lab", KEY_A, KNOWN_HOST_SAME, 1);
    assert_match("*.lab,!evil.lab ssh-ed25519 " KEY_A, "evil.lab", KEY_A, KNOWN_HOST_UNKNOWN, 0);
    assert_match("192.168.1.? ssh-ed25519 " KEY_A, "192.168.1.7", KEY_A, KNOWN_HOST_SAME, 1);
    assert_match("192.168.1.? ssh-ed25519 " KEY_A, "192.168.1.77", KEY_A, KNOWN_HOST_UNKNOWN, 0);
}

static void revoked_keys_are_refused_and_authorities_do_not_count(void **state)
{
    (void)state;
    assert_match("board ssh-ed25519 " KEY_A "\n@revoked * ssh-ed25519 " KEY_A "\n", "board", KEY_A, KNOWN_HOST_REVOKED,
                 2);
    assert_match("@cert-authority * ssh-ed25519 " KEY_A "\n", "board", KEY_A, KNOWN_HOST_UNKNOWN, 0);
}

static void broken_lines_are_skipped(void **state)
{
    (void)state;
    assert_match("board\nboard ssh-ed25519\nboard ssh-ed25519 %%%%\nboard ssh-ed25519 AAA\n@revoked\n\tboard "
                 "ssh-ed25519 " KEY_A "\r\n",
                 "board", KEY_A, KNOWN_HOST_SAME, 6);
}

static void a_port_other_than_22_is_part_of_the_name(void **state)
{
    char *plain = known_hosts_name("Board", 22), *port = known_hosts_name("::1", 2222),
         *brackets = known_hosts_name("[::1]", 2222);

    (void)state;
    assert_string_equal(plain, "board");
    assert_string_equal(port, "[::1]:2222");
    assert_string_equal(brackets, "[::1]:2222");
    free(plain);
    free(port);
    free(brackets);
}

static void the_types_that_are_known_are_told(void **state)
{
    static const char text[] = "board ssh-ed25519 " KEY_A "\nboard ssh-ed25519 " KEY_B
                               "\nboard ecdsa-sha2-nistp256 " KEY_ECDSA "\nother ssh-rsa AAAA\n";
    static const char *const types[] = {"ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256"};

    (void)state;
    assert_int_equal(known_hosts_types(text, sizeof text - 1, "board", types, 3), 1U << 0 | 1U << 2);
}

static void the_fingerprint_is_the_one_of_ssh_keygen(void **state)
{
    unsigned char key[512];
    size_t length = decode(KEY_A, key);
    char fingerprint[64], type[64];

    (void)state;
    known_hosts_fingerprint(key, length, fingerprint, sizeof fingerprint);
    assert_string_equal(fingerprint, FINGERPRINT_A);
    wire_key_type(&(struct bytes){key, 3}, type, sizeof type);
    assert_string_equal(type, "");
    wire_key_type(&(struct bytes){(const unsigned char *)"\xff\xff\xff\xffxx", 6}, type, sizeof type);
    assert_string_equal(type, "");
}

static void a_new_key_is_appended_to_what_is_there(void **state)
{
    unsigned char key[512];
    size_t length = decode(KEY_A, key);
    struct err err = ERR_INIT;
    char *text;
    size_t text_length;
    struct stat st;

    (void)state;
    assert_int_equal(known_hosts_add(in_scratch("new/known_hosts"), "board", "ssh-ed25519", key, length, &err), 0);
    assert_int_equal(stat(in_scratch("new/known_hosts"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    scratch_assert_content("new/known_hosts", "board ssh-ed25519 " KEY_A "\n");
    scratch_make_file("unended", "other ssh-ed25519 " KEY_B);
    assert_int_equal(known_hosts_add(in_scratch("unended"), "board", "ssh-ed25519", key, length, &err), 0);
    scratch_assert_content("unended", "other ssh-ed25519 " KEY_B "\nboard ssh-ed25519 " KEY_A "\n");
    assert_int_equal(known_hosts_load(in_scratch("missing"), &text, &text_length, &err), 0);
    assert_int_equal(text_length, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_name_finds_its_key),
        cmocka_unit_test(another_key_of_the_same_type_is_a_changed_one),
        cmocka_unit_test(a_key_of_another_type_only_is_told_apart),
        cmocka_unit_test(hashed_names_are_found),
        cmocka_unit_test(wildcards_and_negation_are_obeyed),
        cmocka_unit_test(revoked_keys_are_refused_and_authorities_do_not_count),
        cmocka_unit_test(broken_lines_are_skipped),
        cmocka_unit_test(a_port_other_than_22_is_part_of_the_name),
        cmocka_unit_test(the_types_that_are_known_are_told),
        cmocka_unit_test(the_fingerprint_is_the_one_of_ssh_keygen),
        cmocka_unit_test_setup_teardown(a_new_key_is_appended_to_what_is_there, scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
