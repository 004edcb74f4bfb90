/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace: the iterations of models, with two more columns for each of their all-reduce operations. */
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "exporters/cann_report.h"
#include "exporters/table/plan.h"
#include "exporters/table/report.h"

#include <stdio.h>

/* A row. */
struct steps_row {
    struct cann_step step;
    int64_t time_ns, forward_to_backward_ns, refresh_ns;
    int64_t interval_ns;                             /* from the iteration's own start to forward propagation */
    int64_t known_model;                             /* DB_NULL where the marks name none */
    struct report_value reduces[REPORT_MAX_COLUMNS]; /* start and duration of each all-reduce operation */
};

/* The columns of an all-reduce operation. */
struct steps_reduces {
    struct report_column start, duration; /* when it began and how long it took */
    size_t most;                          /* columns that the table has at most */
    bool by_pair; /* each pair of marks has columns of its own; else they are filled from the left */
};

/* A report's state. */
struct steps {
    struct cann_steps steps;
    bool by_pair;
};

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
    return state->by_pair ? (size_t)state->steps.reduces.items[step->first_reduce + i].pair : i;
}

static int steps_open(struct report_run *run, struct err *err)
{
    const struct steps_reduces *reduces = run->report->visitor;
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

static void steps_close(struct report_run *run)
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
        const struct cann_step_span *reduce = &state->steps.reduces.items[step->first_reduce + i];
        size_t place = place_of(state, step, i);
        if (2 * (place + 1) > REPORT_MAX_COLUMNS)
            continue;
        row.reduces[2 * place] = value_integer(reduce->start_ns);
        row.reduces[2 * place + 1] = value_integer(number_subtract(reduce->end_ns, reduce->start_ns));
    }
    return report_put(run, &row, err);
}

static int steps_rows(struct report_run *run, struct err *err)
{
    const struct steps *state = run->state;
    int status = 0;
    for (size_t i = 0; status == 0 && i < state->steps.count; i++) {
        if (is_shown(run, &state->steps.items[i]))
            status = put_step(run, &state->steps.items[i], err);
    }
    return status;
}

/* ---- CANN since 2023 ---- */

static const struct report_column columns[] = {
    {"Device_id", REPORT_FIELD(struct steps_row, step.device_id), .flags = REPORT_NUMBER, .doc = "The device."},
    {"Iteration ID", REPORT_FIELD(struct steps_row, step.iteration), .flags = REPORT_NUMBER,
     .doc = "The number of the iteration."},
    {"FP Start(us)", REPORT_FIELD(struct steps_row, step.forward_ns), FORM_TIME,
     .doc = "When forward propagation began, since 1970."},
    {"BP End(us)", REPORT_FIELD(struct steps_row, step.backward_ns), FORM_TIME,
     .doc = "When backward propagation ended, since 1970."},
    {"Iteration End(us)", REPORT_FIELD(struct steps_row, step.end_ns), FORM_TIME,
     .doc = "When the iteration ended, since 1970."},
    {"Iteration Time(us)", REPORT_FIELD(struct steps_row, time_ns), FORM_SCALED, 3, .doc = "How long it took."},
    {"FP to BP Time(us)", REPORT_FIELD(struct steps_row, forward_to_backward_ns), FORM_SCALED, 3,
     .doc = "Part of both propagations."},
    {"Iteration Refresh(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED, 3,
     .doc = "Time that followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, step.augmentation_ns), FORM_SCALED, 3,
     .doc = "From the end of the iteration before to forward propagation."},
    {"Model ID", REPORT_FIELD(struct steps_row, known_model), .flags = REPORT_NUMBER, .doc = "The model."},
    {.title = NULL},
};

const struct report report_step_trace = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of models by the marks that their tasks set, with the all-reduce operations of each.",
    .families = FAMILY_CANN,
    .columns = columns,
    .state_size = sizeof(struct steps),
    .open = steps_open,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_TIME},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
            .most = REPORT_MAX_COLUMNS,
        },
    .close = steps_close,
    .rows = steps_rows,
};

/* step_trace: the iterations of models by the step marks of the device, as Ascend's tool of 2022 has them. */
#define MOST_COLUMNS 48

static const struct report_column columns_2022[] = {
    {"Iteration ID", REPORT_FIELD(struct steps_row, step.iteration), .flags = REPORT_NUMBER,
     .doc = "The number of the iteration."},
    {"FP Start", REPORT_FIELD(struct steps_row, step.forward_ns), .flags = REPORT_NUMBER,
     .doc = "When forward propagation began, in ns."},
    {"BP End", REPORT_FIELD(struct steps_row, step.backward_ns), .flags = REPORT_NUMBER,
     .doc = "When backward propagation ended, in ns."},
    {"Iteration End", REPORT_FIELD(struct steps_row, step.end_ns), .flags = REPORT_NUMBER,
     .doc = "When the iteration ended, in ns."},
    {"Iteration Time(us)", REPORT_FIELD(struct steps_row, time_ns), FORM_SCALED, 3, .doc = "How long it took."},
    {"FP to BP Time(us)", REPORT_FIELD(struct steps_row, forward_to_backward_ns), FORM_SCALED, 3,
     .doc = "Part of both propagations."},
    {"Grad Refresh Bound(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED, 3,
     .doc = "Time that followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, step.augmentation_ns), FORM_SCALED, 3,
     .doc = "From the end of the iteration before to forward propagation."},
    {"Model ID", REPORT_FIELD(struct steps_row, step.model_id), .flags = REPORT_NUMBER, .doc = "The model."},
    {.title = NULL},
};

const struct report report_step_trace_2022 = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "All iterations of a device, whichever is reported, with the all-reduce operations of each.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns_2022,
    .state_size = sizeof(struct steps),
    .open = steps_open,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start", .id = "reduce_start", .flags = REPORT_NUMBER},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
            .most = MOST_COLUMNS,
        },
    .close = steps_close,
    .rows = steps_rows,
};

/* step_trace of captures of 2020: the iterations of a device by the points that it passed. */
static const struct report_column columns_job[] = {
    {"Iteration ID", REPORT_FIELD(struct steps_row, step.iteration), .flags = REPORT_NUMBER,
     .doc = "The number of the iteration."},
    {"FP Start(us)", REPORT_FIELD(struct steps_row, step.forward_ns), FORM_SCALED_FIXED, 3,
     .doc = "When forward propagation began (point 1)."},
    {"BP End(us)", REPORT_FIELD(struct steps_row, step.backward_ns), FORM_SCALED_FIXED, 3,
     .doc = "When backward propagation ended (point 2)."},
    {"Iteration End(us)", REPORT_FIELD(struct steps_row, step.end_ns), FORM_SCALED_FIXED, 3,
     .doc = "When the iteration ended (point 255)."},
    {"Iteration Time(us)", REPORT_FIELD(struct steps_row, time_ns), FORM_SCALED_FIXED, 3,
     .doc = "From the end of the iteration before, of the first from its forward propagation, to its end."},
    {"FP to BP Time(us)", REPORT_FIELD(struct steps_row, forward_to_backward_ns), FORM_SCALED_FIXED, 3,
     .doc = "Part of both propagations."},
    {"Iteration Refresh(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED_FIXED, 3,
     .doc = "Time that followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, interval_ns), FORM_SCALED_FIXED, 3,
     .doc = "From the iteration's start to forward propagation."},
    {.title = NULL},
};

const struct report report_step_trace_job = {
    .name = "step_trace",
    .title = "Iterations",
    .doc =
        "The iterations of a device, with what ran beside their propagations: a pair of columns_job for each pair of "
        "points.",
    .families = FAMILY_JOB,
    .of_device = true,
    .columns = columns_job,
    .state_size = sizeof(struct steps),
    .open = steps_open,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_SCALED_FIXED, .decimals = 3},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED_FIXED, .decimals = 3},
            .most = REPORT_MAX_COLUMNS,
            .by_pair = true,
        },
    .close = steps_close,
    .rows = steps_rows,
};
