/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kinds/kinds_output.h"
#include "cli/manual/mdoc.h"
#include "parsers/decode/layout_rate.h"

#include <inttypes.h>

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

static void put_layout(FILE *stream, const struct layout *layout)
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

void kinds_print_mdoc(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts)
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
            put_layout(stream, layout);
    }
}
