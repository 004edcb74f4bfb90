/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the engine of reports as files hold them: what becomes of values, parts and failures. */
#include "base/file/fsutil.h"
#include "db/database.h"
#include "exporters/json_text.h"
#include "exporters/output_file.h"
#include "exporters/table/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

enum { COLUMNS = 3 };

static const struct report_column columns[] = {
    {"Name", .value = 0},
    {"Time(us)", .form = FORM_SCALED, .decimals = 2},
    {"Start(us)", .form = FORM_SCALED_FIXED, .decimals = 3},
    {.title = NULL},
};

/* Rows of the report under test. */
static struct {
    const struct report_value (*rows)[COLUMNS];
    size_t count;
    size_t leading; /* columns that are put at once */
    bool fails;     /* behind the rows */
} given;

static int put_encoded(struct report_run *run, const struct report_value *row, struct err *err)
{
    struct report_value values[COLUMNS];
    struct strbuf text;
    strbuf_init(&text, 1024);
    memcpy(values, row, sizeof values);
    assert_int_equal(report_leading_columns(run, given.leading), given.leading);
    assert_int_equal(report_plan_encode(&run->plan, row, given.leading, &text), 0);
    values[0] = value_cells(text.data, text.length, given.leading);
    int status = report_row(run, values, err);
    strbuf_release(&text);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < given.count; i++)
        status = given.leading > 0 ? put_encoded(run, given.rows[i], err) : report_row(run, given.rows[i], err);
    return status == 0 && given.fails ? err_set(err, ERR_LIMIT, "as the test wants it") : status;
}

static const struct report report = {.name = "table", .families = FAMILY_ANY, .columns = columns, .rows = put_rows};

static char directory[] = "/tmp/msprof-table-XXXXXX";
static char *path;

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    path = path_join(directory, "table.csv");
    return path == NULL ? -1 : 0;
}

static int analyse_remove_directory(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    return rmdir(directory);
}

static sqlite3 *open_database(void)
{
    sqlite3 *db;
    assert_int_equal(database_open_memory(&db, &(struct err)ERR_INIT), 0);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT)", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static int write_report(const struct report *wanted, const struct export_options *options, struct export_result *result,
                        struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct report_session session;
    uint64_t rows;
    sqlite3 *db = open_database();
    int status = report_session_open(&session, db, options, result, err);
    if (status == 0)
        status = report_write(&session, wanted, &scope, &rows, err);
    report_session_release(&session);
    sqlite3_close(db);
    return status;
}

/* The file that a table with these rows becomes; to be freed. */
static char *write_table(enum table_format format, const struct report_value (*rows)[COLUMNS], size_t count)
{
    const struct export_options options = {.format = format, .stream_path = path};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    char *content = NULL;
    size_t length = 0;
    given.rows = rows;
    given.count = count;
    assert_int_equal(write_report(&report, &options, &result, &err), 0);
    assert_int_equal(result.rows, count);
    assert_int_equal(path_read_file(path, 1 << 20, &content, &length, &err), 0);
    assert_int_equal(strlen(content), length);
    return content;
}

static void csv_fields_are_quoted_only_where_they_must_be(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {
        {value_text("data,conv1"), value_integer(1560), value_integer(1234567)},
        {value_text("say \"hi\""), value_integer(0), value_integer(0)},
        {value_text("two\nlines"), value_scaled(-5, 1), value_integer(-1)},
        {value_text("return\rhere"), value_integer(9700), value_integer(999)},
        {value_text("plain blanks; semicolons"), value_scaled(1706667, 4), value_integer(1000)},
    };
    char *csv = write_table(TABLE_CSV, rows, 5);
    assert_string_equal(csv, "Name,Time(us),Start(us)\n"
                             "\"data,conv1\",15.6,1234.567\n"
                             "\"say \"\"hi\"\"\",0,0.000\n"
                             "\"two\nlines\",-0.5,-0.001\n"
                             "\"return\rhere\",97,0.999\n"
                             "plain blanks; semicolons,170.6667,1.000\n");
    free(csv);
}

static void a_value_that_does_not_exist_is_not_available(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {{value_none(), value_integer(DB_NULL), value_integer(DB_NULL)}};
    char *csv = write_table(TABLE_CSV, rows, 1);
    assert_string_equal(csv, "Name,Time(us),Start(us)\nN/A,N/A,N/A\n");
    free(csv);
    char *json = write_table(TABLE_JSON, rows, 1);
    assert_non_null(strstr(json, "\"Time(us)\": \"N/A\""));
    free(json);
}

static void json_is_a_list_of_objects_with_four_blanks_of_indent(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {
        {value_text("a"), value_integer(1560), value_integer(1500)},
        {value_text("100"), value_scaled(3, 0), value_integer(0)},
    };
    char *json = write_table(TABLE_JSON, rows, 2);
    assert_string_equal(json, "[\n"
                              "    {\n"
                              "        \"Name\": \"a\",\n"
                              "        \"Time(us)\": 15.6,\n"
                              "        \"Start(us)\": 1.500\n"
                              "    },\n"
                              "    {\n"
                              "        \"Name\": \"100\",\n"
                              "        \"Time(us)\": 3,\n"
                              "        \"Start(us)\": 0.000\n"
                              "    }\n"
                              "]\n");
    free(json);
}

static void json_stays_valid_whatever_bytes_a_name_holds(void **state)
{
    (void)state;
    char every[256];
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    every[255] = '\0';
    const struct report_value rows[][COLUMNS] = {
        {value_text(every), value_scaled(1, 0), value_integer(0)},
        {value_text("\xe5\xb1\x82 \xf0\x9f\x98\x80 \xed\xa0\x80 \xc0\xaf \xe5\xb1"), value_scaled(1, 0),
         value_integer(0)},
    };
    char *json = write_table(TABLE_JSON, rows, 2);
    cJSON *list = cJSON_Parse(json);
    assert_non_null(list);
    const char *name = cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "Name")->valuestring;
    assert_memory_equal(name, every, 0x7f);
    assert_string_equal(name + strlen(name) - 3, "\xef\xbf\xbd");
    /* A surrogate and an overlong form lose every byte, the torn character at the end its two. */
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 1), "Name")->valuestring,
                        "\xe5\xb1\x82 \xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
                        "\xef\xbf\xbd\xef\xbf\xbd");
    cJSON_Delete(list);
    free(json);
}

static void a_field_longer_than_every_buffer_is_written_whole(void **state)
{
    (void)state;
    enum { LENGTH = 150001 };
    char *name = malloc(LENGTH + 1);
    assert_non_null(name);
    for (size_t i = 0; i < LENGTH; i += 3)
        memcpy(name + i, i % 2 == 0 ? "\xe5\xb1\x82" : ",ab", i + 3 <= LENGTH ? 3 : LENGTH - i);
    name[LENGTH - 1] = '"';
    name[LENGTH] = '\0';
    name[LENGTH - 2] = 'x';
    const struct report_value rows[][COLUMNS] = {{value_text(name), value_scaled(1, 0), value_integer(0)}};

    char *json = write_table(TABLE_JSON, rows, 1);
    cJSON *list = cJSON_Parse(json);
    assert_non_null(list);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "Name")->valuestring, name);
    cJSON_Delete(list);
    free(json);

    char *csv = write_table(TABLE_CSV, rows, 1);
    const char *field = csv + strlen("Name,Time(us),Start(us)\n");
    assert_int_equal(field[0], '"');
    assert_memory_equal(field + 1, name, LENGTH - 1);
    assert_string_equal(field + LENGTH, "\"\"\",1,0.000\n");
    free(csv);
    free(name);
}

static void cells_that_are_made_once_give_the_same_file_as_their_values(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {
        {value_text("data,\"conv1\"\n"), value_integer(1560), value_integer(1500)},
        {value_text("\xe5\xb1\x82\x01"), value_none(), value_integer(DB_NULL)},
        {value_integer(-7), value_text("a,b"), value_text("end")},
        {value_none(), value_scaled(15, 1), value_text("")},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (enum table_format format = TABLE_CSV; format <= TABLE_JSON; format++) {
        char *expected = write_table(format, rows, ROWS);
        for (given.leading = 1; given.leading <= COLUMNS; given.leading++) {
            char *content = write_table(format, rows, ROWS);
            assert_string_equal(content, expected);
            free(content);
        }
        given.leading = 0;
        free(expected);
    }
}

static void cells_that_do_not_fit_are_told(void **state)
{
    (void)state;
    const struct report_value values[COLUMNS] = {value_text("a,b"), value_integer(1560), value_none()};
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    for (enum table_format format = TABLE_CSV; format <= TABLE_JSON; format++) {
        const struct export_options options = {.format = format, .directory = directory};
        struct export_result result = {0};
        struct report_session session;
        struct report_run run;
        struct strbuf text;
        struct err err = ERR_INIT;
        sqlite3 *db = open_database();
        assert_int_equal(report_session_open(&session, db, &options, &result, &err), 0);
        assert_int_equal(report_open(&run, &session, &report, &scope, &err), 0);
        strbuf_init(&text, 6);
        assert_int_equal(report_plan_encode(&run.plan, values, 2, &text), -1);
        assert_true(text.failed);
        strbuf_release(&text);
        assert_int_equal(report_close(&run, 0, &err), 0);
        assert_int_equal(result.files, 0);
        report_session_release(&session);
        sqlite3_close(db);
    }
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {{value_text("a"), value_integer(1), value_integer(0)}};
    const struct export_options options = {.format = TABLE_JSON, .stream_path = "/dev/full"};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    given.rows = rows;
    given.count = 1;
    assert_int_equal(write_report(&report, &options, &result, &err), -ERR_NO_SPACE);
}

static void a_table_that_failed_leaves_no_file(void **state)
{
    (void)state;
    const struct report_value rows[][COLUMNS] = {{value_text("a"), value_integer(1), value_integer(0)}};
    const struct export_options options = {.format = TABLE_CSV, .directory = directory};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    unlink(path);
    given.rows = rows;
    given.count = 1;
    given.fails = true;
    assert_int_equal(write_report(&report, &options, &result, &err), -ERR_LIMIT);
    given.fails = false;
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(write_report(&report, &options, &result, &err), 0);
    assert_int_equal(access(path, F_OK), 0);
}

/* ---- parts ---- */

static int put_letter(const void *arg, struct report_run *run, struct err *err)
{
    const char *const *letter = arg;
    const struct report_value values[COLUMNS] = {value_text(*letter), value_integer(100), value_none()};
    return report_row(run, values, err);
}

static int put_parts(struct report_run *run, struct err *err)
{
    static const char *const letters[] = {"a", "b", "c"}, *const suffixes[] = {"_1", "_1", "_2"};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 3; i++) {
        const struct report_part part = {.suffix = suffixes[i], .rows = put_letter, .arg = &letters[i]};
        status = report_put_part(run, &part, err);
    }
    return status;
}

static const struct report parted = {.name = "parted", .families = FAMILY_ANY, .columns = columns, .rows = put_parts};

static void expect_file(const char *name, const char *expected)
{
    struct err err = ERR_INIT;
    char *content = NULL, *file = path_join(directory, name);
    size_t length = 0;
    assert_non_null(file);
    assert_int_equal(path_read_file(file, 1 << 20, &content, &length, &err), 0);
    assert_string_equal(content, expected);
    unlink(file);
    free(content);
    free(file);
}

static void parts_are_files_and_those_of_one_suffix_are_one(void **state)
{
    (void)state;
    const struct export_options options = {.format = TABLE_CSV, .directory = directory};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    assert_int_equal(write_report(&parted, &options, &result, &err), 0);
    assert_int_equal(result.files, 2);
    expect_file("parted_1.csv", "Name,Time(us),Start(us)\na,1,N/A\nb,1,N/A\n");
    expect_file("parted_2.csv", "Name,Time(us),Start(us)\nc,1,N/A\n");
}

static void in_a_stream_and_where_rows_are_chosen_parts_are_one_table(void **state)
{
    static const char *const filters[] = {"name!=b"};
    const struct table_choice choice = {.sort = "name,desc", .filters = filters, .filter_count = 1};
    struct export_options options = {.format = TABLE_CSV, .stream_path = path};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    (void)state;
    assert_int_equal(write_report(&parted, &options, &result, &err), 0);
    expect_file("table.csv", "Name,Time(us),Start(us)\na,1,N/A\nb,1,N/A\nc,1,N/A\n");
    options.choice = &choice;
    assert_int_equal(write_report(&parted, &options, &result, &err), 0);
    expect_file("table.csv", "Name,Time(us),Start(us)\nc,1,N/A\na,1,N/A\n");
}

/* ---- texts ---- */

static void escaped_text_is_appended_piece_by_piece_without_cutting_characters(void **state)
{
    (void)state;
    struct strbuf buf;
    char text[3 * 100 + 1];
    for (size_t i = 0; i < 100; i++)
        memcpy(text + 3 * i, "\xe5\xb1\x82", 3);
    text[300] = '\0';
    strbuf_init(&buf, 400);
    assert_int_equal(json_text_append(&buf, text, 300), 0);
    assert_string_equal(buf.data, text);
    assert_int_equal(json_text_append(&buf, text, 300), -1);
    assert_true(buf.failed);
    assert_string_equal(buf.data, text);
    strbuf_release(&buf);
}

static void a_model_s_name_never_makes_a_file_name_too_long_or_a_path(void **state)
{
    (void)state;
    struct strbuf name;
    char model[3 * 100 + 1];
    for (size_t i = 0; i < 100; i++)
        memcpy(model + 3 * i, "\xe5\xb1\x82", 3);
    model[300] = '\0';
    strbuf_init(&name, REPORT_NAME_MAX);
    strbuf_adds(&name, "ab");
    report_name_model(&name, model, 10);
    assert_int_equal(name.length, 2 + 243); /* 81 whole characters */
    strbuf_clear(&name);
    report_name_model(&name, "../a/b", 10);
    report_name_number(&name, DB_NULL);
    report_name_number(&name, 7);
    assert_string_equal(name.data, ".._a_bunknown7");
    strbuf_release(&name);
}

static void spreadsheets_run_formulas_and_no_numbers(void **state)
{
    (void)state;
    static const char *const runs[] = {"=1+1", "+cmd", "-1+1", "@SUM(1)", "=5", "\tx"};
    static const char *const shown[] = {"", "-", "conv", "-1", "+2.5", "1+1", "'=1", "a=b"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        assert_true(row_format_spreadsheet_runs(runs[i], strlen(runs[i])));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(row_format_spreadsheet_runs(shown[i], strlen(shown[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreadsheets_run_formulas_and_no_numbers),
        cmocka_unit_test(csv_fields_are_quoted_only_where_they_must_be),
        cmocka_unit_test(a_value_that_does_not_exist_is_not_available),
        cmocka_unit_test(json_is_a_list_of_objects_with_four_blanks_of_indent),
        cmocka_unit_test(json_stays_valid_whatever_bytes_a_name_holds),
        cmocka_unit_test(a_field_longer_than_every_buffer_is_written_whole),
        cmocka_unit_test(cells_that_are_made_once_give_the_same_file_as_their_values),
        cmocka_unit_test(cells_that_do_not_fit_are_told),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_table_that_failed_leaves_no_file),
        cmocka_unit_test(parts_are_files_and_those_of_one_suffix_are_one),
        cmocka_unit_test(in_a_stream_and_where_rows_are_chosen_parts_are_one_table),
        cmocka_unit_test(escaped_text_is_appended_piece_by_piece_without_cutting_characters),
        cmocka_unit_test(a_model_s_name_never_makes_a_file_name_too_long_or_a_path),
    };
    return cmocka_run_group_tests(tests, make_directory, analyse_remove_directory);
}
