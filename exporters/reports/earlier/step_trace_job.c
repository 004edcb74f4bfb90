/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace of captures of 2020: the iterations of a device by the points that it passed. */
#include "exporters/table/plan.h"
#include "exporters/table/steps.h"

static const struct report_column columns[] = {
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
     .doc = "Of that, both propagations."},
    {"Iteration Refresh(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED_FIXED, 3,
     .doc = "What followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, interval_ns), FORM_SCALED_FIXED, 3,
     .doc = "From the iteration's start to forward propagation."},
    {.title = NULL},
};

static int open_steps(struct report_run *run, struct err *err)
{
    static const struct steps_reduces stretches = {
        .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_SCALED_FIXED, .decimals = 3},
        .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED_FIXED, .decimals = 3},
        .most = REPORT_MAX_COLUMNS,
        .by_pair = true,
    };
    return steps_open(run, &stretches, err);
}

const struct report report_step_trace_job = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of a device, with what ran beside their propagations: a pair of columns for each pair of "
           "points.",
    .families = FAMILY_JOB,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct steps),
    .open = open_steps,
    .close = steps_close,
    .rows = steps_rows,
};
