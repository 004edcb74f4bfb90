/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host by function: how long each took by itself, and how long devices waited meanwhile. */
#include "analysis/call_times.h"
#include "base/array.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/load/host_calls.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    struct call_time time;
    struct series series;
    double share, p95_ns; /* share: of 10000 */
    const char *name;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of the self time of all calls."},
    {"Self(us)", SHOWN(time.self_ns), FORM_SCALED, 3, .doc = "The time of all calls without that of the calls inside."},
    {"Blocked(us)", SHOWN(time.blocked_ns), FORM_SCALED, 3, .doc = "How much of the total no device did anything."},
    {"Total(us)", SHOWN(time.total_ns), FORM_SCALED, 3, .doc = "The time of all calls."},
    {"Count", SHOWN(series.n), .flags = REPORT_NUMBER, .doc = "How often it was called."},
    {"Median(us)", SHOWN(series.median), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Half of the calls took no longer."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "19 of 20 calls took no longer."},
    {"Longest(us)", SHOWN(series.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest call."},
    {"Function", SHOWN(name), .doc = "Which function."},
    {.title = NULL},
};

struct ranked {
    struct call_time *time;
    const char *name;
};

static int by_self(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->time->self_ns != y->time->self_ns)
        return x->time->self_ns > y->time->self_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int put_function(struct report_run *run, const struct ranked *ranked, double self_ns, struct err *err)
{
    struct call_time *time = ranked->time;
    struct shown row = {.time = *time, .share = self_ns > 0 ? time->self_ns / self_ns * 1e4 : 0, .name = ranked->name};
    int status = series_make(&row.series, time->durations.items, time->durations.count, err);

    if (status != 0)
        return status;
    row.p95_ns = series_percentile(&row.series, 0.95);
    status = report_put(run, &row, err);
    series_release(&row.series);
    return status;
}

static int put_times(struct report_run *run, const struct call_times *times, const struct intern *names,
                     struct err *err)
{
    struct ranked *ranked = calloc(times->count + 1, sizeof *ranked);
    double self_ns = 0;
    size_t count = 0;
    int status = ranked != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

    for (size_t i = 0; status == 0 && i < times->count; i++) {
        self_ns += times->items[i].self_ns;
        if (times->items[i].durations.count > 0)
            ranked[count++] = (struct ranked){&times->items[i], names->items[i].bytes};
    }
    if (status == 0)
        array_sort(ranked, count, sizeof *ranked, by_self);
    for (size_t i = 0; status == 0 && i < count; i++)
        status = put_function(run, &ranked[i], self_ns, err);
    free(ranked);
    return status;
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    return call_times_take(arg, call, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct coverage idle;
    struct call_times times = {.idle = &idle};
    struct intern names = {.items = NULL};
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = coverage_of_idle(&workload, &idle, err);
    workload_release(&workload);
    if (status == 0)
        status = host_calls_each(run->session->db, &names, take_call, &times, err);
    if (status == 0)
        status = put_times(run, &times, &names, err);
    call_times_release(&times);
    coverage_release(&idle);
    intern_release(&names);
    return status;
}

const struct report report_api = {
    .name = "api",
    .title = "Calls of the host by self time",
    .doc = "Calls of the host by function, the largest self time first, which is that without the calls inside. "
           "Blocked is the time in which no device did anything meanwhile.",
    .needs = "calls of the host",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
