/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of operators in bins of 1, 2, 5, 10 us and so on. */
#include "analysis/compare/statistics.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

struct shown {
    struct histogram_bin bin;
    int64_t share, until_ns; /* share: of 10000 */
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of all executions."},
    {"Count", SHOWN(bin.count), .flags = REPORT_NUMBER, .doc = "Executions in the bin."},
    {"Total(us)", SHOWN(bin.total_ns), FORM_SCALED, 3, .doc = "Their time."},
    {"From(us)", SHOWN(bin.from_ns), FORM_SCALED, 3, .doc = "They take this or longer."},
    {"Until(us)", SHOWN(until_ns), FORM_SCALED, 3, .doc = "And less than this."},
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
        const struct shown row = {
            .bin = *bin,
            .share = number_ratio(bin->count, all, 4),
            .until_ns = bin->until_ns == INT64_MAX ? DB_NULL : bin->until_ns,
        };
        if (bin->count > 0)
            status = report_put(run, &row, err);
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
