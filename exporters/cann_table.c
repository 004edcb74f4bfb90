#include "exporters/cann_table.h"

#include <stdlib.h>

int cann_table_open(struct cann_table *table, const char *name, const char *const *titles, size_t columns,
                    uint64_t total, const struct export_options *options, struct export_result *result, struct err *err)
{
    *table = (struct cann_table){
        .name = name,
        .titles = titles,
        .columns = columns,
        .options = options,
        .result = result,
        .total = total,
    };
    return row_format_init(&table->format, options->format, titles, columns, err);
}

static bool is_terminal(const struct cann_table *table)
{
    return table->options->format == TABLE_TERMINAL;
}

static void keep_row(struct cann_table *table, const char *end)
{
    struct table_cell cells[TABLE_MAX_COLUMNS];
    row_cells(&table->format, table->row, end, cells);
    show_table_row(&table->terminal, cells);
}

static int open_file(struct cann_table *table, struct err *err)
{
    int64_t slice = table->total > ROWS_PER_FILE ? (int64_t)(table->written / ROWS_PER_FILE) : -1;
    table->path = cann_report_path(table->options, table->name, slice,
                                   table->options->format == TABLE_JSON ? ".json" : ".csv", err);
    if (table->path == NULL)
        return -(int)err->code;
    int status = outfile_open(&table->out, table->path, err);
    if (status < 0) {
        free(table->path);
        table->path = NULL;
        return status;
    }
    table->file_rows = 0;
    row_format_head(&table->format, table->titles, &table->out);
    return 0;
}

static int close_file(struct cann_table *table, int status, struct err *err)
{
    if (table->path == NULL)
        return status;
    if (status == 0) {
        row_format_tail(&table->format, table->file_rows > 0, &table->out);
        status = cann_report_done(&table->out, table->name, table->path, table->file_rows, table->options,
                                  table->result, err);
    } else {
        outfile_abort(&table->out);
    }
    free(table->path);
    table->path = NULL;
    return status;
}

int cann_table_begin(struct cann_table *table, size_t text_bytes, struct row_put *ret, struct err *err)
{
    size_t room = row_room(&table->format, text_bytes);
    int status = 0;
    if (is_terminal(table)) {
        if (table->written == 0)
            show_table_init(&table->terminal, table->titles, table->columns, &table->shown);
    } else {
        if (table->file_rows == ROWS_PER_FILE)
            status = close_file(table, 0, err);
        if (status == 0 && table->path == NULL)
            status = open_file(table, err);
    }
    if (status < 0)
        return status;
    if (room > table->row_size) {
        char *larger = realloc(table->row, room);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        table->row = larger;
        table->row_size = room;
    }
    *ret = row_begin(&table->format, table->row, table->file_rows == 0);
    return 0;
}

void cann_table_end(struct cann_table *table, struct row_put *put)
{
    const char *end = row_end(put);
    if (is_terminal(table))
        keep_row(table, end);
    else
        outfile_write(&table->out, table->row, (size_t)(end - table->row));
    table->file_rows++;
    table->written++;
}

int cann_table_close(struct cann_table *table, int status, struct err *err)
{
    status = close_file(table, status, err);
    if (status == 0 && is_terminal(table))
        status = show_table_print(&table->terminal, table->options->show, err);
    show_table_release(&table->terminal);
    row_format_release(&table->format);
    free(table->row);
    return status;
}
