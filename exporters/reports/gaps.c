/* Gaps: when a device does nothing between two executions. */
#include "analysis/splits.h"
#include "base/array.h"
#include "exporters/report/report.h"
#include "exporters/workload/load.h"

#include <stdlib.h>

enum { LENGTH, START, DEVICE, BEFORE, AFTER, COLUMNS };

static const struct report_column columns[] = {
    [LENGTH] = {"Length(us)", NULL, FORM_SCALED, 3, .doc = "How long the device did nothing."},
    [START] = {"Start(us)", NULL, FORM_TIME, .doc = "When that began."},
    [DEVICE] = {"Device_id", NULL, .flags = REPORT_NUMBER, .doc = "The device."},
    [BEFORE] = {"Before", .doc = "The operator that ended."},
    [AFTER] = {"After", .doc = "The operator that began."},
    {.title = NULL},
};

static int by_length(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    int64_t dx = interval_length(x->start_ns, x->end_ns), dy = interval_length(y->start_ns, y->end_ns);

    if (dx != dy)
        return dx > dy ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int put_gap(struct report_run *run, const struct workload *workload, const struct gap *gap, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [LENGTH] = value_integer(interval_length(gap->start_ns, gap->end_ns)),
        [START] = value_integer(gap->start_ns),
        [DEVICE] = value_integer(workload->devices[gap->device].id),
        [BEFORE] = value_text(workload_text(workload, workload->operators[gap->before].key.name)),
        [AFTER] = value_text(workload_text(workload, workload->operators[gap->after].key.name)),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct gaps gaps = {.items = NULL};
    int status = workload_load(run->session->db, &workload, err);

    if (status != 0)
        return status;
    if (!workload.facts.placed)
        status = gaps_make(&workload, &gaps, err);
    if (gaps.count > 0)
        array_sort(gaps.items, gaps.count, sizeof *gaps.items, by_length);
    for (size_t i = 0; status == 0 && i < gaps.count; i++)
        status = put_gap(run, &workload, &gaps.items[i], err);
    gaps_release(&gaps);
    workload_release(&workload);
    return status;
}

const struct report report_gaps = {
    .name = "gaps",
    .title = "Gaps by length",
    .doc = "When a device did nothing between two executions, the longest first.",
    .families = REPORT_OF_ALL,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
