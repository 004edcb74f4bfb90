/* One record: a layout made ready, and the loop that reads it. */
#include "base/bytes.h"
#include "parsers/decode.h"

#include <string.h>

void decode_plan_init(struct decode_plan *plan, const struct record_kind *kind, const struct layout *layout)
{
    *plan = (struct decode_plan){.kind = kind, .layout = layout};
    for (size_t i = 0; i < layout->field_count && i < RECORD_MAX_COLUMNS; i++) {
        const struct field *field = &layout->fields[i];
        int column = record_kind_column(kind, field->column);
        if (column < 0)
            continue;
        unsigned bits = field->bit_count != 0 ? field->bit_count : field->width * 8;
        struct decode_step *step = &plan->steps[plan->step_count++];
        *step = (struct decode_step){
            .offset = field->offset,
            .width = field->width,
            .column = (uint8_t)column,
            .shift = field->first_bit,
            .sign_bits = field->is_signed ? (uint8_t)bits : 0,
            .text = kind->columns[column].type == COLUMN_TEXT,
            .mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
            .multiply = field->multiply != 0 ? field->multiply : 1,
            .divide = field->divide != 0 ? field->divide : 1,
        };
        if (step->text)
            plan->text_bytes += field->width < DECODED_TEXT_MAX ? field->width : DECODED_TEXT_MAX;
        step->scaled = !step->text && (step->multiply != 1 || step->divide != 1);
        plan->present |= UINT64_C(1) << column;
    }
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

void decode_record(const struct decode_plan *plan, const unsigned char *record, struct row *row, int *ret_bad_column)
{
    uint64_t present = plan->present;
    *ret_bad_column = -1;
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct decode_step *step = &plan->steps[i];
        struct cell *cell = &row->cells[step->column];
        if (step->text) {
            cell->text = (const char *)record + step->offset;
            cell->length = (uint32_t)strnlen(cell->text, step->width);
        } else if (!decode_integer(step, record, plan->layout->big_endian, &cell->integer)) {
            present &= ~(UINT64_C(1) << step->column);
            *ret_bad_column = step->column;
        }
    }
    *row->present = present;
}
