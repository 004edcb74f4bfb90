#include "exporters/table.h"

#include "exporters/table_backend.h"

#define KEYS_MAX (TABLE_MAX_COLUMNS * 1024)

const char *cell_as_text(const struct table_cell *cell, char buffer[NUMBER_MAX], size_t *ret_length)
{
    if (cell_is_missing(cell)) {
        *ret_length = strlen(TABLE_MISSING);
        return TABLE_MISSING;
    }
    switch (cell->kind) {
    case CELL_NUMBER:
        *ret_length = (size_t)(number_put_shortest(buffer, cell->value, cell->decimals) - buffer);
        return buffer;
    case CELL_MICROSECONDS:
        *ret_length = (size_t)(number_put_us(buffer, cell->value) - buffer);
        return buffer;
    case CELL_TEXT:
        break;
    }
    *ret_length = cell->length;
    return cell->text;
}

int table_open(struct table *table, const char *path, enum table_format format, const char *const *titles,
               size_t columns, struct err *err)
{
    struct table opened = {.backend = format == TABLE_JSON ? &table_json : &table_csv, .columns = columns};
    if (columns > TABLE_MAX_COLUMNS)
        return err_set(err, ERR_LIMIT, "a table of %zu columns; at most %d are supported", columns, TABLE_MAX_COLUMNS);
    int result = outfile_open(&opened.out, path, err);
    if (result < 0)
        return result;
    strbuf_init(&opened.keys, KEYS_MAX);
    *table = opened;
    table->backend->begin(table, titles);
    return 0;
}

void table_row(struct table *table, const struct table_cell *cells)
{
    table->backend->row(table, cells);
    table->rows++;
}

int table_commit(struct table *table, struct err *err)
{
    table->backend->end(table);
    strbuf_release(&table->keys);
    if (table->out_of_memory) {
        outfile_abort(&table->out);
        return err_set(err, ERR_NO_MEMORY, "out of memory while writing a table");
    }
    return outfile_commit(&table->out, err);
}

void table_abort(struct table *table)
{
    strbuf_release(&table->keys);
    outfile_abort(&table->out);
}

const char *table_suffix(enum table_format format)
{
    return format == TABLE_JSON ? ".json" : ".csv";
}
