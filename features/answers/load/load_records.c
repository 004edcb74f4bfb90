/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence of records that few rules of advice need: transfers, waits of a framework, memory, blocks. */
#include "features/answers/load/load.h"

#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"
#include "features/communication/communication.h"
#include "features/frameworks/reports/host_side.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- transfers ---- */

#define SMALL_BY_SDMA 16000000 /* below these a link does not reach its bandwidth */
#define SMALL_BY_RDMA 1000000
#define ALIGNED 512
#define BESIDE 0.5     /* share of an operator's time from which on computing ran beside it */
#define ALONE 0.1      /* share up to which it ran alone */
#define ENOUGH 1000000 /* bytes of an operator that mean its bandwidth */

/* Transfers of one size over one kind of link. */
struct sized {
    struct { /* without padding: it is hashed */
        int64_t medium, bytes;
    } key;
    double moved_bytes, ns, exposed_ns;
};

struct loaded_operator {
    uint32_t name; /* without its number */
    int64_t rdma_runs;
    double rdma_ns; /* of all of them */
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
    struct map sizes;     /* struct sized */
    uint32_t slowest;
    double slowest_exposed_ns;
};

static bool is_unaligned(int64_t bytes)
{
    return bytes > ALIGNED && bytes % ALIGNED != 0;
}

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
        bool unaligned = is_unaligned(packets->bytes);
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

/* How much of a run of an operator nothing computed beside, in ticks. */
static int64_t exposed_ticks(struct transfers *all, size_t device, const struct cann_communication *op)
{
    struct computing *computing = &all->computing[device];
    const int64_t hz = all->workload->devices[device].hz, ticks = ticks_of(hz, op->start_ns, op->duration_ns),
                  start = ticks_of(hz, computing->since_ns, number_subtract(op->start_ns, computing->since_ns));
    return ticks - coverage_within(&computing->ticks, start, number_add(start, ticks), &computing->cursor);
}

/* Adds an operator to those that ran alone or beside computing, by how much of its time operators ran. */
static void add_contention(struct loaded_operator *sums, const struct cann_communication *op, int64_t hz,
                           int64_t exposed, const struct collective_traffic *traffic)
{
    const int64_t ticks = ticks_of(hz, op->start_ns, op->duration_ns);
    if (traffic->bytes < ENOUGH || traffic->ticks <= 0 || op->duration_ns <= 0)
        return;
    const double share = ticks > 0 ? (double)(ticks - exposed) / (double)ticks : 0;
    if (share <= ALONE) {
        sums->alone_bytes += (double)traffic->bytes;
        sums->alone_ns += ticks_whole_ns(hz, traffic->ticks);
    } else if (share >= BESIDE) {
        sums->at_ns = sums->beside++ == 0 ? op->start_ns : sums->at_ns;
        sums->beside_bytes += (double)traffic->bytes;
        sums->beside_ns += ticks_whole_ns(hz, traffic->ticks);
        sums->exposed_ns += ticks_whole_ns(hz, exposed);
    }
}

/* Adds the transfers of a run by size, with their share of what is exposed of it. */
static int add_sized(struct transfers *all, const struct collective *collective, double exposed_ns, struct err *err)
{
    double all_ns = 0;
    for (size_t medium = 0; medium < MEDIUM_LOCAL; medium++)
        all_ns += ticks_whole_ns(collective->hz, collective->media[medium].ticks);
    for (int64_t medium = 0; medium < MEDIUM_LOCAL; medium++) {
        const struct collective_sizes *sizes = &collective->media[medium].sizes;
        for (size_t i = 0; i < sizes->count; i++) {
            const struct collective_packets *packets = &sizes->items[i];
            const struct sized key = {.key = {medium, packets->bytes}};
            const double ns = ticks_whole_ns(collective->hz, packets->ticks);
            struct sized *sums = map_add(&all->sizes, &key.key, NULL, err);
            if (sums == NULL)
                return err_status(err);
            sums->moved_bytes += (double)packets->bytes * (double)packets->count;
            sums->ns += ns;
            sums->exposed_ns += all_ns > 0 ? fmin(exposed_ns * ns / all_ns, ns) : 0;
        }
    }
    return 0;
}

static void take_slowest(struct transfers *all, struct loaded_operator *sums, const struct cann_communication *op,
                         double exposed_ns, int64_t rdma_ns)
{
    sums->rdma_runs += rdma_ns > 0;
    sums->rdma_ns += (double)rdma_ns;
    if (rdma_ns <= all->records->slowest_ns)
        return;
    all->records->slowest_ns = rdma_ns;
    all->records->slowest_at_ns = op->start_ns;
    all->slowest = sums->name;
    all->slowest_exposed_ns = exposed_ns;
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
    const size_t device = workload_device_of(all->workload, op->device_id);
    struct loaded_operator *sums = map_add(&all->operators, &name, NULL, err);
    if (sums == NULL || device == all->workload->device_count)
        return err_status(err);
    const int64_t hz = all->workload->devices[device].hz, exposed = exposed_ticks(all, device, op);
    take_slowest(all, sums, op, ticks_whole_ns(hz, exposed), collective_ns(collective, rdma->ticks));
    add_contention(sums, op, hz, exposed, sdma);
    return add_sized(all, collective, ticks_whole_ns(hz, exposed), err);
}

/* ---- what transfers could save ---- */

#define PADDED(bytes) (((bytes) + ALIGNED - 1) / ALIGNED * ALIGNED)

static int64_t small_of(int64_t medium)
{
    return medium == MEDIUM_RDMA ? SMALL_BY_RDMA : SMALL_BY_SDMA;
}

/* Bytes of a nanosecond of large transfers over a kind of link; 0: there are none. */
static double large_rate(const struct map *sizes, int64_t medium)
{
    double bytes = 0, ns = 0;
    for (const struct sized *it = NULL; (it = map_next(sizes, it)) != NULL;) {
        if (it->key.medium != medium || it->key.bytes < small_of(medium))
            continue;
        bytes += it->moved_bytes;
        ns += it->ns;
    }
    return ns > 0 ? bytes / ns : 0;
}

/* The best of aligned transfers that are no larger than one of so many bytes when it is padded; 0: there are none. */
static double aligned_rate(const struct map *sizes, int64_t medium, int64_t bytes)
{
    double best = 0;
    for (const struct sized *it = NULL; (it = map_next(sizes, it)) != NULL;)
        if (it->key.medium == medium && it->key.bytes % ALIGNED == 0 && it->key.bytes <= PADDED(bytes) && it->ns > 0)
            best = fmax(best, it->moved_bytes / it->ns);
    return best;
}

/* Adds what the exposed part of transfers would be shorter at a rate. */
static void add_saved(const struct sized *sized, double rate, double *sum)
{
    if (rate <= 0 || sized->ns <= 0)
        return;
    *sum = fmax(*sum, 0) + sized->exposed_ns * fmax(1 - sized->moved_bytes / rate / sized->ns, 0);
}

/* Other runs of the same operator show how long the slowest should have taken. */
static double slowest_saves(const struct transfers *all)
{
    const struct loaded_operator *sums = map_get(&all->operators, &all->slowest);
    const double slowest_ns = (double)all->records->slowest_ns;
    if (sums == NULL || sums->rdma_runs < 2)
        return -1;
    return fmin(slowest_ns - (sums->rdma_ns - slowest_ns) / (double)(sums->rdma_runs - 1), all->slowest_exposed_ns);
}

static void find_savings(const struct transfers *all)
{
    const struct map *sizes = &all->sizes;
    struct records_evidence *ret = all->records;
    ret->slowest_saves_ns = slowest_saves(all);
    ret->sdma.small_saves_ns = ret->sdma.unaligned_saves_ns = -1;
    ret->rdma.small_saves_ns = ret->rdma.unaligned_saves_ns = -1;
    for (const struct sized *it = NULL; (it = map_next(sizes, it)) != NULL;) {
        struct transfer_evidence *kind = it->key.medium == MEDIUM_RDMA ? &ret->rdma : &ret->sdma;
        if (it->key.bytes < small_of(it->key.medium))
            add_saved(it, large_rate(sizes, it->key.medium), &kind->small_saves_ns);
        if (is_unaligned(it->key.bytes))
            add_saved(it, aligned_rate(sizes, it->key.medium, it->key.bytes), &kind->unaligned_saves_ns);
    }
}

/* ---- contention ---- */

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
                            .operators = MAP_OF(struct loaded_operator, name),
                            .sizes = MAP_OF(struct sized, key)};
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
    find_savings(&all);
    for (size_t i = 0; i < workload->device_count; i++)
        coverage_release(&computing[i].ticks);
    map_release(&all.operators);
    map_release(&all.sizes);
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

static int load_waits(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    struct waits waits = {.workload = workload, .garbage.ret = &ret->garbage, .data.ret = &ret->data};
    int64_t attached = 0;

    if (query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 || !attached)
        return err_status(err);
    ret->waits_known = true;
    bool failed = query_run(db, "SELECT name = '" FRAMEWORK_GARBAGE "', start_ns, end_ns FROM temp.framework_wait",
                            NULL, 0, take_wait, &waits, err) < 0 ||
                  call_evidence_sum(&ret->garbage, &waits.garbage.times, workload, err) < 0 ||
                  call_evidence_sum(&ret->data, &waits.data.times, workload, err) < 0;
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

/* Finds the bytes that are held at a time, of the first points, which are a device's. */
static int64_t held_at(const struct memory_curve *curve, size_t count, int64_t time_ns)
{
    const size_t behind =
        search_until(curve->items, count, sizeof *curve->items, offsetof(struct memory_point, time_ns), time_ns);
    return behind > 0 ? curve->items[behind - 1].bytes : 0;
}

/* When the host is done with a step: it launches what the device runs behind it. Hosts run ahead of devices by steps.
 */
static int64_t host_end_ns(const struct workload *workload, const struct launches *launches,
                           const struct workload_step *step)
{
    const size_t next = workload_first_at(workload, step->device, step->end_ns);
    const bool known = launches->of != NULL && next < workload->execution_count &&
                       workload->executions[next].device == step->device && launches->of[next] != LAUNCH_NONE;
    return known ? launches->calls[launches->of[next]].start_ns : step->end_ns;
}

static void follow_steps(const struct workload *workload, const struct launches *launches,
                         const struct memory_curve *curve, struct records_evidence *ret)
{
    const size_t until = curve->count > 0 ? memory_curve_end(curve, 0) : 0;
    int64_t last = 0;

    ret->held_most = until > 0 ? curve->items[memory_curve_peak(curve, 0, until)].bytes : 0;
    for (size_t i = 0; until > 0 && i < workload->step_count; large_pass(i++)) {
        const struct workload_step *step = &workload->steps[i];
        if (step->source != workload->step_source || workload->devices[step->device].id != curve->items[0].device)
            continue;
        const int64_t held = held_at(curve, until, host_end_ns(workload, launches, step));
        if (ret->held_steps++ == 0)
            ret->held_first = held;
        else
            ret->held_grew += held > last;
        ret->held_last = last = held;
    }
}

/* Launches are read where nobody has them yet. */
static int follow_memory(sqlite3 *db, const struct workload *workload, const struct launches *known,
                         const struct memory_curve *curve, struct records_evidence *ret, struct err *err)
{
    SCOPED(launches_release) struct launches own = {.calls = NULL};

    if (curve->count == 0)
        return 0;
    if (known == NULL && workload_load_launches(db, workload, &own, err) < 0)
        return err_status(err);
    follow_steps(workload, known != NULL ? known : &own, curve, ret);
    return 0;
}

static int load_memory(sqlite3 *db, const struct workload *workload, const struct launches *launches,
                       struct records_evidence *ret, struct err *err)
{
    SCOPED(intern_release) struct intern owners = {.items = NULL};
    struct memory_pieces pieces = {.items = NULL};
    struct memory_curve curve = {.items = NULL};
    bool failed = query_run(db,
                            "SELECT coalesce(max(reserved_bytes), 0), coalesce(max(allocated_bytes), 0)"
                            " FROM task_memory_info WHERE time_ns IS NOT NULL",
                            NULL, 0, take_memory, ret, err) < 0 ||
                  memory_load(db, &owners, &pieces, err) < 0 || memory_curve_make(&pieces, &curve, err) < 0 ||
                  follow_memory(db, workload, launches, &curve, ret, err) < 0;

    free(pieces.items);
    free(curve.items);
    return failed ? err_status(err) : 0;
}

/* ---- blocks ---- */

struct blocks {
    struct records_evidence *ret;
    int64_t key[5], end_ns; /* of the task's execution: its blocks run beside or behind each other */
    int64_t start_ns;       /* of the first of them */
    double longest_ns, sum_ns;
    int64_t count;
    const struct workload *workload;
};

/* The operator of the shortest execution of the device that holds all of the blocks; NO_TEXT: none does. */
static uint32_t operator_of(const struct blocks *blocks)
{
    const struct workload *workload = blocks->workload;
    const uint16_t device = workload_device_of(workload, blocks->key[0]);
    int64_t shortest_ns = INT64_MAX;
    uint32_t op = NO_TEXT;

    if (device == workload->device_count)
        return NO_TEXT;
    for (size_t i = workload_first_at(workload, device, blocks->start_ns + 1); i-- > 0;) {
        const struct execution *execution = &workload->executions[i];
        const int64_t end_ns = number_add(execution->start_ns, execution->duration_ns);
        if (execution->device != device || (op != NO_TEXT && end_ns < blocks->start_ns))
            break;
        if (work_computes(workload->operators[execution->op].key.work) && end_ns >= blocks->end_ns &&
            execution->duration_ns < shortest_ns) {
            shortest_ns = execution->duration_ns;
            op = execution->op;
        }
        if (end_ns < blocks->start_ns)
            break;
    }
    return op;
}

static void end_task(struct blocks *blocks)
{
    const uint32_t op = blocks->count > 1 && blocks->ret->uneven_ns != NULL ? operator_of(blocks) : NO_TEXT;
    if (op != NO_TEXT)
        blocks->ret->uneven_ns[op] += blocks->longest_ns - blocks->sum_ns / (double)blocks->count;
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
    blocks->start_ns = blocks->count == 0 ? start_ns : blocks->start_ns;
    if (blocks->count == 0 || number_add(start_ns, duration_ns) > blocks->end_ns)
        blocks->end_ns = number_add(start_ns, duration_ns);
    const double length = ticks_exact_ns(workload_clock_hz(blocks->workload, key[0]), start_ns, duration_ns);
    blocks->longest_ns = length > blocks->longest_ns ? length : blocks->longest_ns;
    blocks->sum_ns += length;
    blocks->count++;
    return 0;
}

static int load_blocks(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    struct blocks blocks = {.ret = ret, .workload = workload};
    const struct workload_window *window = &workload->window;
    const int64_t chosen[] = {window->any ? window->from_ns : INT64_MIN + 1, window->any ? window->until_ns : INT64_MAX,
                              window->any ? window->device_id : DB_NULL};
    ret->uneven_ns = calloc(workload->operator_count + 1, sizeof *ret->uneven_ns);
    if (ret->uneven_ns == NULL)
        return err_no_memory(err);
    int status =
        query_run(db,
                  "SELECT device_id, stream_word, task_word, task_id, core_type, start_ns, duration_ns FROM block_pmu"
                  " WHERE duration_ns > 0 AND start_ns >= ?1 AND start_ns < ?2 AND (?3 IS NULL OR device_id = ?3)"
                  " ORDER BY 1, 2, 3, 4, 5, 6",
                  chosen, 3, take_block, &blocks, err);

    end_task(&blocks);
    return status;
}

/* ---- cores that were sampled ---- */

static int take_cores(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct records_evidence *ret = arg;

    (void)err;
    ret->sampled_cores += query_integer(row, 0);
    ret->busiest_core_ns += sqlite3_column_double(row, 1);
    ret->mean_core_ns += sqlite3_column_double(row, 2);
    return 0;
}

#define CORES_OF(table, hz)                                                                                            \
    "SELECT count(*), max(cycles) * 1e9 / " hz ", avg(cycles) * 1e9 / " hz " FROM (SELECT device_id AS device,"        \
    " total(total_cycle) AS cycles FROM " table " WHERE core_id IS NOT NULL AND time_ns >= ?1 AND time_ns < ?2"        \
    " AND (?3 IS NULL OR device_id = ?3) GROUP BY device_id, core_id) JOIN capture_part p ON p.device_id = device "    \
    "AND NOT p.is_host WHERE " hz " > 0 GROUP BY device HAVING count(*) > 1"

/* A sample says how many cycles a core worked since the one before. */
static int load_cores(sqlite3 *db, const struct workload *workload, struct records_evidence *ret, struct err *err)
{
    const struct workload_window *window = &workload->window;
    const int64_t chosen[] = {window->any ? window->from_ns : INT64_MIN + 1, window->any ? window->until_ns : INT64_MAX,
                              window->any ? window->device_id : DB_NULL};

    return query_run(db, CORES_OF("aicore_pmu", "aic_hz") " UNION ALL " CORES_OF("aiv_pmu", "aiv_hz"), chosen, 3,
                     take_cores, ret, err);
}

int records_evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err)
{
    return load_transfers(db, workload, ret, err) < 0 || load_waits(db, workload, &ret->records, err) < 0 ||
                   load_memory(db, workload, ret->launches, &ret->records, err) < 0 ||
                   load_blocks(db, workload, &ret->records, err) < 0 || load_cores(db, workload, &ret->records, err) < 0
               ? err_status(err)
               : 0;
}
