/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: what a program says it does, how often and how long. */
#include "analysis/compare/statistics.h"
#include "exporters/load/load_ranges.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    struct series series;
    double p95_ns, period_ns; /* NAN: there is one only */
    const char *name;
};

static const struct report_column columns[] = {
    {"Total(us)", SHOWN(series.total), FORM_SCALED, 3, .doc = "The time of all of this name."},
    {"Count", SHOWN(series.n), .flags = REPORT_NUMBER, .doc = "How many there are."},
    {"Median(us)", SHOWN(series.median), FORM_SCALED, 3, .doc = "Half of them took no longer."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .doc = "19 of 20 took no longer."},
    {"Longest(us)", SHOWN(series.maximum), FORM_SCALED, 3, .doc = "The longest."},
    {"Mean period(us)", SHOWN(period_ns), FORM_SCALED, 3, .id = "mean_period",
     .doc = "From the begin of one to that of the next, the mean."},
    {"Range", SHOWN(name), .doc = "The message."},
    {.title = NULL},
};

static int put_range(struct report_run *run, struct named_times *times, size_t name, struct err *err)
{
    double period_ns = named_times_period_ns(times, name);
    struct shown row = {.period_ns = period_ns >= 0 ? period_ns : NAN, .name = times->names.items[name].bytes};
    int status = series_make(&row.series, times->items[name].durations.items, times->items[name].durations.count, err);

    if (status != 0)
        return status;
    row.p95_ns = series_percentile(&row.series, 0.95);
    status = report_put(run, &row, err);
    series_release(&row.series);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct named_times times;
    int status = named_times_of_ranges(run->session->db, &times, err);
    size_t *ranked = NULL;

    if (status == 0)
        status = named_times_rank(&times, &ranked, err);
    for (size_t i = 0; status == 0 && i < times.count; i++)
        status = put_range(run, &times, ranked[i], err);
    free(ranked);
    named_times_release(&times);
    return status;
}

const struct report report_ranges = {
    .name = "ranges",
    .title = "Ranges of the program by time",
    .doc = "The ranges that a program marks (msproftx), by their message: how often, how long, and how far apart. "
           "One that repeats can be the step of other tables: --step-range.",
    .needs = "ranges of the program (msproftx)",
    .families = FAMILY_ASCEND,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
