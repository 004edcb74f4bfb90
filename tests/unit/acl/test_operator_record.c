/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an operator in the pipe and the table of names beside it: bytes typed by hand, what is damaged. */
#include "acl/subscribe/operator_names.h"
#include "acl/subscribe/operator_names_writer.h"
#include "acl/subscribe/operator_record.h"
#include "base/bytes.h"
#include "base/file/crc32c.h"
#include "base/file/fsutil.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Typed after the description in acl/subscribe/operator_record.h; the signatures, the first four bytes, are those of
 * tests/lib/operator_records.py, which computes them bit by bit. The long record is the short one with the device. */
static const unsigned char long_record[OPERATOR_RECORD_SIZE] = {
    0x29, 0x28, 0x68, 0xdc, 0x04, 0x03, 0x02, 0x01, 0x02, 0x00, 0x00, 0x00, 0x14, 0x13, 0x12, 0x11,
    0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,
    0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41, 0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51,
    0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61, 0x78, 0x77, 0x76, 0x75, 0x74, 0x73, 0x72, 0x71,
    0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81, 0x94, 0x93, 0x92, 0x91, 0x00, 0x00, 0x00, 0x00,
};
static const unsigned char short_signature[4] = {0x85, 0x74, 0x86, 0xf5};

static const struct operator_record record = {
    .model_id = 0x01020304,
    .flag = OPERATOR_FLAG_THREAD,
    .thread_id = 0x11121314,
    .index = 0x2122232425262728,
    .duration_ns = 0x3132333435363738,
    .start_ns = 0x4142434445464748,
    .end_ns = 0x5152535455565758,
    .execution_ns = 0x6162636465666768,
    .cube_operations = 0x7172737475767778,
    .vector_operations = 0x8182838485868788,
    .device_id = 0x91929394,
};

static void make_short(unsigned char bytes[OPERATOR_RECORD_OLD_SIZE])
{
    memcpy(bytes, long_record, OPERATOR_RECORD_OLD_SIZE);
    memcpy(bytes, short_signature, sizeof short_signature);
}

static void the_crc_is_that_of_the_standard_without_the_inversion(void **state)
{
    (void)state;
    assert_int_equal(crc32c_add(CRC32C_INIT, "123456789", 9), ~UINT32_C(0xe3069283)); /* RFC 3720's polynomial */
    assert_int_equal(crc32c_add(crc32c_add(CRC32C_INIT, "1234", 4), "56789", 5), ~UINT32_C(0xe3069283));
    assert_int_equal(crc32c_add(CRC32C_INIT, "", 0), CRC32C_INIT);
}

static void a_record_is_written_as_it_is_documented(void **state)
{
    unsigned char bytes[OPERATOR_RECORD_SIZE], expected[OPERATOR_RECORD_OLD_SIZE];

    (void)state;
    operator_record_encode(&record, bytes, OPERATOR_RECORD_SIZE);
    assert_memory_equal(bytes, long_record, OPERATOR_RECORD_SIZE);
    operator_record_encode(&record, bytes, OPERATOR_RECORD_OLD_SIZE);
    make_short(expected);
    assert_memory_equal(bytes, expected, OPERATOR_RECORD_OLD_SIZE);
}

static void assert_same_record(const struct operator_record *read, uint32_t device_id)
{
    assert_int_equal(read->model_id, record.model_id);
    assert_int_equal(read->flag, record.flag);
    assert_int_equal(read->thread_id, record.thread_id);
    assert_int_equal(read->index, record.index);
    assert_int_equal(read->duration_ns, record.duration_ns);
    assert_int_equal(read->start_ns, record.start_ns);
    assert_int_equal(read->end_ns, record.end_ns);
    assert_int_equal(read->execution_ns, record.execution_ns);
    assert_int_equal(read->cube_operations, record.cube_operations);
    assert_int_equal(read->vector_operations, record.vector_operations);
    assert_int_equal(read->device_id, device_id);
}

static void a_record_is_read_as_it_is_documented(void **state)
{
    unsigned char bytes[OPERATOR_RECORD_OLD_SIZE];
    struct operator_record read;

    (void)state;
    assert_true(operator_record_decode(long_record, OPERATOR_RECORD_SIZE, &read));
    assert_same_record(&read, record.device_id);
    make_short(bytes);
    assert_true(operator_record_decode(bytes, sizeof bytes, &read));
    assert_same_record(&read, 0);
}

static void every_flipped_bit_breaks_the_signature(void **state)
{
    unsigned char bytes[OPERATOR_RECORD_SIZE];
    struct operator_record read = {.index = 77};

    (void)state;
    memcpy(bytes, long_record, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_false(operator_record_is_sound(bytes, sizeof bytes));
        assert_false(operator_record_decode(bytes, sizeof bytes, &read));
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    assert_int_equal(read.index, 77);
    assert_true(operator_record_is_sound(bytes, sizeof bytes));
}

static void there_are_records_of_two_sizes(void **state)
{
    (void)state;
    for (size_t size = 0; size < 200; size++)
        assert_int_equal(operator_record_size_known(size), size == 72 || size == 80);
}

/* ---- names ---- */

/* Three operators from index 5 on: Add a/add, Mul b/mul, Add and an empty name. By operator_records.py too. */
static const unsigned char table[] = {
    0x4d, 0x53, 0x50, 0x52, 0x4f, 0x46, 0x4f, 0x4e, 0x01, 0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00, 0x05,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x19, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f, 0x24, 0x8a, 0x9a, 0x85, 0x87, 0x56, 0x16, 0x00, 0x00, 0x00,
    0x00, 0x04, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00,
    0x18, 0x00, 0x00, 0x00, 0x41, 0x64, 0x64, 0x00, 0x61, 0x2f, 0x61, 0x64, 0x64, 0x00, 0x4d, 0x75, 0x6c,
    0x00, 0x62, 0x2f, 0x6d, 0x75, 0x6c, 0x00, 0x41, 0x64, 0x64, 0x00, 0x00,
};

static void a_table_is_read_as_it_is_documented(void **state)
{
    struct operator_names names;

    (void)state;
    assert_null(operator_names_read(table, sizeof table, &names));
    assert_int_equal(names.header.record_size, 80);
    assert_int_equal(names.header.first, 5);
    assert_int_equal(names.header.count, 3);
    assert_int_equal(names.header.size, sizeof table);
    assert_string_equal(operator_names_text(&names, 0, OPERATOR_TYPE), "Add");
    assert_string_equal(operator_names_text(&names, 0, OPERATOR_NAME), "a/add");
    assert_string_equal(operator_names_text(&names, 1, OPERATOR_TYPE), "Mul");
    assert_string_equal(operator_names_text(&names, 1, OPERATOR_NAME), "b/mul");
    assert_string_equal(operator_names_text(&names, 2, OPERATOR_TYPE), "Add");
    assert_string_equal(operator_names_text(&names, 2, OPERATOR_NAME), "");
}

/* A copy of the table with one field changed and both sums made right again. */
static unsigned char *changed(size_t at, unsigned width, uint64_t value)
{
    static unsigned char bytes[sizeof table];

    memcpy(bytes, table, sizeof table);
    bytes_store(bytes + at, width, false, value);
    bytes_store(bytes + OPERATOR_NAMES_AT_BODY_SUM, 4, false,
                crc32c_add(CRC32C_INIT, bytes + OPERATOR_NAMES_HEADER_SIZE, sizeof table - OPERATOR_NAMES_HEADER_SIZE));
    bytes_store(bytes + OPERATOR_NAMES_AT_HEADER_SUM, 4, false,
                crc32c_add(CRC32C_INIT, bytes, OPERATOR_NAMES_AT_HEADER_SUM));
    return bytes;
}

static void assert_refused(const unsigned char *bytes, size_t length, const char *why)
{
    struct operator_names names = {.texts = "untouched"};
    const char *wrong = operator_names_read(bytes, length, &names);

    assert_non_null(wrong);
    assert_string_equal(wrong, why);
    assert_string_equal(names.texts, "untouched");
}

static void a_table_that_lies_is_refused(void **state)
{
    (void)state;
    assert_refused(changed(0, 1, 'm'), sizeof table, "it is not a table of operator names");
    assert_refused(changed(OPERATOR_NAMES_AT_VERSION, 4, 2), sizeof table, "it is of another version");
    assert_refused(changed(OPERATOR_NAMES_AT_RECORD_SIZE, 4, 76), sizeof table, "its records have an unknown size");
    assert_refused(changed(OPERATOR_NAMES_AT_FIRST, 8, 0), sizeof table, "its operator indexes do not exist");
    assert_refused(changed(OPERATOR_NAMES_AT_FIRST, 8, UINT64_MAX - 1), sizeof table,
                   "its operator indexes do not exist");
    assert_refused(changed(OPERATOR_NAMES_AT_COUNT, 8, 2), sizeof table, "it is longer than its header says");
    assert_refused(changed(OPERATOR_NAMES_AT_COUNT, 8, 4), sizeof table, "it is truncated");
    assert_refused(changed(OPERATOR_NAMES_AT_COUNT, 8, UINT64_MAX / 8 + 2), sizeof table, "it is longer than 1 GiB");
    assert_refused(changed(OPERATOR_NAMES_AT_TEXTS, 8, UINT64_MAX), sizeof table, "it is longer than 1 GiB");
    assert_refused(changed(OPERATOR_NAMES_AT_TEXTS, 8, OPERATOR_NAMES_MAX_SIZE), sizeof table,
                   "it is longer than 1 GiB");
    assert_refused(changed(OPERATOR_NAMES_HEADER_SIZE, 4, 25), sizeof table, "a text lies outside of it");
    assert_refused(changed(OPERATOR_NAMES_HEADER_SIZE + 4, 4, UINT32_MAX), sizeof table, "a text lies outside of it");
    assert_refused(changed(sizeof table - 1, 1, 'x'), sizeof table, "its last text has no end");
}

static void a_table_that_is_damaged_or_cut_is_refused(void **state)
{
    unsigned char bytes[sizeof table];
    struct operator_names names;

    (void)state;
    for (size_t length = 0; length < sizeof table; length++)
        assert_refused(table, length, "it is truncated");
    memcpy(bytes, table, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_non_null(operator_names_read(bytes, sizeof bytes, &names));
        bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    assert_null(operator_names_read(bytes, sizeof bytes, &names));
}

/* Writes a table into the file `names` and reads it back; free() *ret_bytes. */
static void write_and_read(const struct operator_names_writer *writer, uint64_t first, struct operator_names *ret,
                           char **ret_bytes)
{
    struct err err = ERR_INIT;
    struct outfile out;
    size_t length;

    assert_int_equal(outfile_open(&out, in_scratch("names"), &err), 0);
    operator_names_writer_write(writer, OPERATOR_RECORD_OLD_SIZE, first, &out);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_int_equal(path_read_file(in_scratch("names"), 64 * 1024 * 1024, ret_bytes, &length, &err), 0);
    assert_null(operator_names_read((const unsigned char *)*ret_bytes, length, ret));
}

static void what_is_written_is_read_again_and_texts_are_kept_once(void **state)
{
    struct operator_names_writer writer = {.texts_length = 0};
    struct operator_names names;
    struct err err = ERR_INIT;
    char *bytes, type[32], name[32];

    (void)state;
    for (int i = 0; i < 10000; i++) {
        snprintf(type, sizeof type, "type%d", i % 7);
        snprintf(name, sizeof name, "name%d", i % 3000);
        assert_int_equal(operator_names_writer_add(&writer, type, name, &err), 0);
    }
    write_and_read(&writer, 17, &names, &bytes);
    assert_int_equal(names.header.first, 17);
    assert_int_equal(names.header.count, 10000);
    assert_int_equal(names.header.record_size, 72);
    /* 7 types of 6 bytes with their NULs, names 0 to 2999 */
    assert_int_equal(names.header.texts_length, 7 * 6 + 10 * 6 + 90 * 7 + 900 * 8 + 2000 * 9);
    for (int i = 0; i < 10000; i++) {
        snprintf(type, sizeof type, "type%d", i % 7);
        snprintf(name, sizeof name, "name%d", i % 3000);
        assert_string_equal(operator_names_text(&names, (uint64_t)i, OPERATOR_TYPE), type);
        assert_string_equal(operator_names_text(&names, (uint64_t)i, OPERATOR_NAME), name);
    }
    free(bytes);
    operator_names_writer_release(&writer);
    assert_null(writer.entries.items);
}

static void a_table_may_be_empty(void **state)
{
    struct operator_names_writer writer = {.texts_length = 0};
    struct operator_names names;
    char *bytes;

    (void)state;
    write_and_read(&writer, 1, &names, &bytes);
    assert_int_equal(names.header.count, 0);
    assert_int_equal(names.header.size, OPERATOR_NAMES_HEADER_SIZE);
    free(bytes);
    operator_names_writer_release(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_crc_is_that_of_the_standard_without_the_inversion),
        cmocka_unit_test(a_record_is_written_as_it_is_documented),
        cmocka_unit_test(a_record_is_read_as_it_is_documented),
        cmocka_unit_test(every_flipped_bit_breaks_the_signature),
        cmocka_unit_test(there_are_records_of_two_sizes),
        cmocka_unit_test(a_table_is_read_as_it_is_documented),
        cmocka_unit_test(a_table_that_lies_is_refused),
        cmocka_unit_test(a_table_that_is_damaged_or_cut_is_refused),
        cmocka_unit_test_setup_teardown(what_is_written_is_read_again_and_texts_are_kept_once, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_table_may_be_empty, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
