/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: when a device does nothing between two executions, and what the host did meanwhile. */
#include "analysis/gap_calls.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/load/host_calls.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    int64_t length_ns, start_ns, device;
    double covered; /* of 1000; NAN: by no call */
    const char *cause, *call, *before, *after;
};

static const struct report_column columns[] = {
    {"Length(us)", SHOWN(length_ns), FORM_SCALED, 3, .doc = "How long the device did nothing."},
    {"Start(us)", SHOWN(start_ns), FORM_TIME, .doc = "When that began."},
    {"Device_id", SHOWN(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Cause", SHOWN(cause),
     .doc = "host: a launch began inside of it; sync: a call that waits or copies covers at least half of it; queue: "
            "neither; unknown: no calls were recorded."},
    {"Covered(%)", SHOWN(covered), FORM_SCALED, 1, .flags = REPORT_NARROW, .doc = "How much of it the call covers."},
    {"Call", SHOWN(call), .doc = "The call of the host that covers most of it."},
    {"Before", SHOWN(before), .doc = "The operator that ended."},
    {"After", SHOWN(after), .doc = "The operator that began."},
    {.title = NULL},
};

/* All that a row is made of. */
struct gap_table {
    struct report_run *run;
    struct workload workload;
    struct gaps gaps;
    struct intern names;
    struct gap_calls calls;
};

static int put_gap(const struct gap_table *table, size_t i, struct err *err)
{
    const struct workload *workload = &table->workload;
    const struct gap *gap = &table->gaps.items[i];
    const struct gap_call *call = &table->calls.items[i];
    const char *name = call->name != NO_TEXT ? table->names.items[call->name].bytes : NULL;
    int64_t length_ns = gap_length_ns(gap);
    const struct shown row = {
        .length_ns = length_ns,
        .start_ns = gap->start_ns,
        .device = workload->devices[workload->executions[gap->after].device].id,
        .covered = name != NULL ? (double)call->covered_ns / (double)length_ns * 1000 : NAN,
        .cause = gap_cause_name(gap_calls_cause(&table->calls, i, name)),
        .call = name,
        .before = execution_name(workload, gap->before),
        .after = execution_name(workload, gap->after),
    };
    return report_put(table->run, &row, err);
}

/* A gap with its length beside it: sorting a million of them waits for memory, not for comparing. */
struct ranked_gap {
    float length_ns; /* exact below EXACT_NS, and never in another order than the lengths */
    uint32_t gap;
};
#define EXACT_NS ((float)(1 << 24))

/* The longest first; of equal ones the first. */
static bool stands_before(const struct gap_table *table, struct ranked_gap x, struct ranked_gap y)
{
    if (x.length_ns != y.length_ns)
        return x.length_ns > y.length_ns;
    if (x.length_ns >= EXACT_NS) {
        int64_t dx = gap_length_ns(&table->gaps.items[x.gap]);
        int64_t dy = gap_length_ns(&table->gaps.items[y.gap]);
        if (dx != dy)
            return dx > dy;
    }
    return x.gap < y.gap;
}

/* A heap: each item stands before the two below it. */
static void sink(const struct gap_table *table, struct ranked_gap *heap, size_t count, size_t at)
{
    const struct ranked_gap item = heap[at];
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && stands_before(table, heap[below + 1], heap[below]))
            below++;
        if (!stands_before(table, heap[below], item))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = item;
}

/* There may be a million of which twenty are wanted: only those that are put get into their order. */
static int put_all(struct gap_table *table, struct err *err)
{
    size_t count = table->gaps.count;
    struct ranked_gap *heap = malloc((count + 1) * sizeof *heap);
    int status = heap != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

    for (size_t i = 0; status == 0 && i < count; i++)
        heap[i] = (struct ranked_gap){(float)gap_length_ns(&table->gaps.items[i]), (uint32_t)i};
    for (size_t i = count / 2; status == 0 && i-- > 0;)
        sink(table, heap, count, i);
    while (status == 0 && count > 0 && !report_writer_is_full(&table->run->writer)) {
        status = put_gap(table, heap[0].gap, err);
        heap[0] = heap[--count];
        sink(table, heap, count, 0);
    }
    if (status == 0 && count > 0)
        report_writer_leave(&table->run->writer, count);
    free(heap);
    return status;
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    (void)err;
    gap_calls_take(arg, call);
    return 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct gap_table table = {.run = run};
    int status = answer_workload(run, WITHOUT_COUNTERS, &table.workload, err);

    if (status != 0)
        return status;
    if (!table.workload.facts.placed)
        status = gaps_make(&table.workload, &table.gaps, err);
    if (status == 0)
        status = gap_calls_open(&table.calls, &table.workload, &table.gaps, err);
    if (status == 0)
        status = host_calls_each(run->session->db, &table.names, take_call, &table.calls, err);
    if (status == 0)
        status = put_all(&table, err);
    gap_calls_release(&table.calls);
    intern_release(&table.names);
    gaps_release(&table.gaps);
    workload_release(&table.workload);
    return status;
}

const struct report report_gaps = {
    .name = "gaps",
    .title = "Gaps by length",
    .doc = "When a device does nothing between two tasks, the longest first: what ran before and behind, the "
           "call of the host that covers most of it, and the cause. 'host': a launch began inside of it, so the "
           "device waited for the host. 'sync': none did, and a call that waits or copies covers at least half "
           "of it. 'queue': what the device waited for was launched before. 'unknown': no calls were recorded.",
    .needs = "two tasks of one device, and the times when they ran",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
