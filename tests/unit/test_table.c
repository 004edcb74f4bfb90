#include "base/file/fsutil.h"
#include "exporters/json_text.h"
#include "exporters/report_name.h"
#include "exporters/svp/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

static const char *const titles[] = {"Name", "Time(us)", "Start(us)"};
enum { COLUMNS = 3 };

static char directory[] = "/tmp/msprof-table-XXXXXX";
static char *path;

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    path = path_join(directory, "table");
    return path == NULL ? -1 : 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    return rmdir(directory);
}

/* The file that a table with these rows becomes; to be freed. */
static char *write_table(enum table_format format, const struct table_cell (*rows)[COLUMNS], size_t count)
{
    struct table table;
    struct err err = ERR_INIT;
    char *content = NULL;
    size_t length = 0;
    assert_int_equal(table_open(&table, path, format, titles, COLUMNS, &err), 0);
    for (size_t i = 0; i < count; i++)
        table_row(&table, rows[i]);
    assert_int_equal(table.rows, count);
    assert_int_equal(table_commit(&table, &err), 0);
    assert_int_equal(read_whole_file(path, 1 << 20, &content, &length, &err), 0);
    assert_int_equal(strlen(content), length);
    return content;
}

static void csv_fields_are_quoted_only_where_they_must_be(void **state)
{
    (void)state;
    const struct table_cell rows[][COLUMNS] = {
        {cell_text("data,conv1"), cell_number(1560, 2), cell_microseconds(1234567)},
        {cell_text("say \"hi\""), cell_number(0, 2), cell_microseconds(0)},
        {cell_text("two\nlines"), cell_number(-5, 1), cell_microseconds(-1)},
        {cell_text("return\rhere"), cell_number(9700, 2), cell_microseconds(999)},
        {cell_text("plain blanks; semicolons"), cell_number(1706667, 4), cell_microseconds(1000)},
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
    const struct table_cell rows[][COLUMNS] = {{cell_missing(), cell_number(DB_NULL, 2), cell_microseconds(DB_NULL)}};
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
    const struct table_cell rows[][COLUMNS] = {
        {cell_text("a"), cell_number(1560, 2), cell_microseconds(1500)},
        {cell_text("100"), cell_number(3, 0), cell_microseconds(0)},
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
    json = write_table(TABLE_JSON, NULL, 0);
    assert_string_equal(json, "[]\n");
    free(json);
}

static void json_stays_valid_whatever_bytes_a_name_holds(void **state)
{
    (void)state;
    char every[256];
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    every[255] = '\0';
    const struct table_cell rows[][COLUMNS] = {
        {cell_text(every), cell_number(1, 0), cell_microseconds(0)},
        {cell_text("\xe5\xb1\x82 \xf0\x9f\x98\x80 \xed\xa0\x80 \xc0\xaf \xe5\xb1"), cell_number(1, 0),
         cell_microseconds(0)},
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
    const struct table_cell rows[][COLUMNS] = {{cell_text(name), cell_number(1, 0), cell_microseconds(0)}};

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

static void a_rendered_beginning_gives_the_same_file_as_its_cells(void **state)
{
    (void)state;
    const struct table_cell rows[][COLUMNS] = {
        {cell_text("data,\"conv1\"\n"), cell_number(1560, 2), cell_microseconds(1500)},
        {cell_text("\xe5\xb1\x82\x01"), cell_missing(), cell_microseconds(DB_NULL)},
        {cell_number(-7, 0), cell_microseconds(1), cell_text("end")},
        {cell_missing(), cell_number(DB_NULL, 1), cell_text("")},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (enum table_format format = TABLE_CSV; format <= TABLE_JSON; format++) {
        char *expected = write_table(format, rows, ROWS);
        for (size_t rendered = 1; rendered < COLUMNS; rendered++) {
            struct table table;
            struct err err = ERR_INIT;
            char *content = NULL;
            size_t length = 0;
            assert_int_equal(table_open(&table, path, format, titles, COLUMNS, &err), 0);
            for (size_t i = 0; i < ROWS; i++) {
                struct strbuf text;
                strbuf_init(&text, 1024);
                assert_int_equal(table_render(&text, format, titles, rows[i], rendered), 0);
                const struct table_beginning beginning = {text.data, text.length, rendered};
                struct table_cell cells[COLUMNS];
                for (size_t k = rendered; k < COLUMNS; k++)
                    cells[k] = rows[i][k];
                table_row_after(&table, &beginning, cells);
                strbuf_release(&text);
            }
            assert_int_equal(table.rows, ROWS);
            assert_int_equal(table_commit(&table, &err), 0);
            assert_int_equal(read_whole_file(path, 1 << 20, &content, &length, &err), 0);
            assert_string_equal(content, expected);
            free(content);
        }
        free(expected);
    }
}

static void a_beginning_that_does_not_fit_is_told(void **state)
{
    (void)state;
    const struct table_cell cells[] = {cell_text("a,b"), cell_number(1560, 2)};
    for (enum table_format format = TABLE_CSV; format <= TABLE_JSON; format++) {
        struct strbuf text;
        strbuf_init(&text, 6);
        assert_int_equal(table_render(&text, format, titles, cells, 2), -1);
        assert_true(text.failed);
        strbuf_release(&text);
    }
}

static void a_full_disk_is_told_by_commit(void **state)
{
    (void)state;
    struct table table;
    struct err err = ERR_INIT;
    const struct table_cell row[COLUMNS] = {cell_text("a"), cell_number(1, 0), cell_microseconds(0)};
    assert_int_equal(table_open(&table, "/dev/full", TABLE_JSON, titles, COLUMNS, &err), 0);
    table_row(&table, row);
    assert_int_equal(table_commit(&table, &err), -ERR_NO_SPACE);
}

static void an_aborted_table_leaves_no_file(void **state)
{
    (void)state;
    struct table table;
    struct err err = ERR_INIT;
    unlink(path);
    assert_int_equal(table_open(&table, path, TABLE_CSV, titles, COLUMNS, &err), 0);
    table_abort(&table);
    assert_int_not_equal(access(path, F_OK), 0);
}

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
        assert_true(spreadsheet_runs(runs[i], strlen(runs[i])));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(spreadsheet_runs(shown[i], strlen(shown[i])));
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
        cmocka_unit_test(a_rendered_beginning_gives_the_same_file_as_its_cells),
        cmocka_unit_test(a_beginning_that_does_not_fit_is_told),
        cmocka_unit_test(a_full_disk_is_told_by_commit),
        cmocka_unit_test(an_aborted_table_leaves_no_file),
        cmocka_unit_test(escaped_text_is_appended_piece_by_piece_without_cutting_characters),
        cmocka_unit_test(a_model_s_name_never_makes_a_file_name_too_long_or_a_path),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
