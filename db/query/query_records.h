/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of the exporters of new CANN captures to the tables with few rows: communication, step marks, frequencies.
 * As in query_cann.h. */
#ifndef MSPROF_DB_QUERY_QUERY_RECORDS_H
#define MSPROF_DB_QUERY_QUERY_RECORDS_H

#include "base/array.h"
#include "base/err.h"
#include "base/search.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* One run of a communication operator; texts are ids of names. */
struct cann_communication {
    int64_t id, device_id, name_id, type_id, group_name_id, group_id, algorithm_id, data_type, count, relay, retry,
        rank_size;
    int64_t model_id, thread_id, connection_id, host_start_ns, start_ns, duration_ns, all_duration_ns;
    int64_t kernel_row_id; /* of the kernel on the AI CPU that it is; DB_NULL: the host launched its tasks */
};
/* All of them, by device and start. */
struct cann_communications ARRAY_OF(struct cann_communication);
int cann_communications_load(sqlite3 *db, struct cann_communications *ret, struct err *err);
void cann_communications_release(struct cann_communications *list);
/* The place of an operator by its id; SIZE_MAX: it is not among them, because it is hidden (db/warm_up.h), or the
 * database was changed. */
static inline size_t cann_communication_place(const struct cann_communications *list, int64_t id)
{
    const size_t place =
        search_from(list->items, list->count, sizeof *list->items, offsetof(struct cann_communication, id), id);
    return place < list->count && list->items[place].id == id ? place : SIZE_MAX;
}

/* A task of a communication operator, with when it ran. */
struct cann_transfer {
    int64_t task_row_id, op_id, type_id, master, group_name_id, plane_id, notify_id, local_rank, remote_rank;
    int64_t transport_type, link_type, rdma_type, data_type, bytes, estimated_ns;
    int64_t device_id, stream_id, task_id, context_id, start_ns, duration_ns;
    int64_t hz; /* rate (base/ticks.h) of the clock of its times */
};
/* In the order of the tasks. */
int cann_each_transfer(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                       void *arg, struct err *err);
/* Gives them by operator, and by start within one. */
int cann_each_transfer_by_op(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                             void *arg, struct err *err);

/* The largest number of a connection; 0: there is none. */
int cann_last_connection(sqlite3 *db, int64_t *ret, struct err *err);

/* From when on the AI cores of a device run at a frequency. */
struct cann_frequency {
    int64_t device_id, time_ns, mhz;
    int64_t measured; /* 0: only the configuration says so */
};
/* Frequencies of all devices, by device and time: at the start of the collection, at every change, and at its end. */
struct cann_frequencies ARRAY_OF(struct cann_frequency);
int cann_frequencies_load(sqlite3 *db, struct cann_frequencies *ret, struct err *err);
void cann_frequencies_release(struct cann_frequencies *list);
/* The last that was measured of a device at a time or before; NULL: none was. */
const struct cann_frequency *cann_frequency_at(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns);
/* The measured frequency of a device at a time; 0: it was not measured. */
int64_t cann_frequency_hz(const struct cann_frequencies *list, int64_t device_id, int64_t time_ns);

extern const struct value_name hccl_data_types[], hccl_link_types[], hccl_transport_types[], hccl_rdma_types[];
/* Values of hccl lists that are no type: not known, not given. */
#define HCCL_NOT_GIVEN 65534
#define HCCL_INVALID 65535

/* The tables of the unified database that hold names. */
struct enum_table {
    const char *table;
    const struct value_name *names; /* NULL ends the list */
};
extern const struct enum_table enum_names_tables[];

#endif
