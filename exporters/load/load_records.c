/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence of records that few rules of advice need: transfers, waits of a framework, memory, blocks. */
#include "exporters/load/load.h"

#include "base/map.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"
#include "exporters/communication/communication.h"
#include "exporters/reports/framework/host_side.h"

#include <stdlib.h>
#include <string.h>

/* ---- transfers ---- */

#define SMALL_BY_SDMA 16000000 /* below these a link does not reach its bandwidth */
#define SMALL_BY_RDMA 1000000
#define ALIGNED 512
#define BESIDE 0.5     /* share of an operator's time from which on computing ran beside it */
#define ALONE 0.1      /* share up to which it ran alone */
#define ENOUGH 1000000 /* bytes of an operator that mean its bandwidth */

struct loaded_operator {
    uint32_t name; /* without its number */
    double alone_bytes, alone_ns, beside_bytes, beside_ns, exposed_ns;
    int64_t beside, at_ns;
};

struct transfers {
    const struct workload *workload;
    struct records_evidence *records;
    struct computing {
        struct coverage ticks; /* since a moment of the device */
        int64_t since_ns;
        size_t cursor;
    } * computing; /* of each device */
    const struct cann_texts *texts;
    struct intern names;
    struct map operators; /* struct loaded_operator */
    uint32_t slowest;
};

static void add_sizes(struct transfer_evidence *sum, const struct collective_traffic *traffic, int64_t hz,
                      int64_t small)
{
    for (size_t i = 0; i < traffic->sizes.count; i++) {
        const struct collective_packets *packets = &traffic->sizes.items[i];
        const double ns = ticks_whole_ns(hz, packets->ticks);
        sum->count += packets->count;
        sum->ns += ns;
        sum->small += packets->bytes < small ? packets->count : 0;
        sum->small_ns += packets->bytes < small ? ns : 0;
        bool unaligned = packets->bytes > ALIGNED && packets->bytes % ALIGNED != 0;
        sum->unaligned += unaligned ? packets->count : 0;
        sum->unaligned_ns += unaligned ? ns : 0;
    }
}

static int name_of(struct transfers *all, const struct cann_communication *op, uint32_t *ret, struct err *err)
{
    char buffer[OPERATOR_NAME_SIZE];
    const char *text = cann_text(all->texts, op->name_id, 0).text;

    return intern_text(
        &all->names, text != NULL ? operator_unnumbered(text, op->kernel_row_id != DB_NULL, buffer) : "N/A", ret, err);
}

/* Adds an operator to those that ran alone or beside computing, by how much of its time operators ran. */
static int add_contention(struct transfers *all, const struct cann_communication *op, uint32_t name,
                          const struct collective_traffic *traffic, struct err *err)
{
    const size_t device = workload_device_of(all->workload, op->device_id);

    if (device == all->workload->device_count || traffic->bytes < ENOUGH || traffic->ticks <= 0 || op->duration_ns <= 0)
        return 0;
    struct computing *computing = &all->computing[device];
    const int64_t hz = all->workload->devices[device].hz, ticks = ticks_of(hz, op->duration_ns),
                  start = ticks_of(hz, number_subtract(op->start_ns, computing->since_ns)),
                  covered = coverage_within(&computing->ticks, start, number_add(start, ticks), &computing->cursor);
    const double share = ticks > 0 ? (double)covered / (double)ticks : 0;
    struct loaded_operator *sums = map_add(&all->operators, &name, NULL, err);
    if (sums == NULL)
        return err_status(err);
    if (share <= ALONE) {
        sums->alone_bytes += (double)traffic->bytes;
        sums->alone_ns += ticks_whole_ns(hz, traffic->ticks);
    } else if (share >= BESIDE) {
        sums->at_ns = sums->beside++ == 0 ? op->start_ns : sums->at_ns;
        sums->beside_bytes += (double)traffic->bytes;
        sums->beside_ns += ticks_whole_ns(hz, traffic->ticks);
        sums->exposed_ns += ticks_whole_ns(hz, ticks - covered);
    }
    return 0;
}

static int take_collective(void *arg, const struct cann_communication *op, const struct collective *collective,
                           const int64_t *task_rows, struct err *err)
{
    struct transfers *all = arg;
    uint32_t name;
    const struct collective_traffic *rdma = &collective->media[MEDIUM_RDMA];
    const struct collective_traffic *sdma = &collective->media[MEDIUM_SDMA];

    (void)task_rows;
    if (op->start_ns == DB_NULL || op->duration_ns == DB_NULL ||
        !workload_wants(all->workload, op->device_id, op->start_ns))
        return 0;
    if (name_of(all, op, &name, err) < 0)
        return err_status(err);
    static const enum collective_medium by_sdma[] = {MEDIUM_HCCS, MEDIUM_PCIE, MEDIUM_SIO, MEDIUM_SDMA};
    for (size_t i = 0; i < sizeof by_sdma / sizeof *by_sdma; i++)
        add_sizes(&all->records->sdma, &collective->media[by_sdma[i]], collective->hz, SMALL_BY_SDMA);
    add_sizes(&all->records->rdma, rdma, collective->hz, SMALL_BY_RDMA);
    const int64_t rdma_ns = collective_ns(collective, rdma->ticks);
    if (rdma_ns > all->records->slowest_ns) {
        all->records->slowest_ns = rdma_ns;
        all->records->slowest_at_ns = op->start_ns;
        all->slowest = name;
    }
    return add_contention(all, op, name, sdma, err);
}

/* Time that the operator could have had: what it took beside computing, by how much slower it was. */
static double lost_ns(const struct loaded_operator *op)
{
    if (op->alone_ns <= 0 || op->beside_ns <= 0 || op->alone_bytes <= 0)
        return -1;
    return op->beside_ns - op->beside_bytes * op->alone_ns / op->alone_bytes;
}

static int choose_contention(const struct transfers *all, struct host_evidence *ret, struct err *err)
{
    const struct loaded_operator *worst = NULL;

    for (const struct loaded_operator *it = NULL; (it = map_next(&all->operators, it)) != NULL;)
        if (lost_ns(it) >= 0 && (worst == NULL || lost_ns(it) > lost_ns(worst) ||
                                 (lost_ns(it) >= lost_ns(worst) && it->name < worst->name)))
            worst = it;
    if (worst == NULL)
        return 0;
    ret->records.contention = (struct contention_evidence){.alone = worst->alone_bytes / worst->alone_ns,
                                                           .beside = worst->beside_bytes / worst->beside_ns,
                                                           .beside_ns = worst->beside_ns,
                                                           .exposed_ns = worst->exposed_ns,
                                                           .count = worst->beside,
                                                           .at_ns = worst->at_ns};
    return intern_keep(&ret->texts, all->names.items[worst->name].bytes, &ret->records.contention.name, err);
}

static int load_transfers(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    SCOPED_FREE struct computing *computing = scoped_memory(workload->device_count + 1, sizeof *computing);
    struct cann_texts names;
    struct transfers all = {.workload = workload,
                            .records = &ret->records,
                            .computing = computing,
                            .texts = &names,
                            .operators = MAP_OF(struct loaded_operator, name)};
    int64_t any = 0;

    if (query_number(db, "SELECT EXISTS (SELECT 1 FROM communication_task)", &any, err) < 0 || !any)
        return err_status(err);
    if (computing == NULL)
        return err_no_memory(err);
    int status = cann_names_load(db, &names, err);
    if (status < 0)
        return status;
    for (uint16_t i = 0; status == 0 && i < workload->device_count; i++)
        status = coverage_of_computing_ticks(workload, i, &computing[i].ticks, &computing[i].since_ns, err);
    bool failed = status < 0 || collectives_each(db, &names, take_collective, &all, err) < 0 ||
                  choose_contention(&all, ret, err) < 0 ||
                  (all.records->slowest_ns > 0 && intern_keep(&ret->texts, all.names.items[all.slowest].bytes,
                                                              &ret->records.slowest_transfer, err) < 0);
    for (size_t i = 0; i < workload->device_count; i++)
        coverage_release(&computing[i].ticks);
    map_release(&all.operators);
    intern_release(&all.names);
    cann_texts_release(&names);
    return failed ? err_status(err) : 0;
}

/* ---- waits of a framework ---- */

struct waits {
    const struct workload *workload;
    struct wait_sums {
        struct intervals times;
        struct call_evidence *ret;
    } garbage, data;
};

static int take_wait(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct waits *waits = arg;
    int64_t start_ns = query_integer(row, 1), end_ns = query_integer(row, 2);
    struct wait_sums *sums = query_integer(row, 0) != 0 ? &waits->garbage : &waits->data;

    if (waits->workload->window.any &&
        (end_ns <= waits->workload->window.from_ns || start_ns >= waits->workload->window.until_ns))
        return 0;
    if (sums->ret->calls++ == 0 || start_ns < sums->ret->first_ns)
        sums->ret->first_ns = start_ns;
    return intervals_add(&sums->times, start_ns, end_ns, err);
}

static void sum_waits(struct wait_sums *sums, const struct coverage *idle)
{
    size_t cursor = 0;

    intervals_unite(&sums->times);
    sums->ret->ns = intervals_length(&sums->times);
    for (size_t i = 0; i < sums->times.count; i++)
        sums->ret->idle_ns +=
            coverage_within(idle, sums->times.items[i].start_ns, sums->times.items[i].end_ns, &cursor);
}

static int load_waits(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    SCOPED(coverage_release) struct coverage idle = {.before = NULL};
    struct waits waits = {.workload = workload, .garbage.ret = &ret->garbage, .data.ret = &ret->data};
    int64_t attached = 0;

    if (query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 || !attached)
        return err_status(err);
    ret->waits_known = true;
    bool failed = query_run(db, "SELECT name = '" FRAMEWORK_GARBAGE "', start_ns, end_ns FROM temp.framework_wait",
                            NULL, 0, take_wait, &waits, err) < 0 ||
                  coverage_of_idle(workload, &idle, err) < 0;
    if (!failed) {
        sum_waits(&waits.garbage, &idle);
        sum_waits(&waits.data, &idle);
    }
    intervals_release(&waits.garbage.times);
    intervals_release(&waits.data.times);
    return failed ? err_status(err) : 0;
}

/* ---- memory ---- */

static int take_memory(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct records_evidence *ret = arg;

    (void)err;
    ret->reserved_bytes = query_integer(row, 0);
    ret->allocated_bytes = query_integer(row, 1);
    return 0;
}

/* Finds the bytes that are held at a time, of the points of a device. */
static int64_t held_at(const struct memory_curve *curve, size_t from, size_t until, int64_t time_ns)
{
    int64_t bytes = 0;

    for (size_t i = from; i < until && curve->items[i].time_ns <= time_ns; i++)
        bytes = curve->items[i].bytes;
    return bytes;
}

static void follow_steps(const struct workload *workload, const struct memory_curve *curve,
                         struct records_evidence *ret)
{
    const size_t until = curve->count > 0 ? memory_curve_end(curve, 0) : 0;
    int64_t last = 0;

    ret->held_most = until > 0 ? curve->items[memory_curve_peak(curve, 0, until)].bytes : 0;
    for (size_t i = 0; until > 0 && i < workload->step_count; i++) {
        const struct workload_step *step = &workload->steps[i];
        if (step->source != workload->step_source || workload->devices[step->device].id != curve->items[0].device)
            continue;
        const int64_t held = held_at(curve, 0, until, step->end_ns);
        if (ret->held_steps++ == 0)
            ret->held_first = held;
        else
            ret->held_grew += held > last;
        ret->held_last = last = held;
    }
}

static int load_memory(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    SCOPED(intern_release) struct intern owners = {.items = NULL};
    struct memory_pieces pieces = {.items = NULL};
    struct memory_curve curve = {.items = NULL};
    bool failed = query_run(db,
                            "SELECT coalesce(max(reserved_bytes), 0), coalesce(max(allocated_bytes), 0)"
                            " FROM task_memory_info WHERE time_ns IS NOT NULL",
                            NULL, 0, take_memory, ret, err) < 0 ||
                  memory_load(db, &owners, &pieces, err) < 0 || memory_curve_make(&pieces, &curve, err) < 0;

    if (!failed)
        follow_steps(workload, &curve, ret);
    free(pieces.items);
    free(curve.items);
    return failed ? err_status(err) : 0;
}

/* ---- blocks ---- */

struct blocks {
    struct records_evidence *ret;
    int64_t key[5], end_ns; /* of the task's execution: its blocks run beside or behind each other */
    double longest_ns, sum_ns;
    int64_t count;
    const struct workload *workload;
};

static void end_task(struct blocks *blocks)
{
    if (blocks->count > 1) {
        blocks->ret->longest_block_ns += blocks->longest_ns;
        blocks->ret->mean_block_ns += blocks->sum_ns / (double)blocks->count;
        blocks->ret->block_tasks++;
    }
    blocks->longest_ns = blocks->sum_ns = 0;
    blocks->count = 0;
}

static int take_block(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct blocks *blocks = arg;
    const int64_t start_ns = query_integer(row, 5), duration_ns = query_integer(row, 6);
    int64_t key[5];

    (void)err;
    for (int i = 0; i < 5; i++)
        key[i] = query_integer(row, i);
    if (blocks->count > 0 && (memcmp(key, blocks->key, sizeof key) != 0 || start_ns > blocks->end_ns))
        end_task(blocks);
    memcpy(blocks->key, key, sizeof key);
    if (blocks->count == 0 || number_add(start_ns, duration_ns) > blocks->end_ns)
        blocks->end_ns = number_add(start_ns, duration_ns);
    const double length = ticks_exact_ns(workload_clock_hz(blocks->workload, key[0]), duration_ns);
    blocks->longest_ns = length > blocks->longest_ns ? length : blocks->longest_ns;
    blocks->sum_ns += length;
    blocks->count++;
    return 0;
}

static int load_blocks(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    struct blocks blocks = {.ret = ret, .workload = workload};
    const struct workload_window *window = &workload->window;
    const int64_t times[] = {window->any ? window->from_ns : INT64_MIN + 1, window->any ? window->until_ns : INT64_MAX};
    int status =
        query_run(db,
                  "SELECT device_id, stream_word, task_word, task_id, core_type, start_ns, duration_ns FROM block_pmu"
                  " WHERE duration_ns > 0 AND start_ns >= ?1 AND start_ns < ?2 ORDER BY 1, 2, 3, 4, 5, 6",
                  times, 2, take_block, &blocks, err);

    end_task(&blocks);
    return status;
}

int records_evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    return load_transfers(db, workload, ret, err) < 0 || load_waits(db, workload, &ret->records, err) < 0 ||
                   load_memory(db, workload, &ret->records, err) < 0 ||
                   load_blocks(db, workload, &ret->records, err) < 0
               ? err_status(err)
               : 0;
}
