/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges: what a program says it does, how often and how long. */
#include "analysis/compare/statistics.h"
#include "exporters/load/load_ranges.h"
#include "exporters/table/report.h"

#include <stdlib.h>

enum { TOTAL, COUNT, MEDIAN, P95, LONGEST, PERIOD, NAME, COLUMNS };

static const struct report_column columns[] = {
    [TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "The time of all of this name."},
    [COUNT] = {"Count", NULL, .flags = REPORT_NUMBER, .doc = "How many there are."},
    [MEDIAN] = {"Median(us)", NULL, FORM_SCALED, 3, .doc = "Half of them took no longer."},
    [P95] = {"P95(us)", NULL, FORM_SCALED, 3, .doc = "19 of 20 took no longer."},
    [LONGEST] = {"Longest(us)", NULL, FORM_SCALED, 3, .doc = "The longest."},
    [PERIOD] = {"Mean period(us)", NULL, FORM_SCALED, 3, .id = "mean_period",
                .doc = "From the begin of one to that of the next, the mean."},
    [NAME] = {"Range", .doc = "The message."},
    {.title = NULL},
};

static int put_range(struct report_run *run, struct named_times *times, size_t name, struct err *err)
{
    struct series series;
    int status = series_make(&series, times->items[name].durations.items, times->items[name].durations.count, err);
    double period_ns = named_times_period_ns(times, name);

    if (status != 0)
        return status;
    const struct report_value values[COLUMNS] = {
        [TOTAL] = value_rounded(series.total),
        [COUNT] = value_integer(series.n),
        [MEDIAN] = value_rounded(series.median),
        [P95] = value_rounded(series_percentile(&series, 0.95)),
        [LONGEST] = value_rounded(series.maximum),
        [PERIOD] = period_ns >= 0 ? value_rounded(period_ns) : value_none(),
        [NAME] = value_text(times->names.items[name].bytes),
    };
    status = report_row(run, values, err);
    series_release(&series);
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
