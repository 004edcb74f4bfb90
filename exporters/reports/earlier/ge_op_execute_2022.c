/* SPDX-License-Identifier: Apache-2.0 */
/* ge_op_execute: what the host did for operators of dynamic shape, as Ascend's tool of 2022 has it. */
#include "base/number.h"
#include "db/query/operators/query_models.h"
#include "exporters/table/report.h"

struct shown {
    struct model_host_step step;
    int64_t duration_ns;
};

static const struct report_column columns[] = {
    {"Thread ID", SHOWN(step.thread_id), .flags = REPORT_NUMBER, .doc = "The thread."},
    {"OP Type", SHOWN(step.op_type), .doc = "The type of the operator."},
    {"Event Type", SHOWN(step.event), .doc = "What was done for it."},
    {"Start Time", SHOWN(step.start_ns), FORM_SCALED, 3, .unit = UNIT_NS, .doc = "When that began, in microseconds."},
    {"Duration(us)", SHOWN(duration_ns), FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it took."},
    {.title = NULL},
};

static int put_step(void *arg, const struct model_host_step *step, struct err *err)
{
    const struct shown row = {*step, number_subtract(step->end_ns, step->start_ns)};
    return report_put((struct report_run *)arg, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    return model_each_host_step(run->session->db, run->scope->device_id, put_step, run, err);
}

const struct report report_ge_op_execute_2022 = {
    .name = "ge_op_execute",
    .title = "Steps of the host for operators",
    .doc = "What the host did for operators of dynamic shape, when and how long.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .rows = put_rows,
};
