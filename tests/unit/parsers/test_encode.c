/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder against the decoder: what goes in comes out again, for every kind and layout. */
#include "base/bytes.h"
#include "parsers/decode/decode.h"
#include "parsers/decode/encode.h"
#include "parsers/decode/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A value that the field can hold: any raw value of a random magnitude, scaled as the decoder scales it. */
static int64_t random_value(const struct field *field)
{
    unsigned bits = field->bit_count != 0 ? field->bit_count : 8 * field->width;
    int64_t multiply = field->multiply != 0 ? field->multiply : 1, divide = field->divide != 0 ? field->divide : 1;
    unsigned value_bits = field->is_signed || bits == 64 ? bits - 1 : bits;
    uint64_t raw = value_bits == 0 ? 0 : next_random() >> (64 - value_bits) >> next_random() % value_bits;
    raw %= (uint64_t)(INT64_MAX / multiply);
    raw -= raw % (uint64_t)divide; /* so that nothing is lost in the division */
    int64_t value = (int64_t)raw * multiply / divide;
    return field->is_signed && next_random() % 2 != 0 ? -value : value;
}

#define TEXT_ROOM 256

struct random_row {
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present;
    char texts[RECORD_MAX_COLUMNS][TEXT_ROOM];
};

/* The bits of a record that a field has. Bit ranges are of little-endian numbers in all layouts that have any twice. */
static void bits_of(const struct field *field, size_t *ret_begin, size_t *ret_end)
{
    *ret_begin = (size_t)field->offset * 8 + field->first_bit;
    *ret_end = *ret_begin + (field->bit_count != 0 ? field->bit_count : (size_t)field->width * 8);
}

static bool overlap(const struct field *a, const struct field *b)
{
    size_t a_begin, a_end, b_begin, b_end;
    bits_of(a, &a_begin, &a_end);
    bits_of(b, &b_begin, &b_end);
    return a_begin < b_end && b_begin < a_end;
}

/* Whether a magic has bits of the field, which says what its value is. */
static bool is_magic(const struct layout *layout, const struct field *field)
{
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        if (magic->mask == 0 && magic->offset < field->offset + field->width &&
            field->offset < magic->offset + magic->width)
            return true;
    }
    return false;
}

#define MAX_FIELDS 64

/* A random order of the layout's fields: of several ways to say the same the first one is used. */
static void shuffle(const struct layout *layout, size_t order[MAX_FIELDS])
{
    assert_true(layout->field_count <= MAX_FIELDS);
    for (size_t i = 0; i < layout->field_count; i++) {
        size_t k = next_random() % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

static bool is_taken(const struct layout *layout, const size_t *order, size_t place)
{
    for (size_t i = 0; i < place; i++) {
        if (overlap(&layout->fields[order[i]], &layout->fields[order[place]]))
            return true;
    }
    return false;
}

/* Adds the other columns: the stored value is what is left without them. */
static void add_others(struct random_row *random, const struct record_kind *kind, const struct layout *layout)
{
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        int at = record_kind_column(kind, field->column);
        if (field->relation == FIELD_PLAIN || (random->present >> at & 1) == 0)
            continue;
        assert_int_equal(field->relation, FIELD_PLUS);
        int other = record_kind_column(kind, field->other);
        if ((random->present >> other & 1) != 0)
            random->cells[at].integer += random->cells[other].integer;
        else
            random->present &= ~(UINT64_C(1) << at);
    }
}

/* *used gets a bit for each column that has a value. */
static void fill_row(struct random_row *random, const struct record_kind *kind, const struct layout *layout,
                     uint64_t *used)
{
    size_t order[MAX_FIELDS];
    shuffle(layout, order);
    random->present = 0;
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[order[i]];
        int at = record_kind_column(kind, field->column);
        assert_true(at >= 0);
        struct cell *cell = &random->cells[at];
        if (is_magic(layout, field) || is_taken(layout, order, i))
            continue;
        random->present |= UINT64_C(1) << at;
        if (kind->columns[at].type != COLUMN_TEXT) {
            cell->integer = random_value(field);
            continue;
        }
        size_t room = field->width < TEXT_ROOM ? field->width : TEXT_ROOM;
        cell->length = (uint32_t)(next_random() % (room + 1));
        for (size_t k = 0; k < cell->length; k++)
            random->texts[at][k] = (char)(1 + next_random() % 127);
        cell->text = random->texts[at];
    }
    add_others(random, kind, layout);
    *used |= random->present;
}

static void round_trip(const struct record_kind *kind, const struct layout *layout, uint64_t *used)
{
    static struct random_row in, out;
    struct err err = ERR_INIT;
    unsigned char *record = malloc(layout->record_size);
    assert_non_null(record);
    fill_row(&in, kind, layout, used);
    struct row in_row = {in.cells, &in.present}, out_row = {out.cells, &out.present};
    if (encode_record(kind, layout, &in_row, record, &err) < 0)
        fail_msg("%s, layout %s: %s", kind->name, layout->name, err_message(&err));
    assert_true(layout_matches(layout, record));
    struct decode_plan plan;
    int bad_column;
    decode_plan_init(&plan, kind, layout);
    decode_record(&plan, record, &out_row, &bad_column);
    assert_int_equal(bad_column, -1);
    assert_int_equal(out.present, plan.present);
    assert_int_equal(in.present & ~out.present, 0);
    for (size_t i = 0; i < kind->column_count; i++) {
        if ((in.present >> i & 1) == 0)
            continue;
        if (kind->columns[i].type == COLUMN_TEXT) {
            assert_int_equal(out.cells[i].length, in.cells[i].length);
            assert_memory_equal(out.cells[i].text, in.cells[i].text, in.cells[i].length);
        } else if (out.cells[i].integer != in.cells[i].integer) {
            fail_msg("%s.%s: %lld became %lld", kind->name, kind->columns[i].name, (long long)in.cells[i].integer,
                     (long long)out.cells[i].integer);
        }
    }
    free(record);
}

/* Every column had its turn, but for those that a magic gives. */
static void expect_all_used(const struct record_kind *kind, const struct layout *layout, uint64_t used)
{
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        if (!is_magic(layout, field) && (used >> record_kind_column(kind, field->column) & 1) == 0)
            fail_msg("%s, layout %s: %s was never encoded", kind->name, layout->name, field->column);
    }
}

static void every_row_of_every_kind_survives_encoding_and_decoding(void **state)
{
    (void)state;
    size_t layouts = 0;
    random_state = 1;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        for (size_t k = 0; k < record_kinds[i]->layout_count; k++, layouts++) {
            uint64_t used = 0;
            for (int n = 0; n < 2000; n++)
                round_trip(record_kinds[i], &record_kinds[i]->layouts[k], &used);
            expect_all_used(record_kinds[i], &record_kinds[i]->layouts[k], used);
        }
    }
    assert_true(layouts >= 4);
}

/* ---- a kind of its own, with everything that a field can be ---- */

enum { LOW, HIGH, NEGATIVE, SCALED, DIVIDED, TEXT, WHOLE };

static const struct column test_columns[] = {
    [LOW] = {"low", "Low", COLUMN_INTEGER, UNIT_NONE, 0, NULL, ""},
    [HIGH] = {"high", "High", COLUMN_INTEGER, UNIT_NONE, 0, NULL, ""},
    [NEGATIVE] = {"negative", "Negative", COLUMN_INTEGER, UNIT_NONE, 0, NULL, ""},
    [SCALED] = {"scaled", "Scaled", COLUMN_INTEGER, UNIT_NS, 0, NULL, ""},
    [DIVIDED] = {"divided", "Divided", COLUMN_INTEGER, UNIT_NS, 0, NULL, ""},
    [TEXT] = {"text", "Text", COLUMN_TEXT, UNIT_NONE, 0, NULL, ""},
    [WHOLE] = {"whole", "Whole", COLUMN_INTEGER, UNIT_NONE, 0, NULL, ""},
};

static const struct field test_fields[] = {
    {.column = "low", .offset = 2, .width = 2, .first_bit = 0, .bit_count = 6},
    {.column = "high", .offset = 2, .width = 2, .first_bit = 6, .bit_count = 9},
    {.column = "negative", .offset = 4, .width = 4, .first_bit = 3, .bit_count = 5, .is_signed = true},
    {.column = "scaled", .offset = 8, .width = 2, .multiply = 1000},
    {.column = "divided", .offset = 10, .width = 3, .multiply = 3, .divide = 2},
    {.column = "text", .offset = 13, .width = 7},
    {.column = "whole", .offset = 20, .width = 8},
};

static const struct layout little = {
    .name = "little",
    .record_size = 28,
    .magics = {{.offset = 0, .width = 2, .value = 0x0a50, .mask = 0x0ff0}},
    .fields = test_fields,
    .field_count = sizeof(test_fields) / sizeof(test_fields[0]),
};
static const struct layout big = {
    .name = "big",
    .record_size = 28,
    .big_endian = true,
    .magics = {{.offset = 0, .width = 2, .value = 0x0a50, .mask = 0x0ff0}},
    .fields = test_fields,
    .field_count = sizeof(test_fields) / sizeof(test_fields[0]),
};

static const struct record_kind test_kind = {
    .name = "test",
    .columns = test_columns,
    .column_count = sizeof(test_columns) / sizeof(test_columns[0]),
    .layouts = &little,
    .layout_count = 1,
};

static int encode_one(const struct layout *layout, int column, int64_t value, unsigned char *record, struct err *err)
{
    struct cell cells[WHOLE + 1] = {[0] = {.length = 0}};
    uint64_t present = UINT64_C(1) << column;
    cells[column].integer = value;
    struct row row = {cells, &present};
    return encode_record(&test_kind, layout, &row, record, err);
}

static void bytes_stand_where_the_layout_says(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    unsigned char record[28];
    struct cell cells[WHOLE + 1] = {
        [LOW] = {.integer = 0x2a},
        [HIGH] = {.integer = 0x155},
        [NEGATIVE] = {.integer = -3},
        [SCALED] = {.integer = 7000},
        [DIVIDED] = {.integer = 300},
        [TEXT] = {.text = "abc", .length = 3},
        [WHOLE] = {.integer = 0x0102030405060708},
    };
    uint64_t present = 0x7f;
    struct row row = {cells, &present};
    static const unsigned char expected_little[28] = {0x50, 0x0a, 0x6a, 0x55, 0xe8, 0, 0, 0, 7, 0, 0xc8, 0, 0, 'a',
                                                      'b',  'c',  0,    0,    0,    0, 8, 7, 6, 5, 4,    3, 2, 1};
    static const unsigned char expected_big[28] = {0x0a, 0x50, 0x55, 0x6a, 0, 0, 0, 0xe8, 0, 7, 0, 0, 0xc8, 'a',
                                                   'b',  'c',  0,    0,    0, 0, 1, 2,    3, 4, 5, 6, 7,    8};
    assert_int_equal(encode_record(&test_kind, &little, &row, record, &err), 0);
    assert_memory_equal(record, expected_little, sizeof(record));
    assert_int_equal(encode_record(&test_kind, &big, &row, record, &err), 0);
    assert_memory_equal(record, expected_big, sizeof(record));
}

static void a_column_that_the_row_does_not_give_stays_zero(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    unsigned char record[28];
    memset(record, 0xee, sizeof(record));
    assert_int_equal(encode_one(&little, HIGH, 1, record, &err), 0);
    static const unsigned char expected[28] = {0x50, 0x0a, 0x40};
    assert_memory_equal(record, expected, sizeof(record));
}

static void random_rows_survive_bit_ranges_scales_and_both_byte_orders(void **state)
{
    uint64_t used = 0;
    (void)state;
    random_state = 2;
    for (int n = 0; n < 20000; n++) {
        round_trip(&test_kind, &little, &used);
        round_trip(&test_kind, &big, &used);
    }
}

static void a_value_that_does_not_fit_is_refused_with_column_and_range(void **state)
{
    (void)state;
    static const struct {
        int column;
        int64_t fits, too_low, too_high;
    } cases[] = {
        {LOW, 63, -1, 64},
        {HIGH, 511, -1, 512},
        {NEGATIVE, -16, -17, 16},
        {SCALED, 65535000, -1000, 65536000},
        {WHOLE, INT64_MAX, -1, INT64_MIN},
        {DIVIDED, 25165821, -3, 25165824},
    };
    unsigned char record[28];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = ERR_INIT;
        assert_int_equal(encode_one(&little, cases[i].column, cases[i].fits, record, &err), 0);
        assert_int_equal(encode_one(&little, cases[i].column, cases[i].too_low, record, &err), -ERR_LIMIT);
        assert_non_null(strstr(err_message(&err), test_columns[cases[i].column].name));
        assert_int_equal(encode_one(&little, cases[i].column, cases[i].too_high, record, &err), -ERR_LIMIT);
        assert_non_null(strstr(err_message(&err), " to "));
    }
}

static void a_value_between_two_steps_of_its_scale_is_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    unsigned char record[28];
    assert_int_equal(encode_one(&little, SCALED, 1500, record, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "scale 1000/1"));
    assert_int_equal(encode_one(&little, DIVIDED, 4, record, &err), -ERR_LIMIT);
    assert_int_equal(encode_one(&little, DIVIDED, INT64_MAX, record, &err), -ERR_LIMIT);
}

static int encode_text(const char *text, size_t length, unsigned char *record, struct err *err)
{
    struct cell cells[WHOLE + 1] = {[TEXT] = {.text = text, .length = (uint32_t)length}};
    uint64_t present = UINT64_C(1) << TEXT;
    struct row row = {cells, &present};
    return encode_record(&test_kind, &little, &row, record, err);
}

static void a_long_text_is_cut_on_a_character_boundary(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    unsigned char record[28];
    assert_int_equal(encode_text("abcdefgh", 8, record, &err), 0);
    assert_memory_equal(record + 13, "abcdefg", 7);
    assert_int_equal(encode_text("\xe5\x8d\xb7\xe7\xa7\xaf\xe5\xb1\x82", 9, record, &err), 0);
    assert_memory_equal(record + 13, "\xe5\x8d\xb7\xe7\xa7\xaf\0", 7);
    assert_int_equal(encode_text("a\0b", 3, record, &err), -ERR_LIMIT);
}

static void columns_that_need_the_same_bits_otherwise_are_refused(void **state)
{
    (void)state;
    static const struct field overlapping[] = {
        {.column = "low", .offset = 2, .width = 2},
        {.column = "high", .offset = 3, .width = 2},
        {.column = "whole", .offset = 0, .width = 1},
    };
    static const struct layout layout = {
        .name = "overlapping",
        .record_size = 8,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        .fields = overlapping,
        .field_count = 3,
    };
    struct err err = ERR_INIT;
    unsigned char record[8];
    struct cell cells[WHOLE + 1] = {[LOW] = {.integer = 0x1234}, [HIGH] = {.integer = 0x5612}};
    uint64_t present = 1 << LOW | 1 << HIGH;
    struct row row = {cells, &present};
    assert_int_equal(encode_record(&test_kind, &layout, &row, record, &err), 0);
    cells[HIGH].integer = 0x5613;
    assert_int_equal(encode_record(&test_kind, &layout, &row, record, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "'low'"));
    present = UINT64_C(1) << WHOLE;
    cells[WHOLE].integer = 0x5a;
    assert_int_equal(encode_record(&test_kind, &layout, &row, record, &err), 0);
    cells[WHOLE].integer = 0x5b;
    assert_int_equal(encode_record(&test_kind, &layout, &row, record, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "magic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_every_kind_survives_encoding_and_decoding),
        cmocka_unit_test(bytes_stand_where_the_layout_says),
        cmocka_unit_test(a_column_that_the_row_does_not_give_stays_zero),
        cmocka_unit_test(random_rows_survive_bit_ranges_scales_and_both_byte_orders),
        cmocka_unit_test(a_value_that_does_not_fit_is_refused_with_column_and_range),
        cmocka_unit_test(a_value_between_two_steps_of_its_scale_is_refused),
        cmocka_unit_test(a_long_text_is_cut_on_a_character_boundary),
        cmocka_unit_test(columns_that_need_the_same_bits_otherwise_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
