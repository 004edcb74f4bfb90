/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kinds/kinds_output.h"
#include "parsers/decode/layout_rate.h"

#include <inttypes.h>
#include <string.h>

const char *kinds_type_name(enum column_type type)
{
    return type == COLUMN_TEXT ? "text" : "integer";
}

const char *kinds_role(const struct column *column)
{
    if ((column->flags & (COLUMN_FILE | COLUMN_DERIVED)) != 0)
        return (column->flags & COLUMN_TRANSIENT) != 0 ? "computed, not stored" : "computed";
    if ((column->flags & COLUMN_TRANSIENT) != 0)
        return "not stored";
    return NULL;
}

const char *kinds_field_remark(const struct field *field, char *buffer)
{
    char bits[32] = "", scale[64] = "";
    int64_t multiply = field->multiply != 0 ? field->multiply : 1, divide = field->divide != 0 ? field->divide : 1;

    if (field->bit_count > 0)
        snprintf(bits, sizeof bits, ", bits %u-%u", field->first_bit, field->first_bit + field->bit_count - 1U);
    if (divide != 1)
        snprintf(scale, sizeof scale, ", scale %" PRId64 "/%" PRId64, multiply, divide);
    else if (multiply != 1)
        snprintf(scale, sizeof scale, ", scale %" PRId64, multiply);
    snprintf(buffer, KINDS_REMARK_SIZE, "%s%s%s", bits, field->is_signed ? ", signed" : "", scale);
    if (buffer[0] != '\0')
        memmove(buffer, buffer + 2, strlen(buffer + 2) + 1);
    return buffer;
}

static void print_columns(FILE *stream, const struct record_kind *kind)
{
    int name_width = (int)strlen("COLUMN");

    for (size_t i = 0; i < kind->column_count; i++)
        if ((int)strlen(kind->columns[i].name) > name_width)
            name_width = (int)strlen(kind->columns[i].name);
    fprintf(stream, "  %-*s  %-7s  %-5s  %s\n", name_width, "COLUMN", "TYPE", "UNIT", "MEANING");
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        const char *role = kinds_role(column);

        fprintf(stream, "  %-*s  %-7s  %-5s  %s", name_width, column->name, kinds_type_name(column->type),
                column_unit_name(column->unit), column->doc);
        if (role != NULL)
            fprintf(stream, " (%s)", role);
        for (const struct value_name *name = column->names; name != NULL && name->text != NULL; name++)
            fprintf(stream, "%s%" PRId64 " %s", name == column->names ? " Values: " : ", ", name->value, name->text);
        fputc('\n', stream);
    }
}

static void print_layout(FILE *stream, const struct layout *layout)
{
    fprintf(stream, "\n  layout %s: %" PRIu32 " bytes, %s-endian", layout->name, layout->record_size,
            layout->big_endian ? "big" : "little");
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];

        fprintf(stream, ", magic 0x%" PRIx64 " at %" PRIu32 " (%" PRIu32 " bytes", magic->value, magic->offset,
                magic->width);
        if (magic->mask != 0)
            fprintf(stream, ", mask 0x%" PRIx64, magic->mask);
        fputc(')', stream);
    }
    if (layout->source != NULL)
        fprintf(stream, "\n  %s", layout->source);
    if (layout->icache_miss_rate.given) {
        char words[LAYOUT_RATE_SIZE];

        layout_rate_text(&layout->icache_miss_rate, words);
        fprintf(stream, "\n  " LAYOUT_MISS_RATE " %s", words);
    }
    fputs("\n  OFFSET  WIDTH  COLUMN\n", stream);
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        char remark[KINDS_REMARK_SIZE];

        kinds_field_remark(field, remark);
        fprintf(stream, "  %6" PRIu32 "  %5" PRIu32 "  %s%s%s%s\n", field->offset, field->width, field->column,
                remark[0] != '\0' ? " (" : "", remark, remark[0] != '\0' ? ")" : "");
    }
}

void kinds_print_table(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
{
    for (const struct record_kind *const *kind = kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        fprintf(stream, "%s%s: %s\n", kind == kinds ? "" : "\n", (*kind)->name, (*kind)->title);
        if ((*kind)->table != NULL)
            fprintf(stream, "  table %s\n", (*kind)->table);
        for (size_t i = 0; (*kind)->patterns != NULL && (*kind)->patterns[i] != NULL; i++)
            fprintf(stream, "  file %s\n", (*kind)->patterns[i]);
        fputc('\n', stream);
        print_columns(stream, *kind);
        for (size_t i = 0; (layout = layout_candidate(layouts, *kind, i)) != NULL; i++)
            print_layout(stream, layout);
    }
}
