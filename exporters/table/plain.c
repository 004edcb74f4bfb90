/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/plain.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct report_column *column_of(const struct report_plan *plan, size_t step)
{
    return &plan->columns[plan->steps[step].column].column;
}

/* Durations are rewritten in another unit; points in time are not. */
static bool is_duration(const struct report_column *column)
{
    size_t length;
    const char *unit = report_title_unit(column->title, &length);

    return (column->form == FORM_SCALED || column->form == FORM_SCALED_FIXED) && length == 2 &&
           strncmp(unit, "us", 2) == 0;
}

/* The first column and the last text stay; of the others the narrow ones go first, from the right. */
static int least_first(const struct report_plan *plan, size_t step)
{
    size_t key = plan->step_count - 1;

    for (size_t i = 0; i < plan->step_count; i++)
        if (report_holds_texts(column_of(plan, i)))
            key = i;
    if (step == 0 || step == key)
        return 0;
    return (int)step + ((column_of(plan, step)->flags & REPORT_NARROW) != 0 ? REPORT_MAX_COLUMNS : 0);
}

static struct grid_column *make_columns(const struct report_plan *plan, struct err *err)
{
    struct grid_column *columns = calloc(plan->step_count + 1, sizeof *columns);

    if (columns == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; columns != NULL && i < plan->step_count; i++) {
        bool text = report_holds_texts(column_of(plan, i));
        columns[i] = (struct grid_column){.title = plan->titles[i],
                                          .number = !text,
                                          .cut = text,
                                          .goes_on = (column_of(plan, i)->flags & REPORT_SENTENCES) != 0,
                                          .time = !text && is_duration(column_of(plan, i)),
                                          .least_first = least_first(plan, i)};
    }
    return columns;
}

int plain_row(struct grid *grid, const struct report_plan *plan, const char *row, const char *end, struct err *err)
{
    struct table_cell cells[REPORT_MAX_COLUMNS];
    char **texts = calloc(plan->step_count + 1, sizeof *texts);
    int status = texts != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

    row_cells(row, end, plan->step_count, cells);
    grid->column_count = plan->step_count;
    for (size_t i = 0; status == 0 && i < plan->step_count; i++) {
        size_t length = cells[i].length;
        while (length > 0 && cells[i].text[length - 1] == '\t') /* behind times, for spreadsheets */
            length--;
        texts[i] = strndup(cells[i].text, length);
        if (texts[i] == NULL)
            status = err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    if (status == 0)
        status = grid_row(grid, (const char *const *)texts, err);
    for (size_t i = 0; texts != NULL && i < plan->step_count; i++)
        free(texts[i]);
    free(texts);
    return status;
}

static void tell_more(struct show *show, uint64_t left, bool more)
{
    if (left > 0)
        fprintf(show->stream, "and %" PRIu64 "%s more (--top N)\n", left, more ? " or" : "");
    else if (more)
        fputs("and more (--top N)\n", show->stream);
}

int plain_print(struct grid *grid, const struct report_plan *plan, struct show *show, uint64_t left, bool more,
                struct err *err)
{
    struct grid_column *columns = make_columns(plan, err);
    char **titles = calloc(plan->step_count + 1, sizeof *titles);
    int status = columns != NULL && titles != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

    grid->columns = columns;
    if (status == 0)
        status = grid_unite_numbers(grid, columns, titles, err);
    if (status == 0)
        status = grid_print(grid, show->stream, GRID_TABLE, show->options->width, show->options->ascii, err);
    if (status == 0) {
        tell_more(show, left, more);
        show->result->rows += grid->column_count > 0 ? grid->count / grid->column_count : 0;
    }
    for (size_t i = 0; titles != NULL && i < plan->step_count; i++)
        free(titles[i]);
    free(titles);
    free(columns);
    grid->columns = NULL;
    return status;
}
