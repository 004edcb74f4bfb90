/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the terminal: widths, columns that are hidden, narrow or joined, rows that are too many to be kept, parts.
 */
#include "db/database.h"
#include "exporters/table/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COLUMNS = 4 };

static const struct report_column columns[] = {
    {"Name", .form = FORM_TEXT},
    {"Secret", .flags = REPORT_NO_TERMINAL},
    {"Count", .flags = REPORT_NUMBER},
    {"Time(us)", .form = FORM_SCALED, .decimals = 3, .flags = REPORT_NARROW},
    {.title = NULL},
};

/* Rows of the reports under test. */
static size_t row_count, times;

static int put_one(struct report_run *run, const char *name, int64_t count, struct err *err)
{
    const struct report_value values[COLUMNS] = {value_text(name), value_text("x"), value_integer(count),
                                                 value_integer(1500)};
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    int status = 0;
    times++;
    for (size_t i = 0; status == 0 && i < row_count; i++)
        status = put_one(run, i == 0 ? "first" : NULL, i == 0 ? 3 : DB_NULL, err);
    return status;
}

static const struct report report = {.name = "terminal", .families = FAMILY_ANY, .columns = columns, .rows = put_rows};

/* Prints a report to a text, to be freed; *ret_rows: how many are counted. */
static char *print(const struct report *wanted, int width, uint64_t *ret_rows)
{
    char *text = NULL;
    size_t length = 0;
    sqlite3 *db;
    FILE *stream = open_memstream(&text, &length);
    const struct show_options options = {.width = width};
    struct export_result result = {0};
    struct show show = {.stream = stream, .options = &options, .result = &result};
    const struct export_options wishes = {.format = TABLE_TERMINAL, .columns = COLUMNS_VENDOR, .show = &show};
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct report_session session;
    struct err err = ERR_INIT;
    assert_non_null(stream);
    display_init(&show.display);
    assert_int_equal(database_open_memory(&db, &(struct err)ERR_INIT), 0);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT)", NULL, NULL, NULL),
                     SQLITE_OK);
    times = 0;
    assert_int_equal(report_session_open(&session, db, &wishes, &result, &err), 0);
    assert_int_equal(report_write(&session, wanted, &scope, ret_rows, &err), 0);
    report_session_release(&session);
    sqlite3_close(db);
    display_release(&show.display);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(result.rows, *ret_rows);
    return text;
}

static void rows_are_shown_without_hidden_columns(void **state)
{
    uint64_t rows;
    (void)state;
    row_count = 2;
    char *text = print(&report, 0, &rows);
    assert_string_equal(text, "╒═══════╤═══════╤══════════╕\n"
                              "│ Name  │ Count │ Time(us) │\n"
                              "╞═══════╪═══════╪══════════╡\n"
                              "│ first │     3 │      1.5 │\n"
                              "├───────┼───────┼──────────┤\n"
                              "│ N/A   │   N/A │      1.5 │\n"
                              "╘═══════╧═══════╧══════════╛\n");
    assert_int_equal(rows, 2);
    assert_int_equal(times, 1);
    free(text);
}

static void narrow_columns_stand_under_the_one_before(void **state)
{
    uint64_t rows;
    (void)state;
    row_count = 2;
    char *text = print(&report, 17, &rows);
    assert_string_equal(text, "╒═══════╤═══════╕\n"
                              "│ Name  │ Count │\n"
                              "│       │  Time │\n"
                              "│       │  (us) │\n"
                              "╞═══════╪═══════╡\n"
                              "│ first │     3 │\n"
                              "│       │   1.5 │\n"
                              "├───────┼───────┤\n"
                              "│ N/A   │   N/A │\n"
                              "│       │   1.5 │\n"
                              "╘═══════╧═══════╛\n");
    free(text);
}

static void a_table_without_rows_prints_nothing(void **state)
{
    uint64_t rows;
    (void)state;
    row_count = 0;
    char *text = print(&report, 0, &rows);
    assert_string_equal(text, "");
    assert_int_equal(rows, 0);
    free(text);
}

static void rows_that_are_too_many_to_be_kept_are_made_a_second_time(void **state)
{
    uint64_t rows;
    (void)state;
    row_count = TERMINAL_KEPT_MAX / 8;
    char *text = print(&report, 0, &rows);
    assert_int_equal(times, 2);
    assert_int_equal(rows, row_count);
    assert_memory_equal(text, "╒═══════╤", strlen("╒═══════╤")); /* the longest name is that of the first row */
    const char *last = text + strlen(text) - strlen("│ N/A   │   N/A │      1.5 │\n╘═══════╧═══════╧══════════╛\n");
    assert_string_equal(last, "│ N/A   │   N/A │      1.5 │\n╘═══════╧═══════╧══════════╛\n");
    free(text);
}

/* ---- joined columns ---- */

static const struct report_column joined_columns[] = {
    {"Time(us)", .value = 0, .flags = REPORT_NUMBER},
    {"Ratio", .value = 1, .flags = REPORT_GUIDE | REPORT_NUMBER},
    {"Ratio(%)", .value = 1, .flags = REPORT_VENDOR | REPORT_NUMBER | REPORT_JOINED},
    {"Bandwidth", .value = 2, .flags = REPORT_NUMBER | REPORT_TERMINAL | REPORT_JOINED},
    {"Count", .value = 3, .flags = REPORT_NUMBER},
    {.title = NULL},
};

static int put_joined(struct report_run *run, struct err *err)
{
    const struct report_value values[] = {value_integer(7), value_integer(100), value_none(), value_integer(1)};
    return report_row(run, values, err);
}

static const struct report joined = {
    .name = "joined", .families = FAMILY_ANY, .columns = joined_columns, .rows = put_joined};

static void numbers_of_joined_columns_stand_in_one_cell(void **state)
{
    uint64_t rows;
    (void)state;
    char *text = print(&joined, 0, &rows);
    assert_string_equal(text, "╒═══════════╤═══════╕\n"
                              "│  Time(us) │ Count │\n"
                              "│  Ratio(%) │       │\n"
                              "│ Bandwidth │       │\n"
                              "╞═══════════╪═══════╡\n"
                              "│ 7/100/N/A │     1 │\n"
                              "╘═══════════╧═══════╛\n");
    free(text);
}

/* ---- parts ---- */

static size_t part_rows = 1;

static int put_part(const void *arg, struct report_run *run, struct err *err)
{
    int status = 0;
    times++;
    for (size_t i = 0; status == 0 && i < part_rows; i++)
        status = put_one(run, arg, 1, err);
    return status;
}

static int print_heading(const void *arg, struct show *show, struct err *err)
{
    (void)err;
    show_field(show, "of ", arg);
    show_end_line(show);
    return 0;
}

static int put_parts(struct report_run *run, struct err *err)
{
    static const char *const names[] = {"a", "longest"};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        const struct report_part part = {.suffix = "", .heading = print_heading, .rows = put_part, .arg = names[i]};
        status = report_put_part(run, &part, err);
    }
    return status;
}

static int put_following(struct report_run *run, struct err *err)
{
    static const char *const names[] = {"a", "longest"};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        const struct report_part part = {.suffix = "", .heading = print_heading, .arg = names[i]};
        status = report_put_part(run, &part, err);
        if (status == 0)
            status = put_one(run, names[i], 1, err);
    }
    return status;
}

static const struct report parted = {.name = "parted", .families = FAMILY_ANY, .columns = columns, .rows = put_parts};
static const struct report even = {
    .name = "even", .families = FAMILY_ANY, .one_width = true, .columns = columns, .rows = put_following};

#define LONGEST_PART                                                                                                   \
    "of longest\n"                                                                                                     \
    "╒═════════╤═══════╤══════════╕\n"                     \
    "│ Name    │ Count │ Time(us) │\n"                                                                         \
    "╞═════════╪═══════╪══════════╡\n"                     \
    "│ longest │     1 │      1.5 │\n"                                                                         \
    "╘═════════╧═══════╧══════════╛\n"

static void parts_stand_under_headings_each_as_wide_as_its_rows(void **state)
{
    uint64_t rows;
    (void)state;
    char *text = print(&parted, 0, &rows);
    assert_string_equal(text, "of a\n"
                              "╒══════╤═══════╤══════════╕\n"
                              "│ Name │ Count │ Time(us) │\n"
                              "╞══════╪═══════╪══════════╡\n"
                              "│ a    │     1 │      1.5 │\n"
                              "╘══════╧═══════╧══════════╛\n" LONGEST_PART);
    assert_int_equal(times, 2);
    assert_int_equal(rows, 2);
    free(text);
}

static void rows_of_a_large_part_are_made_a_second_time(void **state)
{
    uint64_t rows;
    (void)state;
    part_rows = TERMINAL_PART_KEPT_MAX / 8;
    char *text = print(&parted, 0, &rows);
    part_rows = 1;
    assert_int_equal(times, 4);
    assert_int_equal(rows, 2 * (TERMINAL_PART_KEPT_MAX / 8));
    assert_null(strstr(strstr(text, "of a\n") + 1, "of a\n"));
    free(text);
}

static void parts_of_one_width_are_as_wide_as_the_widest(void **state)
{
    uint64_t rows;
    (void)state;
    char *text = print(&even, 0, &rows);
    assert_string_equal(text, "of a\n"
                              "╒═════════╤═══════╤══════════╕\n"
                              "│ Name    │ Count │ Time(us) │\n"
                              "╞═════════╪═══════╪══════════╡\n"
                              "│ a       │     1 │      1.5 │\n"
                              "╘═════════╧═══════╧══════════╛\n" LONGEST_PART);
    assert_int_equal(rows, 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_shown_without_hidden_columns),
        cmocka_unit_test(narrow_columns_stand_under_the_one_before),
        cmocka_unit_test(a_table_without_rows_prints_nothing),
        cmocka_unit_test(rows_that_are_too_many_to_be_kept_are_made_a_second_time),
        cmocka_unit_test(numbers_of_joined_columns_stand_in_one_cell),
        cmocka_unit_test(parts_stand_under_headings_each_as_wide_as_its_rows),
        cmocka_unit_test(rows_of_a_large_part_are_made_a_second_time),
        cmocka_unit_test(parts_of_one_width_are_as_wide_as_the_widest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
