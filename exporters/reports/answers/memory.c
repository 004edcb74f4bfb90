/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what copies moved, which calls of the host took and gave it back, how much operators moved, and how much was
 * in use at most. */
#include "analysis/gap_calls.h"
#include "base/array.h"
#include "exporters/load/answer.h"
#include "exporters/load/host_calls.h"
#include "exporters/table/report.h"

#include <stdlib.h>

/* NAN: not known. */
struct shown {
    const char *kind, *name;
    int64_t count;
    double time_ns, mb, mb_s;
};

static const struct report_column columns[] = {
    {"Kind", SHOWN(kind),
     .doc = "copy: by a device; call: of the host, that allocates, frees, or copies and waits; traffic: of an "
            "operator; in use: at most."},
    {"Count", SHOWN(count), .flags = REPORT_NUMBER, .doc = "How often."},
    {"Time(us)", SHOWN(time_ns), FORM_SCALED, 3, .doc = "How long all of them took."},
    {"Size(MB)", SHOWN(mb), FORM_SHORTEST, 3, .doc = "What all of them moved, or what was in use."},
    {"Bandwidth(MB/s)", SHOWN(mb_s), FORM_SHORTEST, 1, .doc = "Size by time."},
    {"Name", SHOWN(name), .doc = "The direction, function, operator or memory."},
    {.title = NULL},
};

enum kind { COPY, CALL, TRAFFIC, IN_USE };

struct item {
    enum kind kind;
    int64_t count;
    double time_ns, bytes; /* negative: not known */
    const char *name;
};
struct items {
    struct item *items;
    size_t count, capacity;
};

static int add_item(struct items *items, const struct item *item, struct err *err)
{
    int status = array_reserve(items, 1, err);

    if (status == 0)
        items->items[items->count++] = *item;
    return status;
}

static int by_kind_and_size(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int put_item(struct report_run *run, const struct item *item, struct err *err)
{
    static const char *const kinds[] = {"copy", "call", "traffic", "in use"};
    double megabytes = item->bytes / (1024 * 1024);
    const struct shown row = {
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
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        struct item item = {TRAFFIC, op->count, op->total_ns, op->read_bytes + op->write_bytes,
                            workload_text(workload, op->key.name)};
        if (op->key.work == WORK_COPY) {
            item.kind = COPY;
            item.bytes = op->copy_bytes;
        }
        if (op->count > 0 && (op->key.work == WORK_COPY || op->read_bytes >= 0))
            status = add_item(items, &item, err);
    }
    return status;
}

struct memory_calls {
    struct intern names;
    struct items calls; /* by name; bytes > 0: it is no such call */
};

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    struct memory_calls *memory = arg;
    int status = 0;

    while (status == 0 && memory->calls.count <= call->name) {
        bool is_one = is_memory_call(memory->names.items[memory->calls.count].bytes);
        status = add_item(&memory->calls, &(struct item){CALL, 0, 0, is_one ? -1 : 1, NULL}, err);
    }
    if (status != 0)
        return status;
    memory->calls.items[call->name].count++;
    memory->calls.items[call->name].time_ns += (double)interval_length(call->start_ns, call->end_ns);
    return 0;
}

static int add_calls(const struct memory_calls *memory, struct items *items, struct err *err)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < memory->calls.count; i++) {
        struct item item = memory->calls.items[i];
        item.name = memory->names.items[i].bytes;
        if (item.bytes < 0 && item.count > 0)
            status = add_item(items, &item, err);
    }
    return status;
}

/* The most that was in use, of the memory that the capture measured. */
static int add_in_use(struct report_session *session, struct items *items, struct err *err)
{
    static const struct {
        const char *sql, *name;
    } sums[] = {
        {"SELECT coalesce(max(ddr_bytes), -1) FROM npu_mem WHERE user <> 0", "DDR of the device"},
        {"SELECT coalesce(max(hbm_bytes), -1) FROM npu_mem WHERE user <> 0", "HBM of the device"},
        {"SELECT coalesce(max(ddr_bytes), -1) FROM npu_mem WHERE user = 0", "DDR of the application"},
        {"SELECT coalesce(max(hbm_bytes), -1) FROM npu_mem WHERE user = 0", "HBM of the application"},
    };
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof sums / sizeof *sums; i++) {
        int64_t bytes = -1;
        status = report_number(session, sums[i].sql, &bytes, err);
        if (status == 0 && bytes >= 0)
            status = add_item(items, &(struct item){IN_USE, 0, -1, (double)bytes, sums[i].name}, err);
    }
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct memory_calls memory = {.calls = {.items = NULL}};
    struct items items = {.items = NULL};
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = add_operators(&workload, &items, err);
    if (status == 0)
        status = host_calls_each(run->session->db, &memory.names, take_call, &memory, err);
    if (status == 0)
        status = add_calls(&memory, &items, err);
    if (status == 0)
        status = add_in_use(run->session, &items, err);
    if (status == 0)
        array_sort(items.items, items.count, sizeof *items.items, by_kind_and_size);
    for (size_t i = 0; status == 0 && i < items.count; i++)
        status = put_item(run, &items.items[i], err);
    free(items.items);
    free(memory.calls.items);
    intern_release(&memory.names);
    workload_release(&workload);
    return status;
}

const struct report report_memory = {
    .name = "memory",
    .title = "Memory",
    .doc = "Copies by direction, calls that allocate, free, or copy and wait, what operators move, and the most "
           "that was in use.",
    .needs = "copies, calls of the host, counters of memory, or its use",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
