/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of tasks in captures from before 2023, with what the reports of that era need beside device_task: the
 * counter's ticks. As in query.h: no SQL above, no formatting below. Nothing here keeps rows. */
#ifndef MSPROF_DB_QUERY_QUERY_EXECUTIONS_H
#define MSPROF_DB_QUERY_QUERY_EXECUTIONS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define EXECUTION_COUNTERS 8
#define EXECUTION_TENSOR_TEXTS 6

struct execution {
    int64_t device_id, stream_id, task_id, type; /* type: as the device says, 0 AI core, 1 AI CPU */
    int64_t start_ns, duration_ns;
    int64_t wait_tick, pending_tick; /* DB_NULL: did not happen */
    int64_t start_tick, end_tick;
    const char *op_name, *op_type;               /* NULL: nothing names the task */
    int64_t op_task_type, model_id, block_num;   /* of the operator; model DB_NULL: of none */
    const char *launch;                          /* the runtime's function that launched it */
    int64_t counted_blocks;                      /* DB_NULL: the operator says it */
    const char *tensors[EXECUTION_TENSOR_TEXTS]; /* shapes, types and formats of the inputs, then of the outputs */
    bool counted, of_vector_core;                /* it has the counters below, and of which cores */
    int64_t total_cycle, counters[EXECUTION_COUNTERS];
};

/* Tasks that end after the one tick and not after the other. */
struct execution_range {
    int64_t device_id; /* DB_NULL: of tasks whose device is not known */
    int64_t after_tick, until_tick;
};

enum execution_parts { EXECUTION_TENSORS = 1, EXECUTION_COUNTED = 2 };
enum execution_order {
    EXECUTIONS_BY_START,
    EXECUTIONS_BY_END, /* of equal ones by stream, then task */
    EXECUTIONS_BY_KEY, /* the largest key first; of equal ones by task, then stream */
};
struct execution_query {
    struct execution_range range;
    unsigned parts; /* enum execution_parts: what else is filled; each takes time */
    bool operators_only;
    enum execution_order order;
    double (*key)(void *arg, int64_t start_tick, int64_t end_tick);
    void *key_arg;
};
int execution_each(sqlite3 *db, const struct execution_query *query,
                   int (*each)(void *arg, const struct execution *execution, struct err *err), void *arg,
                   struct err *err);

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
    const char *op_name; /* NULL: not known */
};
int ai_cpu_run_each(sqlite3 *db, const struct execution_range *range,
                    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err), void *arg, struct err *err);

/* Counts of a device's rows in a range. */
struct execution_counts {
    int64_t tasks, operators, copies, ai_cpu_runs;
    int64_t ai_cpu_tasks;      /* of the tasks those that ran there */
    bool tensors, of_ai_cores; /* of any task of the device: tensors are known, counters of such */
    bool of_vector_cores;      /* likewise, where there are none of AI cores */
};
int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err);

/* Streams of tasks and copies, ascending. */
int execution_each_stream(sqlite3 *db, const struct execution_range *range,
                          int (*each)(void *arg, int64_t stream_id, struct err *err), void *arg, struct err *err);

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
