/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace: the iterations of models. */
#include "exporters/table/plan.h"
#include "exporters/table/steps.h"

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
     .doc = "Of that, both propagations."},
    {"Iteration Refresh(us)", REPORT_FIELD(struct steps_row, refresh_ns), FORM_SCALED, 3,
     .doc = "What followed on backward propagation."},
    {"Data Aug Bound(us)", REPORT_FIELD(struct steps_row, step.augmentation_ns), FORM_SCALED, 3,
     .doc = "From the end of the iteration before to forward propagation."},
    {"Model ID", REPORT_FIELD(struct steps_row, known_model), .flags = REPORT_NUMBER, .doc = "The model."},
    {.title = NULL},
};

static int open_steps(struct report_run *run, struct err *err)
{
    static const struct steps_reduces reduces = {
        .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_TIME},
        .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
        .most = REPORT_MAX_COLUMNS,
    };
    return steps_open(run, &reduces, err);
}

const struct report report_step_trace = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of models by the marks that their tasks set, with the all-reduce operations of each.",
    .families = FAMILY_CANN,
    .columns = columns,
    .state_size = sizeof(struct steps),
    .open = open_steps,
    .close = steps_close,
    .rows = steps_rows,
};
