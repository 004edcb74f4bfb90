/* SPDX-License-Identifier: Apache-2.0 */
/* An inferred layout as the text of a layout file. */
#include "features/layouts/infer.h"

#include "parsers/decode/layout_rate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_place(const struct infer_result *result, const struct place_found *place, unsigned bits,
                      struct strbuf *text)
{
    struct field field = infer_field(result, place, bits);
    (void)strbuf_addf(text, "offset %" PRIu32 " width %" PRIu32, field.offset, field.width);
    if (field.bit_count != 0)
        (void)strbuf_addf(text, " bits %u-%u", field.first_bit, field.first_bit + field.bit_count - 1u);
    if (place->divide > 1)
        (void)strbuf_addf(text, " scale %" PRId64 "/%" PRId64, place->scale, place->divide);
    else if (place->scale != 1)
        (void)strbuf_addf(text, " scale %" PRId64, place->scale);
    if (place->mode == PLACE_SHARE)
        (void)strbuf_addf(text, " of %s", result->form->fields[0].name);
    else if (place->mode == PLACE_PLUS)
        (void)strbuf_addf(text, " plus %s", result->form->fields[0].name);
    else if (place->mode == PLACE_DELTA)
        (void)strbuf_adds(text, " delta");
    else if (place->mode == PLACE_MINUS)
        (void)strbuf_addf(text, " minus %s", result->form->start);
}

static void put_found(const struct infer_result *result, const struct infer_column *column, struct strbuf *text)
{
    if (column->place.mode == PLACE_MINUS) {
        struct place_found start = column->place;
        start.bit = column->place.other_bit;
        start.mode = PLACE_PLAIN;
        (void)strbuf_addf(text, "column %-18s ", result->form->start);
        put_place(result, &start, column->bits, text);
        (void)strbuf_addc(text, '\n');
    }
    struct place_found place = column->place;
    if (place.mode == PLACE_MINUS && result->form->start_is_kept)
        place.mode = PLACE_PLAIN;
    (void)strbuf_addf(text, "column %-18s ", column->name);
    put_place(result, &place, column->bits, text);
    if (column->state == INFER_GIVEN) {
        (void)strbuf_addf(text, "  # given; %" PRIu64 " rows agree\n", column->rows);
        return;
    }
    double chance = column->place.evidence - column->tries;
    (void)strbuf_addf(text, "  # %" PRIu64 " of %" PRIu64 " rows; by chance 2^%.0f", column->rows, column->rows,
                      -floor(chance));
    if (column->state == INFER_AMBIGUOUS && column->other_count == 0)
        (void)strbuf_adds(text, "; AMBIGUOUS: too few rows differ");
    for (size_t i = 0; column->state == INFER_AMBIGUOUS && i < column->other_count && i < INFER_OTHERS; i++) {
        (void)strbuf_adds(text, i == 0 ? "; AMBIGUOUS: also " : ", ");
        put_place(result, &column->others[i], column->others[i].bits, text);
    }
    if (column->state == INFER_AMBIGUOUS && column->other_count > INFER_OTHERS)
        (void)strbuf_addf(text, " and %zu more", column->other_count - INFER_OTHERS);
    (void)strbuf_addc(text, '\n');
}

static void put_not_found(const struct infer_column *column, struct strbuf *text)
{
    if (column->state == INFER_UNSEEN)
        (void)strbuf_addf(text, "# %-18s UNSEEN: 0 in every row\n", column->name);
    else if (column->state == INFER_MISSING)
        (void)strbuf_addf(text, "# %-18s NOT FOUND: printed, but nothing in the records gives it\n", column->name);
    else if (column->state == INFER_CONSTANT)
        (void)strbuf_addf(text, "# %-18s not looked for: %" PRId64 " in every row of these tables\n", column->name,
                          column->constant);
}

static void put_head(const struct infer_result *result, struct strbuf *text)
{
    static const char *const orders[] = {"in the same order", "matched by their first columns", "a part of the records",
                                         "whose texts tell which row sums them up"};
    (void)strbuf_addf(text,
                      "# Inferred by msprof layout infer: %" PRIu64 " rows of tables, %" PRIu64 " records, %s.\n#",
                      result->rows, result->records, orders[result->order]);
    if (result->form->fields[0].role == PRINTED_CLOCK)
        (void)strbuf_addf(text, " AI core at %" PRId64 ".%03d MHz;", result->core_khz / 1000,
                          (int)(result->core_khz % 1000));
    (void)strbuf_addf(text, " printed numbers are %s.\n", result->cut ? "cut" : "rounded");
    int64_t scale = result->columns[0].place.scale;
    if (result->form->fields[0].role == PRINTED_CLOCK && scale > 1)
        (void)strbuf_addf(text,
                          "# Cycles are counted by %" PRId64 "; counted one by one at %" PRId64
                          ".%03d MHz they make the same times.\n",
                          scale, result->core_khz / scale / 1000, (int)(result->core_khz / scale % 1000));
    (void)strbuf_adds(text, "# A width is what the values seen need, and zero bits above them.\n");
}

/* How the rate in the names of tables is formed: only what differs from the built-in way is a line of the layout. */
static void put_rate(const struct infer_rate *rate, struct strbuf *text)
{
    if (rate->state == RATE_UNSAID)
        return;
    if (rate->state == RATE_MISSING) {
        (void)strbuf_addf(text,
                          "# %-18s NOT FOUND: the name of a table says %" PRId64 ".%06d, and nothing in the .done "
                          "files gives it\n",
                          LAYOUT_MISS_RATE, rate->printed / 1000000, (int)(rate->printed % 1000000));
        return;
    }
    char words[LAYOUT_RATE_SIZE];
    bool built_in = rate->state == RATE_BUILT_IN;
    (void)strbuf_addf(text, "%s" LAYOUT_MISS_RATE " %s%s%" PRIu64 " of %" PRIu64 " names of tables",
                      built_in ? "# " : "", layout_rate_text(&infer_rate_ways[rate->ways[0]], words),
                      built_in ? ", as built in: " : "  # ", rate->tables, rate->tables);
    for (size_t i = 1; i < rate->way_count; i++)
        (void)strbuf_addf(text, "%s%s",
                          i > 1                           ? ", "
                          : rate->state == RATE_AMBIGUOUS ? "; AMBIGUOUS: also "
                                                          : "; also ",
                          layout_rate_text(&infer_rate_ways[rate->ways[i]], words));
    (void)strbuf_addc(text, '\n');
}

int infer_write(const struct infer_result *result, const char *name, const char *source, struct strbuf *text,
                struct err *err)
{
    put_head(result, text);
    for (const char *line = result->notes.data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        (void)strbuf_addf(text, "# NOTE: %.*s\n", (int)length, line);
        line += length + (line[length] != '\0');
    }
    (void)strbuf_addf(text, "kind %s\nlayout %s\nsource \"%s\"\nsize %zu\n", result->form->kind, name, source,
                      result->size);
    if (result->header > 0)
        (void)strbuf_addf(text, "header %" PRIu64 "\n", result->header);
    (void)strbuf_addf(text, "endian %s\n", result->big_endian ? "big" : "little");
    if (result->frequency_needed)
        (void)strbuf_addf(text, "frequency %" PRId64 "\n", result->core_khz);
    put_rate(&result->rate, text);
    for (size_t i = 0; i < result->magic_count; i++)
        (void)strbuf_addf(text, "magic offset %" PRIu32 " width %" PRIu32 " value 0x%0*" PRIx64 "\n",
                          result->magics[i].offset, result->magics[i].width, (int)(2 * result->magics[i].width),
                          result->magics[i].value);
    for (size_t c = 0; c < result->form->stored; c++) {
        const struct infer_column *column = &result->columns[c];
        if (column->state == INFER_UNIQUE || column->state == INFER_AMBIGUOUS || column->state == INFER_GIVEN)
            put_found(result, column, text);
        else
            put_not_found(column, text);
    }
    return text->failed ? err_no_memory(err) : 0;
}
