/* SPDX-License-Identifier: Apache-2.0 */
/* ge_op_execute: what the host did for operators of dynamic shape, as Ascend's tool of 2022 has it. */
#include "base/number.h"
#include "db/query/operators/query_models.h"
#include "exporters/table/report.h"

enum { THREAD, TYPE, EVENT, START, DURATION, COLUMNS };

static const struct report_column columns[] = {
    [THREAD] = {"Thread ID", .flags = REPORT_NUMBER, .doc = "The thread."},
    [TYPE] = {"OP Type", .doc = "The type of the operator."},
    [EVENT] = {"Event Type", .doc = "What was done for it."},
    [START] = {"Start Time", NULL, FORM_SCALED, 3, .unit = UNIT_NS, .doc = "When that began, in microseconds."},
    [DURATION] = {"Duration(us)", NULL, FORM_SCALED, 3, .unit = UNIT_NS, .doc = "How long it took."},
    {.title = NULL},
};

static int put_step(void *arg, const struct model_host_step *step, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [THREAD] = value_integer(step->thread_id),
        [TYPE] = value_text(step->op_type),
        [EVENT] = value_text(step->event),
        [START] = value_integer(step->start_ns),
        [DURATION] = value_integer(number_subtract(step->end_ns, step->start_ns)),
    };
    return report_row(arg, values, err);
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
