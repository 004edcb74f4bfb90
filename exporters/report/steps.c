#include "exporters/report/steps.h"

#include "base/number.h"
#include "exporters/cann_report.h"
#include "exporters/report/plan.h"

#include <stdio.h>

#define TITLE_SIZE 40

static bool is_shown(const struct report_run *run, const struct cann_step *step)
{
    return run->scope->device_id == DB_NULL || step->device_id == run->scope->device_id;
}

/* The columns of all-reduce operations have the same two titles again and again, but not as the names of JSON. */
static int add_reduce(struct report_run *run, const struct report_column *start, size_t number, struct err *err)
{
    bool json = run->session->options->format == TABLE_JSON;
    const char *titles[] = {start->title, "Reduce Duration(us)"};
    const struct report_column columns[] = {*start, {.form = FORM_SCALED, .decimals = 3}};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        struct report_column column = columns[i];
        char title[TITLE_SIZE];
        snprintf(title, sizeof title, json ? "%s %zu" : "%s", titles[i], number);
        column.title = title;
        column.value = (uint16_t)(STEPS_LEADING + 2 * number + i);
        status = report_plan_add(&run->plan, &column, err);
    }
    return status;
}

int steps_open(struct report_run *run, const struct report_column *start, size_t most, struct err *err)
{
    struct cann_steps *steps = run->state;
    size_t reduces = 0, room = (most - run->plan.column_count) / 2;
    int status = cann_steps_load(run->session->db, steps, err);
    for (size_t i = 0; status == 0 && i < steps->count; i++) {
        if (is_shown(run, &steps->items[i]) && steps->items[i].reduce_count > reduces)
            reduces = steps->items[i].reduce_count;
    }
    for (size_t i = 0; status == 0 && i < reduces && i < room; i++)
        status = add_reduce(run, start, i, err);
    return status;
}

void steps_close(struct report_run *run)
{
    cann_steps_release(run->state);
}

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? number_subtract(end_ns, start_ns) : DB_NULL;
}

static int put_step(struct report_run *run, const struct cann_steps *steps, const struct cann_step *step,
                    struct err *err)
{
    struct report_value values[STEPS_LEADING + REPORT_MAX_COLUMNS] = {
        [STEPS_DEVICE] = value_integer(step->device_id),
        [STEPS_ITERATION] = value_integer(step->iteration),
        [STEPS_FORWARD] = value_integer(step->forward_ns),
        [STEPS_BACKWARD] = value_integer(step->backward_ns),
        [STEPS_END] = value_integer(step->end_ns),
        [STEPS_TIME] = value_integer(number_subtract(step->end_ns, step->start_ns)),
        [STEPS_FORWARD_TO_BACKWARD] = value_integer(between(step->forward_ns, step->backward_ns)),
        [STEPS_REFRESH] = value_integer(between(step->backward_ns, step->end_ns)),
        [STEPS_AUGMENTATION] = value_integer(step->augmentation_ns),
        [STEPS_MODEL] = value_integer(step->model_id),
        [STEPS_KNOWN_MODEL] = step->model_id == CANN_NO_ID ? value_none() : value_integer(step->model_id),
    };
    for (size_t i = 0; i < step->reduce_count && 2 * (i + 1) <= REPORT_MAX_COLUMNS; i++) {
        const struct cann_step_span *reduce = &steps->reduces[step->first_reduce + i];
        values[STEPS_LEADING + 2 * i] = value_integer(reduce->start_ns);
        values[STEPS_LEADING + 2 * i + 1] = value_integer(number_subtract(reduce->end_ns, reduce->start_ns));
    }
    return report_row(run, values, err);
}

int steps_rows(struct report_run *run, struct err *err)
{
    const struct cann_steps *steps = run->state;
    int status = 0;
    for (size_t i = 0; status == 0 && i < steps->count; i++) {
        if (is_shown(run, &steps->items[i]))
            status = put_step(run, steps, &steps->items[i], err);
    }
    return status;
}
