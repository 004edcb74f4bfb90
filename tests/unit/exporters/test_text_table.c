/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct table_cell cell_text(const char *text)
{
    return (struct table_cell){text, strlen(text)};
}

/* The table with these rows as it is printed; to be freed. */
static char *print(const struct text_column *columns, size_t count, const struct table_cell *cells, size_t rows,
                   int width)
{
    char *text = NULL;
    size_t length = 0;
    struct text_table table;
    struct err err = ERR_INIT;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    text_table_init(&table, columns, count);
    for (size_t i = 0; i < rows; i++)
        text_table_measure(&table, cells + i * count);
    text_table_begin(&table, stream, width);
    for (size_t i = 0; i < rows; i++)
        text_table_row(&table, cells + i * count);
    assert_int_equal(text_table_end(&table, &err), 0);
    assert_int_equal(table.rows, rows);
    text_table_release(&table);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void expect(const struct text_column *columns, size_t count, const struct table_cell *cells, size_t rows,
                   int width, const char *expected)
{
    char *text = print(columns, count, cells, rows, width);
    assert_string_equal(text, expected);
    free(text);
}

static void text_is_left_and_numbers_are_right_inside_double_frames(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Name", TEXT_COLUMN, false}, {"Time(us)\nRatio(%)", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("conv1"), cell_text("15.6"), cell_text("pool"),
                                       cell_text(TABLE_MISSING)};
    expect(columns, 2, cells, 2, 0,
           "╒═══════╤══════════╕\n"
           "│ Name  │ Time(us) │\n"
           "│       │ Ratio(%) │\n"
           "╞═══════╪══════════╡\n"
           "│ conv1 │     15.6 │\n"
           "├───────┼──────────┤\n"
           "│ pool  │      N/A │\n"
           "╘═══════╧══════════╛\n");
}

static void a_cell_shows_one_item_per_line(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Layers", TEXT_COLUMN, false}, {"Id", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("conv\n\nrelu\n"), cell_text("6")};
    expect(columns, 2, cells, 1, 0,
           "╒════════╤════╕\n"
           "│ Layers │ Id │\n"
           "╞════════╪════╡\n"
           "│ conv   │  6 │\n"
           "│        │    │\n"
           "│ relu   │    │\n"
           "│        │    │\n"
           "╘════════╧════╛\n");
}

static void wide_and_combining_characters_keep_the_columns_aligned(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Layer", TEXT_COLUMN, false}, {"Id", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("卷积层"), cell_text("1"), cell_text("e\xcc\x81tage"), cell_text("2")};
    expect(columns, 2, cells, 2, 0,
           "╒════════╤════╕\n"
           "│ Layer  │ Id │\n"
           "╞════════╪════╡\n"
           "│ 卷积层 │  1 │\n"
           "├────────┼────┤\n"
           "│ e\xcc\x81tage  │  2 │\n"
           "╘════════╧════╛\n");
}

static void control_characters_and_broken_bytes_are_shown_as_question_marks(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"L", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("a\033[31mb\x7f\xff\xc2\x9b\xe5\xb1")};
    expect(columns, 1, cells, 1, 0,
           "╒══════════════╕\n"
           "│ L            │\n"
           "╞══════════════╡\n"
           "│ a?[31mb????? │\n"
           "╘══════════════╛\n");
}

static void a_wide_text_column_is_wrapped_at_its_separators(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Name", TEXT_COLUMN, false}, {"Time(us)", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("data,conv1_relu,pool"), cell_text("28823.67")};
    expect(columns, 2, cells, 1, 27,
           "╒══════════════╤══════════╕\n"
           "│ Name         │ Time(us) │\n"
           "╞══════════════╪══════════╡\n"
           "│ data,conv1_  │ 28823.67 │\n"
           "│ relu,pool    │          │\n"
           "╘══════════════╧══════════╛\n");
}

static void a_long_word_is_wrapped_anywhere_but_not_inside_a_character(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Name", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("abcdefgh卷积层ijk")};
    expect(columns, 1, cells, 1, 13,
           "╒═══════════╕\n"
           "│ Name      │\n"
           "╞═══════════╡\n"
           "│ abcdefgh  │\n"
           "│ 卷积层ijk │\n"
           "╘═══════════╛\n");
}

static void a_table_that_cannot_fit_is_as_narrow_as_its_numbers_and_title_words(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Task ID", NUMBER_COLUMN, false},
                                          {"A longer name", TEXT_COLUMN, false},
                                          {"Time(us)\nTime Ratio(%)", VALUES_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("123456"), cell_text("res2a_branch2c"), cell_text("574265.83/100")};
    const char *narrowest = "╒══════╤══════╤══════════╕\n"
                            "│  Task│A     │  Time(us)│\n"
                            "│    ID│longer│Time Ratio│\n"
                            "│      │name  │       (%)│\n"
                            "╞══════╪══════╪══════════╡\n"
                            "│123456│res2a_│574265.83/│\n"
                            "│      │branch│       100│\n"
                            "│      │2c    │          │\n"
                            "╘══════╧══════╧══════════╛\n";
    expect(columns, 3, cells, 1, 26, narrowest);
    expect(columns, 3, cells, 1, 1, narrowest);
}

static void joined_values_are_wrapped_between_values_only(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Memory Bound\nBandWidth(GB/s)", VALUES_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("123456789/N/A/-1/N/A/12345")};
    expect(columns, 1, cells, 1, 18,
           "╒════════════════╕\n"
           "│   Memory Bound │\n"
           "│      BandWidth │\n"
           "│         (GB/s) │\n"
           "╞════════════════╡\n"
           "│ 123456789/N/A/ │\n"
           "│   -1/N/A/12345 │\n"
           "╘════════════════╛\n");
    expect(columns, 1, cells, 1, 5,
           "╒══════════╕\n"
           "│    Memory│\n"
           "│     Bound│\n"
           "│ BandWidth│\n"
           "│    (GB/s)│\n"
           "╞══════════╡\n"
           "│123456789/│\n"
           "│   N/A/-1/│\n"
           "│ N/A/12345│\n"
           "╘══════════╛\n");
}

static void titles_are_wrapped_at_blanks_and_before_a_bracket(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Total Time Ratio(%)", NUMBER_COLUMN, false},
                                          {"OP Type", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("13.73"), cell_text("Fc")};
    expect(columns, 2, cells, 1, 24,
           "╒════════════╤═════════╕\n"
           "│ Total Time │ OP Type │\n"
           "│   Ratio(%) │         │\n"
           "╞════════════╪═════════╡\n"
           "│      13.73 │ Fc      │\n"
           "╘════════════╧═════════╛\n");
    expect(columns, 2, cells, 1, 16,
           "╒═══════╤══════╕\n"
           "│ Total │ OP   │\n"
           "│  Time │ Type │\n"
           "│ Ratio │      │\n"
           "│   (%) │      │\n"
           "╞═══════╪══════╡\n"
           "│ 13.73 │ Fc   │\n"
           "╘═══════╧══════╛\n");
}

static void a_number_is_never_wrapped_at_what_it_holds(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Id", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("N/A N/A")};
    expect(columns, 1, cells, 1, 1,
           "╒═══════╕\n"
           "│     Id│\n"
           "╞═══════╡\n"
           "│N/A N/A│\n"
           "╘═══════╛\n");
}

static void blanks_where_a_line_ends_need_no_room(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"N", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("first12  second1 \n third12")};
    expect(columns, 1, cells, 1, 12,
           "╒══════════╕\n"
           "│ N        │\n"
           "╞══════════╡\n"
           "│ first12  │\n"
           "│ second1  │\n"
           "│  third12 │\n"
           "╘══════════╛\n");
}

static void stackable_columns_stand_under_the_one_before_when_nothing_else_helps(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Name", TEXT_COLUMN, false},
                                          {"Avg(us)", NUMBER_COLUMN, false},
                                          {"Max(us)", NUMBER_COLUMN, true},
                                          {"Min(us)", NUMBER_COLUMN, true}};
    const struct table_cell cells[] = {cell_text("卷积层一"),
                                       cell_text("1234567890.123"),
                                       cell_text("2234567890.123"),
                                       cell_text("0.003"),
                                       cell_text("a\nb\nc\nd"),
                                       cell_text("1"),
                                       cell_text("2"),
                                       cell_text("3")};
    expect(columns, 4, cells, 2, 57,
           "╒══════════╤════════════════╤════════════════╤═════════╕\n"
           "│ Name     │        Avg(us) │        Max(us) │ Min(us) │\n"
           "╞══════════╪════════════════╪════════════════╪═════════╡\n"
           "│ 卷积层一 │ 1234567890.123 │ 2234567890.123 │   0.003 │\n"
           "├──────────┼────────────────┼────────────────┼─────────┤\n"
           "│ a        │              1 │              2 │       3 │\n"
           "│ b        │                │                │         │\n"
           "│ c        │                │                │         │\n"
           "│ d        │                │                │         │\n"
           "╘══════════╧════════════════╧════════════════╧═════════╛\n");
    expect(columns, 4, cells, 2, 46,
           "╒════════╤══════════════╤══════════════╤═════╕\n"
           "│Name    │       Avg(us)│       Max(us)│  Min│\n"
           "│        │              │              │ (us)│\n"
           "╞════════╪══════════════╪══════════════╪═════╡\n"
           "│卷积层一│1234567890.123│2234567890.123│0.003│\n"
           "├────────┼──────────────┼──────────────┼─────┤\n"
           "│a       │             1│             2│    3│\n"
           "│b       │              │              │     │\n"
           "│c       │              │              │     │\n"
           "│d       │              │              │     │\n"
           "╘════════╧══════════════╧══════════════╧═════╛\n");
    expect(columns, 4, cells, 2, 45,
           "╒══════════╤════════════════╕\n"
           "│ Name     │        Avg(us) │\n"
           "│          │        Max(us) │\n"
           "│          │        Min(us) │\n"
           "╞══════════╪════════════════╡\n"
           "│ 卷积层一 │ 1234567890.123 │\n"
           "│          │ 2234567890.123 │\n"
           "│          │          0.003 │\n"
           "├──────────┼────────────────┤\n"
           "│ a        │              1 │\n"
           "│ b        │              2 │\n"
           "│ c        │              3 │\n"
           "│ d        │                │\n"
           "╘══════════╧════════════════╛\n");
    expect(columns, 4, cells, 2, 20,
           "╒════╤══════════════╕\n"
           "│Name│       Avg(us)│\n"
           "│    │       Max(us)│\n"
           "│    │       Min(us)│\n"
           "╞════╪══════════════╡\n"
           "│卷积│1234567890.123│\n"
           "│层一│2234567890.123│\n"
           "│    │         0.003│\n"
           "├────┼──────────────┤\n"
           "│a   │             1│\n"
           "│b   │             2│\n"
           "│c   │             3│\n"
           "│d   │              │\n"
           "╘════╧══════════════╛\n");
}

static void a_second_table_of_the_same_columns_may_be_wider(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Total Time", NUMBER_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("1")};
    char *text = NULL;
    size_t length = 0;
    struct text_table table;
    struct err err = ERR_INIT;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    text_table_init(&table, columns, 1);
    text_table_measure(&table, cells);
    static const int widths[] = {9, 0};
    for (size_t i = 0; i < 2; i++) {
        text_table_begin(&table, stream, widths[i]);
        text_table_row(&table, cells);
        assert_int_equal(text_table_end(&table, &err), 0);
        assert_int_equal(table.rows, 1);
    }
    text_table_release(&table);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, "╒═══════╕\n"
                              "│ Total │\n"
                              "│  Time │\n"
                              "╞═══════╡\n"
                              "│     1 │\n"
                              "╘═══════╛\n"
                              "╒════════════╕\n"
                              "│ Total Time │\n"
                              "╞════════════╡\n"
                              "│          1 │\n"
                              "╘════════════╛\n");
    free(text);
}

static void words_stay_whole_while_other_columns_can_give_way(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"Type", TEXT_COLUMN, false}, {"Name", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("Convolution"), cell_text("res2a_branch2c_relu")};
    expect(columns, 2, cells, 1, 27,
           "╒═════════════╤═══════════╕\n"
           "│ Type        │ Name      │\n"
           "╞═════════════╪═══════════╡\n"
           "│ Convolution │ res2a_    │\n"
           "│             │ branch2c_ │\n"
           "│             │ relu      │\n"
           "╘═════════════╧═══════════╛\n");
}

static void the_widest_column_gives_way_first(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"A", TEXT_COLUMN, false}, {"B", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("abcdefghijkl"), cell_text("abcdefghijklmnopqrstuvwxyzabcdef")};
    expect(columns, 2, cells, 1, 35,
           "╒══════════════╤══════════════════╕\n"
           "│ A            │ B                │\n"
           "╞══════════════╪══════════════════╡\n"
           "│ abcdefghijkl │ abcdefghijklmnop │\n"
           "│              │ qrstuvwxyzabcdef │\n"
           "╘══════════════╧══════════════════╛\n");
}

static void no_width_means_no_limit(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"A", TEXT_COLUMN, false}};
    char name[5001];
    memset(name, 'x', 5000);
    name[5000] = '\0';
    const struct table_cell cells[] = {cell_text(name)};
    char *text = print(columns, 1, cells, 1, 0);
    assert_non_null(strstr(text, name));
    free(text);
}

static void a_failed_write_is_told_at_the_end(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"A", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("x")};
    struct text_table table;
    struct err err = ERR_INIT;
    FILE *stream = fopen("/dev/full", "we");
    assert_non_null(stream);
    assert_int_equal(setvbuf(stream, NULL, _IONBF, 0), 0);
    text_table_init(&table, columns, 1);
    text_table_measure(&table, cells);
    text_table_begin(&table, stream, 0);
    text_table_row(&table, cells);
    assert_int_equal(text_table_end(&table, &err), -ERR_NO_SPACE);
    text_table_release(&table);
    fclose(stream);
}

static char *print_compact(const struct table_cell *cells, size_t rows, int width, bool ascii)
{
    const struct text_column columns[] = {{"Name", TEXT_COLUMN, false}, {"N", NUMBER_COLUMN, false}};
    struct text_table table;
    struct err err = ERR_INIT;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    assert_non_null(stream);
    text_table_init(&table, columns, 2);
    table.compact = true;
    table.ascii = ascii;
    for (size_t i = 0; i < rows; i++)
        text_table_measure(&table, &cells[2 * i]);
    text_table_begin(&table, stream, width);
    for (size_t i = 0; i < rows; i++)
        text_table_row(&table, &cells[2 * i]);
    assert_int_equal(text_table_end(&table, &err), 0);
    text_table_release(&table);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void a_compact_table_has_rules_only_where_rows_take_several_lines(void **state)
{
    (void)state;
    const struct table_cell cells[] = {cell_text("one/two/three"), cell_text("1"), cell_text("x"), cell_text("2")};
    char *wide = print_compact(cells, 2, 0, true), *narrow = print_compact(cells, 2, 18, true);

    assert_string_equal(wide, "+===============+===+\n"
                              "| Name          | N |\n"
                              "+===============+===+\n"
                              "| one/two/three | 1 |\n"
                              "| x             | 2 |\n"
                              "+===============+===+\n");
    assert_string_equal(narrow, "+============+===+\n"
                                "| Name       | N |\n"
                                "+============+===+\n"
                                "| one/two/   | 1 |\n"
                                "| three      |   |\n"
                                "+------------+---+\n"
                                "| x          | 2 |\n"
                                "+============+===+\n");
    free(wide);
    free(narrow);
}

static void the_user_s_locale_is_left_alone(void **state)
{
    (void)state;
    const struct text_column columns[] = {{"A", TEXT_COLUMN, false}};
    const struct table_cell cells[] = {cell_text("卷")};
    locale_t before = uselocale((locale_t)0);
    free(print(columns, 1, cells, 1, 0));
    assert_ptr_equal(uselocale((locale_t)0), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_left_and_numbers_are_right_inside_double_frames),
        cmocka_unit_test(a_cell_shows_one_item_per_line),
        cmocka_unit_test(a_compact_table_has_rules_only_where_rows_take_several_lines),
        cmocka_unit_test(wide_and_combining_characters_keep_the_columns_aligned),
        cmocka_unit_test(control_characters_and_broken_bytes_are_shown_as_question_marks),
        cmocka_unit_test(a_wide_text_column_is_wrapped_at_its_separators),
        cmocka_unit_test(a_long_word_is_wrapped_anywhere_but_not_inside_a_character),
        cmocka_unit_test(a_table_that_cannot_fit_is_as_narrow_as_its_numbers_and_title_words),
        cmocka_unit_test(joined_values_are_wrapped_between_values_only),
        cmocka_unit_test(titles_are_wrapped_at_blanks_and_before_a_bracket),
        cmocka_unit_test(a_number_is_never_wrapped_at_what_it_holds),
        cmocka_unit_test(blanks_where_a_line_ends_need_no_room),
        cmocka_unit_test(stackable_columns_stand_under_the_one_before_when_nothing_else_helps),
        cmocka_unit_test(a_second_table_of_the_same_columns_may_be_wider),
        cmocka_unit_test(words_stay_whole_while_other_columns_can_give_way),
        cmocka_unit_test(the_widest_column_gives_way_first),
        cmocka_unit_test(no_width_means_no_limit),
        cmocka_unit_test(a_failed_write_is_told_at_the_end),
        cmocka_unit_test(the_user_s_locale_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
