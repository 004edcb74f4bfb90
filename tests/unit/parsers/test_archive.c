/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive may cost. tests/cli/archives.bats tries what it may hold. */
#include "parsers/capture/archive.h"

#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define BLOCK 512

/* Appends a file of so many zero bytes. */
static void put_file(FILE *tar, const char *name, size_t size)
{
    char header[BLOCK] = {0};
    static const char zeros[BLOCK];
    unsigned sum = 0;

    snprintf(header, 100, "%s", name);
    memcpy(header + 100, "0000644", 8);
    snprintf(header + 124, 12, "%011zo", size);
    memcpy(header + 136, "00000000000", 12);
    memcpy(header + 148, "        ", 8);
    header[156] = '0';
    memcpy(header + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof header; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    assert_int_equal(fwrite(header, 1, BLOCK, tar), BLOCK);
    for (size_t done = 0; done < size; done += BLOCK)
        assert_int_equal(fwrite(zeros, 1, BLOCK, tar), BLOCK);
}

/* An archive of so many files of 1000 bytes, unpacked within limits. */
static int unpack(size_t files, struct archive_limits limits, struct archive_content *ret, struct err *err)
{
    static int number;
    char directory[32], tar_name[32];
    static const char end[2 * BLOCK];
    char path[512];

    snprintf(tar_name, sizeof tar_name, "a%d.tar", number);
    snprintf(directory, sizeof directory, "a%d", number++);
    FILE *tar = fopen(in_scratch(tar_name), "we");
    assert_non_null(tar);
    for (size_t i = 0; i < files; i++) {
        char name[32];
        snprintf(name, sizeof name, "data/file.%zu", i);
        put_file(tar, name, 1000);
    }
    assert_int_equal(fwrite(end, 1, sizeof end, tar), sizeof end);
    assert_int_equal(fclose(tar), 0);
    snprintf(path, sizeof path, "%s", in_scratch(tar_name));
    assert_int_equal(mkdir(in_scratch(directory), 0700), 0);
    return archive_unpack(path, in_scratch(directory), &limits, ret, err);
}

static const struct archive_limits plenty = {.bytes = 1 << 20, .files = 100, .ratio = 1000, .free_bytes = 1 << 20};

static void files_and_bytes_are_counted(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct archive_content content;
    assert_int_equal(unpack(3, plenty, &content, &err), 0);
    assert_int_equal(content.files, 3);
    assert_int_equal(content.bytes, 3000);
    assert_int_equal(content.left_out, 0);
}

static void no_more_bytes_are_written_than_the_limit(void **state)
{
    (void)state;
    struct archive_limits limits = plenty;
    struct archive_content content;
    struct err err = ERR_INIT;
    limits.bytes = 3000;
    assert_int_equal(unpack(3, limits, &content, &err), 0);
    limits.bytes = 2999;
    assert_int_equal(unpack(3, limits, &content, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "unpacks to more than 2999 bytes"));
    assert_true(content.bytes <= 2999);
}

static void no_more_files_are_made_than_the_limit(void **state)
{
    (void)state;
    struct archive_limits limits = plenty;
    struct archive_content content;
    struct err err = ERR_INIT;
    limits.files = 3;
    assert_int_equal(unpack(3, limits, &content, &err), 0);
    assert_int_equal(unpack(4, limits, &content, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "unpacks to more than 3 files"));
}

static void an_archive_is_known_by_its_name(void **state)
{
    (void)state;
    static const char *const names[] = {"a/run.tar", "a/run.tar.gz", "a/run.tgz", "a/run.zip"};
    size_t stem;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(archive_has_name(names[i], &stem));
        assert_int_equal(stem, strlen("a/run"));
    }
    assert_false(archive_has_name("run.gz", NULL));
    assert_false(archive_has_name("run.tar.xz", NULL));
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(files_and_bytes_are_counted),
        SCRATCH_TEST(no_more_bytes_are_written_than_the_limit),
        SCRATCH_TEST(no_more_files_are_made_than_the_limit),
        cmocka_unit_test(an_archive_is_known_by_its_name),
    };
    return cmocka_run_group_tests_name("archives", tests, NULL, NULL);
}
