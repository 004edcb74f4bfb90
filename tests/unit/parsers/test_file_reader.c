/* SPDX-License-Identifier: Apache-2.0 */
/* Files are read ahead of the decoder, or when it asks for them: what it gets is the same. */
#include "parsers/decode/file_reader.h"
#include "parsers/record.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define FILES 5
#define SMALL ((size_t)10007)
#define LARGE ((size_t)3000017) /* more than waits in the reader */

static char paths[FILES][256];
static unsigned char *contents[FILES];
static struct capture_file files[FILES];
static struct capture capture;

static void make_files(size_t size)
{
    const struct record_kind *kind = record_kind_find("svp_pmu");
    assert_non_null(kind);
    capture = (struct capture){.files = files, .file_count = FILES};
    for (size_t i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/file%zu", scratch_directory, i);
        files[i] = (struct capture_file){.name = paths[i], .kind = kind, .size = size};
        contents[i] = malloc(size);
        FILE *stream = fopen(paths[i], "we");
        assert_non_null(contents[i]);
        assert_non_null(stream);
        for (size_t at = 0; at < size; at++)
            contents[i][at] = (unsigned char)(at * 31 + i + at / 256);
        assert_int_equal(fwrite(contents[i], 1, size, stream), size);
        assert_int_equal(fclose(stream), 0);
    }
}

static struct file_reader *begin(void)
{
    struct err err = ERR_INIT;
    struct file_reader *reader = file_reader_new(&capture, 0, NULL, &err);
    assert_non_null(reader);
    return reader;
}

static void end(struct file_reader *reader)
{
    file_reader_free(reader);
    for (size_t i = 0; i < FILES; i++)
        free(contents[i]);
}

/* In pieces of several sizes. */
static void assert_whole(struct file_reader *reader, size_t index, size_t size)
{
    static unsigned char piece[70000];
    char expected[CHECKSUM_TEXT_SIZE];
    size_t at = 0, wanted = 1;
    ssize_t got;
    assert_int_equal(file_reader_open(reader, index), 0);
    while ((got = file_reader_read(reader, piece, wanted)) > 0) {
        assert_true(at + (size_t)got <= size);
        assert_memory_equal(piece, contents[index] + at, (size_t)got);
        at += (size_t)got;
        wanted = wanted * 7 % sizeof piece + 1;
    }
    assert_int_equal(got, 0);
    assert_int_equal(at, size);
    struct checksum *sum = checksum_new_kind(CHECKSUM_XXH128);
    checksum_add(sum, contents[index], size);
    checksum_finish(sum, expected);
    checksum_free(sum);
    assert_string_equal(file_reader_checksum(reader), expected);
}

static void read_all(size_t size)
{
    make_files(size);
    struct file_reader *reader = begin();
    for (size_t i = 0; i < FILES; i++)
        assert_whole(reader, i, size);
    end(reader);
}

static void files_come_whole_and_in_order(void **state)
{
    (void)state;
    read_all(SMALL);
    read_all(LARGE);
}

static void read_some(size_t size)
{
    unsigned char byte;
    make_files(size);
    struct file_reader *reader = begin();
    assert_int_equal(file_reader_open(reader, 0), 0);
    assert_int_equal(file_reader_read(reader, &byte, 1), 1);
    assert_whole(reader, 2, size); /* the first is given up, the second never wanted */
    assert_int_equal(file_reader_open(reader, 3), 0);
    end(reader);
}

static void a_file_that_is_given_up_leaves_the_next_one_whole(void **state)
{
    (void)state;
    read_some(SMALL);
    read_some(LARGE);
}

static void read_around_missing(size_t size)
{
    make_files(size);
    assert_int_equal(remove(paths[0]), 0);
    assert_int_equal(remove(paths[3]), 0);
    assert_int_equal(mkdir(paths[3], 0700), 0);
    struct file_reader *reader = begin();
    assert_true(file_reader_open(reader, 0) > 0);
    assert_whole(reader, 1, size);
    assert_int_equal(file_reader_open(reader, 3), -1);
    assert_whole(reader, 4, size);
    end(reader);
}

static void a_file_that_went_away_is_told_and_the_next_one_read(void **state)
{
    (void)state;
    read_around_missing(SMALL);
}

static void so_is_one_of_a_large_capture(void **state)
{
    (void)state;
    read_around_missing(LARGE);
}

static void peek(size_t size, bool known)
{
    make_files(size);
    struct file_reader *reader = begin();
    for (size_t i = 0; i < FILES; i += 2) {
        const char *sum = file_reader_peek(reader, i);
        assert_int_equal(sum != NULL, known);
        char before[CHECKSUM_TEXT_SIZE] = "";
        snprintf(before, sizeof before, "%s", known ? sum : "");
        assert_whole(reader, i, size);
        assert_true(!known || strcmp(before, file_reader_checksum(reader)) == 0);
    }
    end(reader);
}

static void the_sum_of_a_short_file_is_known_before_it_is_read(void **state)
{
    (void)state;
    peek(SMALL, true);
    peek(LARGE, false);
}

/* The size that counts is a file's when the capture was opened. */
static void a_file_that_grew_is_read_to_its_end(void **state)
{
    (void)state;
    make_files(LARGE);
    for (size_t i = 0; i < FILES; i++)
        files[i].size = 100;
    struct file_reader *reader = begin();
    for (size_t i = 0; i < FILES; i++)
        assert_whole(reader, i, LARGE);
    end(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_whole_and_in_order, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_given_up_leaves_the_next_one_whole, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_went_away_is_told_and_the_next_one_read, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(so_is_one_of_a_large_capture, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_sum_of_a_short_file_is_known_before_it_is_read, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_grew_is_read_to_its_end, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
