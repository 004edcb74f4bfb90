/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic of captures of 2020: time of operators by their type. */
#include "base/number.h"
#include "db/query/query_executions.h"
#include "exporters/table/report.h"

enum { TYPE, COUNT, TOTAL, MIN, MEAN, MAX, SHARE, COLUMNS };

static const struct report_column columns[] = {
    [TYPE] = {"OP Type", .doc = "The type of the operators."},
    [COUNT] = {"Count", .flags = REPORT_NUMBER, .doc = "How many there were."},
    [TOTAL] = {"Total Time(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "How long they ran together."},
    [MIN] = {"Min Time(us)", NULL, FORM_SCALED_FIXED, 3, .doc = "The shortest."},
    [MEAN] = {"Avg Time(us)", NULL, FORM_SCALED_FIXED, 3, .flags = REPORT_NARROW, .doc = "Their mean."},
    [MAX] = {"Max Time(us)", NULL, FORM_SCALED_FIXED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    [SHARE] = {"Ratio(%)", NULL, FORM_SCALED, 4, .doc = "Their share of the time of all operators."},
    {.title = NULL},
};

static int put_type(void *arg, const struct type_total *total, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [TYPE] = value_text(total->type),
        [COUNT] = value_integer(total->count),
        [TOTAL] = value_integer(total->total_ns),
        [MIN] = value_integer(total->min_ns),
        [MEAN] = value_integer(number_ratio(total->total_ns, total->count, 0)),
        [MAX] = value_integer(total->max_ns),
        [SHARE] = value_integer(number_ratio(total->total_ns, total->report_total_ns, 2 + 4)),
    };
    return report_row(arg, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    return execution_each_type(run->session->db, run->scope->device_id, put_type, run, err);
}

const struct report report_op_statistic_job = {
    .name = "op_statistic",
    .title = "Types of operators",
    .doc = "How often operators of each type ran on a device, and how long.",
    .families = FAMILY_JOB,
    .of_device = true,
    .columns = columns,
    .rows = put_rows,
};
