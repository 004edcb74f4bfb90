/* Rows into records. */
#include "parsers/encode.h"

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
    int r = raw_of_value(field, &bits, value, &raw, err);
    if (r < 0)
        return r;
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
static int check_overlaps(const struct encode_plan *plan, const struct row *row, const unsigned char *out,
                          struct err *err)
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
        if (row_gives(row, column) &&
            !field_holds(layout, &layout->fields[i], plan->kind->columns[column].type, &row->cells[column], out))
            return err_set(err, ERR_LIMIT, "column '%s' shares bits with another column that needs them otherwise",
                           layout->fields[i].column);
    }
    return 0;
}

void encode_plan_init(struct encode_plan *plan, const struct record_kind *kind, const struct layout *layout)
{
    *plan = (struct encode_plan){.kind = kind, .layout = layout};
    for (size_t i = 0; i < layout->field_count; i++)
        plan->columns[i] = (uint8_t)record_kind_column(kind, layout->fields[i].column);
}

int encode_planned(const struct encode_plan *plan, const struct row *row, unsigned char *out, struct err *err)
{
    const struct layout *layout = plan->layout;
    memset(out, 0, layout->record_size);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        put_magic(layout, &layout->magics[i], out);
    for (size_t i = 0; i < layout->field_count; i++) {
        size_t column = plan->columns[i];
        if (!row_gives(row, column))
            continue;
        const struct field *field = &layout->fields[i];
        int r = plan->kind->columns[column].type == COLUMN_TEXT
                    ? put_text(field, &row->cells[column], out, err)
                    : put_integer(layout, field, row->cells[column].integer, out, err);
        if (r < 0)
            return r;
    }
    return check_overlaps(plan, row, out, err);
}

int encode_record(const struct record_kind *kind, const struct layout *layout, const struct row *row,
                  unsigned char *out, struct err *err)
{
    struct encode_plan plan;
    encode_plan_init(&plan, kind, layout);
    return encode_planned(&plan, row, out, err);
}
