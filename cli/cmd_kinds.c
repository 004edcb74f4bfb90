/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"
#include "cli/capture/user_files.h"
#include "cli/cmd_help.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "exporters/json_text.h"
#include "parsers/decode/layout.h"
#include "parsers/decode/layout_rate.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How 'msprof kinds' prints record kinds and their layouts. */

/* Remark on a field, "bits 0-5, signed, scale 1000"; "" when nothing is special. Returns buffer. */
#define KINDS_REMARK_SIZE 128

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

/* "integer" or "text". */
static const char *kinds_type_name(enum column_type type)
{
    return type == COLUMN_TEXT ? "text" : "integer";
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

static void put_json_layout(FILE *stream, const struct layout *layout)
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
        put_json_layout(stream, layout);
    }
    fputs("]\n    }", stream);
}

static void kinds_print_json(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
{
    fputs("[\n", stream);
    for (size_t i = 0; kinds[i] != NULL; i++) {
        fputs(i > 0 ? ",\n" : "", stream);
        put_kind(stream, kinds[i], layouts);
    }
    fputs("\n]\n", stream);
}

static void put_file_names(FILE *stream, const struct record_kind *kind)
{
    if (kind->patterns == NULL || kind->patterns[0] == NULL) {
        fputs("Made of other records; no file holds it.\n", stream);
        return;
    }
    fputs("File names:\n.Bl -item -compact -offset indent\n", stream);
    for (size_t i = 0; kind->patterns[i] != NULL; i++) {
        fputs(".It\n.Pa ", stream);
        mdoc_put_text(stream, kind->patterns[i]);
        fputc('\n', stream);
    }
    fputs(".El\n", stream);
}

/* Why a column is in no layout, or not in the table: "computed", ...; NULL for ordinary columns. */
static const char *kinds_role(const struct column *column)
{
    if ((column->flags & (COLUMN_FILE | COLUMN_DERIVED)) != 0)
        return (column->flags & COLUMN_TRANSIENT) != 0 ? "computed, not stored" : "computed";
    if ((column->flags & COLUMN_TRANSIENT) != 0)
        return "not stored";
    return NULL;
}

static void put_columns(FILE *stream, const struct record_kind *kind)
{
    fputs(".Pp\nColumns:\n.Bl -tag -width Ds -compact -offset indent\n", stream);
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        const char *role = kinds_role(column);

        fprintf(stream, ".It Va %s Pq %s", column->name, kinds_type_name(column->type));
        if (column->unit != UNIT_NONE)
            fprintf(stream, " , %s", column_unit_name(column->unit));
        if (role != NULL)
            fprintf(stream, " , %s", role);
        fputc('\n', stream);
        mdoc_put_sentences(stream, column->doc);
        if (column->names != NULL && column->names->text != NULL)
            fputs("Values:\n", stream);
        for (const struct value_name *name = column->names; name != NULL && name->text != NULL; name++) {
            fprintf(stream, "%" PRId64 " ", name->value);
            mdoc_put_text(stream, name->text);
            fputs(name[1].text != NULL ? ",\n" : ".\n", stream);
        }
    }
    fputs(".El\n", stream);
}

static const char *kinds_field_remark(const struct field *field, char *buffer)
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

static void put_mdoc_layout(FILE *stream, const struct layout *layout)
{
    fprintf(stream, ".Pp\nLayout\n.Cm %s :\n%" PRIu32 " bytes, %s-endian", layout->name, layout->record_size,
            layout->big_endian ? "big" : "little");
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];

        fprintf(stream, ", magic 0x%" PRIx64 " at offset %" PRIu32 " (%" PRIu32 " bytes", magic->value, magic->offset,
                magic->width);
        if (magic->mask != 0)
            fprintf(stream, ", mask 0x%" PRIx64, magic->mask);
        fputc(')', stream);
    }
    fputs(".\n", stream);
    if (layout->source != NULL) {
        mdoc_put_text(stream, layout->source);
        fputs(".\n", stream);
    }
    if (layout->icache_miss_rate.given) {
        char words[LAYOUT_RATE_SIZE];

        layout_rate_text(&layout->icache_miss_rate, words);
        fprintf(stream, "Its line\n.Cm " LAYOUT_MISS_RATE "\nis\n.Ql %s .\n", words);
    }
    fputs(".Bl -column -compact -offset indent \"Offset\" \"Width\" \"ddr_write_bytes_column\"\n"
          ".It Offset Ta Width Ta Column\n",
          stream);
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        char remark[KINDS_REMARK_SIZE];

        kinds_field_remark(field, remark);
        fprintf(stream, ".It %" PRIu32 " Ta %" PRIu32 " Ta %s%s%s%s\n", field->offset, field->width, field->column,
                remark[0] != '\0' ? " (" : "", remark, remark[0] != '\0' ? ")" : "");
    }
    fputs(".El\n", stream);
}

/* The sections of msprof-records(5) that list kinds. */
static void kinds_print_mdoc(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
{
    for (const struct record_kind *const *kind = kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        fprintf(stream, ".Ss %s\n", (*kind)->name);
        mdoc_put_text(stream, (*kind)->title);
        fputs(".\n", stream);
        mdoc_put_sentences(stream, (*kind)->doc);
        if ((*kind)->table != NULL)
            fprintf(stream, "Database table:\n.Va %s .\n.Pp\n", (*kind)->table);
        else
            fputs("Not stored record by record; see\n.Xr msprof-schema 5\nfor the tables that its records are joined "
                  "into.\n.Pp\n",
                  stream);
        put_file_names(stream, *kind);
        put_columns(stream, *kind);
        for (size_t i = 0; (layout = layout_candidate(layouts, *kind, i)) != NULL; i++)
            put_mdoc_layout(stream, layout);
    }
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

/* kinds is ended by NULL. Write errors stay in the stream. */
static void kinds_print_table(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
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

/* msprof kinds: what can be decoded, from the same tables that decode it. */

/* The kinds that the operands name, all when there are none; ended by NULL. */
static int choose_kinds(const struct settings *settings, const struct record_kind **chosen, struct err *err)
{
    size_t count = 0;

    for (int i = 0; i < settings->operand_count; i++) {
        const struct record_kind *kind = record_kind_find(settings->operands[i]);

        if (kind == NULL)
            return err_set(err, ERR_USAGE, "unknown record kind '%s'; try 'msprof kinds'", settings->operands[i]);
        chosen[count++] = kind;
    }
    for (size_t i = 0; settings->operand_count == 0 && record_kinds[i] != NULL; i++)
        chosen[count++] = record_kinds[i];
    chosen[count] = NULL;
    return 0;
}

/* Returns an exit status. */
static int print_kinds(const struct settings *settings, const struct layout_set *layouts)
{
    static void (*const printers[])(FILE *, const struct record_kind *const *, const struct layout_set *) = {
        [KINDS_TABLE] = kinds_print_table, [KINDS_JSON] = kinds_print_json, [KINDS_MDOC] = kinds_print_mdoc};
    size_t limit = (size_t)settings->operand_count + 1;
    const struct record_kind **chosen;
    struct err err = ERR_INIT;
    int status;

    for (size_t i = 0; record_kinds[i] != NULL; i++)
        limit++;
    chosen = calloc(limit, sizeof *chosen);
    if (chosen == NULL)
        err_set(&err, ERR_NO_MEMORY, "out of memory");
    else
        choose_kinds(settings, chosen, &err);
    if (chosen != NULL && err.code == ERR_NONE) {
        console_output_begin();
        printers[settings->kinds_format](stdout, chosen, layouts);
        status = console_output_end(false);
    } else {
        status = console_error(&err);
    }
    free(chosen);
    return status;
}

static int run_kinds(const struct settings *settings)
{
    struct err err = ERR_INIT;
    struct layout_set layouts;
    int status;

    layout_set_init(&layouts);
    /* the manual tells of what is built in, wherever it is made */
    if ((settings->kinds_format != KINDS_MDOC || settings->layouts.count > 0) &&
        layouts_load(&layouts, settings, &err) != 0)
        status = console_error(&err);
    else
        status = print_kinds(settings, &layouts);
    layout_set_release(&layouts);
    return status;
}

static const struct example examples[] = {
    {"one kind with its columns and layouts", "msprof kinds svp_pmu"},
    {"all of them for a program", "msprof kinds --format json"},
    {NULL, NULL},
};

const struct command command_kinds = {
    .path = "kinds",
    .parent = COMMAND_ROOT,
    .order = 240,
    .summary = "list what can be decoded: files, columns, layouts",
    .description = "Lists the record kinds: the file names that each is read from, its columns with their units,\n"
                   "and the layouts, built in and loaded, that say where the bytes of a column are.\n",
    .operands = "[KIND]...",
    .most_operands = -1,
    .examples = examples,
    .run = run_kinds,
};
