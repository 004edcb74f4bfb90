#include "exporters/svp/table.h"

#define KEYS_MAX (TABLE_MAX_COLUMNS * 1024)
#define FIELD_MAX ((size_t)256 << 20) /* bytes of one text, quoted or escaped */

const char *cell_as_text(const struct table_cell *cell, char buffer[NUMBER_MAX], size_t *ret_length)
{
    if (cell_is_missing(cell)) {
        *ret_length = strlen(TABLE_MISSING);
        return TABLE_MISSING;
    }
    if (cell->kind == CELL_TEXT) {
        *ret_length = cell->length;
        return cell->text;
    }
    *ret_length = (size_t)(cell_put_number(buffer, cell) - buffer);
    return buffer;
}

static const struct table_backend *backend_of(enum table_format format)
{
    return format == TABLE_JSON ? &table_json : format == TABLE_SPREADSHEET ? &table_spreadsheet : &table_csv;
}

int table_open(struct table *table, const char *path, enum table_format format, const char *const *titles,
               size_t columns, struct err *err)
{
    struct table opened = {.backend = backend_of(format), .columns = columns};
    if (columns > TABLE_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, "a table of %zu columns; at most %d are supported", columns, TABLE_MAX_COLUMNS);
    int result = outfile_open(&opened.out, path, err);
    if (result < 0)
        return result;
    strbuf_init(&opened.keys, KEYS_MAX);
    strbuf_init(&opened.field, FIELD_MAX);
    *table = opened;
    table->backend->begin(table, titles);
    return 0;
}

void table_row(struct table *table, const struct table_cell *cells)
{
    static const struct table_beginning nothing = {.text = ""};
    table_row_after(table, &nothing, cells);
}

void table_row_after(struct table *table, const struct table_beginning *beginning, const struct table_cell *cells)
{
    table->backend->row(table, beginning, cells);
    table->rows++;
}

int table_render(struct strbuf *buf, enum table_format format, const char *const *titles,
                 const struct table_cell *cells, size_t count)
{
    const struct table_backend *backend = backend_of(format);
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = backend->render(buf, titles[i], &cells[i], i == 0);
    return result;
}

static void release(struct table *table)
{
    strbuf_release(&table->keys);
    strbuf_release(&table->field);
}

int table_commit(struct table *table, struct err *err)
{
    table->backend->end(table);
    release(table);
    if (table->out_of_memory) {
        outfile_abort(&table->out);
        return err_set(err, ERR_NO_MEMORY, "out of memory while writing a table");
    }
    return outfile_commit(&table->out, err);
}

void table_abort(struct table *table)
{
    release(table);
    outfile_abort(&table->out);
}

const char *table_suffix(enum table_format format)
{
    return format == TABLE_JSON ? ".json" : ".csv";
}

bool spreadsheet_runs(const char *text, size_t length)
{
    if (length < 2 || memchr("=+-@\t\r", text[0], 6) == NULL)
        return false;
    size_t digits = 1;
    while (digits < length && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.'))
        digits++;
    return digits < length || text[0] == '=' || text[0] == '@';
}
