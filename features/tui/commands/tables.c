/* SPDX-License-Identifier: Apache-2.0 */
/* A table of 'msprof show' as rows to walk through: its cells are those that 'show --format csv' prints, and so are its
 * filters and orders. */
#include "base/language.h"
#include "base/words.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"
#include "exporters/table/writer.h"
#include "features/tui/commands/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDEST_TEXT 48
#define WIDEST_NAME 36
#define BETWEEN 2 /* blanks between columns */

/* ---- rows ---- */

static void forget_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        free(texts[i]);
    free(texts);
}

static void forget_rows(struct tui_table *table)
{
    forget_texts(table->titles, table->grid.column_count);
    forget_texts(table->ids, table->grid.column_count);
    free(table->widths);
    free(table->columns);
    grid_release(&table->grid);
    table->grid = (struct grid){.cells = NULL};
    table->columns = NULL;
    table->titles = table->ids = NULL;
    table->widths = NULL;
    table->row_count = 0;
    table->at = (struct tui_list){.row = 0};
    table->more = false;
}

void tui_table_release(struct tui_table *table)
{
    forget_rows(table);
    table->loaded = false;
}

/* The engine begins a table once for each device that has columns of its own: the first one's stand. */
static int begin(void *arg, const struct report_plan *plan, struct err *err)
{
    struct tui_table *table = arg;
    const size_t count = plan->step_count;

    if (table->columns != NULL)
        return table->grid.column_count == count
                   ? 0
                   : err_set(err, ERR_FAILED, "the columns of table '%s' differ between its devices", table->name);
    table->columns = report_grid_columns(plan, err);
    if (table->columns == NULL)
        return err_status(err);
    table->grid.column_count = count;
    table->titles = calloc(count + 1, sizeof *table->titles);
    table->ids = calloc(count + 1, sizeof *table->ids);
    table->widths = calloc(count + 1, sizeof *table->widths);
    if (table->titles == NULL || table->ids == NULL || table->widths == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        table->titles[i] = strdup(plan->titles[i]);
        table->ids[i] = strdup(plan->columns[plan->steps[i].column].id);
        if (table->titles[i] == NULL || table->ids[i] == NULL)
            return err_no_memory(err);
        table->columns[i].title = table->titles[i];
    }
    return 0;
}

static int take_row(void *arg, const struct table_cell *cells, struct err *err)
{
    struct tui_table *table = arg;

    table->row_count++;
    return grid_cells(&table->grid, cells, err);
}

/* Numbers get the decimals and units that 'msprof show' prints them with. */
static int unite(const struct tui *tui, struct tui_table *table, struct err *err)
{
    const size_t count = table->grid.column_count;
    char **changed = calloc(count + 1, sizeof *changed);

    if (changed == NULL)
        return err_no_memory(err);
    table->grid.columns = table->columns;
    const int status = grid_unite_numbers(&table->grid, table->columns, changed, err);
    for (size_t i = 0; i < count; i++) {
        if (changed[i] == NULL)
            continue;
        free(table->titles[i]);
        table->titles[i] = changed[i];
        table->columns[i].title = changed[i];
    }
    free(changed);
    for (size_t i = 0; i < count; i++)
        table->widths[i] = curses_width(tui->curses, table->titles[i]);
    for (size_t i = 0; count > 0 && i < table->grid.count; i++) {
        const int width = curses_width(tui->curses, table->grid.cells[i]);
        int *widest = &table->widths[i % count];
        *widest = width > *widest ? width : *widest;
    }
    return status;
}

static struct table_choice choice_of(const struct tui_table *table, const char *filters[1])
{
    filters[0] = table->filter;
    return (struct table_choice){.sort = table->sort[0] != '\0' ? table->sort : NULL,
                                 .filters = filters,
                                 .filter_count = table->filter[0] != '\0',
                                 .top = TUI_ROWS_MOST};
}

static int load(const struct tui *tui, struct tui_table *table, struct err *err)
{
    const char *filters[1];
    const struct table_choice choice = choice_of(table, filters);
    struct table_sink sink = {.begin = begin, .row = take_row, .arg = table};
    const struct show_options options = {.database = tui->visit->database, .plain = true, .sink = &sink};
    struct export_result result;

    forget_rows(table);
    table->loaded = true;
    table->why[0] = '\0';
    if (give_table(tui->db, table->name, &choice, &options, &result, err) < 0 || unite(tui, table, err) < 0)
        return err_status(err);
    table->more = sink.left > 0 || sink.more;
    if (table->row_count == 0)
        snprintf(table->why, sizeof table->why, "%s%s%s", language_shown("no rows"),
                 result.needs != NULL ? language_shown(": needs ") : "", result.needs != NULL ? result.needs : "");
    if (table->column >= table->grid.column_count)
        table->column = 0;
    return 0;
}

static const char *cell(const struct tui_table *table, size_t row, size_t column)
{
    return table->grid.cells[row * table->grid.column_count + column];
}

/* ---- drawing ---- */

static size_t find_column(const struct tui_table *table, const char *const *ids)
{
    for (; *ids != NULL; ids++)
        for (size_t i = 0; i < table->grid.column_count; i++)
            if (strcmp(table->ids[i], *ids) == 0)
                return i;
    return SIZE_MAX;
}

/* The column that says what a row is about: it stands first and stays. */
static size_t sticky_column(const struct tui_table *table)
{
    static const char *const ids[] = {"name", "op_name", "kernel_name", "function", "api_name", "layer", "item", NULL};
    const size_t found = find_column(table, ids);

    return found != SIZE_MAX ? found : 0;
}

static int shown_width(const struct tui_table *table, size_t column, int most)
{
    const int width = table->widths[column];

    return !table->columns[column].number && width > most ? most : width;
}

/* The first column behind the sticky one that is drawn, so that the chosen one fits. */
static size_t first_column(const struct tui_table *table, size_t sticky, int room)
{
    size_t first = table->column;
    int used = 0;

    for (size_t i = table->column + 1; i-- > 0;) {
        if (i == sticky)
            continue;
        used += shown_width(table, i, WIDEST_TEXT) + BETWEEN;
        if (used > room && first != table->column)
            break;
        if (used <= room || i == table->column)
            first = i;
    }
    return first;
}

static void put_cell(const struct tui *tui, const struct grid_column *column, int row, int at, int width,
                     enum paint paint, const char *text)
{
    const int wide = column->number ? width - curses_width(tui->curses, text) : 0;

    if (wide > 0) {
        curses_put(tui->curses, row, at, wide, paint, "");
        curses_put(tui->curses, row, at + wide, width - wide, paint, text);
    } else {
        curses_put(tui->curses, row, at, width, paint, text);
    }
}

/* One line of the table; index SIZE_MAX: its titles. */
static void draw_row(const struct tui *tui, const struct tui_table *table, const struct tui_area *area, int row,
                     size_t index)
{
    const size_t sticky = sticky_column(table);
    const int name_width = shown_width(table, sticky, WIDEST_NAME);
    const bool head = index == SIZE_MAX;
    const enum paint paint = head ? PAINT_HEAD : index == table->at.row ? PAINT_CHOSEN : PAINT_PLAIN;
    int at = name_width;

    curses_put(tui->curses, row, 0, area->columns, head ? PAINT_PLAIN : paint, "");
    put_cell(tui, &table->columns[sticky], row, 0, name_width, paint,
             head ? table->titles[sticky] : cell(table, index, sticky));
    for (size_t i = first_column(table, sticky, area->columns - name_width); i < table->grid.column_count; i++) {
        const int width = shown_width(table, i, WIDEST_TEXT);
        if (i == sticky)
            continue;
        if (at + BETWEEN + width > area->columns)
            break;
        put_cell(tui, &table->columns[i], row, at + BETWEEN, width, head && i == table->column ? PAINT_CHOSEN : paint,
                 head ? table->titles[i] : cell(table, index, i));
        at += BETWEEN + width;
    }
}

static void draw_head(const struct tui *tui, const struct tui_table *table, const struct tui_area *area)
{
    char text[512];
    int used = snprintf(text, sizeof text, language_shown("%s: row %zu of %zu%s"), table->name,
                        table->row_count > 0 ? table->at.row + 1 : 0, table->row_count,
                        table->more ? language_shown(" (more are left out)") : "");

    if (table->sort[0] != '\0')
        used += snprintf(text + used, sizeof text - (size_t)used, language_shown(", sorted by %s"), table->sort);
    if (table->filter[0] != '\0')
        snprintf(text + used, sizeof text - (size_t)used, language_shown(", filter %s"), table->filter);
    curses_put(tui->curses, area->row, 0, area->columns, PAINT_FAINT, text);
}

void tui_table_draw(struct tui *tui, struct tui_table *table, const struct tui_area *area)
{
    struct err err = ERR_INIT;
    const size_t room = tui_list_room(area);

    if (!table->loaded && load(tui, table, &err) < 0)
        snprintf(table->why, sizeof table->why, "%s", err_message(&err));
    tui_list_follow(&table->at, room);
    draw_head(tui, table, area);
    if (table->row_count == 0) {
        curses_put(tui->curses, area->row + 1, 0, area->columns, PAINT_PLAIN, table->why);
        return;
    }
    draw_row(tui, table, area, area->row + 1, SIZE_MAX);
    for (size_t i = 0; i < room && table->at.top + i < table->row_count; i++)
        draw_row(tui, table, area, area->row + 2 + (int)i, table->at.top + i);
}

/* ---- keys ---- */

static void reload(struct tui *tui, struct tui_table *table, char *changed, const char *before, size_t size)
{
    struct err err = ERR_INIT;
    const size_t column = table->column;

    if (load(tui, table, &err) == 0) {
        table->column = column < table->grid.column_count ? column : 0;
        return;
    }
    tui_say_error(tui, &err);
    snprintf(changed, size, "%s", before);
    err = (struct err)ERR_INIT;
    if (load(tui, table, &err) < 0)
        snprintf(table->why, sizeof table->why, "%s", err_message(&err));
}

/* By the chosen column: the largest first, the smallest first, as the table orders its rows. */
static void sort_rows(struct tui *tui, struct tui_table *table)
{
    char before[sizeof table->sort];
    const char *id = table->grid.column_count > 0 ? table->ids[table->column] : "";

    snprintf(before, sizeof before, "%s", table->sort);
    if (table->sort[0] == '-' && strcmp(table->sort + 1, id) == 0)
        snprintf(table->sort, sizeof table->sort, "%s", id);
    else if (strcmp(table->sort, id) == 0)
        table->sort[0] = '\0';
    else
        snprintf(table->sort, sizeof table->sort, "-%s", id);
    reload(tui, table, table->sort, before, sizeof table->sort);
}

static void filter_rows(struct tui *tui, struct tui_table *table)
{
    char before[sizeof table->filter];

    snprintf(before, sizeof before, "%s", table->filter);
    if (!tui_ask(tui, "Filter, such as total>100us or name~*MatMul* (empty: all rows): ", table->filter,
                 sizeof table->filter)) {
        snprintf(table->filter, sizeof table->filter, "%s", before);
        return;
    }
    reload(tui, table, table->filter, before, sizeof table->filter);
}

static bool row_has(const struct tui_table *table, size_t row, const char *text)
{
    for (size_t i = 0; i < table->grid.column_count; i++)
        if (strcasestr(cell(table, row, i), text) != NULL)
            return true;
    return false;
}

static void search_rows(struct tui *tui, struct tui_table *table)
{
    for (size_t i = 1; i <= table->row_count; i++) {
        const size_t row = (table->at.row + i) % table->row_count;
        if (row_has(table, row, tui->search)) {
            table->at.row = row;
            return;
        }
    }
    tui_say(tui, "no row has '%s'", tui->search);
}

/* Writes the rows that the filter leaves, in the order of the screen. */
static void write_rows(struct tui *tui, struct tui_table *table)
{
    char path[512] = "";
    const char *filters[1];
    struct table_choice choice = choice_of(table, filters);
    struct err err = ERR_INIT;
    struct export_result result;

    snprintf(path, sizeof path, "%s.csv", table->name);
    if (!tui_ask(tui, "Write these rows to (.csv or .md): ", path, sizeof path) || path[0] == '\0')
        return;
    if (access(path, F_OK) == 0) {
        tui_say(tui, "'%s' is there already: choose another name", path);
        return;
    }
    choice.top = 0;
    struct table_stream stream = {.path = path, .format = words_end_in(path, ".md") ? TABLE_MARKDOWN : TABLE_CSV};
    const struct show_options options = {.database = tui->visit->database, .plain = true, .stream = &stream};
    int status = show_one_table(tui->db, stdout, table->name, stream.format, &choice, &options, &result, &err);
    if (status == 0)
        status = table_stream_end(&stream, &err);
    if (status < 0)
        tui_say_error(tui, &err);
    else
        tui_say(tui, "wrote %llu rows to '%s'", (unsigned long long)result.rows, path);
}

/* "1735689600001554.000": microseconds since 1970, or since the start of a board. */
static bool read_start(const char *text, int64_t *ret)
{
    char *end;
    const int64_t us = strtoll(text, &end, 10);
    int64_t ns = 0;

    if (end == text || us < 0 || __builtin_mul_overflow(us, 1000, ret))
        return false;
    if (*end == '.')
        for (int i = 0, scale = 100; i < 3 && end[1 + i] >= '0' && end[1 + i] <= '9'; i++, scale /= 10)
            ns += (end[1 + i] - '0') * scale;
    return !__builtin_add_overflow(*ret, ns, ret);
}

static enum tui_result go_to_row(struct tui *tui, const struct tui_table *table)
{
    static const char *const starts[] = {"start", "task_start_time", "task_start", "start_time", "longest_start", NULL},
                             *const names[] = {"name", "op_name", "kernel_name", NULL};
    const size_t start = find_column(table, starts), name = find_column(table, names);
    int64_t ns;

    if (table->row_count == 0)
        return TUI_STAYS;
    if (start != SIZE_MAX && read_start(cell(table, table->at.row, start), &ns)) {
        tui_lanes_go(tui, ns);
        return TUI_GOES;
    }
    if (name != SIZE_MAX && tui_lanes_go_operator(tui, cell(table, table->at.row, name)))
        return TUI_GOES;
    tui_say(tui, "the row has no place in the timeline");
    return TUI_STAYS;
}

static void move_column(struct tui_table *table, int by)
{
    const size_t sticky = table->grid.column_count > 0 ? sticky_column(table) : 0;
    size_t column = table->column;

    do {
        if ((by < 0 && column == 0) || (by > 0 && column + 1 >= table->grid.column_count))
            return;
        column = by < 0 ? column - 1 : column + 1;
    } while (column == sticky);
    table->column = column;
}

enum tui_result tui_table_key(struct tui *tui, struct tui_table *table, int key, const struct tui_area *area)
{
    if (tui_list_key(&table->at, table->row_count, tui_list_room(area), key))
        return TUI_STAYS;
    switch (key) {
    case PRESSED_LEFT:
        move_column(table, -1);
        break;
    case PRESSED_RIGHT:
        move_column(table, 1);
        break;
    case PRESSED_RETURN:
        return go_to_row(tui, table);
    case 's':
        sort_rows(tui, table);
        break;
    case 'f':
        filter_rows(tui, table);
        break;
    case 'w':
        write_rows(tui, table);
        break;
    case '/':
        if (!tui_ask(tui, "Search: ", tui->search, sizeof tui->search))
            break;
        /* fall through */
    case 'n':
        if (tui->search[0] != '\0' && table->row_count > 0)
            search_rows(tui, table);
        break;
    default:
        return TUI_UNKNOWN;
    }
    return TUI_STAYS;
}
