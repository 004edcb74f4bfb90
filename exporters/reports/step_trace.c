/* step_trace: the iterations of models. */
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "exporters/cann_report.h"
#include "exporters/step_columns.h"

enum { DEVICE, ITERATION, FORWARD, BACKWARD, END, TIME, FORWARD_TO_BACKWARD, REFRESH, AUGMENTATION, MODEL, LEADING };

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [ITERATION] = {"Iteration ID", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    [FORWARD] = {"FP Start(us)", NULL, FORM_TIME, .doc = "When forward propagation began, since 1970."},
    [BACKWARD] = {"BP End(us)", NULL, FORM_TIME, .doc = "When backward propagation ended, since 1970."},
    [END] = {"Iteration End(us)", NULL, FORM_TIME, .doc = "When the iteration ended, since 1970."},
    [TIME] = {"Iteration Time(us)", NULL, FORM_SCALED, 3, .doc = "How long it took."},
    [FORWARD_TO_BACKWARD] = {"FP to BP Time(us)", NULL, FORM_SCALED, 3, .doc = "Of that, both propagations."},
    [REFRESH] = {"Iteration Refresh(us)", NULL, FORM_SCALED, 3, .doc = "What followed on backward propagation."},
    [AUGMENTATION] = {"Data Aug Bound(us)", NULL, FORM_SCALED, 3,
                      .doc = "From the end of the iteration before to forward propagation."},
    [MODEL] = {"Model ID", .flags = REPORT_NUMBER, .doc = "The model."},
    {.title = NULL},
};
static const struct report_column reduce_start = {"Reduce Start(us)", .form = FORM_TIME},
                                  reduce_duration = {"Reduce Duration(us)", .form = FORM_SCALED, .decimals = 3};

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? number_subtract(end_ns, start_ns) : DB_NULL;
}

static int open_steps(struct report_run *run, struct err *err)
{
    struct cann_steps *steps = run->state;
    size_t reduces = 0;
    int status = cann_steps_load(run->session->db, steps, err);
    for (size_t i = 0; status == 0 && i < steps->count; i++) {
        if (steps->items[i].reduce_count > reduces)
            reduces = steps->items[i].reduce_count;
    }
    return status == 0 ? step_columns_add(run, LEADING, reduces, &reduce_start, &reduce_duration, err) : status;
}

static void close_steps(struct report_run *run)
{
    cann_steps_release(run->state);
}

static int put_step(struct report_run *run, const struct cann_steps *steps, const struct cann_step *step,
                    struct err *err)
{
    struct report_value values[REPORT_MAX_COLUMNS] = {
        [DEVICE] = value_integer(step->device_id),
        [ITERATION] = value_integer(step->iteration),
        [FORWARD] = value_integer(step->forward_ns),
        [BACKWARD] = value_integer(step->backward_ns),
        [END] = value_integer(step->end_ns),
        [TIME] = value_integer(number_subtract(step->end_ns, step->start_ns)),
        [FORWARD_TO_BACKWARD] = value_integer(between(step->forward_ns, step->backward_ns)),
        [REFRESH] = value_integer(between(step->backward_ns, step->end_ns)),
        [AUGMENTATION] = value_integer(step->augmentation_ns),
        [MODEL] = step->model_id == CANN_NO_ID ? value_none() : value_integer(step->model_id),
    };
    size_t reduces = (run->plan.column_count - LEADING) / 2;
    for (size_t i = 0; i < reduces && i < step->reduce_count; i++) {
        const struct cann_step_span *reduce = &steps->reduces[step->first_reduce + i];
        values[LEADING + 2 * i] = value_integer(reduce->start_ns);
        values[LEADING + 2 * i + 1] = value_integer(number_subtract(reduce->end_ns, reduce->start_ns));
    }
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    const struct cann_steps *steps = run->state;
    int status = 0;
    for (size_t i = 0; status == 0 && i < steps->count; i++)
        status = put_step(run, steps, &steps->items[i], err);
    return status;
}

const struct report report_step_trace = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of models by the marks that their tasks set, with the all-reduce operations of each.",
    .families = REPORT_OF(DB_FAMILY_CANN),
    .columns = columns,
    .state_size = sizeof(struct cann_steps),
    .open = open_steps,
    .close = close_steps,
    .rows = put_rows,
};
