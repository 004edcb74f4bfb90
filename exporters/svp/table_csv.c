#include "exporters/svp/table.h"

#include <csv.h>
#include <stdlib.h>

static bool needs_quotes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return false;
}

static int append_quoted(struct strbuf *buf, const char *text, size_t length, bool spreadsheet)
{
    size_t needed = csv_write2(NULL, 0, text, length, '"');
    char *quoted = malloc(needed);
    if (quoted == NULL) {
        buf->failed = true;
        return -1;
    }
    csv_write2(quoted, needed, text, length, '"');
    int result = strbuf_addc(buf, '"');
    if (result == 0 && spreadsheet && spreadsheet_runs(text, length))
        result = strbuf_addc(buf, '\'');
    if (result == 0)
        result = strbuf_add(buf, quoted + 1, needed - 1);
    free(quoted);
    return result;
}

static void put_field(struct table *table, const char *text, size_t length)
{
    if (table->backend == &table_spreadsheet && spreadsheet_runs(text, length) && !needs_quotes(text, length))
        outfile_write(&table->out, "'", 1);
    if (!needs_quotes(text, length)) {
        outfile_write(&table->out, text, length);
        return;
    }
    strbuf_clear(&table->field);
    if (append_quoted(&table->field, text, length, table->backend == &table_spreadsheet) < 0)
        table->out_of_memory = true;
    outfile_write(&table->out, table->field.data, table->field.length);
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

static void csv_row(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells)
{
    outfile_write(&table->out, beginning->text, beginning->length);
    for (size_t i = beginning->cells; i < table->columns; i++) {
        const struct table_cell *cell = &cells[i];
        char *start = outfile_reserve(&table->out, 1 + NUMBER_MAX), *p = start;
        if (i > 0)
            *p++ = ',';
        if (cell_is_missing(cell))
            p = mempcpy(p, TABLE_MISSING, strlen(TABLE_MISSING));
        else if (cell->kind != CELL_TEXT)
            p = cell_put_number(p, cell);
        outfile_advance(&table->out, (size_t)(p - start));
        if (cell->kind == CELL_TEXT && cell->text != NULL)
            put_field(table, cell->text, cell->length);
    }
    outfile_write(&table->out, "\n", 1);
}

static void csv_end(struct table *table)
{
    (void)table;
}

static int render(struct strbuf *buf, const struct table_cell *cell, bool first, bool spreadsheet)
{
    char buffer[NUMBER_MAX];
    size_t length;
    const char *text = cell_as_text(cell, buffer, &length);
    if (!first && strbuf_addc(buf, ',') < 0)
        return -1;
    if (needs_quotes(text, length))
        return append_quoted(buf, text, length, spreadsheet);
    if (spreadsheet && cell->kind == CELL_TEXT && spreadsheet_runs(text, length) && strbuf_addc(buf, '\'') < 0)
        return -1;
    return strbuf_add(buf, text, length);
}

static int csv_render(struct strbuf *buf, const char *title, const struct table_cell *cell, bool first)
{
    (void)title;
    return render(buf, cell, first, false);
}

static int spreadsheet_render(struct strbuf *buf, const char *title, const struct table_cell *cell, bool first)
{
    (void)title;
    return render(buf, cell, first, true);
}

const struct table_backend table_csv = {.begin = csv_begin, .row = csv_row, .end = csv_end, .render = csv_render};
const struct table_backend table_spreadsheet = {
    .begin = csv_begin, .row = csv_row, .end = csv_end, .render = spreadsheet_render};
