/* step_trace of captures of 2020: the iterations of a device by the points that it passed. */
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "exporters/step_columns.h"

enum { ITERATION, FORWARD, BACKWARD, END, TIME, FORWARD_TO_BACKWARD, REFRESH, AUGMENTATION, LEADING };

static const struct report_column columns[] = {
    [ITERATION] = {"Iteration ID", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    [FORWARD] = {"FP Start(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "When forward propagation began (point 1)."},
    [BACKWARD] = {"BP End(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "When backward propagation ended (point 2)."},
    [END] = {"Iteration End(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "When the iteration ended (point 255)."},
    [TIME] = {"Iteration Time(us)", NULL, FORM_SCALED_FIXED, 3,
              .doc = "From the end of the iteration before, of the first from its forward propagation, to its end."},
    [FORWARD_TO_BACKWARD] = {"FP to BP Time(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "Of that, both propagations."},
    [REFRESH] = {"Iteration Refresh(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "What followed on backward propagation."},
    [AUGMENTATION] = {"Data Aug Bound(us)", NULL, FORM_SCALED_FIXED, 3,
                      .doc = "From the iteration's start to forward propagation."},
    {.title = NULL},
};
static const struct report_column stretch_start = {"Reduce Start(us)", .form = FORM_SCALED_FIXED, .decimals = 3},
                                  stretch_duration = {"Reduce Duration(us)", .form = FORM_SCALED_FIXED, .decimals = 3};

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? number_subtract(end_ns, start_ns) : DB_NULL;
}

static int open_steps(struct report_run *run, struct err *err)
{
    struct cann_steps *steps = run->state;
    size_t pairs = 0;
    int status = cann_steps_load(run->session->db, steps, err);
    for (size_t i = 0; status == 0 && i < steps->reduce_count; i++) {
        if (steps->reduces[i].device_id == run->scope->device_id && (size_t)steps->reduces[i].pair >= pairs)
            pairs = (size_t)steps->reduces[i].pair + 1;
    }
    return status == 0 ? step_columns_add(run, LEADING, pairs, &stretch_start, &stretch_duration, err) : status;
}

static void close_steps(struct report_run *run)
{
    cann_steps_release(run->state);
}

static int put_step(struct report_run *run, const struct cann_steps *steps, const struct cann_step *step,
                    struct err *err)
{
    struct report_value values[REPORT_MAX_COLUMNS] = {
        [ITERATION] = value_integer(step->iteration),
        [FORWARD] = value_integer(step->forward_ns),
        [BACKWARD] = value_integer(step->backward_ns),
        [END] = value_integer(step->end_ns),
        [TIME] = value_integer(number_subtract(step->end_ns, step->start_ns)),
        [FORWARD_TO_BACKWARD] = value_integer(between(step->forward_ns, step->backward_ns)),
        [REFRESH] = value_integer(between(step->backward_ns, step->end_ns)),
        [AUGMENTATION] = value_integer(between(step->start_ns, step->forward_ns)),
    };
    size_t pairs = (run->plan.column_count - LEADING) / 2;
    for (size_t i = 0; i < step->reduce_count;
         i++) { /* each pair of points has its columns, whether it was passed or not */
        const struct cann_step_span *stretch = &steps->reduces[step->first_reduce + i];
        if ((size_t)stretch->pair >= pairs)
            continue;
        values[LEADING + 2 * stretch->pair] = value_integer(stretch->start_ns);
        values[LEADING + 2 * stretch->pair + 1] = value_integer(number_subtract(stretch->end_ns, stretch->start_ns));
    }
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    const struct cann_steps *steps = run->state;
    int status = 0;
    for (size_t i = 0; status == 0 && i < steps->count; i++) {
        if (steps->items[i].device_id == run->scope->device_id)
            status = put_step(run, steps, &steps->items[i], err);
    }
    return status;
}

const struct report report_step_trace_job = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of a device, with what ran beside their propagations: a pair of columns for each pair of "
           "points.",
    .families = REPORT_OF(DB_FAMILY_JOB),
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct cann_steps),
    .open = open_steps,
    .close = close_steps,
    .rows = put_rows,
};
