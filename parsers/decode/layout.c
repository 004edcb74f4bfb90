/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/layout.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The set of layouts, and what makes a layout sound. */

void layout_set_init(struct layout_set *set)
{
    set->first = NULL;
}

void layout_set_release(struct layout_set *set)
{
    while (set->first != NULL) {
        struct loaded_layout *loaded = set->first;
        set->first = loaded->next;
        free(loaded->name);
        free(loaded->source);
        free(loaded->fields);
        free(loaded);
    }
}

static bool is_replaced(const struct layout_set *set, const struct record_kind *kind, const char *name)
{
    for (const struct loaded_layout *loaded = set->first; loaded != NULL; loaded = loaded->next)
        if (loaded->kind == kind && strcmp(loaded->name, name) == 0)
            return true;
    return false;
}

const struct layout *layout_candidate(const struct layout_set *set, const struct record_kind *kind, size_t i)
{
    static const struct layout_set none = {.first = NULL};
    if (set == NULL)
        set = &none;
    for (const struct loaded_layout *loaded = set->first; loaded != NULL; loaded = loaded->next)
        if (loaded->kind == kind && !loaded->replaced && i-- == 0)
            return &loaded->layout;
    for (size_t k = 0; k < kind->layout_count; k++)
        if (!is_replaced(set, kind, kind->layouts[k].name) && i-- == 0)
            return &kind->layouts[k];
    return NULL;
}

int64_t layout_frequency(const struct layout_set *set, const struct record_kind *kind)
{
    const struct layout *layout;
    for (size_t i = 0; (layout = layout_candidate(set, kind, i)) != NULL; i++)
        if (layout->core_khz > 0)
            return layout->core_khz;
    return 0;
}

static const struct loaded_layout *loaded_of(const struct layout_set *set, const struct layout *layout)
{
    const struct loaded_layout *loaded = set != NULL ? set->first : NULL;
    while (loaded != NULL && &loaded->layout != layout)
        loaded = loaded->next;
    return loaded;
}

void layout_set_mark_shipped(struct layout_set *set)
{
    for (struct loaded_layout *loaded = set->first; loaded != NULL; loaded = loaded->next)
        loaded->shipped = true;
}

bool layout_is_shipped(const struct layout_set *set, const struct layout *layout)
{
    const struct loaded_layout *loaded = loaded_of(set, layout);
    return loaded != NULL && loaded->shipped;
}

bool layout_is_named(const struct layout_set *set, const struct layout *layout)
{
    const struct loaded_layout *loaded = loaded_of(set, layout);
    return loaded != NULL && loaded->named;
}

static uint64_t width_mask(unsigned width)
{
    return width >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
}

static bool is_inside(const struct layout *layout, uint32_t offset, uint32_t width)
{
    return width <= layout->record_size && offset <= layout->record_size - width;
}

int layout_check_magic(const struct layout *layout, const struct magic *magic, struct err *err)
{
    if (magic->width < 1 || magic->width > 8)
        return err_set(err, ERR_FORMAT, "a magic of width %" PRIu32 ", expected 1 to 8 bytes", magic->width);
    if (!is_inside(layout, magic->offset, magic->width))
        return err_set(err, ERR_FORMAT,
                       "a magic at offset %" PRIu32 " of width %" PRIu32 " ends outside the record of %" PRIu32
                       " bytes",
                       magic->offset, magic->width, layout->record_size);
    uint64_t mask = magic->mask != 0 ? magic->mask : width_mask(magic->width);
    if ((mask & ~width_mask(magic->width)) != 0)
        return err_set(err, ERR_FORMAT, "magic mask 0x%" PRIx64 " does not fit a width of %" PRIu32 " bytes", mask,
                       magic->width);
    if ((magic->value & ~mask) != 0)
        return err_set(err, ERR_FORMAT,
                       "magic value 0x%" PRIx64 " has bits outside its mask 0x%" PRIx64 ", so no record can match",
                       magic->value, mask);
    return 0;
}

static int check_integer_field(const struct field *field, struct err *err)
{
    if (field->width > 8)
        return err_set(err, ERR_FORMAT, "integer column '%s' has width %" PRIu32 ", expected 1 to 8 bytes",
                       field->column, field->width);
    unsigned bits = 8 * field->width;
    if (field->first_bit >= bits || field->bit_count > bits - field->first_bit)
        return err_set(err, ERR_FORMAT, "column '%s': bits %u-%u are outside a width of %" PRIu32 " bytes (bits 0-%u)",
                       field->column, field->first_bit,
                       field->first_bit + (field->bit_count > 0 ? field->bit_count - 1U : 0), field->width, bits - 1);
    if (field->bit_count == 0 && field->first_bit != 0)
        return err_set(err, ERR_FORMAT, "column '%s' has a first bit but no number of bits", field->column);
    if (field->multiply < 0 || field->divide < 0)
        return err_set(err, ERR_FORMAT, "column '%s' has a negative scale, expected a positive one", field->column);
    return 0;
}

static int check_text_field(const struct field *field, struct err *err)
{
    if (field->first_bit != 0 || field->bit_count != 0 || field->is_signed || field->multiply != 0 ||
        field->divide != 0)
        return err_set(err, ERR_FORMAT, "column '%s' is text: it has no sign, bits, scale or unit", field->column);
    return 0;
}

int layout_check_field(const struct record_kind *kind, const struct layout *layout, size_t index, struct err *err)
{
    const struct field *field = &layout->fields[index];
    int at = record_kind_column(kind, field->column);
    if (at < 0)
        return err_set(err, ERR_FORMAT, "kind %s has no column '%s'", kind->name, field->column);
    const struct column *column = &kind->columns[at];
    if ((column->flags & (COLUMN_DERIVED | COLUMN_FILE)) != 0)
        return err_set(err, ERR_FORMAT, "column '%s' is computed and not part of any record", field->column);
    for (size_t i = 0; i < index; i++)
        if (strcmp(layout->fields[i].column, field->column) == 0)
            return err_set(err, ERR_FORMAT, "column '%s' is given twice", field->column);
    if (field->width == 0)
        return err_set(err, ERR_FORMAT, "column '%s' has width 0, expected at least 1 byte", field->column);
    if (!is_inside(layout, field->offset, field->width))
        return err_set(err, ERR_FORMAT,
                       "column '%s' at offset %" PRIu32 " of width %" PRIu32 " ends outside the record of %" PRIu32
                       " bytes",
                       field->column, field->offset, field->width, layout->record_size);
    return column->type == COLUMN_TEXT ? check_text_field(field, err) : check_integer_field(field, err);
}

/* The other column of a field must be a number that this layout gives plainly. */
static int check_relation(const struct record_kind *kind, const struct layout *layout, const struct field *field,
                          struct err *err)
{
    if (field->relation == FIELD_PLAIN)
        return 0;
    if (field->is_signed)
        return err_set(err, ERR_FORMAT,
                       "column '%s' is signed; expected an unsigned one with minus, plus, of and delta", field->column);
    if (field->relation == FIELD_DELTA)
        return 0;
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *other = &layout->fields[i];
        int column = record_kind_column(kind, other->column);
        if (column >= 0 && strcmp(other->column, field->other) == 0 && other->relation == FIELD_PLAIN &&
            kind->columns[column].type == COLUMN_INTEGER)
            return 0;
    }
    return err_set(err, ERR_FORMAT,
                   "column '%s' is made with '%s', expected a number that this layout gives by its own bytes alone",
                   field->column, field->other);
}

/* The columns of a rate stand in the rows that have it. */
static int check_rate(const struct record_kind *kind, const struct layout_rate *rate, struct err *err)
{
    const char *const names[] = {rate->part, rate->whole[0], rate->whole[1]};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] != NULL && (kind->rated == NULL || record_kind_column(kind->rated, names[i]) < 0))
            return err_set(err, ERR_FORMAT, "a rate of '%s', which is no column that kind %s leads to", names[i],
                           kind->name);
    return 0;
}

int layout_check(const struct record_kind *kind, const struct layout *layout, struct err *err)
{
    if (layout->name == NULL || layout->name[0] == '\0')
        return err_set(err, ERR_FORMAT, "a layout of kind %s without a name", kind->name);
    if (layout->record_size < 1 || layout->record_size > RECORD_MAX_SIZE)
        return err_set(err, ERR_FORMAT, "record size %" PRIu32 ", expected 1 to %d bytes", layout->record_size,
                       RECORD_MAX_SIZE);
    bool ended = false;
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS; i++) {
        if (layout->magics[i].width == 0) {
            ended = true;
            continue;
        }
        if (ended)
            return err_set(err, ERR_FORMAT, "magic %zu comes after the end of the list", i);
        int r = layout_check_magic(layout, &layout->magics[i], err);
        if (r < 0)
            return r;
    }
    if (layout->header > LAYOUT_HEADER_MAX)
        return err_set(err, ERR_FORMAT, "a header of %" PRIu32 " bytes, expected at most %d", layout->header,
                       LAYOUT_HEADER_MAX);
    if (layout->field_count == 0)
        return err_set(err, ERR_FORMAT, "no column, expected at least one");
    for (size_t i = 0; i < layout->field_count; i++) {
        int r = layout_check_field(kind, layout, i, err);
        if (r == 0)
            r = check_relation(kind, layout, &layout->fields[i], err);
        if (r < 0)
            return r;
    }
    return check_rate(kind, &layout->icache_miss_rate, err);
}

bool layout_matches(const struct layout *layout, const unsigned char *record)
{
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        uint64_t value = bytes_load(record + magic->offset, magic->width, layout->big_endian);
        if (magic->mask != 0)
            value &= magic->mask;
        if (value != magic->value)
            return false;
    }
    return true;
}

static bool names_chip(const struct layout *layout, int64_t chip)
{
    return chip >= 0 && chip < 32 && (layout->chips >> chip & 1) != 0;
}

bool layout_is_of_chip(const struct record_kind *kind, const struct layout *layout, int64_t chip)
{
    if (layout->chips != 0 || layout < kind->layouts || layout >= kind->layouts + kind->layout_count)
        return layout->chips == 0 || names_chip(layout, chip);
    for (size_t i = 0; i < kind->layout_count; i++) {
        const struct layout *other = &kind->layouts[i];
        if (names_chip(other, chip) && other->part == layout->part)
            return false;
    }
    return true;
}
