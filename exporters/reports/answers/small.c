/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of operators in bins of 1, 2, 5, 10 us and so on. */
#include "analysis/compare/statistics.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

enum { SHARE, COUNT, TOTAL, FROM, UNTIL, COLUMNS };

static const struct report_column columns[] = {
    [SHARE] = {"Share(%)", NULL, FORM_SCALED, 2, .doc = "Of all executions."},
    [COUNT] = {"Count", NULL, .flags = REPORT_NUMBER, .doc = "Executions in the bin."},
    [TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "Their time."},
    [FROM] = {"From(us)", NULL, FORM_SCALED, 3, .doc = "They take this or longer."},
    [UNTIL] = {"Until(us)", NULL, FORM_SCALED, 3, .doc = "And less than this."},
    {.title = NULL},
};

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct histogram histogram;
    int64_t all = 0;
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    histogram_init(&histogram);
    for (size_t i = 0; i < workload.execution_count; i++)
        if (work_computes(workload.operators[workload.executions[i].op].key.work)) {
            histogram_add(&histogram, workload.executions[i].duration_ns);
            all++;
        }
    workload_release(&workload);
    for (size_t i = 0; status == 0 && i < HISTOGRAM_BINS; i++) {
        const struct histogram_bin *bin = &histogram.bins[i];
        const struct report_value values[COLUMNS] = {
            [SHARE] = value_integer(number_ratio(bin->count, all, 4)),
            [COUNT] = value_integer(bin->count),
            [TOTAL] = value_integer(number_from_real(bin->total_ns)),
            [FROM] = value_integer(bin->from_ns),
            [UNTIL] = bin->until_ns == INT64_MAX ? value_none() : value_integer(bin->until_ns),
        };
        if (bin->count > 0)
            status = report_row(run, values, err);
    }
    return status;
}

const struct report report_small = {
    .name = "small",
    .title = "Durations of operators",
    .doc = "How many operators take how long.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
