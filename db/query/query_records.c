/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_records.h"

#include "base/number.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

#include <stdlib.h>

/* ---- communication ---- */

static const struct query_field communication_fields[] = {
    QUERY_MEMBERS(struct cann_communication, "", id, device_id, name_id, type_id, group_name_id, group_id, algorithm_id,
                  data_type),
    QUERY_MEMBERS(struct cann_communication, "", count, relay, retry, rank_size, model_id, thread_id, connection_id,
                  host_start_ns),
    QUERY_MEMBERS(struct cann_communication, "", start_ns, duration_ns, all_duration_ns),
};
static const struct query_select communications = {QUERY_FIELDS(communication_fields),
                                                   .from = "FROM communication_op ORDER BY id"};

int cann_communications_load(sqlite3 *db, struct cann_communications *ret, struct err *err)
{
    *ret = (struct cann_communications){.items = NULL};
    int status =
        query_select_all(db, &communications, &ret->items, &ret->count, &ret->capacity, sizeof *ret->items, err);
    if (status < 0)
        cann_communications_release(ret);
    return status;
}

void cann_communications_release(struct cann_communications *list)
{
    free(list->items);
    *list = (struct cann_communications){.items = NULL};
}

int cann_last_connection(sqlite3 *db, int64_t *ret, struct err *err)
{
    return query_number(db, "SELECT max(connection_id) FROM host_call", ret, err);
}

static const struct query_field transfer_fields[] = {
    QUERY_MEMBERS(struct cann_transfer, "c.", task_row_id, op_id, type_id, master, group_name_id, plane_id, notify_id,
                  local_rank),
    QUERY_MEMBERS(struct cann_transfer, "c.", remote_rank, transport_type, link_type, rdma_type, data_type, bytes,
                  estimated_ns),
    QUERY_MEMBERS(struct cann_transfer, "t.", device_id, stream_id, task_id, context_id, start_ns, duration_ns),
};

#define TRANSFERS "FROM communication_task c JOIN device_task t ON t.id = c.task_row_id"
static const struct query_select transfers = {QUERY_FIELDS(transfer_fields), .from = TRANSFERS " ORDER BY c.id"},
                                 transfers_by_op = {QUERY_FIELDS(transfer_fields),
                                                    .from = TRANSFERS " ORDER BY c.op_id, t.start_ns, c.id"};

QUERY_GIVE(transfer, struct cann_transfer, transfer_fields)

int cann_each_transfer(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                       void *arg, struct err *err)
{
    struct transfer_loop loop = {each, arg};
    return query_select(db, &transfers, NULL, 0, give_transfer, &loop, err);
}

int cann_each_transfer_by_op(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                             void *arg, struct err *err)
{
    struct transfer_loop loop = {each, arg};
    return query_select(db, &transfers_by_op, NULL, 0, give_transfer, &loop, err);
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

const struct cann_frequency *cann_frequency_at(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns)
{
    size_t low = 0, high = list->count;
    while (low < high) { /* the first that is later */
        size_t middle = (low + high) / 2;
        const struct cann_frequency *item = &list->items[middle];
        if (item->device_id < device_id || (item->device_id == device_id && item->time_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct cann_frequency *last = low > 0 ? &list->items[low - 1] : NULL;
    return last != NULL && last->device_id == device_id && last->measured && last->mhz != DB_NULL ? last : NULL;
}

int64_t cann_frequency_hz(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns)
{
    const struct cann_frequency *last = cann_frequency_at(list, device_id, time_ns);
    return last != NULL && last->mhz > 0 ? number_multiply(last->mhz, 1000000) : 0;
}
