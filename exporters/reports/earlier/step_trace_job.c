/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace of captures of 2020: the iterations of a device by the points that it passed. */
#include "exporters/table/plan.h"
#include "exporters/table/steps.h"

static const struct report_column columns[] = {
    {"Iteration ID", .value = STEPS_ITERATION, .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    {"FP Start(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_FORWARD,
     .doc = "When forward propagation began (point 1)."},
    {"BP End(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_BACKWARD,
     .doc = "When backward propagation ended (point 2)."},
    {"Iteration End(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_END,
     .doc = "When the iteration ended (point 255)."},
    {"Iteration Time(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_TIME,
     .doc = "From the end of the iteration before, of the first from its forward propagation, to its end."},
    {"FP to BP Time(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_FORWARD_TO_BACKWARD,
     .doc = "Of that, both propagations."},
    {"Iteration Refresh(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_REFRESH,
     .doc = "What followed on backward propagation."},
    {"Data Aug Bound(us)", NULL, FORM_SCALED_FIXED, 3, .value = STEPS_INTERVAL,
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
