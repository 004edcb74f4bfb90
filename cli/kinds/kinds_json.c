/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kinds/kinds_output.h"
#include "parsers/decode/layout_rate.h"

#include "base/strbuf.h"
#include "exporters/json_text.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_LIMIT 65536

static void put_string(FILE *stream, const char *text)
{
    struct strbuf escaped;

    strbuf_init(&escaped, TEXT_LIMIT);
    json_text_append(&escaped, text, strlen(text)); /* texts of this program and of layout files: short */
    fprintf(stream, "\"%s\"", escaped.data);
    strbuf_release(&escaped);
}

/* "key": "text" and a separator. */
static void put_member(FILE *stream, const char *key, const char *text, const char *separator)
{
    fprintf(stream, "\"%s\": ", key);
    if (text != NULL)
        put_string(stream, text);
    else
        fputs("null", stream);
    fputs(separator, stream);
}

static void put_column(FILE *stream, const struct column *column)
{
    fputs("{", stream);
    put_member(stream, "name", column->name, ", ");
    put_member(stream, "title", column->title, ", ");
    put_member(stream, "type", kinds_type_name(column->type), ", ");
    put_member(stream, "unit", column->unit != UNIT_NONE ? column_unit_name(column->unit) : NULL, ", ");
    fprintf(stream, "\"computed\": %s, ", (column->flags & (COLUMN_DERIVED | COLUMN_FILE)) != 0 ? "true" : "false");
    fprintf(stream, "\"stored\": %s, ", (column->flags & COLUMN_TRANSIENT) != 0 ? "false" : "true");
    fputs("\"values\": {", stream);
    for (const struct value_name *name = column->names; name != NULL && name->text != NULL; name++) {
        fprintf(stream, "%s\"%" PRId64 "\": ", name == column->names ? "" : ", ", name->value);
        put_string(stream, name->text);
    }
    fputs("}, ", stream);
    put_member(stream, "doc", column->doc, "}");
}

static void put_magic(FILE *stream, const struct magic *magic)
{
    fprintf(stream, "{\"offset\": %" PRIu32 ", \"width\": %" PRIu32 ", \"value\": \"0x%" PRIx64 "\"", magic->offset,
            magic->width, magic->value); /* as text: values over 2^53 are no safe JSON numbers */
    if (magic->mask != 0)
        fprintf(stream, ", \"mask\": \"0x%" PRIx64 "\"", magic->mask);
    fputc('}', stream);
}

static void put_field(FILE *stream, const struct field *field)
{
    fputs("{", stream);
    put_member(stream, "column", field->column, ", ");
    fprintf(stream, "\"offset\": %" PRIu32 ", \"width\": %" PRIu32 ", \"signed\": %s", field->offset, field->width,
            field->is_signed ? "true" : "false");
    if (field->bit_count > 0)
        fprintf(stream, ", \"first_bit\": %u, \"bit_count\": %u", field->first_bit, field->bit_count);
    fprintf(stream, ", \"multiply\": %" PRId64 ", \"divide\": %" PRId64 "}", field->multiply != 0 ? field->multiply : 1,
            field->divide != 0 ? field->divide : 1);
}

static void put_layout(FILE *stream, const struct layout *layout)
{
    fputs("        {\n          ", stream);
    put_member(stream, "name", layout->name, ",\n          ");
    put_member(stream, "source", layout->source, ",\n          ");
    fprintf(stream, "\"record_size\": %" PRIu32 ",\n          \"endian\": \"%s\",\n          \"magics\": [",
            layout->record_size, layout->big_endian ? "big" : "little");
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        fputs(i > 0 ? ", " : "", stream);
        put_magic(stream, &layout->magics[i]);
    }
    fputs("],\n          ", stream);
    if (layout->icache_miss_rate.given) {
        char words[LAYOUT_RATE_SIZE];

        layout_rate_text(&layout->icache_miss_rate, words);
        put_member(stream, LAYOUT_MISS_RATE, words, ",\n          ");
    }
    fputs("\"fields\": [", stream);
    for (size_t i = 0; i < layout->field_count; i++) {
        fputs(i > 0 ? ",\n            " : "\n            ", stream);
        put_field(stream, &layout->fields[i]);
    }
    fputs("\n          ]\n        }", stream);
}

static void put_kind(FILE *stream, const struct record_kind *kind, const struct layout_set *layouts)
{
    const struct layout *layout;

    fputs("    {\n      ", stream);
    put_member(stream, "name", kind->name, ",\n      ");
    if (kind->table != NULL)
        put_member(stream, "table", kind->table, ",\n      ");
    put_member(stream, "title", kind->title, ",\n      ");
    put_member(stream, "doc", kind->doc, ",\n      ");
    fputs("\"files\": [", stream);
    for (size_t i = 0; kind->patterns != NULL && kind->patterns[i] != NULL; i++) {
        fputs(i > 0 ? ", " : "", stream);
        put_string(stream, kind->patterns[i]);
    }
    fputs("],\n      \"columns\": [", stream);
    for (size_t i = 0; i < kind->column_count; i++) {
        fputs(i > 0 ? ",\n        " : "\n        ", stream);
        put_column(stream, &kind->columns[i]);
    }
    fputs("\n      ],\n      \"layouts\": [", stream);
    for (size_t i = 0; (layout = layout_candidate(layouts, kind, i)) != NULL; i++) {
        fputs(i > 0 ? ",\n" : "\n", stream);
        put_layout(stream, layout);
    }
    fputs("]\n    }", stream);
}

void kinds_print_json(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
{
    fputs("[\n", stream);
    for (size_t i = 0; kinds[i] != NULL; i++) {
        fputs(i > 0 ? ",\n" : "", stream);
        put_kind(stream, kinds[i], layouts);
    }
    fputs("\n]\n", stream);
}
