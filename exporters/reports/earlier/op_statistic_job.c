/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic of captures of 2020: time of operators by their type. */
#include "base/number.h"
#include "db/query/query_executions.h"
#include "exporters/table/report.h"

struct shown {
    struct type_total total;
    int64_t mean_ns, share; /* share: of 10^6 */
};

static const struct report_column columns[] = {
    {"OP Type", SHOWN(total.type), .doc = "The type of the operators."},
    {"Count", SHOWN(total.count), .flags = REPORT_NUMBER, .doc = "How many there were."},
    {"Total Time(us)", SHOWN(total.total_ns), FORM_SCALED_FIXED, 3, .doc = "How long they ran together."},
    {"Min Time(us)", SHOWN(total.min_ns), FORM_SCALED_FIXED, 3, .doc = "The shortest."},
    {"Avg Time(us)", SHOWN(mean_ns), FORM_SCALED_FIXED, 3, .flags = REPORT_NARROW, .doc = "Their mean."},
    {"Max Time(us)", SHOWN(total.max_ns), FORM_SCALED_FIXED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Ratio(%)", SHOWN(share), FORM_SCALED, 4, .doc = "Their share of the time of all operators."},
    {.title = NULL},
};

static int put_type(void *arg, const struct type_total *total, struct err *err)
{
    const struct shown row = {*total, number_ratio(total->total_ns, total->count, 0),
                              number_ratio(total->total_ns, total->report_total_ns, 2 + 4)};
    return report_put((struct report_run *)arg, &row, err);
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
