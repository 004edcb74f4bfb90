/* SPDX-License-Identifier: Apache-2.0 */
/* msprof layout show: a layout as a picture of the record. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/kinds/layouts.h"
#include "cli/options/options.h"
#include "cli/status.h"
#include "parsers/decode/layout.h"
#include "parsers/decode/layout_rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_A_LINE 16

/* The sign of the i-th column in the picture. */
static char sign_of(size_t i)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLNOPQRSTUVWXYZ0123456789";
    return signs[i % (sizeof signs - 1)];
}

/* What each byte of the record belongs to: a column's sign, M for a magic, '+' for several, '.' for nothing. */
static void fill_picture(const struct layout *layout, char *picture)
{
    memset(picture, '.', layout->record_size);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        memset(picture + layout->magics[i].offset, 'M', layout->magics[i].width);
    for (size_t i = 0; i < layout->field_count; i++)
        for (uint32_t k = 0; k < layout->fields[i].width; k++) {
            char *at = &picture[layout->fields[i].offset + k];
            *at = *at == '.' ? sign_of(i) : '+';
        }
}

static void print_field(const struct field *field, char sign)
{
    printf("  %c  %-18s offset %3" PRIu32 " width %" PRIu32, sign, field->column, field->offset, field->width);
    if (field->bit_count != 0)
        printf(" bits %u-%u", field->first_bit, field->first_bit + field->bit_count - 1u);
    if (field->is_signed)
        printf(" signed");
    if (field->multiply > 1 || field->divide > 1)
        printf(" scale %" PRId64, field->multiply != 0 ? field->multiply : 1);
    if (field->divide > 1)
        printf("/%" PRId64, field->divide);
    if (field->relation == FIELD_DELTA)
        printf(" delta");
    else if (field->relation != FIELD_PLAIN)
        printf(" %s %s",
               field->relation == FIELD_MINUS  ? "minus"
               : field->relation == FIELD_PLUS ? "plus"
                                               : "of",
               field->other);
    putchar('\n');
}

static void print_gaps(const struct layout *layout, const char *picture)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < layout->record_size; i++)
        bytes += picture[i] == '.';
    if (bytes > 0)
        printf("  .  %" PRIu32 " bytes that no column has\n", bytes);
}

/* How the rate in names of tables is formed, as a layout file says it. */
static void print_rate(const struct record_kind *kind, const struct layout *layout)
{
    char words[LAYOUT_RATE_SIZE];
    if (kind->rated != NULL)
        printf("  %s %s%s\n", LAYOUT_MISS_RATE, layout_rate_text(layout_rate_of(kind, layout), words),
               layout->icache_miss_rate.given ? "" : " (as built in)");
}

static void print_layout(const struct record_kind *kind, const struct layout *layout)
{
    char *picture = malloc(layout->record_size);
    if (picture == NULL)
        return;
    fill_picture(layout, picture);
    printf("layout %s of kind %s: %" PRIu32 " bytes, %s endian", layout->name, kind->name, layout->record_size,
           layout->big_endian ? "big" : "little");
    if (layout->header > 0)
        printf(", behind a header of %" PRIu32 " bytes", layout->header);
    if (layout->core_khz > 0)
        printf(", of a board whose AI core has %" PRId64 " kHz", layout->core_khz);
    printf("\n      ");
    for (int i = 0; i < BYTES_A_LINE; i++)
        printf(" %2d", i);
    for (uint32_t i = 0; i < layout->record_size; i++) {
        if (i % BYTES_A_LINE == 0)
            printf("\n%5" PRIu32 " ", i);
        printf("  %c", picture[i]);
    }
    putchar('\n');
    for (size_t i = 0; i < layout->field_count; i++)
        print_field(&layout->fields[i], sign_of(i));
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        printf("  M  magic              offset %3" PRIu32 " width %" PRIu32 " value 0x%" PRIx64 "\n",
               layout->magics[i].offset, layout->magics[i].width, layout->magics[i].value);
    print_gaps(layout, picture);
    print_rate(kind, layout);
    putchar('\n');
    free(picture);
}

/* Every layout, or those of this name or kind. Returns how many. */
static size_t print_layouts(const struct layout_set *set, const char *name)
{
    size_t count = 0;
    for (size_t k = 0; record_kinds[k] != NULL; k++) {
        const struct layout *layout;
        for (size_t i = 0; (layout = layout_candidate(set, record_kinds[k], i)) != NULL; i++) {
            if (name != NULL && strcmp(name, layout->name) != 0 && strcmp(name, record_kinds[k]->name) != 0)
                continue;
            print_layout(record_kinds[k], layout);
            count++;
        }
    }
    return count;
}

static size_t print_file(const struct layout_set *set)
{
    size_t count = 0;
    for (const struct loaded_layout *loaded = set->first; loaded != NULL; loaded = loaded->next, count++)
        print_layout(loaded->kind, &loaded->layout);
    return count;
}

static int run_show(const struct settings *settings)
{
    const char *what = settings->operand_count > 0 ? settings->operands[0] : NULL;
    bool is_file = what != NULL && access(what, F_OK) == 0;
    struct err err = ERR_INIT;
    struct layout_set layouts;
    int status = STATUS_DONE;

    layout_set_init(&layouts);
    if ((is_file ? layout_set_load_file(&layouts, what, &err) : layouts_load(&layouts, settings, &err)) == 0) {
        console_output_begin();
        size_t count = is_file ? print_file(&layouts) : print_layouts(&layouts, what);
        status = console_output_end(false);
        if (count == 0) {
            err_set(&err, ERR_NOT_FOUND, "'%s' is no file, and no layout or kind has that name", what);
            err_hint(&err, "'msprof layout show' without a name shows all layouts");
        }
    }
    if (err.code != ERR_NONE) {
        console_error(&err);
        status = err.code == ERR_NOT_FOUND && !is_file ? STATUS_NOTHING : status_of_error(&err);
    }
    layout_set_release(&layouts);
    return status;
}

static const struct example examples[] = {
    {"the one built in for device records", "msprof layout show svp_pmu"},
    {"one in a file", "msprof layout show board.layout"},
    {NULL, NULL},
};

const struct command command_layout_show = {
    .path = "layout show",
    .parent = COMMAND_LAYOUT,
    .summary = "draw a layout: bytes, columns, gaps",
    .description =
        "Draws the record of a layout, byte by byte: which column each belongs to, magics, gaps. FILE is a\n"
        "layout file; NAME is that of a layout or of a record kind. Without either, all layouts are drawn.\n",
    .operands = "[FILE|NAME]",
    .most_operands = 1,
    .examples = examples,
    .run = run_show,
};
