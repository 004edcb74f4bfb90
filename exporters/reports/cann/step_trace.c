/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace: the iterations of models. */
#include "exporters/table/plan.h"
#include "exporters/table/steps.h"

static const struct report_column columns[] = {
    [STEPS_DEVICE] = {"Device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [STEPS_ITERATION] = {"Iteration ID", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    [STEPS_FORWARD] = {"FP Start(us)", NULL, FORM_TIME, .doc = "When forward propagation began, since 1970."},
    [STEPS_BACKWARD] = {"BP End(us)", NULL, FORM_TIME, .doc = "When backward propagation ended, since 1970."},
    [STEPS_END] = {"Iteration End(us)", NULL, FORM_TIME, .doc = "When the iteration ended, since 1970."},
    [STEPS_TIME] = {"Iteration Time(us)", NULL, FORM_SCALED, 3, .doc = "How long it took."},
    [STEPS_FORWARD_TO_BACKWARD] = {"FP to BP Time(us)", NULL, FORM_SCALED, 3, .doc = "Of that, both propagations."},
    [STEPS_REFRESH] = {"Iteration Refresh(us)", NULL, FORM_SCALED, 3, .doc = "What followed on backward propagation."},
    [STEPS_AUGMENTATION] = {"Data Aug Bound(us)", NULL, FORM_SCALED, 3,
                            .doc = "From the end of the iteration before to forward propagation."},
    [STEPS_MODEL] = {"Model ID", .value = STEPS_KNOWN_MODEL, .flags = REPORT_NUMBER, .doc = "The model."},
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
