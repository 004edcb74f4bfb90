#include "exporters/show/show_table.h"

#include "base/interrupt.h"

#include <stdlib.h>

struct show_row {
    struct show_row *next;
    struct table_cell cells[];
};

static bool has_bit(uint64_t bits, size_t i)
{
    return (bits >> i & 1) != 0;
}

void show_table_init(struct show_table *table, const char *const *titles, size_t count,
                     const struct show_columns *columns)
{
    *table = (struct show_table){.column_count = 0};
    for (size_t i = 0; i < count; i++) {
        if (has_bit(columns->hidden, i))
            continue;
        table->columns[table->column_count] = (struct text_column){
            .title = titles[i],
            .kind = has_bit(columns->texts, i) ? TEXT_COLUMN : NUMBER_COLUMN,
            .stackable = has_bit(columns->stackable, i),
        };
        table->places[table->column_count++] = i;
    }
}

void show_table_init_columns(struct show_table *table, const struct text_column *columns, size_t count)
{
    *table = (struct show_table){.column_count = count};
    for (size_t i = 0; i < count; i++) {
        table->columns[i] = columns[i];
        table->places[i] = i;
    }
}

void show_table_release(struct show_table *table)
{
    for (struct show_row *row = table->first, *next; row != NULL; row = next) {
        next = row->next;
        free(row);
    }
    table->first = table->last = NULL;
}

static bool is_text(const struct table_cell *cell)
{
    return cell->kind == CELL_TEXT && cell->text != NULL;
}

void show_table_row(struct show_table *table, const struct table_cell *cells)
{
    size_t cell_bytes = table->column_count * sizeof *cells, text_bytes = 0;
    for (size_t i = 0; i < table->column_count; i++)
        text_bytes += is_text(&cells[table->places[i]]) ? cells[table->places[i]].length : 0;
    struct show_row *row = malloc(sizeof *row + cell_bytes + text_bytes);
    if (row == NULL) {
        table->out_of_memory = true;
        return;
    }
    row->next = NULL;
    char *texts = (char *)(row->cells + table->column_count); /* in the same allocation */
    for (size_t i = 0; i < table->column_count; i++) {
        struct table_cell *cell = &row->cells[i];
        *cell = cells[table->places[i]];
        if (!is_text(cell))
            continue;
        memcpy(texts, cell->text, cell->length);
        cell->text = texts;
        texts += cell->length;
    }
    if (table->last != NULL)
        table->last->next = row;
    else
        table->first = row;
    table->last = row;
}

int show_table_print(const struct show_table *table, struct show *show, struct err *err)
{
    struct text_table text;
    int status = 0;
    if (table->out_of_memory)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a table");
    if (table->first == NULL)
        return 0;
    text_table_init(&text, table->columns, table->column_count);
    for (const struct show_row *row = table->first; row != NULL; row = row->next)
        text_table_measure(&text, row->cells);
    text_table_begin(&text, show->stream, show->options->width);
    for (const struct show_row *row = table->first; row != NULL && status == 0; row = row->next) {
        text_table_row(&text, row->cells);
        if (interrupted())
            status = interrupt_error(err);
    }
    if (status == 0)
        status = text_table_end(&text, err);
    show->result->rows += text.rows;
    text_table_release(&text);
    return status;
}
