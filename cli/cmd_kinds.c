/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/cmd_help.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"
#include "parsers/decode/layout.h"
#include "parsers/decode/layout_rate.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How 'msprof kinds' prints record kinds and their layouts. */

/* Remark on a field, " (bits 0-5, signed, scale 1000)"; "" when nothing is special. Returns buffer. */
#define KINDS_REMARK_SIZE 128

/* "integer" or "text". */
static const char *kinds_type_name(enum column_type type)
{
    return type == COLUMN_TEXT ? "text" : "integer";
}

static void put_column(struct json_out *json, const struct column *column)
{
    json_put_begin(json, NULL, '{');
    json->gap = " ";
    json_put_members(json, JSON_TEXT("name", column->name), JSON_TEXT("title", column->title),
                     JSON_TEXT("type", kinds_type_name(column->type)),
                     JSON_TEXT("unit", column->unit != UNIT_NONE ? column_unit_name(column->unit) : NULL),
                     JSON_BOOL("computed", (column->flags & (COLUMN_DERIVED | COLUMN_FILE)) != 0),
                     JSON_BOOL("stored", (column->flags & COLUMN_TRANSIENT) == 0));
    json_put_begin(json, "values", '{');
    for (const struct value_name *name = column->names; name != NULL && name->text != NULL; name++) {
        char value[NUMBER_MAX];

        snprintf(value, sizeof value, "%" PRId64, name->value);
        json_put_text(json, value, name->text);
    }
    json_put_end(json, '}');
    json_put_text(json, "doc", column->doc);
    json_put_end(json, '}');
}

static void put_magic(struct json_out *json, const struct magic *magic)
{
    json_put_begin(json, NULL, '{');
    json_put_members(json, JSON_INTEGER("offset", magic->offset), JSON_INTEGER("width", magic->width));
    json_put_format(json, "value", "\"0x%" PRIx64 "\"", magic->value); /* over 2^53 they are no safe JSON numbers */
    if (magic->mask != 0)
        json_put_format(json, "mask", "\"0x%" PRIx64 "\"", magic->mask);
    json_put_end(json, '}');
}

static void put_field(struct json_out *json, const struct field *field)
{
    json_put_begin(json, NULL, '{');
    json->gap = " ";
    json_put_members(json, JSON_TEXT("column", field->column), JSON_INTEGER("offset", field->offset),
                     JSON_INTEGER("width", field->width), JSON_BOOL("signed", field->is_signed));
    if (field->bit_count > 0)
        json_put_members(json, JSON_INTEGER("first_bit", field->first_bit),
                         JSON_INTEGER("bit_count", field->bit_count));
    json_put_members(json, JSON_INTEGER("multiply", field->multiply != 0 ? field->multiply : 1),
                     JSON_INTEGER("divide", field->divide != 0 ? field->divide : 1));
    json_put_end(json, '}');
}

/* Ends an object or array on a line of its own, among items that stand behind `gap`. */
static void put_end(struct json_out *json, const char *gap, char bracket)
{
    fputs(gap, json->stream);
    json_put_end(json, bracket);
    json->gap = gap;
}

static void put_json_layout(struct json_out *json, const struct layout *layout)
{
    char words[LAYOUT_RATE_SIZE];
    json->gap = "\n        ";
    json_put_begin(json, NULL, '{');
    json->gap = "\n          ";
    json_put_members(json, JSON_TEXT("name", layout->name), JSON_TEXT("source", layout->source),
                     JSON_INTEGER("record_size", layout->record_size),
                     JSON_TEXT("endian", layout->big_endian ? "big" : "little"));
    json_put_begin(json, "magics", '[');
    json->gap = " ";
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        put_magic(json, &layout->magics[i]);
    json_put_end(json, ']');
    json->gap = "\n          ";
    if (layout->icache_miss_rate.given)
        json_put_text(json, LAYOUT_MISS_RATE, layout_rate_text(&layout->icache_miss_rate, words));
    json_put_begin(json, "fields", '[');
    for (size_t i = 0; i < layout->field_count; i++) {
        json->gap = "\n            ";
        put_field(json, &layout->fields[i]);
    }
    put_end(json, "\n          ", ']');
    put_end(json, "\n        ", '}');
}

static void put_kind(struct json_out *json, const struct record_kind *kind, const struct layout_set *layouts)
{
    const struct layout *layout;

    json_put_begin(json, NULL, '{');
    json->gap = "\n      ";
    json_put_text(json, "name", kind->name);
    if (kind->table != NULL)
        json_put_text(json, "table", kind->table);
    json_put_text(json, "title", kind->title);
    json_put_text(json, "doc", kind->doc);
    json_put_begin(json, "files", '[');
    json->gap = " ";
    for (size_t i = 0; kind->patterns != NULL && kind->patterns[i] != NULL; i++)
        json_put_text(json, NULL, kind->patterns[i]);
    json_put_end(json, ']');
    json->gap = "\n      ";
    json_put_begin(json, "columns", '[');
    for (size_t i = 0; i < kind->column_count; i++) {
        json->gap = "\n        ";
        put_column(json, &kind->columns[i]);
    }
    put_end(json, "\n      ", ']');
    json_put_begin(json, "layouts", '[');
    for (size_t i = 0; (layout = layout_candidate(layouts, kind, i)) != NULL; i++)
        put_json_layout(json, layout);
    json_put_end(json, ']');
    put_end(json, "\n    ", '}');
}

static void kinds_print_json(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '[');
    json.gap = "\n    ";
    for (size_t i = 0; kinds[i] != NULL; i++)
        put_kind(&json, kinds[i], layouts);
    put_end(&json, "\n", ']');
    fputc('\n', stream);
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
    snprintf(buffer, KINDS_REMARK_SIZE, "%s%s%s)", bits, field->is_signed ? ", signed" : "", scale);
    if (buffer[0] == ')')
        buffer[0] = '\0';
    else
        memcpy(buffer, " (", 2);
    return buffer;
}

/* "<bytes> bytes, <end>-endian, magic ... at ..." of a layout. */
static void put_layout_head(FILE *stream, const struct layout *layout, const char *at)
{
    fprintf(stream, "%" PRIu32 " bytes, %s-endian", layout->record_size, layout->big_endian ? "big" : "little");
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];

        fprintf(stream, ", magic 0x%" PRIx64 " at %s%" PRIu32 " (%" PRIu32 " bytes", magic->value, at, magic->offset,
                magic->width);
        if (magic->mask != 0)
            fprintf(stream, ", mask 0x%" PRIx64, magic->mask);
        fputc(')', stream);
    }
}

static void put_mdoc_layout(FILE *stream, const struct layout *layout)
{
    char words[LAYOUT_RATE_SIZE];
    fprintf(stream, ".Pp\nLayout\n.Cm %s :\n", layout->name);
    put_layout_head(stream, layout, "offset ");
    fputs(".\n", stream);
    if (layout->source != NULL) {
        mdoc_put_text(stream, layout->source);
        fputs(".\n", stream);
    }
    if (layout->icache_miss_rate.given)
        fprintf(stream, "Its line\n.Cm " LAYOUT_MISS_RATE "\nis\n.Ql %s .\n",
                layout_rate_text(&layout->icache_miss_rate, words));
    fputs(".Bl -column -compact -offset indent \"Offset\" \"Width\" \"ddr_write_bytes_column\"\n"
          ".It Offset Ta Width Ta Column\n",
          stream);
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        char remark[KINDS_REMARK_SIZE];

        fprintf(stream, ".It %" PRIu32 " Ta %" PRIu32 " Ta %s%s\n", field->offset, field->width, field->column,
                kinds_field_remark(field, remark));
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

#define KINDS_MEANING_MOST 65536
#define KINDS_MEANING_NEXT 8
#define KINDS_MEANING 38 /* where the meaning of a column begins at the latest: its own line is next */

/* Prints a text from column `at` on, and breaks it at the width of the screen; 0: no limit. */
static void put_broken(FILE *stream, const char *text, int at, int width)
{
    for (int column = at; *(text += strspn(text, " ")) != '\0';) {
        const int length = (int)strcspn(text, " ");

        if (column > at && width > 0 && column + 1 + length > width) {
            fprintf(stream, "\n%*s", at, "");
            column = at;
        }
        column += fprintf(stream, "%s%.*s", column > at ? " " : "", length, text);
        text += length;
    }
    fputc('\n', stream);
}

static void put_meaning(FILE *stream, const struct column *column, int at, int width)
{
    SCOPED(strbuf_release) struct strbuf text;
    const char *role = kinds_role(column);

    strbuf_init(&text, KINDS_MEANING_MOST);
    strbuf_adds(&text, column->doc);
    if (role != NULL)
        strbuf_addf(&text, " (%s)", role);
    for (const struct value_name *name = column->names; name != NULL && name->text != NULL; name++)
        strbuf_addf(&text, "%s%" PRId64 " %s", name == column->names ? " Values: " : ", ", name->value, name->text);
    put_broken(stream, text.data != NULL ? text.data : "", at, width);
}

static void print_columns(FILE *stream, const struct record_kind *kind, int width)
{
    int name_width = (int)strlen("COLUMN");

    for (size_t i = 0; i < kind->column_count; i++)
        if ((int)strlen(kind->columns[i].name) > name_width)
            name_width = (int)strlen(kind->columns[i].name);
    fprintf(stream, "  %-*s  %-7s  %-5s  %s\n", name_width, "COLUMN", "TYPE", "UNIT", "MEANING");
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        int at = fprintf(stream, "  %-*s  %-7s  %-5s  ", name_width, column->name, kinds_type_name(column->type),
                         column_unit_name(column->unit));

        if (width > 0 && at > KINDS_MEANING)
            at = fprintf(stream, "\n%*s", KINDS_MEANING_NEXT, "") - 1;
        put_meaning(stream, column, at, width);
    }
}

static void print_layout(FILE *stream, const struct layout *layout, int width)
{
    char words[LAYOUT_RATE_SIZE];
    struct grid_wrap wrap;
    fputc('\n', stream);
    FILE *head = grid_wrap_begin(&wrap, stream, width);
    fprintf(head, "  layout %s: ", layout->name);
    put_layout_head(head, layout, "");
    fputc('\n', head);
    grid_wrap_end(&wrap, head);
    if (layout->source != NULL) {
        fputs("  ", stream);
        put_broken(stream, layout->source, 2, width);
    }
    if (layout->icache_miss_rate.given) {
        const int at = fprintf(stream, "  " LAYOUT_MISS_RATE " ");
        put_broken(stream, layout_rate_text(&layout->icache_miss_rate, words), at, width);
    }
    fputs("  OFFSET  WIDTH  COLUMN\n", stream);
    for (size_t i = 0; i < layout->field_count; i++) {
        const struct field *field = &layout->fields[i];
        char remark[KINDS_REMARK_SIZE];

        fprintf(stream, "  %6" PRIu32 "  %5" PRIu32 "  %s%s\n", field->offset, field->width, field->column,
                kinds_field_remark(field, remark));
    }
}

/* kinds is ended by NULL. Write errors stay in the stream. */
static void kinds_print_table(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts,
                              int width)
{
    for (const struct record_kind *const *kind = kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        fprintf(stream, "%s%s: %s\n", kind == kinds ? "" : "\n", (*kind)->name, (*kind)->title);
        if ((*kind)->table != NULL)
            fprintf(stream, "  table %s\n", (*kind)->table);
        for (size_t i = 0; (*kind)->patterns != NULL && (*kind)->patterns[i] != NULL; i++)
            fprintf(stream, "  file %s\n", (*kind)->patterns[i]);
        fputc('\n', stream);
        print_columns(stream, *kind, width);
        for (size_t i = 0; (layout = layout_candidate(layouts, *kind, i)) != NULL; i++)
            print_layout(stream, layout, width);
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
    size_t limit = (size_t)settings->operand_count + 1;
    struct err err = ERR_INIT;

    for (size_t i = 0; record_kinds[i] != NULL; i++)
        limit++;
    SCOPED_FREE const struct record_kind **chosen = scoped_memory(limit, sizeof *chosen);
    if ((chosen == NULL ? err_no_memory(&err) : choose_kinds(settings, chosen, &err)) != 0)
        return console_error(&err);
    const int width = screen_answer_width(settings);
    if (settings->kinds_format == KINDS_TABLE)
        pager_start(settings);
    console_output_begin();
    if (settings->kinds_format == KINDS_JSON)
        kinds_print_json(stdout, chosen, layouts);
    else if (settings->kinds_format == KINDS_MDOC)
        kinds_print_mdoc(stdout, chosen, layouts);
    else
        kinds_print_table(stdout, chosen, layouts, width);
    const int status = console_output_end(false);
    pager_end();
    return status;
}

static int run_kinds(const struct settings *settings)
{
    struct err err = ERR_INIT;
    SCOPED(layout_set_release) struct layout_set layouts;

    layout_set_init(&layouts);
    /* the manual lists built-in kinds, wherever it is generated */
    if ((settings->kinds_format != KINDS_MDOC || settings->layouts.count > 0) &&
        layouts_load(&layouts, settings, &err) != 0)
        return console_error(&err);
    return print_kinds(settings, &layouts);
}

const struct command command_kinds = {
    .path = "kinds",
    .parent = COMMAND_ROOT,
    .order = 240,
    .summary = "list what can be decoded: files, columns, layouts",
    .description = "Lists the record kinds: names of their files, columns with units, and the layouts (built in\nor "
                   "loaded) that define where in a record a column is.\n",
    .operands = "[KIND]...",
    .most_operands = -1,
    EXAMPLES({"one kind with its columns and layouts", "msprof kinds svp_pmu"},
             {"all kinds, for programs", "msprof kinds --format json"}),
    .run = run_kinds,
};
