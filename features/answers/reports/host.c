/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host by function: how long each took by itself, and how long devices waited meanwhile. */
#include "base/array.h"
#include "base/statistics.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/load/answer.h"
#include "features/answers/load/load.h"
#include "features/frameworks/reports/host_side.h"

#include <stdlib.h>

struct shown {
    struct call_time time;
    double share, p95_ns; /* share: of 10000 */
    const char *name;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Share of the self time of all calls."},
    {"Self(us)", SHOWN(time.self_ns), FORM_SCALED, 3, .doc = "The time of all calls without that of the calls inside."},
    {"Blocked(us)", SHOWN(time.blocked_ns), FORM_SCALED, 3, .doc = "Part of the total in which all devices were idle."},
    {"Total(us)", SHOWN(time.total_ns), FORM_SCALED, 3, .doc = "The time of all calls."},
    {"Count", SHOWN(time.series.n), .flags = REPORT_NUMBER, .doc = "Number of calls."},
    {"Median(us)", SHOWN(time.series.median), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "Median time of a call."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "95th percentile."},
    {"Longest(us)", SHOWN(time.series.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest call."},
    {"Function", SHOWN(name), .doc = "The function."},
    {.title = NULL},
};

struct ranked {
    const struct call_time *time;
    const char *name;
};

ARRAY_COMPARE(by_self, struct ranked, ARRAY_BY_MOST(time->self_ns), ARRAY_BY_TEXT(name))

static int put_function(struct report_run *run, const struct ranked *ranked, double self_ns, struct err *err)
{
    const struct call_time *time = ranked->time;
    const struct shown row = {.time = *time,
                              .share = self_ns > 0 ? time->self_ns / self_ns * 1e4 : 0,
                              .p95_ns = time->series.p95,
                              .name = ranked->name};
    return report_put(run, &row, err);
}

static int put_times(struct report_run *run, const struct host_calls *calls, struct err *err)
{
    const struct call_times *times = &calls->times;
    SCOPED_FREE struct ranked *ranked = scoped_memory(times->count + 1, sizeof *ranked);
    double self_ns = 0;
    size_t count = 0;
    int status = ranked != NULL ? 0 : err_no_memory(err);

    for (size_t i = 0; status == 0 && i < times->count; i++) {
        self_ns += times->items[i].self_ns;
        if (times->items[i].series.n > 0)
            ranked[count++] = (struct ranked){&times->items[i], calls->names.items[i].bytes};
    }
    if (status == 0)
        array_sort(ranked, count, sizeof *ranked, by_self);
    for (size_t i = 0; status == 0 && i < count; i++)
        status = put_function(run, &ranked[i], self_ns, err);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    SCOPED(workload_release) struct workload workload = {.borrowed = true};
    SCOPED(host_calls_release) struct host_calls own = {.gaps = NULL};

    if (answer_workload(run, WITHOUT_COUNTERS, &workload, err) < 0)
        return err_status(err);
    if (run->session->calls != NULL)
        return put_times(run, run->session->calls, err);
    if (host_calls_open(&own, &workload, NULL, true, err) < 0)
        return err_status(err);
    workload_release(&workload);
    return host_calls_load(run->session->db, &own, err) < 0 ? err_status(err) : put_times(run, &own, err);
}

const struct report report_api = {
    .name = "api",
    .title = "Calls of the host by self time",
    .doc = "Calls of the host by function, the largest self time first. Self time excludes inner calls; blocked is the "
           "part in which all devices were idle.",
    .needs = "calls of the host",
    .families = FAMILY_ANY,
    .shown_only = true,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};

/* Ranges: what a program says it does, how often and how long. */
#define SHOWN_RANGES(member) REPORT_FIELD(struct shown_ranges, member)
struct shown_ranges {
    struct series series;
    double p95_ns, period_ns; /* NAN: there is one only */
    const char *name;
};

static int put_range(struct report_run *run, struct named_times *times, size_t name, struct err *err)
{
    double period_ns = named_times_period_ns(times, name);
    struct shown_ranges row = {.period_ns = period_ns >= 0 ? period_ns : NAN, .name = times->names.items[name].bytes};

    if (series_of_durations(&row.series, &times->items[name].durations, err) < 0)
        return err_status(err);
    row.p95_ns = row.series.p95;
    row.series.total = times->items[name].total_ns;
    int status = report_put(run, &row, err);
    series_release(&row.series);
    return status;
}

static int put_rows_ranges(struct report_run *run, struct err *err)
{
    SCOPED(named_times_release) struct named_times times = {.items = NULL};
    SCOPED_FREE size_t *ranked = NULL;

    if (named_times_of_ranges(run->session->db, &times, err) < 0 || named_times_rank(&times, &ranked, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < times.count; i++)
        if (put_range(run, &times, ranked[i], err) < 0)
            return err_status(err);
    return 0;
}

const struct report report_ranges = {
    .name = "ranges",
    .title = "Ranges of the program by time",
    .doc = "Ranges that the program marks (msproftx), by message: count, time and distance. A repeated range can serve "
           "as the step of other tables: --step-range.",
    .needs = "ranges of the program (msproftx)",
    .families = FAMILY_ASCEND,
    .shown_only = true,
    .windowed = true,
    .columns =
        VALUE_LIST({"Total(us)", SHOWN_RANGES(series.total), FORM_SCALED, 3, .doc = "The time of all of this name."},
                   {"Count", SHOWN_RANGES(series.n), .flags = REPORT_NUMBER, .doc = "Count."},
                   {"Median(us)", SHOWN_RANGES(series.median), FORM_SCALED, 3, .doc = "Median."},
                   {"P95(us)", SHOWN_RANGES(p95_ns), FORM_SCALED, 3, .doc = "95th percentile."},
                   {"Longest(us)", SHOWN_RANGES(series.maximum), FORM_SCALED, 3, .doc = "The longest."},
                   {"Mean period(us)", SHOWN_RANGES(period_ns), FORM_SCALED, 3, .id = "mean_period",
                    .doc = "Mean time between the starts of consecutive ones."},
                   {"Range", SHOWN_RANGES(name), .doc = "The message."}),
    .rows = put_rows_ranges,
};
