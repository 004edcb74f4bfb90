#include "exporters/table_backend.h"

#include <csv.h>
#include <stdlib.h>

static bool needs_quotes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return false;
}

static void put_quoted(struct table *table, const char *text, size_t length)
{
    size_t needed = csv_write2(NULL, 0, text, length, '"');
    if (needed <= OUTFILE_RESERVE_MAX) {
        csv_write2(outfile_reserve(&table->out, needed), needed, text, length, '"');
        outfile_advance(&table->out, needed);
        return;
    }
    char *quoted = malloc(needed);
    if (quoted == NULL) {
        table->out_of_memory = true;
        return;
    }
    csv_write2(quoted, needed, text, length, '"');
    outfile_write(&table->out, quoted, needed);
    free(quoted);
}

static void put_field(struct table *table, const char *text, size_t length)
{
    if (needs_quotes(text, length))
        put_quoted(table, text, length);
    else
        outfile_write(&table->out, text, length);
}

static void csv_begin(struct table *table, const char *const *titles)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (i > 0)
            outfile_write(&table->out, ",", 1);
        put_field(table, titles[i], strlen(titles[i]));
    }
    outfile_write(&table->out, "\n", 1);
}

static void csv_row(struct table *table, const struct table_cell *cells)
{
    char buffer[NUMBER_MAX];
    for (size_t i = 0; i < table->columns; i++) {
        size_t length;
        const char *text = cell_as_text(&cells[i], buffer, &length);
        if (i > 0)
            outfile_write(&table->out, ",", 1);
        put_field(table, text, length);
    }
    outfile_write(&table->out, "\n", 1);
}

static void csv_end(struct table *table)
{
    (void)table;
}

const struct table_backend table_csv = {.begin = csv_begin, .row = csv_row, .end = csv_end};
