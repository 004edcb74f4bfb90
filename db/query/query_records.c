/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_records.h"

#include "base/file/large.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/clocks.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- communication ---- */

static const struct query_field communication_fields[] = {
    QUERY_MEMBERS(struct cann_communication, "", id, device_id, name_id, type_id, group_name_id, group_id, algorithm_id,
                  data_type),
    QUERY_MEMBERS(struct cann_communication, "", count, relay, retry, rank_size, model_id, thread_id, connection_id,
                  host_start_ns),
    QUERY_MEMBERS(struct cann_communication, "", start_ns, duration_ns, all_duration_ns, kernel_row_id),
};
static const struct query_select communications = {QUERY_FIELDS(communication_fields)};

static int take_communication(void *arg, int64_t *row, struct err *err)
{
    struct cann_communications *ret = arg;
    if (large_reserve(ret, 1, err) < 0)
        return err_status(err);
    memcpy(&ret->items[ret->count++], row, sizeof *ret->items);
    return 0;
}

int cann_communications_load(sqlite3 *db, struct cann_communications *ret, struct err *err)
{
    struct query_scan *scan;
    *ret = (struct cann_communications){.items = NULL};
    if (query_scan_fields(db, &communications, NULL, "communication_op", sizeof *ret->items, &scan, err) < 0)
        return err_status(err);
    int status = query_scan(scan, INT64_MIN + 1, INT64_MAX, take_communication, ret, err);
    query_scan_free(scan);
    if (status < 0)
        cann_communications_release(ret);
    return status;
}

void cann_communications_release(struct cann_communications *list)
{
    large_free(list->items);
    *list = (struct cann_communications){.items = NULL};
}

static int take_connection(void *arg, int64_t *row, struct err *err)
{
    int64_t *last = arg;
    (void)err;
    *last = *row > *last ? *row : *last; /* DB_NULL is below all */
    return 0;
}

int cann_last_connection(sqlite3 *db, int64_t *ret, struct err *err)
{
    static const struct scan_column column = {"connection_id", 0, false};
    *ret = 0;
    return query_scan_all(db, "host_call", NULL, &column, 1, take_connection, ret, err);
}

static const struct query_field transfer_fields[] = {
    QUERY_MEMBERS(struct cann_transfer, "", task_row_id, op_id, type_id, master, group_name_id, plane_id, notify_id,
                  local_rank),
    QUERY_MEMBERS(struct cann_transfer, "", remote_rank, transport_type, link_type, rdma_type, data_type, bytes,
                  estimated_ns),
    QUERY_MEMBERS(struct cann_transfer, "", device_id, stream_id, task_id, context_id, start_ns, duration_ns),
};
enum { TASK_FIELDS = 6, OWN_FIELDS = sizeof transfer_fields / sizeof *transfer_fields - TASK_FIELDS };

static const struct query_select own_select = {.fields = transfer_fields, .field_count = OWN_FIELDS},
                                 task_select = {.fields = transfer_fields + OWN_FIELDS, .field_count = TASK_FIELDS},
                                 transfers_by_op = {
                                     QUERY_FIELDS(transfer_fields),
                                     .from = "FROM communication_task c JOIN device_task t ON t.id = c.task_row_id"
                                             " ORDER BY op_id, start_ns, c.id"};

struct transfer_loop {
    int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err);
    void *arg;
    struct cann_clocks clocks;
    struct query_scan *tasks;
    struct cann_transfer own;
};

static int give_with_task(void *arg, int64_t *row, struct err *err)
{
    struct transfer_loop *loop = arg;
    struct cann_transfer *transfer = (struct cann_transfer *)(void *)row;
    memcpy(transfer, &loop->own, offsetof(struct cann_transfer, device_id));
    transfer->hz = cann_clock_hz(&loop->clocks, transfer->device_id);
    return loop->each(loop->arg, transfer, err);
}

static int take_own(void *arg, int64_t *row, struct err *err)
{
    struct transfer_loop *loop = arg;
    int64_t id = *row;
    memcpy(&loop->own, row, sizeof loop->own);
    return id != INT64_MAX ? query_scan(loop->tasks, id, id + 1, give_with_task, loop, err) : 0;
}

int cann_each_transfer(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                       void *arg, struct err *err)
{
    struct transfer_loop loop = {.each = each, .arg = arg};
    struct query_scan *own = NULL;
    bool failed = cann_clocks_load(db, &loop.clocks, err) < 0 ||
                  query_scan_fields(db, &own_select, NULL, "communication_task", sizeof loop.own, &own, err) < 0 ||
                  query_scan_fields(db, &task_select, NULL, "device_task", sizeof loop.own, &loop.tasks, err) < 0 ||
                  query_scan(own, 1, INT64_MAX, take_own, &loop, err) != 0;
    query_scan_free(own);
    query_scan_free(loop.tasks);
    cann_clocks_release(&loop.clocks);
    return failed ? err_status(err) : 0;
}

static int give_transfer(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct transfer_loop *loop = arg;
    query_take(row, 0, transfers_by_op.fields, transfers_by_op.field_count, &loop->own);
    loop->own.hz = cann_clock_hz(&loop->clocks, loop->own.device_id);
    return loop->each(loop->arg, &loop->own, err);
}

int cann_each_transfer_by_op(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                             void *arg, struct err *err)
{
    struct transfer_loop loop = {.each = each, .arg = arg};
    int status = cann_clocks_load(db, &loop.clocks, err);
    if (status == 0)
        status = query_select(db, &transfers_by_op, NULL, 0, give_transfer, &loop, err);
    cann_clocks_release(&loop.clocks);
    return status;
}

/* ---- frequencies ---- */

static const struct query_field frequency_fields[] = {
    QUERY_MEMBERS(struct cann_frequency, "", device_id, time_ns, mhz, measured),
};
static const struct query_select frequencies = {QUERY_FIELDS(frequency_fields),
                                                .from = "FROM core_frequency_report ORDER BY device_id, time_ns"};

int cann_frequencies_load(sqlite3 *db, struct cann_frequencies *ret, struct err *err)
{
    *ret = (struct cann_frequencies){.items = NULL};
    int status = query_select_all(db, &frequencies, &ret->items, &ret->count, &ret->capacity, sizeof *ret->items, err);
    if (status < 0)
        cann_frequencies_release(ret);
    return status;
}

void cann_frequencies_release(struct cann_frequencies *list)
{
    free(list->items);
    *list = (struct cann_frequencies){.items = NULL};
}

static bool is_not_later(const void *item, const void *key)
{
    const struct cann_frequency *x = item, *y = key;
    return x->device_id < y->device_id || (x->device_id == y->device_id && x->time_ns <= y->time_ns);
}

const struct cann_frequency *cann_frequency_at(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns)
{
    const struct cann_frequency wanted = {.device_id = device_id, .time_ns = time_ns};
    size_t low = search_by(list->items, list->count, sizeof wanted, is_not_later, &wanted);
    const struct cann_frequency *last = low > 0 ? &list->items[low - 1] : NULL;
    return last != NULL && last->device_id == device_id && last->measured && last->mhz != DB_NULL ? last : NULL;
}

int64_t cann_frequency_hz(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns)
{
    const struct cann_frequency *last = cann_frequency_at(list, device_id, time_ns);
    return last != NULL && last->mhz > 0 ? number_multiply(last->mhz, 1000000) : 0;
}
