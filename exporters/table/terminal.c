/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/terminal.h"

#include "base/language.h"
#include "base/progress.h"

#include <inttypes.h>
#include <stdlib.h>

static void put(struct show *show, const char *text, size_t length)
{
    fwrite(text, 1, length, show->stream);
    show->column += display_width(&show->display, text, length);
}

void show_title(struct show *show, const char *title)
{
    fputs(show->options->color ? "\033[36m" : "", show->stream);
    title = language_shown(title);
    put(show, title, strlen(title));
    fputs(show->options->color ? "\033[0m" : "", show->stream);
}

void show_field(struct show *show, const char *label, const char *value)
{
    label = language_shown(label);
    size_t label_length = strlen(label), length = strlen(value), limit = (size_t)show->options->width;
    size_t width = display_width(&show->display, label, label_length) + display_width(&show->display, value, length);
    if (limit > 0 && show->column > 0 && show->column + 1 + width > limit)
        show_end_line(show);
    if (show->column > 0)
        put(show, " ", 1);
    put(show, label, label_length);
    put(show, value, length);
}

const char *show_scaled(char text[NUMBER_MAX], int64_t value, unsigned decimals)
{
    if (value == DB_NULL)
        return TABLE_MISSING;
    *number_put_shortest(text, value, decimals) = '\0';
    return text;
}

void show_number(struct show *show, const char *label, int64_t value)
{
    char text[NUMBER_MAX];
    show_field(show, label, show_scaled(text, value, 0));
}

void show_device(struct show *show, int64_t device_id)
{
    if (device_id != 0)
        show_number(show, "Device id: ", device_id);
}

void show_end_line(struct show *show)
{
    fputs("\n", show->stream);
    show->column = 0;
}

void show_top(struct show *show, int64_t count, const char *report)
{
    char text[128];
    bool all = count <= show->options->top;
    if (all)
        snprintf(text, sizeof text, language_shown("all %" PRId64), count);
    else
        snprintf(text, sizeof text, language_shown("%" PRId64 " of %" PRId64), show->options->top, count);
    show_field(show, "", text);
    snprintf(text, sizeof text, language_shown("(more: --top N; all: %s of 'msprof export summary')"), report);
    if (!all)
        show_field(show, "", text);
    show_end_line(show);
}

/* ---- columns ---- */

/* The titles of the steps from first to the last that is joined with it, a line each. */
static char *join_titles(const struct report_plan *plan, size_t first, size_t *ret_end)
{
    struct strbuf title;
    size_t end = first;
    strbuf_init(&title, 65536);
    do {
        strbuf_addf(&title, "%s%s", end > first ? "\n" : "", language_shown(plan->titles[end]));
    } while (++end < plan->step_count && plan->steps[end].joined);
    *ret_end = end;
    return strbuf_detach(&title);
}

static int take_columns(struct terminal_table *table, const struct report_plan *plan, struct err *err)
{
    table->columns = calloc(plan->step_count + 1, sizeof *table->columns);
    if (table->columns == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a table");
    for (size_t i = 0, end = 0; i < plan->step_count; i = end) {
        const struct report_column *column = &plan->columns[plan->steps[i].column].column;
        char *title = join_titles(plan, i, &end);
        if (title == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory for a table");
        table->columns[table->column_count++] = (struct text_column){
            .title = title,
            .kind = end > i + 1                  ? VALUES_COLUMN
                    : report_holds_texts(column) ? TEXT_COLUMN
                                                 : NUMBER_COLUMN,
            .stackable = (column->flags & REPORT_NARROW) != 0,
        };
    }
    return 0;
}

static void begin_text(struct terminal_table *table)
{
    text_table_init(&table->text, table->columns, table->column_count);
    table->text.compact = table->show->compact;
    table->text.ascii = table->show->compact && table->show->options->ascii;
}

int terminal_table_init(struct terminal_table *table, const struct report_plan *plan, struct show *show, bool one_width,
                        struct err *err)
{
    *table = (struct terminal_table){
        .show = show,
        .one_width = one_width,
        .pass = one_width ? TERMINAL_MEASURE : TERMINAL_KEEP,
        .kept_max = TERMINAL_KEPT_MAX,
    };
    int status = take_columns(table, plan, err);
    if (status == 0)
        begin_text(table);
    else
        terminal_table_release(table);
    return status;
}

void terminal_table_release(struct terminal_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        free((char *)(uintptr_t)table->columns[i].title);
    if (table->show != NULL)
        text_table_release(&table->text);
    free(table->columns);
    free(table->rows.items);
    *table = (struct terminal_table){.show = NULL};
}

/* ---- rows ---- */

static int keep_row(struct terminal_table *table, const char *row, size_t length, struct err *err)
{
    struct kept_rows *rows = &table->rows;
    if (rows->count + sizeof length + length > table->kept_max) {
        table->pass = TERMINAL_MEASURE;
        rows->count = 0;
        return 0;
    }
    if (array_reserve(rows, sizeof length + length, err) < 0)
        return err_status(err);
    memcpy(rows->items + rows->count, &length, sizeof length);
    memcpy(rows->items + rows->count + sizeof length, row, length);
    rows->count += sizeof length + length;
    return 0;
}

static void need_head(struct terminal_table *table)
{
    if (!table->head_printed)
        text_table_begin(&table->text, table->show->stream, table->show->options->width);
    table->head_printed = true;
}

static void print_row(struct terminal_table *table, const struct table_cell *cells)
{
    need_head(table);
    text_table_row(&table->text, cells);
}

int terminal_table_row(struct terminal_table *table, const char *row, const char *end, struct err *err)
{
    struct table_cell cells[TABLE_MAX_COLUMNS];
    row_cells(row, end, table->column_count, cells);
    if (table->pass == TERMINAL_PRINT) {
        print_row(table, cells);
        return 0;
    }
    text_table_measure(&table->text, cells);
    return table->pass == TERMINAL_KEEP ? keep_row(table, row, (size_t)(end - row), err) : 0;
}

bool terminal_table_wants_again(struct terminal_table *table)
{
    if (table->pass != TERMINAL_MEASURE)
        return false;
    table->pass = TERMINAL_PRINT;
    return true;
}

bool terminal_table_prints(const struct terminal_table *table)
{
    return table->pass != TERMINAL_MEASURE;
}

/* ---- the end ---- */

static int print_kept(struct terminal_table *table, struct err *err)
{
    struct table_cell cells[TABLE_MAX_COLUMNS];
    size_t length;
    for (size_t at = 0; at < table->rows.count; at += length) {
        memcpy(&length, table->rows.items + at, sizeof length);
        at += sizeof length;
        row_cells(table->rows.items + at, table->rows.items + at + length, table->column_count, cells);
        print_row(table, cells);
        if (interrupted())
            return interrupt_error(err);
    }
    table->rows.count = 0;
    return 0;
}

/* The next table has widths of its own. */
static void forget_widths(struct terminal_table *table)
{
    table->pass = TERMINAL_KEEP;
    text_table_release(&table->text);
    begin_text(table);
}

int terminal_table_end(struct terminal_table *table, struct err *err)
{
    if (table->pass == TERMINAL_MEASURE)
        return 0;
    int status = table->pass == TERMINAL_KEEP ? print_kept(table, err) : 0;
    if (table->show->heads)
        need_head(table);
    if (status == 0 && table->head_printed) {
        status = text_table_end(&table->text, err);
        table->show->result->rows += table->text.rows;
    }
    table->head_printed = false;
    if (!table->one_width)
        forget_widths(table);
    return status;
}
