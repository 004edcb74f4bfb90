/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: when a device does nothing between two executions, and what the host did meanwhile. */
#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/statistics.h"
#include "db/query/query_loop.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/load/answer.h"
#include "features/answers/load/load.h"

#include <stdlib.h>

struct shown {
    int64_t length_ns, start_ns, device;
    double covered; /* of 1000; NAN: by no call */
    const char *cause, *call, *before, *after;
};

static const struct report_column columns[] = {
    {"Length(us)", SHOWN(length_ns), FORM_SCALED, 3, .doc = "Length of the gap."},
    {"Start(us)", SHOWN(start_ns), FORM_TIME, .doc = "Start of the gap."},
    {"Device_id", SHOWN(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Cause", SHOWN(cause),
     .doc = "sync: a call that waits or copies covers at least half of it; host: else, a launch began inside of it; "
            "queue: neither; unknown: no calls were recorded."},
    {"Covered(%)", SHOWN(covered), FORM_SCALED, 1, .flags = REPORT_NARROW,
     .doc = "Share of the gap that the call covers."},
    {"Call", SHOWN(call),
     .doc = "The call of the host, collection of garbage or wait for data that covers most of it, a tenth at least."},
    {"Before", SHOWN(before), .doc = "The operator that ended."},
    {"After", SHOWN(after), .doc = "The operator that began."},
    {.title = NULL},
};

/* All that a row is made of. */
struct gap_table {
    struct report_run *run;
    const struct workload *workload;
    const struct host_calls *calls;
};

static int put_gap(const struct gap_table *table, size_t i, struct err *err)
{
    const struct workload *workload = table->workload;
    const struct gap *gap = &table->calls->gaps->items[i];
    const struct gap_call *call = &table->calls->gap_calls.items[i];
    const uint32_t shown_name = gap_calls_name(&table->calls->gap_calls, i);
    const char *name = shown_name != NO_TEXT ? table->calls->names.items[shown_name].bytes : NULL;
    int64_t length_ns = gap_exact_ns(workload, gap);
    const struct shown row = {
        .length_ns = length_ns,
        .start_ns = gap->start_ns,
        .device = workload->devices[workload->executions[gap->after].device].id,
        .covered = name != NULL ? (double)call->covered_ns / (double)length_ns * 1000 : NAN,
        .cause = gap_cause_name(gap_calls_cause(&table->calls->gap_calls, i, name)),
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
        int64_t dx = gap_length_ns(&table->calls->gaps->items[x.gap]);
        int64_t dy = gap_length_ns(&table->calls->gaps->items[y.gap]);
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
    size_t count = table->calls->gaps->count;
    struct ranked_gap *heap = large_new(count + 1, sizeof *heap, err);
    int status = 0;

    if (heap == NULL)
        return err_status(err);
    for (size_t i = 0; i < count; i++) {
        large_pass(i);
        heap[i] = (struct ranked_gap){(float)gap_length_ns(&table->calls->gaps->items[i]), (uint32_t)i};
    }
    for (size_t i = count / 2; i-- > 0;)
        sink(table, heap, count, i);
    while (status == 0 && count > 0 && !report_writer_is_full(&table->run->writer)) {
        status = put_gap(table, heap[0].gap, err);
        heap[0] = heap[--count];
        sink(table, heap, count, 0);
    }
    if (status == 0 && count > 0)
        report_writer_leave(&table->run->writer, count);
    large_free(heap);
    return status;
}

static int put_gaps(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED(gaps_release) struct gaps gaps = {.items = NULL};
    SCOPED(host_calls_release) struct host_calls own = {.gaps = NULL};
    struct gap_table table = {run, workload, run->session->calls != NULL ? run->session->calls : &own};

    if (table.calls == &own &&
        ((!workload->facts.placed && gaps_make(workload, &gaps, err) < 0) ||
         host_calls_open(&own, workload, &gaps, false, err) < 0 || host_calls_load(run->session->db, &own, err) < 0))
        return err_status(err);
    return put_all(&table, err);
}

const struct report report_gaps = {
    .name = "gaps",
    .title = "Gaps by length",
    .doc = "Idle times of a device between two tasks, the longest first, with the tasks before and after, the host "
           "call that covers most of it, and the cause. 'sync': a call that waits or copies covers at least half of "
           "it. 'host': otherwise, if a launch began in it, so the device waited for the host. 'queue': the next task "
           "was launched before the gap. 'unknown': no calls were recorded.",
    .needs = "two tasks of one device, and the times when they ran",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .of_workload = put_gaps,
};

/* Frequencies: at which of them tasks ran, and for how long. */
#define SHOWN_FREQUENCY(member) REPORT_FIELD(struct shown_frequency, member)
struct shown_frequency {
    struct frequency_use use;
    double share, below; /* of 10000; NAN: not known */
    double mean_khz;
    int64_t rated_mhz;
};

static int put_device(struct report_run *run, const struct frequency_uses *uses, size_t from, size_t until,
                      struct err *err)
{
    const struct frequency_mean mean = frequency_mean_of(uses, from, until);
    int status = 0;

    for (size_t i = from; status == 0 && i < until; i++) {
        const struct frequency_use *use = &uses->items[i];
        const struct shown_frequency row = {
            .use = *use,
            .share = mean.time_ns > 0 ? 1e4 * (use->time_ns / mean.time_ns) : 0,
            .below = mean.rated_mhz <= 0 ? NAN
                     : mean.time_ns > 0  ? 1e4 * (mean.below_ns / mean.time_ns)
                                         : 0,
            .mean_khz = 1e3 * mean.mhz,
            .rated_mhz = use->rated_mhz > 0 ? use->rated_mhz : DB_NULL,
        };
        status = report_put(run, &row, err);
    }
    return status;
}

static int put_frequencies(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct frequency_uses uses = {.items = NULL};
    int status = frequency_uses_load(run->session->db, workload, &uses, err);

    for (size_t from = 0, until; status == 0 && from < uses.count; from = until) {
        for (until = from; until < uses.count && uses.items[until].device_id == uses.items[from].device_id;)
            until++;
        status = put_device(run, &uses, from, until, err);
    }
    free(uses.items);
    return status;
}

const struct report report_frequency = {
    .name = "frequency",
    .title = "Frequencies of the AI cores",
    .doc = "Time of operators by frequency of the cores, with the mean frequency and the share below the rated one. An "
           "operator counts at the last frequency measured before its start. Idle time, waits, copies and the AI CPU "
           "do not count.",
    .needs = "measured frequencies of the AI cores",
    .families = FAMILY_ASCEND,
    .is_short = true,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Share(%)", SHOWN_FREQUENCY(share), FORM_SCALED, 2, .doc = "Share of the task time of the device."},
        {"Time(us)", SHOWN_FREQUENCY(use.time_ns), FORM_SCALED, 3,
         .doc = "Total time of tasks that began at this frequency."},
        {"Tasks", SHOWN_FREQUENCY(use.tasks), .flags = REPORT_NUMBER, .doc = "Number of these tasks."},
        {"Frequency(MHz)", SHOWN_FREQUENCY(use.mhz), .flags = REPORT_NUMBER,
         .doc = "The frequency that was measured last."},
        {"Rated(MHz)", SHOWN_FREQUENCY(rated_mhz), .flags = REPORT_NUMBER, .doc = "The rated one."},
        {"Device_id", SHOWN_FREQUENCY(use.device_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
        {"Mean(MHz)", SHOWN_FREQUENCY(mean_khz), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Mean of the device, weighted by the time of its tasks."},
        {"Below rated(%)", SHOWN_FREQUENCY(below), FORM_SCALED, 2, .flags = REPORT_NARROW,
         .doc = "Share of the time of the device's tasks below the rated frequency."}),
    .of_workload = put_frequencies,
};

/* Memory: what copies moved, which calls of the host took and gave it back, how much operators moved, and how much was
 * in use at most. */
/* NAN: not known. */
#define SHOWN_MEMORY(member) REPORT_FIELD(struct shown_memory, member)
struct shown_memory {
    const char *kind, *name;
    int64_t count;
    double time_ns, mb, mb_s;
};

enum kind { COPY, CALL, TRAFFIC, IN_USE };

struct item {
    enum kind kind;
    int64_t count;
    double time_ns, bytes; /* negative: not known */
    const char *name;
};
struct items ARRAY_OF(struct item);

static int add_item(struct items *items, const struct item *item, struct err *err)
{
    return array_add(items, err, *item);
}

ARRAY_COMPARE(by_kind_and_size, struct item, ARRAY_BY(kind), ARRAY_BY_MOST(bytes), ARRAY_BY_MOST(time_ns),
              ARRAY_BY_TEXT(name))

static int put_item(struct report_run *run, const struct item *item, struct err *err)
{
    static const char *const kinds[] = {"copy", "call", "traffic", "in use"};
    double megabytes = item->bytes / BYTES_OF_MB;
    const struct shown_memory row = {
        .kind = kinds[item->kind],
        .name = item->name,
        .count = item->count > 0 ? item->count : DB_NULL,
        .time_ns = item->time_ns >= 0 ? item->time_ns : NAN,
        .mb = item->bytes >= 0 ? megabytes : NAN,
        .mb_s = item->bytes >= 0 && item->time_ns > 0 ? megabytes / (item->time_ns / 1e9) : NAN,
    };
    return report_put(run, &row, err);
}

/* ---- where they come from ---- */

static int add_operators(const struct workload *workload, struct items *items, struct err *err)
{
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        struct item item = {TRAFFIC, op->count, op->total_ns, op->read_bytes + op->write_bytes,
                            workload_text(workload, op->key.name)};
        if (op->key.work == WORK_COPY) {
            item.kind = COPY;
            item.bytes = op->copy_bytes;
        }
        if (op->count > 0 && (op->key.work == WORK_COPY || op->read_bytes >= 0) && add_item(items, &item, err) < 0)
            return err_status(err);
    }
    return 0;
}

struct memory_calls {
    struct intern names;
    struct items calls; /* by name; bytes > 0: it is no such call */
};

static int take_call_memory(void *arg, const struct host_call *call, struct err *err)
{
    struct memory_calls *memory = arg;

    while (memory->calls.count <= call->name) {
        bool is_one = gap_call_is_memory(memory->names.items[memory->calls.count].bytes);
        if (add_item(&memory->calls, &(struct item){CALL, 0, 0, is_one ? -1 : 1, NULL}, err) < 0)
            return err_status(err);
    }
    if (call->communicates)
        return 0;
    memory->calls.items[call->name].count++;
    memory->calls.items[call->name].time_ns += host_call_length(call);
    return 0;
}

static int add_calls(const struct memory_calls *memory, struct items *items, struct err *err)
{
    for (size_t i = 0; i < memory->calls.count; i++) {
        struct item item = memory->calls.items[i];
        item.name = memory->names.items[i].bytes;
        if (item.bytes < 0 && item.count > 0 && add_item(items, &item, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* The most that was in use, of the memory that the capture measured. */
static int add_largest(struct report_session *session, struct items *items, struct err *err)
{
    static const struct {
        const char *sql, *name;
    } sums[] = {
        {"SELECT coalesce(max(ddr_bytes), -1) FROM npu_mem WHERE user <> 0", "DDR of the device"},
        {"SELECT coalesce(max(hbm_bytes), -1) FROM npu_mem WHERE user <> 0", "HBM of the device"},
        {"SELECT coalesce(max(ddr_bytes), -1) FROM npu_mem WHERE user = 0", "DDR of the application"},
        {"SELECT coalesce(max(hbm_bytes), -1) FROM npu_mem WHERE user = 0", "HBM of the application"},
    };

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        int64_t bytes = -1;
        if (query_number(session->db, sums[i].sql, &bytes, err) < 0 ||
            (bytes >= 0 && add_item(items, &(struct item){IN_USE, 0, -1, (double)bytes, sums[i].name}, err) < 0))
            return err_status(err);
    }
    return 0;
}

static int add_in_use(struct report_session *session, struct items *items, struct err *err)
{
    static const char *const measured[QUERY_NARROWED_MAX] = {"npu_mem"};
    struct query_window window;
    bool narrowed;

    if (query_window_read(session->db, &window, err) < 0 ||
        (window.any && query_window_narrow(session->db, &window, measured, &narrowed, err) < 0))
        return err_status(err);
    int status = add_largest(session, items, err);
    return window.any && query_window_widen(session->db, measured, err) < 0 ? err_status(err) : status;
}

static int put_memory(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct memory_calls memory = {.calls = {.items = NULL}};
    struct items items = {.items = NULL};
    bool failed = add_operators(workload, &items, err) < 0 ||
                  host_calls_each(run->session->db, &memory.names, take_call_memory, &memory, err) < 0 ||
                  add_calls(&memory, &items, err) < 0 || add_in_use(run->session, &items, err) < 0;

    if (!failed)
        array_sort(items.items, items.count, sizeof *items.items, by_kind_and_size);
    for (size_t i = 0; !failed && i < items.count; i++)
        failed = put_item(run, &items.items[i], err) < 0;
    free(items.items);
    free(memory.calls.items);
    intern_release(&memory.names);
    return failed ? err_status(err) : 0;
}

const struct report report_memory = {
    .name = "memory",
    .title = "Memory",
    .doc = "Copies by direction; calls that allocate, free, or copy and wait; bytes moved by operators; and the peak "
           "memory in use.",
    .needs = "copies, calls of the host, counters of memory, or its use",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Kind", SHOWN_MEMORY(kind),
         .doc = "copy: by a device; call: of the host, that allocates, frees, or copies and waits; traffic: of an "
                "operator; in use: at most."},
        {"Count", SHOWN_MEMORY(count), .flags = REPORT_NUMBER, .doc = "Count."},
        {"Time(us)", SHOWN_MEMORY(time_ns), FORM_SCALED, 3, .doc = "Total time."},
        {"Size(MB)", SHOWN_MEMORY(mb), FORM_SHORTEST, 3, .doc = "Amount that all of them moved, or that was in use."},
        {"Bandwidth(MB/s)", SHOWN_MEMORY(mb_s), FORM_SHORTEST, 1, .doc = "Size by time."},
        {"Name", SHOWN_MEMORY(name), .doc = "The direction, function, operator or memory."}),
    .of_workload = put_memory,
};

/* Communication operators: how long each, and how much of it nothing hides. */
struct communication {
    uint32_t op;
    double exposed_ns, total_ns; /* of whole ticks, not rounded */
    struct series series;
    struct durations durations;
};
#define SHOWN_COMMUNICATION(member) REPORT_FIELD(struct shown_communication, member)
struct shown_communication {
    struct communication item;
    double share;         /* of 10000 */
    double exposed_share; /* likewise */
    const char *type, *name;
};

ARRAY_COMPARE(by_total, struct communication, ARRAY_BY_MOST(series.total), ARRAY_BY(op))

/* Adds the executions of one device. */
static int add_device(const struct workload *workload, uint16_t device, struct communication *items, struct err *err)
{
    SCOPED(coverage_release) struct coverage computing;
    const int64_t hz = workload->devices[device].hz;
    size_t cursor = 0;
    int64_t since_ns;
    int status = coverage_of_computing_ticks(workload, device, &computing, &since_ns, err);

    for (size_t i = workload_first_at(workload, device, INT64_MIN); status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        struct communication *item = &items[execution->op];
        if (execution->device != device || workload->operators[execution->op].key.work != WORK_COMMUNICATION)
            continue;
        item->total_ns += workload_length(workload, execution);
        item->exposed_ns +=
            coverage_ticks_outside(&computing, hz, since_ns, execution->start_ns, execution->duration_ns, &cursor);
        status = statistics_durations_add(&item->durations, workload_length_ns(workload, execution),
                                          workload_rate(workload, execution), err);
    }
    return status;
}

static int put_item_communication(struct report_run *run, const struct workload *workload,
                                  const struct communication *item, double all_ns, struct err *err)
{
    const struct workload_key *key = &workload->operators[item->op].key;
    const struct series *series = &item->series;
    const struct shown_communication row = {
        .item = *item,
        .share = all_ns > 0 ? series->total / all_ns * 1e4 : 0,
        .exposed_share = series->total > 0 ? item->exposed_ns / series->total * 1e4 : 0,
        .type = workload_text(workload, key->type),
        .name = workload_text(workload, key->name),
    };
    return report_put(run, &row, err);
}

static int put_all_communication(struct report_run *run, const struct workload *workload, struct communication *items,
                                 struct err *err)
{
    double all_ns = 0;
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->device_count; i++)
        status = add_device(workload, (uint16_t)i, items, err);
    for (size_t i = 0; status == 0 && i < workload->operator_count; i++) {
        items[i].op = (uint32_t)i;
        status = series_of_durations(&items[i].series, &items[i].durations, err);
        items[i].series.total = items[i].total_ns;
        all_ns += items[i].total_ns;
    }
    if (status == 0)
        array_sort(items, workload->operator_count, sizeof *items, by_total);
    for (size_t i = 0; status == 0 && i < workload->operator_count; i++)
        if (items[i].series.n > 0)
            status = put_item_communication(run, workload, &items[i], all_ns, err);
    return status;
}

static int put_communication(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED_FREE struct communication *items = scoped_memory(workload->operator_count + 1, sizeof *items);
    int status = items != NULL ? put_all_communication(run, workload, items, err) : err_no_memory(err);

    for (size_t i = 0; items != NULL && i < workload->operator_count; i++) {
        series_release(&items[i].series);
        large_free(items[i].durations.items);
    }
    return status;
}

const struct report report_communication = {
    .name = "communication",
    .title = "Communication operators by time",
    .doc = "Communication operators with their exposed part, the largest total first.",
    .needs = "communication operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Share(%)", SHOWN_COMMUNICATION(share), FORM_SCALED, 2,
         .doc = "Share of the time of all communication operators."},
        {"Total(us)", SHOWN_COMMUNICATION(item.series.total), FORM_SCALED, 3, .doc = "The time of all executions."},
        {"Exposed(us)", SHOWN_COMMUNICATION(item.exposed_ns), FORM_SCALED, 3,
         .doc = "Time without computing on the device meanwhile."},
        {"Exposed share(%)", SHOWN_COMMUNICATION(exposed_share), FORM_SCALED, 2, .doc = "Its share of the total."},
        {"Count", SHOWN_COMMUNICATION(item.series.n), .flags = REPORT_NUMBER, .doc = "Number of executions."},
        {"Median(us)", SHOWN_COMMUNICATION(item.series.median), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "Median."},
        {"Longest(us)", SHOWN_COMMUNICATION(item.series.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW,
         .doc = "The longest execution."},
        {"Type", SHOWN_COMMUNICATION(type), .flags = REPORT_NARROW, .doc = "Kind of communication."},
        {"Name", SHOWN_COMMUNICATION(name), .doc = "The operator."}),
    .of_workload = put_communication,
};
