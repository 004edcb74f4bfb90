/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into records. */
#include "parsers/decode/encode.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <string.h>

/* The bits of one integer field: which of its width, and how to store them. */
struct bit_range {
    unsigned shift, count;
    uint64_t mask; /* shifted down */
};

static struct bit_range field_bits(const struct field *field)
{
    struct bit_range bits = {.shift = field->first_bit, .count = field->bit_count};
    if (field->bit_count == 0)
        bits.count = 8 * field->width;
    bits.mask = bits.count >= 64 ? UINT64_MAX : (UINT64_C(1) << bits.count) - 1;
    return bits;
}

/* value = raw * multiply / divide, solved for raw without a rest and checked against the field's range. */
static int raw_of_value(const struct field *field, const struct bit_range *bits, int64_t value, uint64_t *ret,
                        struct err *err)
{
    int64_t multiply = field->multiply != 0 ? field->multiply : 1, divide = field->divide != 0 ? field->divide : 1;
    unsigned value_bits = field->is_signed || bits->count == 64 ? bits->count - 1 : bits->count;
    int64_t highest = (int64_t)((UINT64_C(1) << value_bits) - 1);
    int64_t lowest = field->is_signed ? -highest - 1 : 0;
    int64_t product; /* 64 bits, because the decoder has no more */
    if (__builtin_mul_overflow(value, divide, &product) || product / multiply < lowest || product / multiply > highest)
        return err_set(err, ERR_LIMIT,
                       "column '%s': %" PRId64 " does not fit its field: %" PRId64 " to %" PRId64
                       " at a scale of %" PRId64 "/%" PRId64,
                       field->column, value, lowest, highest, multiply, divide);
    if (product % multiply != 0)
        return err_set(err, ERR_LIMIT, "column '%s': %" PRId64 " is no whole number of its scale %" PRId64 "/%" PRId64,
                       field->column, value, multiply, divide);
    *ret = (uint64_t)(product / multiply) & bits->mask;
    return 0;
}

static int put_integer(const struct layout *layout, const struct field *field, int64_t value, unsigned char *out,
                       struct err *err)
{
    struct bit_range bits = field_bits(field);
    uint64_t raw = 0;
    if (raw_of_value(field, &bits, value, &raw, err) < 0)
        return err_status(err);
    unsigned char *p = out + field->offset;
    uint64_t whole = bytes_load(p, field->width, layout->big_endian);
    whole = (whole & ~(bits.mask << bits.shift)) | raw << bits.shift;
    bytes_store(p, field->width, layout->big_endian, whole);
    return 0;
}

/* The longest part of a text that fits and does not end inside a UTF-8 character. */
static size_t text_that_fits(const char *text, size_t length, size_t width)
{
    if (length <= width)
        return length;
    size_t end = width;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return end;
}

static int put_text(const struct field *field, const struct cell *cell, unsigned char *out, struct err *err)
{
    if (cell->length > 0 && memchr(cell->text, '\0', cell->length) != NULL)
        return err_set(err, ERR_LIMIT, "column '%s': a text with a NUL byte cannot stand in a NUL-padded field",
                       field->column);
    size_t length = text_that_fits(cell->text, cell->length, field->width);
    memset(out + field->offset, 0, field->width);
    if (length > 0)
        memcpy(out + field->offset, cell->text, length);
    return 0;
}

static void put_magic(const struct layout *layout, const struct magic *magic, unsigned char *out)
{
    unsigned char *p = out + magic->offset;
    uint64_t mask = magic->mask != 0 ? magic->mask : UINT64_MAX;
    uint64_t whole = bytes_load(p, magic->width, layout->big_endian);
    bytes_store(p, magic->width, layout->big_endian, (whole & ~mask) | magic->value);
}

static bool row_gives(const struct row *row, size_t column)
{
    return (*row->present >> column & 1) != 0;
}

__extension__ typedef __int128 wide;

/* Finds the value for the bytes of a field, in the column's unit: the value itself, or what makes it with another
 * column or with the records before. */
static int stored_value(struct encode_plan *plan, size_t i, const struct row *row, int64_t *ret, struct err *err)
{
    const struct field *field = &plan->layout->fields[i];
    int64_t value = row->cells[plan->columns[i]].integer, other = row->cells[plan->others[i]].integer;
    int64_t multiply = field->multiply != 0 ? field->multiply : 1;
    bool bad = false;
    if (field->relation == FIELD_DELTA) {
        bad = __builtin_add_overflow(plan->sums[i], value, ret);
        plan->sums[i] = *ret;
    } else if (field->relation == FIELD_MINUS) {
        bad = __builtin_add_overflow(value, other, ret);
    } else if (field->relation == FIELD_PLUS) {
        bad = __builtin_sub_overflow(value, other, ret);
    } else if (field->relation == FIELD_OF) { /* the nearest number of the field that gives it */
        int64_t divide = field->divide != 0 ? field->divide : 1;
        wide step = (wide)multiply * other, raw = step > 0 ? ((wide)value * divide + step / 2) / step : 0;
        bad = raw > INT64_MAX / multiply;
        *ret = bad ? 0 : (int64_t)raw * multiply;
    } else {
        *ret = value;
    }
    if (field->relation != FIELD_PLAIN && field->relation != FIELD_DELTA && !row_gives(row, plan->others[i]))
        return err_set(err, ERR_LIMIT, "column '%s' is made with '%s', which has no value", field->column,
                       field->other);
    return bad ? err_set(err, ERR_LIMIT, "column '%s' does not fit its field", field->column) : 0;
}

/* The field as its bytes are read: what relates it to others is done. */
static struct field own_part(const struct field *field)
{
    struct field own = *field;
    if (own.relation == FIELD_OF)
        own.divide = 1;
    return own;
}

/* Whether a field still holds what was put there. */
static bool field_holds(const struct layout *layout, const struct field *field, enum column_type type,
                        const struct cell *cell, const unsigned char *out)
{
    const unsigned char *p = out + field->offset;
    if (type == COLUMN_TEXT) {
        size_t length = text_that_fits(cell->text, cell->length, field->width);
        return (length == 0 || memcmp(p, cell->text, length) == 0) && (length == field->width || p[length] == 0);
    }
    struct bit_range bits = field_bits(field);
    struct err ignored;
    uint64_t raw = 0;
    return raw_of_value(field, &bits, cell->integer, &raw, &ignored) == 0 &&
           (bytes_load(p, field->width, layout->big_endian) >> bits.shift & bits.mask) == raw;
}

/* Fields may share bytes; what was put first must have survived what was put later. */
static int check_overlaps(const struct encode_plan *plan, const struct row *row, const struct cell *stored,
                          const unsigned char *out, struct err *err)
{
    const struct layout *layout = plan->layout;
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        uint64_t mask = magic->mask != 0 ? magic->mask : UINT64_MAX;
        if ((bytes_load(out + magic->offset, magic->width, layout->big_endian) & mask) != magic->value)
            return err_set(err, ERR_LIMIT,
                           "the magic number at offset %" PRIu32 " shares bits with a column of another value",
                           magic->offset);
    }
    for (size_t i = 0; i < layout->field_count; i++) {
        size_t column = plan->columns[i];
        const struct field field = own_part(&layout->fields[i]);
        if (row_gives(row, column) && !field_holds(layout, &field, plan->kind->columns[column].type, &stored[i], out))
            return err_set(err, ERR_LIMIT, "column '%s' shares bits with another column that needs them otherwise",
                           layout->fields[i].column);
    }
    return 0;
}

void encode_plan_init(struct encode_plan *plan, const struct record_kind *kind, const struct layout *layout)
{
    *plan = (struct encode_plan){.kind = kind, .layout = layout};
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        plan->columns[i] = (uint8_t)record_kind_column(kind, field->column);
        plan->others[i] = (uint8_t)(field->other != NULL ? record_kind_column(kind, field->other) : plan->columns[i]);
    }
}

int encode_planned(struct encode_plan *plan, const struct row *row, unsigned char *out, struct err *err)
{
    const struct layout *layout = plan->layout;
    struct cell stored[RECORD_MAX_COLUMNS];
    memset(out, 0, layout->record_size);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        put_magic(layout, &layout->magics[i], out);
    for (size_t i = 0; i < layout->field_count; i++) {
        size_t column = plan->columns[i];
        if (!row_gives(row, column))
            continue;
        const struct field field = own_part(&layout->fields[i]);
        int r = 0;
        stored[i] = row->cells[column];
        if (plan->kind->columns[column].type == COLUMN_TEXT)
            r = put_text(&field, &stored[i], out, err);
        else if ((r = stored_value(plan, i, row, &stored[i].integer, err)) == 0)
            r = put_integer(layout, &field, stored[i].integer, out, err);
        if (r < 0)
            return r;
    }
    return check_overlaps(plan, row, stored, out, err);
}

int encode_record(const struct record_kind *kind, const struct layout *layout, const struct row *row,
                  unsigned char *out, struct err *err)
{
    struct encode_plan plan;
    encode_plan_init(&plan, kind, layout);
    return encode_planned(&plan, row, out, err);
}
