/* Tables of the terminal that keep their rows, and the cells that rows of files become there. */
#include "exporters/report/row_format.h"
#include "exporters/show/show_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const titles[] = {"Name", "Secret", "Count", "Time(us)"};

/* What a table of two rows prints; to be freed. */
static char *print(const struct show_columns *columns, int width, uint64_t *ret_rows)
{
    char *text = NULL, name[] = "first";
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    const struct show_options options = {.width = width};
    struct export_result result = {0};
    struct show show = {.stream = stream, .options = &options, .result = &result};
    struct err err = ERR_INIT;
    struct show_table table;
    show_table_init(&table, titles, 4, columns);
    const struct table_cell first[] = {cell_text(name), cell_text("x"), cell_number(3, 0), cell_number(1500, 3)};
    show_table_row(&table, first);
    memset(name, '#', sizeof name - 1); /* the table has copies */
    const struct table_cell second[] = {cell_missing(), cell_text("y"), cell_number(DB_NULL, 0), cell_number(2, 3)};
    show_table_row(&table, second);
    assert_int_equal(show_table_print(&table, &show, &err), 0);
    show_table_release(&table);
    assert_int_equal(fclose(stream), 0);
    *ret_rows = result.rows;
    return text;
}

static void rows_are_kept_without_hidden_columns(void **state)
{
    const struct show_columns columns = {.texts = 1 << 0 | 1 << 1, .hidden = 1 << 1};
    uint64_t rows;
    char *text = print(&columns, 0, &rows);
    (void)state;
    assert_string_equal(text, "╒═══════╤═══════╤══════════╕\n"
                              "│ Name  │ Count │ Time(us) │\n"
                              "╞═══════╪═══════╪══════════╡\n"
                              "│ first │     3 │      1.5 │\n"
                              "├───────┼───────┼──────────┤\n"
                              "│ N/A   │   N/A │    0.002 │\n"
                              "╘═══════╧═══════╧══════════╛\n");
    assert_int_equal(rows, 2);
    free(text);
}

static void stackable_columns_stand_under_the_one_before(void **state)
{
    const struct show_columns columns = {.texts = 1 << 0 | 1 << 1, .hidden = 1 << 1, .stackable = 1 << 3};
    uint64_t rows;
    char *text = print(&columns, 17, &rows);
    (void)state;
    assert_string_equal(text, "╒═══════╤═══════╕\n"
                              "│ Name  │ Count │\n"
                              "│       │  Time │\n"
                              "│       │  (us) │\n"
                              "╞═══════╪═══════╡\n"
                              "│ first │     3 │\n"
                              "│       │   1.5 │\n"
                              "├───────┼───────┤\n"
                              "│ N/A   │   N/A │\n"
                              "│       │ 0.002 │\n"
                              "╘═══════╧═══════╛\n");
    free(text);
}

static void a_table_without_rows_prints_nothing(void **state)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    const struct show_options options = {.width = 0};
    const struct show_columns columns = {.texts = 0};
    struct export_result result = {0};
    struct show show = {.stream = stream, .options = &options, .result = &result};
    struct err err = ERR_INIT;
    struct show_table table;
    (void)state;
    show_table_init(&table, titles, 4, &columns);
    assert_int_equal(show_table_print(&table, &show, &err), 0);
    show_table_release(&table);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(length, 0);
    assert_int_equal(result.rows, 0);
    free(text);
}

static void expect_cell(const struct table_cell *cell, const char *text)
{
    assert_int_equal(cell->length, strlen(text));
    assert_memory_equal(cell->text, text, cell->length);
}

static void rows_of_too_few_or_too_many_pieces_stay_inside_the_row(void **state)
{
    struct row_format format;
    struct table_cell cells[4];
    struct err err = ERR_INIT;
    static const char few[] = "a\0b", many[] = "a\0b\0c\0d\0e";
    (void)state;
    assert_int_equal(row_format_init(&format, TABLE_TERMINAL, titles, 4, &err), 0);
    row_cells(&format, few, few + sizeof few - 1, cells);
    expect_cell(&cells[1], "b");
    expect_cell(&cells[2], "");
    expect_cell(&cells[3], "");
    row_cells(&format, many, many + sizeof many - 1, cells);
    assert_int_equal(cells[3].length, 3);
    assert_memory_equal(cells[3].text, "d\0e", 3);
    row_format_release(&format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_kept_without_hidden_columns),
        cmocka_unit_test(stackable_columns_stand_under_the_one_before),
        cmocka_unit_test(a_table_without_rows_prints_nothing),
        cmocka_unit_test(rows_of_too_few_or_too_many_pieces_stay_inside_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
