/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace: the iterations of models by the step marks of the device, as Ascend's tool of 2022 has them. */
#include "exporters/table/steps.h"

#define MOST_COLUMNS 48

static const struct report_column columns[] = {
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
     .doc = "Of that, both propagations."},
    {"Grad Refresh Bound(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED, 3,
     .doc = "What followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, step.augmentation_ns), FORM_SCALED, 3,
     .doc = "From the end of the iteration before to forward propagation."},
    {"Model ID", REPORT_FIELD(struct steps_row, step.model_id), .flags = REPORT_NUMBER, .doc = "The model."},
    {.title = NULL},
};

static int open_steps(struct report_run *run, struct err *err)
{
    static const struct steps_reduces reduces = {
        .start = {"Reduce Start", .id = "reduce_start", .flags = REPORT_NUMBER},
        .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
        .most = MOST_COLUMNS,
    };
    return steps_open(run, &reduces, err);
}

const struct report report_step_trace_2022 = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "All iterations of a device, whichever is reported, with the all-reduce operations of each.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct steps),
    .open = open_steps,
    .close = steps_close,
    .rows = steps_rows,
};
