/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/steps.h"

#include "base/number.h"
#include "exporters/cann_report.h"
#include "exporters/table/plan.h"

#include <stdio.h>

#define TITLE_SIZE 40

static bool is_shown(const struct report_run *run, const struct cann_step *step)
{
    return run->scope->device_id == DB_NULL || step->device_id == run->scope->device_id;
}

/* The columns of all-reduce operations have the same two titles again and again, but not as the names of JSON. */
static int add_reduce(struct report_run *run, const struct steps_reduces *reduces, size_t number, struct err *err)
{
    bool json = run->session->options->format == TABLE_JSON;
    const struct report_column columns[] = {reduces->start, reduces->duration};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        const struct report_column place = {NULL, REPORT_FIELD(struct steps_row, reduces[2 * number + i])};
        struct report_column column = columns[i];
        char title[TITLE_SIZE];
        snprintf(title, sizeof title, json ? "%s %zu" : "%s", columns[i].title, number);
        column.title = title;
        column.field = place.field;
        status = report_plan_add(&run->plan, &column, err);
    }
    return status;
}

/* Which of the columns an all-reduce operation of an iteration has. */
static size_t place_of(const struct steps *state, const struct cann_step *step, size_t i)
{
    return state->by_pair ? (size_t)state->steps.reduces[step->first_reduce + i].pair : i;
}

int steps_open(struct report_run *run, const struct steps_reduces *reduces, struct err *err)
{
    struct steps *state = run->state;
    const struct cann_steps *steps = &state->steps;
    size_t count = 0, room = (reduces->most - run->plan.column_count) / 2;
    int status = cann_steps_load(run->session->db, &state->steps, err);
    state->by_pair = reduces->by_pair;
    for (size_t i = 0; status == 0 && i < steps->count; i++) {
        const struct cann_step *step = &steps->items[i];
        for (size_t k = 0; is_shown(run, step) && k < step->reduce_count; k++) {
            if (place_of(state, step, k) >= count)
                count = place_of(state, step, k) + 1;
        }
    }
    for (size_t i = 0; status == 0 && i < count && i < room; i++)
        status = add_reduce(run, reduces, i, err);
    return status;
}

void steps_close(struct report_run *run)
{
    struct steps *state = run->state;
    cann_steps_release(&state->steps);
}

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? number_subtract(end_ns, start_ns) : DB_NULL;
}

static int put_step(struct report_run *run, const struct cann_step *step, struct err *err)
{
    const struct steps *state = run->state;
    struct steps_row row = {
        .step = *step,
        .time_ns = number_subtract(step->end_ns, step->start_ns),
        .forward_to_backward_ns = between(step->forward_ns, step->backward_ns),
        .refresh_ns = between(step->backward_ns, step->end_ns),
        .interval_ns = between(step->start_ns, step->forward_ns),
        .known_model = step->model_id == CANN_NO_ID ? DB_NULL : step->model_id,
    };
    for (size_t i = 0; i < step->reduce_count; i++) {
        const struct cann_step_span *reduce = &state->steps.reduces[step->first_reduce + i];
        size_t place = place_of(state, step, i);
        if (2 * (place + 1) > REPORT_MAX_COLUMNS)
            continue;
        row.reduces[2 * place] = value_integer(reduce->start_ns);
        row.reduces[2 * place + 1] = value_integer(number_subtract(reduce->end_ns, reduce->start_ns));
    }
    return report_put(run, &row, err);
}

int steps_rows(struct report_run *run, struct err *err)
{
    const struct steps *state = run->state;
    int status = 0;
    for (size_t i = 0; status == 0 && i < state->steps.count; i++) {
        if (is_shown(run, &state->steps.items[i]))
            status = put_step(run, &state->steps.items[i], err);
    }
    return status;
}
