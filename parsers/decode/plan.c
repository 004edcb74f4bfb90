/* SPDX-License-Identifier: Apache-2.0 */
/* One record: a layout made ready, and the loop that reads it. */
#include "base/bytes.h"
#include "parsers/decode/decode.h"

#include <string.h>

/* A plain number is read as part of the eight bytes that hold it, whatever its width: one load without a choice. Its
 * record has as many. */
static void make_quick(struct decode_step *step, const struct layout *layout)
{
    if (step->text || step->scaled || step->sign_bits != 0 || layout->big_endian || layout->record_size < 8)
        return;
    uint32_t last = layout->record_size - 8;
    step->quick_offset = step->offset < last ? step->offset : last;
    unsigned shift = step->shift + 8 * (step->offset - step->quick_offset);
    step->quick = shift < 64;
    step->quick_shift = (uint8_t)shift;
}

/* The steps of the fields that are plain, or of those that are not. */
static void add_steps(struct decode_plan *plan, bool plain)
{
    const struct record_kind *kind = plan->kind;
    for (size_t i = 0; i < plan->layout->field_count && plan->step_count < RECORD_MAX_COLUMNS; i++) {
        const struct field *field = &plan->layout->fields[i];
        int column = record_kind_column(kind, field->column);
        int other = field->other != NULL ? record_kind_column(kind, field->other) : 0;
        if (column < 0 || other < 0 || plain != (field->relation == FIELD_PLAIN))
            continue;
        unsigned bits = field->bit_count != 0 ? field->bit_count : field->width * 8;
        struct decode_step *step = &plan->steps[plan->step_count++];
        *step = (struct decode_step){
            .offset = field->offset,
            .width = field->width,
            .column = (uint8_t)column,
            .relation = (uint8_t)field->relation,
            .shift = field->first_bit,
            .sign_bits = field->is_signed ? (uint8_t)bits : 0,
            .other = (uint8_t)other,
            .text = kind->columns[column].type == COLUMN_TEXT,
            .mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
            .multiply = field->multiply != 0 ? field->multiply : 1,
            .divide = field->divide != 0 ? field->divide : 1,
        };
        if (step->text)
            plan->text_bytes += field->width < DECODED_TEXT_MAX ? field->width : DECODED_TEXT_MAX;
        step->scaled = !step->text && (step->multiply != 1 || step->divide != 1);
        make_quick(step, plan->layout);
        plan->present |= UINT64_C(1) << column;
    }
}

void decode_plan_init(struct decode_plan *plan, const struct record_kind *kind, const struct layout *layout)
{
    *plan = (struct decode_plan){.kind = kind, .layout = layout};
    for (size_t i = 0; i < kind->column_count; i++) {
        if ((kind->columns[i].flags & COLUMN_FILE) != 0)
            plan->files |= UINT64_C(1) << i;
    }
    add_steps(plan, true);
    plan->plain_count = plan->step_count;
    add_steps(plan, false);
}

/* False when the scaled value does not fit. */
static bool scale(const struct decode_step *step, int64_t *value)
{
    int64_t product;
    if (__builtin_mul_overflow(*value, step->multiply, &product))
        return false;
    *value = product / step->divide;
    return true;
}

static bool decode_integer(const struct decode_step *step, const unsigned char *record, bool big_endian, int64_t *ret)
{
    uint64_t raw = bytes_load(record + step->offset, step->width, big_endian) >> step->shift & step->mask;
    if (step->sign_bits != 0) {
        uint64_t sign = UINT64_C(1) << (step->sign_bits - 1);
        *ret = (int64_t)((raw ^ sign) - sign);
    } else {
        if (raw > INT64_MAX)
            return false;
        *ret = (int64_t)raw;
    }
    return !step->scaled || scale(step, ret);
}

__extension__ typedef __int128 wide;

/* raw * multiply / divide * other, rounded to the nearest. False when it does not fit. */
static bool share_of(const struct decode_step *step, int64_t raw, int64_t other, int64_t *ret)
{
    wide product = (wide)raw * other, half = step->divide / 2;
    if (product < 0 || product > (wide)INT64_MAX * step->divide ||
        __builtin_mul_overflow(product, step->multiply, &product))
        return false;
    product = (product + half) / step->divide;
    *ret = (int64_t)product;
    return product <= INT64_MAX;
}

/* A column that is made with another one, or with the record before. False when the value does not fit. */
static bool decode_related(struct decode_step *step, const unsigned char *record, bool big_endian,
                           const struct cell *cells, int64_t *ret)
{
    uint64_t raw = bytes_load(record + step->offset, step->width, big_endian) >> step->shift & step->mask;
    int64_t other = step->relation == FIELD_DELTA ? 0 : cells[step->other].integer;
    if (step->relation == FIELD_DELTA) {
        uint64_t difference = (raw - step->last) & step->mask;
        step->last = raw;
        raw = difference;
    }
    if (raw > INT64_MAX)
        return false;
    if (step->relation == FIELD_OF)
        return share_of(step, (int64_t)raw, other, ret);
    *ret = (int64_t)raw;
    if (step->scaled && !scale(step, ret))
        return false;
    if (step->relation == FIELD_MINUS)
        return !__builtin_sub_overflow(*ret, other, ret);
    return step->relation != FIELD_PLUS || !__builtin_add_overflow(*ret, other, ret);
}

void decode_record(struct decode_plan *plan, const unsigned char *record, struct row *row, int *ret_bad_column)
{
    uint64_t present = plan->present;
    *ret_bad_column = -1;
    for (size_t i = 0; i < plan->plain_count; i++) {
        const struct decode_step *step = &plan->steps[i];
        struct cell *cell = &row->cells[step->column];
        if (step->quick) {
            uint64_t eight = bytes_load(record + step->quick_offset, 8, false);
            cell->integer = (int64_t)(eight >> step->quick_shift & step->mask);
            if (cell->integer >= 0)
                continue;
            present &= ~(UINT64_C(1) << step->column);
            *ret_bad_column = step->column;
        } else if (step->text) {
            cell->text = (const char *)record + step->offset;
            cell->length = (uint32_t)strnlen(cell->text, step->width);
        } else if (!decode_integer(step, record, plan->layout->big_endian, &cell->integer)) {
            present &= ~(UINT64_C(1) << step->column);
            *ret_bad_column = step->column;
        }
    }
    for (size_t i = plan->plain_count; i < plan->step_count; i++) {
        struct decode_step *step = &plan->steps[i];
        bool given = step->relation == FIELD_DELTA || (present >> step->other & 1) != 0;
        if (!decode_related(step, record, plan->layout->big_endian, row->cells, &row->cells[step->column].integer) ||
            !given) {
            present &= ~(UINT64_C(1) << step->column);
            *ret_bad_column = step->column;
        }
    }
    *row->present = present;
}
