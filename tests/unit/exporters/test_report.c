/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of reports: what a table of columns becomes, and which rows are
 * chosen. */
#include "db/database.h"
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct value_name kinds[] = {{0, "read"}, {VALUE_OTHER, "other"}, {0, NULL}};

static const struct report_column columns[] = {
    {"Op Name", "name_id", .form = FORM_NAME},
    {"Kind", "kind", .names = kinds},
    {"Time(us)", "ns", FORM_SCALED, 3, .doc = "How long."},
    {"Share", "share", FORM_FIXED, 2, .doc = "Its share."},
    {"Only here", "1", .when = "EXISTS (SELECT 1 FROM t WHERE ns > 1000000000)"},
    {"Mode", "setting('mode')", .decimals = 0},
    {.title = NULL},
};

static const struct report of_query = {
    .name = "t", .families = FAMILY_ANY, .query = {.from = "t", .order_by = "id"}, .columns = columns};

static sqlite3 *open_database(void)
{
    static const char sql[] = "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO name "
                              "VALUES(1, 'a,b'), (2, 'conv'), (3, 'x');"
                              "CREATE TABLE capture_part(id INTEGER PRIMARY KEY, device_id, is_host, "
                              "chip);"
                              "INSERT INTO capture_part VALUES(1, NULL, 1, 5);"
                              "CREATE TABLE setting(part_id, name, value); INSERT INTO setting "
                              "VALUES(1, 'mode', 'fast');"
                              "CREATE TABLE t(id INTEGER PRIMARY KEY, name_id, kind, ns, share);"
                              "INSERT INTO t VALUES(1, 1, 0, 1500, 0.125), (2, 2, 7, 250000, 2), (3, "
                              "3, 0, 99999, NULL), (4, NULL, 0, 250000, "
                              "1e300 * 1e300);";
    sqlite3 *db;
    assert_int_equal(database_open_memory(&db, &(struct err)ERR_INIT), 0);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

/* The table as a file holds it, to be freed; NULL with err set. */
static char *make(const struct report *report, enum table_format format, const struct table_choice *choice,
                  struct err *err)
{
    char path[] = "/tmp/test_report_XXXXXX", *text = calloc(1, 65536);
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct export_result result = {0};
    struct report_session session;
    uint64_t rows;
    int descriptor = mkstemp(path);
    sqlite3 *db = open_database();
    const struct export_options options = {.format = format, .choice = choice, .stream_path = path};
    assert_true(descriptor >= 0);
    assert_non_null(text);
    int status = report_session_open(&session, db, &options, &result, err);
    if (status == 0)
        status = report_write(&session, report, &scope, &rows, err);
    report_session_release(&session);
    sqlite3_close(db);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) < 65535);
    fclose(file);
    close(descriptor);
    unlink(path);
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static void expect(enum table_format format, const struct table_choice *choice, const char *expected)
{
    struct err err = ERR_INIT;
    char *text = make(&of_query, format, choice, &err);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void columns_become_csv_by_their_forms(void **state)
{
    (void)state;
    expect(TABLE_CSV, NULL,
           "Op "
           "Name,Kind,Time(us),Share,Mode\n\"a,b\",read,1.5,0.12,fast\nconv,"
           "other,250,2.00,fast\n"
           "x,read,99.999,N/A,fast\nN/A,read,250,N/A,fast\n");
}

static void rows_are_filtered_sorted_and_cut_in_every_format(void **state)
{
    static const char *const filters[] = {"time>0.01ms", "kind!=nothing"};
    const struct table_choice choice = {
        .columns = "time,op_name", .sort = "time,desc", .filters = filters, .filter_count = 2, .top = 2};
    (void)state;
    expect(TABLE_CSV, &choice, "Time(us),Op Name\n250,conv\n250,N/A\n");
    expect(TABLE_MARKDOWN, &choice, "| Time(us) | Op Name |\n|---|---|\n| 250 | conv |\n| 250 | N/A |\n");
    expect(TABLE_JSON, &choice,
           "[\n    {\n        \"Time(us)\": 250,\n        \"Op Name\": "
           "\"conv\"\n    },\n    {\n        \"Time(us)\": 250,\n"
           "        \"Op Name\": \"N/A\"\n    }\n]\n");
}

static void texts_are_matched_as_people_read_them(void **state)
{
    static const char *const filters[] = {"op_name~a,*"};
    const struct table_choice choice = {.columns = "OP_NAME", .filters = filters, .filter_count = 1};
    (void)state;
    expect(TABLE_CSV, &choice, "Op Name\n\"a,b\"\n");
}

static void rows_without_a_value_are_sorted_last(void **state)
{
    const struct table_choice choice = {.columns = "op_name", .sort = "op_name,desc"};
    (void)state;
    expect(TABLE_CSV, &choice, "Op Name\nx\nconv\n\"a,b\"\nN/A\n");
}

static void wishes_that_cannot_be_are_errors_of_usage(void **state)
{
    static const char *const no_filter[] = {"time"}, *const other_unit[] = {"time>3KB"};
    const struct table_choice choices[] = {
        {.sort = "nothing"},
        {.sort = "time,up"},
        {.columns = "time,only_here"},
        {.filters = no_filter, .filter_count = 1},
        {.filters = other_unit, .filter_count = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct err err = ERR_INIT;
        assert_null(make(&of_query, TABLE_CSV, &choices[i], &err));
        assert_int_equal(err.code, ERR_USAGE);
    }
}

static void names_of_reports_are_different_within_a_family(void **state)
{
    struct err err = ERR_INIT;
    const struct report *const *all = report_all(&err);
    (void)state;
    for (int family = CAPTURE_SVP; family <= CAPTURE_CANN; family++) {
        for (const struct report *const *one = all; *one != NULL; one++) {
            const struct report *found = report_find(all, (*one)->name, family);
            /* a shown one hides that of summaries which has its name, not the other way round */
            if ((*one)->families & FAMILY_OF(family))
                assert_true(found == *one || (found->shown_only && !(*one)->shown_only));
        }
    }
}

static void every_series_of_a_kind_with_columns_is_a_report(void **state)
{
    struct err err = ERR_INIT;
    const struct report *const *all = report_all(&err);
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct series_report *series = record_kinds[i]->series;
        for (; series != NULL && series->name != NULL; series++) {
            size_t found = 0;
            for (const struct report *const *one = all; *one != NULL; one++)
                found += (*one)->columns == series->columns && strcmp((*one)->name, series->name) == 0;
            assert_int_equal(found, series->columns != NULL);
        }
    }
}

struct shown {
    int64_t ns;
    double real;
    uint32_t count;
    bool is_true;
    const char *text;
    struct report_value any;
};

static int put_two(struct report_run *run, struct err *err)
{
    const struct shown rows[] = {{1500, 2.5, 7, true, "a", value_text("b")},
                                 {DB_NULL, NAN, 0, false, NULL, value_none()}};
    int status = report_put(run, &rows[0], err);
    return status == 0 ? report_put(run, &rows[1], err) : status;
}

static void a_row_is_a_struct_whose_members_the_columns_show(void **state)
{
    static const struct report_column shown[] = {
        {"Time(us)", SHOWN(ns), FORM_SCALED, 3},
        {"Real", SHOWN(real), FORM_SHORTEST, 3},
        {"Rounded", SHOWN(real), FORM_SCALED, 0},
        {"Count", SHOWN(count), .flags = REPORT_NUMBER},
        {"Is", SHOWN(is_true), .names = kinds},
        {"Text", SHOWN(text)},
        {"Any", SHOWN(any)},
        {.title = NULL},
    };
    static const struct report of_structs = {.name = "t", .columns = shown, .rows = put_two};
    struct err err = ERR_INIT;
    char *text = make(&of_structs, TABLE_CSV, NULL, &err);
    (void)state;
    assert_non_null(text);
    assert_string_equal(text, "Time(us),Real,Rounded,Count,Is,Text,Any\n"
                              "1.5,2.5,3,7,other,a,b\n"
                              "N/A,N/A,N/A,0,read,N/A,N/A\n");
    free(text);
}

static void a_column_that_shows_no_member_of_the_row_is_an_error(void **state)
{
    static const struct report_column shown[] = {
        {"Time(us)", SHOWN(ns), FORM_SCALED, 3}, {"Lost", .sql = NULL}, {.title = NULL}};
    static const struct report of_structs = {.name = "t", .columns = shown, .rows = put_two};
    struct err err = ERR_INIT;
    (void)state;
    assert_null(make(&of_structs, TABLE_CSV, NULL, &err));
    assert_non_null(strstr(err_message(&err), "Lost"));
}

/* Texts are texts, and ids and words are integers. */
static bool suits(const struct report_column *column)
{
    bool is_id = column->form == FORM_NAME || column->form == FORM_TENSORS || column->names != NULL;
    if (column->field.type == FIELD_TEXT)
        return column->form == FORM_TEXT && !is_id;
    return column->field.type != FIELD_REAL || !is_id;
}

static void the_columns_of_a_report_with_rows_of_its_own_show_members_of_one_struct(void **state)
{
    struct err err = ERR_INIT;
    size_t reports = 0;
    (void)state;
    for (const struct report *const *one = report_all(&err); *one != NULL; one++) {
        const struct report_column *column = (*one)->columns;
        if ((*one)->rows == NULL)
            continue;
        for (reports++; column->title != NULL; column++) {
            if (column->sql != NULL || column->field.row_size != (*one)->columns->field.row_size ||
                column->field.offset >= column->field.row_size || !suits(column))
                fail_msg("column %s of %s", column->title, (*one)->name);
        }
        assert_true((*one)->columns->field.row_size > 0);
    }
    assert_true(reports > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_csv_by_their_forms),
        cmocka_unit_test(rows_are_filtered_sorted_and_cut_in_every_format),
        cmocka_unit_test(texts_are_matched_as_people_read_them),
        cmocka_unit_test(rows_without_a_value_are_sorted_last),
        cmocka_unit_test(wishes_that_cannot_be_are_errors_of_usage),
        cmocka_unit_test(names_of_reports_are_different_within_a_family),
        cmocka_unit_test(every_series_of_a_kind_with_columns_is_a_report),
        cmocka_unit_test(a_row_is_a_struct_whose_members_the_columns_show),
        cmocka_unit_test(a_column_that_shows_no_member_of_the_row_is_an_error),
        cmocka_unit_test(the_columns_of_a_report_with_rows_of_its_own_show_members_of_one_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
