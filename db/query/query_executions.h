/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of captures from before 2023 by the counter's ticks. As in query.h: no SQL above, no formatting below. Nothing
 * here keeps rows. */
#ifndef MSPROF_DB_QUERY_QUERY_EXECUTIONS_H
#define MSPROF_DB_QUERY_QUERY_EXECUTIONS_H

#include "base/err.h"
#include "db/query/query_cann.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Tasks that end after the one tick and not after the other. */
struct execution_range {
    int64_t device_id; /* DB_NULL: of tasks whose device is not known */
    int64_t after_tick, until_tick;
};

/* Whole tasks by start. ticks: CANN_TICKS, or with counters, or CANN_TICK_STREAMS. */
int execution_each(sqlite3 *db, const struct execution_range *range, enum cann_rows ticks,
                   int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err);
/* A task that copies asynchronously, in ticks, by start: it is no execution. */
struct device_copy {
    int64_t stream_id, task_id, receive_tick, start_tick, end_tick;
};
int device_copy_each(sqlite3 *db, const struct execution_range *range,
                     int (*each)(void *arg, const struct device_copy *copy, struct err *err), void *arg,
                     struct err *err);

/* One execution of an operator on the AI CPU as that measured it, by start. */
struct ai_cpu_run {
    int64_t start_ns, duration_ns;
    int64_t compute_ns, copy_ns; /* DB_NULL: not known */
    int64_t dispatch_ns, total_ns;
    int64_t op_name_id;
};
int ai_cpu_run_each(sqlite3 *db, const struct execution_range *range,
                    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err), void *arg, struct err *err);

/* Whether AI cores of a device counted, or, where they did not, vector cores. */
int execution_cores(sqlite3 *db, int64_t device_id, bool *ret_ai_cores, bool *ret_vector_cores, struct err *err);

/* Counts of a device's rows in a range. */
struct execution_counts {
    int64_t tasks, operators, copies;
};
int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err);

/* Devices with tasks, iterations or logs, ascending, in captures of 2020. */
int execution_each_device(sqlite3 *db, int (*each)(void *arg, int64_t device_id, struct err *err), void *arg,
                          struct err *err);

/* The end of one iteration of a model, by model and iteration. */
struct iteration_end {
    int64_t model_id, iteration, end_tick;
};
int iteration_each_end(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct iteration_end *end, struct err *err), void *arg,
                       struct err *err);

#endif
