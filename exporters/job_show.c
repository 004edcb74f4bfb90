#include "exporters/job_show.h"

#include "base/interrupt.h"
#include "exporters/job_summary.h"

/* Of job_statistic_titles: what may stand under the minimum. */
enum { AVERAGE_COLUMN = 4, MAXIMUM_COLUMN = 5 };

struct job_show {
    struct show *show;
    struct text_table table;
    int64_t tasks, operators; /* of the device */
};

static int count_task(void *arg, const struct job_task *task, struct err *err)
{
    struct job_show *state = arg;
    (void)task;
    state->tasks++;
    return interrupted() ? interrupt_error(err) : 0;
}

static int measure_row(void *arg, const struct job_statistic *row, struct err *err)
{
    struct job_show *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    (void)err;
    job_statistic_cells(row, cells);
    text_table_measure(&state->table, cells);
    state->operators += row->count;
    return 0;
}

static int print_row(void *arg, const struct job_statistic *row, struct err *err)
{
    struct job_show *state = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    if (interrupted())
        return interrupt_error(err);
    job_statistic_cells(row, cells);
    text_table_row(&state->table, cells);
    return 0;
}

static int print_table(struct job_show *state, int64_t device_id, struct err *err)
{
    struct show *show = state->show;
    text_table_begin(&state->table, show->stream, show->options->width);
    int result = job_each_statistic(show->db, device_id, print_row, state, err);
    if (result == 0)
        result = text_table_end(&state->table, err);
    show->result->rows += state->table.rows;
    return result;
}

static int show_one_device(void *arg, int64_t device_id, struct err *err)
{
    struct show *show = arg;
    struct job_show state = {.show = show};
    struct text_column columns[TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < job_statistic_titles.count; i++)
        columns[i] = (struct text_column){job_statistic_titles.texts[i], i == 0 ? TEXT_COLUMN : NUMBER_COLUMN,
                                          i == AVERAGE_COLUMN || i == MAXIMUM_COLUMN};
    text_table_init(&state.table, columns, job_statistic_titles.count);

    int result = job_each_task(show->db, device_id, false, count_task, &state, err);
    if (result == 0)
        result = job_each_statistic(show->db, device_id, measure_row, &state, err);
    if (result != 0)
        goto out;
    show_number(show, "Device id : ", device_id);
    show_number(show, "Tasks : ", state.tasks);
    show_number(show, "Operators : ", state.operators);
    show_end_line(show);
    if (state.operators > 0)
        result = print_table(&state, device_id, err);
out:
    text_table_release(&state.table);
    return result;
}

int job_show(struct show *show, struct err *err)
{
    show_title(show, "Op statistic :");
    show_end_line(show);
    return job_each_device(show->db, show_one_device, show, err);
}
