/* SPDX-License-Identifier: Apache-2.0 */
/* Records typed by hand from the format documents, and the first ones of a real file: the tables against the outside
 * world. */
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/decode/layout.h"
#include "parsers/kinds/common/core_changes.h"
#include "parsers/kinds/common/split_record.h"
#include "parsers/kinds/common/text/text_lines.h"
#include "tests/lib/typed_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KINDS_DIRECTORY "testdata/kinds"
static const struct layout *matching_layout(const struct record_kind *kind, const struct typed_record *fixture)
{
    const struct layout *layout;
    for (size_t i = 0; (layout = layout_candidate(NULL, kind, i)) != NULL; i++)
        if (layout->record_size == fixture->length && layout_matches(layout, fixture->bytes) &&
            (fixture->layout[0] == '\0' || strcmp(fixture->layout, layout->name) == 0))
            return layout;
    fail_msg("%s: no layout of kind %s fits these %zu bytes", fixture->path, kind->name, fixture->length);
    return NULL;
}

static void compare_cell(const struct typed_record *fixture, const struct column *column, const struct cell *cell,
                         const char *expected)
{
    char found[128];
    if (column->type == COLUMN_TEXT)
        snprintf(found, sizeof(found), "%.*s", (int)cell->length, cell->text);
    else
        snprintf(found, sizeof(found), "%" PRId64, cell->integer);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: column %s is %s, expected %s", fixture->path, column->name, found, expected);
}

static void check_fixture(const struct record_kind *kind, struct typed_record *fixture)
{
    struct decode_plan plan;
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present = 0, expected = 0;
    struct row row = {cells, &present};
    int bad_column;
    typed_record_read(fixture);
    decode_plan_init(&plan, kind, matching_layout(kind, fixture));
    decode_record(&plan, fixture->bytes, &row, &bad_column);
    assert_int_equal(bad_column, -1);
    for (size_t i = 0; i < fixture->expected_count; i++) {
        int column = record_kind_column(kind, fixture->expected[i].column);
        if (column < 0 || (present >> column & 1) == 0)
            fail_msg("%s: the layout gives no column %s", fixture->path, fixture->expected[i].column);
        expected |= UINT64_C(1) << column;
        compare_cell(fixture, &kind->columns[column], &cells[column], fixture->expected[i].value);
    }
    if (expected != present)
        fail_msg("%s: not every column of the layout is expected", fixture->path);
}

static size_t check_kind(const char *name)
{
    char path[384];
    size_t fixtures = 0;
    const struct record_kind *kind = record_kind_find(name);
    if (kind == NULL) {
        fail_msg("%s/%s: there is no such record kind", KINDS_DIRECTORY, name);
        return 0;
    }
    snprintf(path, sizeof(path), "%s/%s", KINDS_DIRECTORY, name);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".text") == 0 && kind->lines != NULL)
            fixtures++; /* tests/cann/system/text_kinds.py compares it */
        if (dot == NULL || strcmp(dot, ".hex") != 0)
            continue;
        struct typed_record fixture = {.length = 0};
        snprintf(fixture.path, sizeof(fixture.path), "%.255s/%.200s", path, entry->d_name);
        check_fixture(kind, &fixture);
        fixtures++;
    }
    closedir(directory);
    return fixtures;
}

static void records_typed_from_the_documents_decode_to_their_values(void **state)
{
    (void)state;
    DIR *directory = opendir(KINDS_DIRECTORY);
    if (directory == NULL) {
        fail_msg("%s: %s (run this test from the top of the source tree)", KINDS_DIRECTORY, strerror(errno));
        return;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        if (entry->d_name[0] != '.' && strchr(entry->d_name, '.') == NULL && check_kind(entry->d_name) == 0)
            fail_msg("%s/%s: no *.hex and no *.text file", KINDS_DIRECTORY, entry->d_name);
    closedir(directory);
}

static void every_kind_with_layouts_or_lines_has_a_record_typed_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        if (record_kinds[i]->layout_count > 0 || record_kinds[i]->lines != NULL)
            assert_true(check_kind(record_kinds[i]->name) > 0);
}

static void the_patterns_of_text_kinds_name_columns_that_exist(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        if (record_kinds[i]->lines != NULL && !text_lines_check(record_kinds[i]))
            fail_msg("kind %s has a line with a column that it lacks", record_kinds[i]->name);
}

#define REAL_FILE "data/real-910a-job3/raw/hwts.log.data.45.dev.profiler_default_tag.1.slice_0"
#define REAL_RECORDS 62847

/* Read off a hex dump of the file. */
static const struct {
    uint64_t record;
    int64_t type, counter, task_id, tick, stream_id;
} real_records[] = {
    {0, 0, 0, 60002, 38753186165, 513}, {1, 1, 1, 60002, 38753186166, 513},     {2, 0, 2, 60007, 38753426375, 515},
    {3, 1, 3, 60007, 38753426376, 515}, {12345, 0, 9, 32100, 43866012388, 570}, {62846, 1, 14, 31116, 44102980896, 557},
};

static void the_first_records_of_a_real_hwts_log_decode_to_what_the_hex_dump_shows(void **state)
{
    (void)state;
    char path[4096];
    const char *shared = getenv("MSPROF_SHARED");
    snprintf(path, sizeof(path), "%s/%s", shared != NULL ? shared : "../shared", REAL_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        print_message("skipped: needs %s of MSPROF_SHARED\n", REAL_FILE);
        skip();
    }
    const struct record_kind *kind = record_kind_find("hwts");
    assert_non_null(kind);
    const struct layout *layout = layout_candidate(NULL, kind, 0);
    assert_int_equal(layout->record_size, 64);
    assert_int_equal(lseek(fd, 0, SEEK_END), REAL_RECORDS * 64);
    struct decode_plan plan;
    decode_plan_init(&plan, kind, layout);
    for (size_t i = 0; i < sizeof(real_records) / sizeof(real_records[0]); i++) {
        unsigned char record[64];
        struct cell cells[RECORD_MAX_COLUMNS];
        uint64_t present = 0;
        struct row row = {cells, &present};
        int bad_column;
        assert_int_equal(pread(fd, record, sizeof(record), (off_t)(real_records[i].record * 64)), 64);
        assert_true(layout_matches(layout, record));
        decode_record(&plan, record, &row, &bad_column);
        assert_int_equal(cells[record_kind_column(kind, "type")].integer, real_records[i].type);
        assert_int_equal(cells[record_kind_column(kind, "counter")].integer, real_records[i].counter);
        assert_int_equal(cells[record_kind_column(kind, "task_id")].integer, real_records[i].task_id);
        assert_int_equal(cells[record_kind_column(kind, "tick")].integer, real_records[i].tick);
        assert_int_equal(cells[record_kind_column(kind, "stream_id")].integer, real_records[i].stream_id);
    }
    close(fd);
}

/* Rows and plans have room for as many. */
static void a_kind_has_no_more_columns_than_a_row_and_a_layout_names_each_once(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        assert_true(kind->column_count <= RECORD_MAX_COLUMNS);
        for (size_t k = 0; k < kind->layout_count; k++) {
            struct err err = ERR_INIT;
            if (kind->layouts[k].field_count > 0 && layout_check(kind, &kind->layouts[k], &err) < 0)
                fail_msg("%s: %s", kind->name, err_message(&err));
        }
    }
}

static size_t count_of(const char *pattern, char c)
{
    size_t count = 0;
    for (; *pattern != '\0'; pattern++)
        count += *pattern == c;
    return count;
}

static void no_table_of_a_kind_is_larger_than_the_room_of_who_reads_it(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        size_t parts = 0, mixed = 0;
        while (kind->parts != NULL && kind->parts[parts] != NULL)
            parts++;
        for (size_t k = 0; k < kind->layout_count; k++)
            mixed += kind->layouts[k].mixed;
        assert_true(parts <= SPLIT_MAX_PARTS);
        assert_true(mixed <= LAYOUTS_MIXED_MAX);
        assert_true(kind->hooks != &core_changes_hooks ||
                    kind->column_count <= CORE_CHANGES_OWN + CORE_CHANGES_OWN_MAX);
        /* a placeholder, and what stands between it and the next */
        for (size_t k = 0; kind->patterns != NULL && kind->patterns[k] != NULL; k++)
            assert_true(2 * count_of(kind->patterns[k], '{') < CAPTURE_NAME_PIECES_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_typed_from_the_documents_decode_to_their_values),
        cmocka_unit_test(every_kind_with_layouts_or_lines_has_a_record_typed_by_hand),
        cmocka_unit_test(the_patterns_of_text_kinds_name_columns_that_exist),
        cmocka_unit_test(no_table_of_a_kind_is_larger_than_the_room_of_who_reads_it),
        cmocka_unit_test(a_kind_has_no_more_columns_than_a_row_and_a_layout_names_each_once),
        cmocka_unit_test(the_first_records_of_a_real_hwts_log_decode_to_what_the_hex_dump_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
