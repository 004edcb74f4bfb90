/* What the reports of captures of the layout of 2022 ask the database. Same conventions as query.h. Times are
 * nanoseconds of the host's monotonic clock. */
#ifndef MSPROF_DB_QUERY_LEGACY_H
#define MSPROF_DB_QUERY_LEGACY_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* A device. */
struct legacy_part {
    int64_t device_id, chip, process_id;
    int64_t host_monotonic_ns, device_tick, device_hz; /* of the counter: where both clocks stood at the start */
    int64_t aic_hz, ai_core_num;
    int64_t aiv_hz, aiv_num;                                 /* of the vector cores */
    const char *metrics, *events, *aiv_metrics, *aiv_events; /* NULL: not said */
};
int legacy_each_part(sqlite3 *db, int (*each)(void *arg, const struct legacy_part *part, struct err *err), void *arg,
                     struct err *err);

/* A call of an ACL function, or of the runtime, by start. */
struct legacy_call {
    const char *name;
    int64_t start_ns, end_ns, process_id, thread_id; /* process_id DB_NULL: of the runtime, which does not say */
    int64_t api_type;                                /* 1 op, 2 model, 3 runtime, 4 others */
};
typedef int (*legacy_call_each)(void *arg, const struct legacy_call *call, struct err *err);
int legacy_each_acl_call(sqlite3 *db, int64_t device_id, legacy_call_each each, void *arg, struct err *err);
int legacy_each_runtime_call(sqlite3 *db, int64_t device_id, legacy_call_each each, void *arg, struct err *err);

/* All calls of one function, by name. */
struct legacy_call_total {
    const char *name;
    int64_t api_type, process_id, thread_id, stream_id; /* of one of the calls */
    int64_t count, total_ns, min_ns, max_ns;
};
typedef int (*legacy_total_each)(void *arg, const struct legacy_call_total *total, struct err *err);
int legacy_each_acl_total(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err);
int legacy_each_runtime_total(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err);

/* One execution of a task in ticks of the device's counter, in the order of task, stream and end (chip 0) or of end. */
struct legacy_run {
    int64_t stream_id, task_id;
    int64_t task_type;                                     /* 0 AI core, 1 AI CPU; DB_NULL: not said */
    int64_t wait_tick, pending_tick, start_tick, end_tick; /* DB_NULL: did not happen or was not recorded */
};
int legacy_each_run(sqlite3 *db, const struct legacy_part *part,
                    int (*each)(void *arg, const struct legacy_run *run, struct err *err), void *arg, struct err *err);

/* One execution of a task that copies asynchronously, in ticks, by start. */
struct legacy_copy {
    int64_t stream_id, task_id, receive_tick, start_tick, end_tick;
};
int legacy_each_copy(sqlite3 *db, int64_t device_id,
                     int (*each)(void *arg, const struct legacy_copy *copy, struct err *err), void *arg,
                     struct err *err);

/* One execution of an operator on the AI CPU as that measured it, by start. */
struct legacy_ai_cpu_run {
    int64_t stream_id, task_id, end_tick, start_ns, duration_ns;
    int64_t compute_ns, copy_ns; /* DB_NULL: not known */
    int64_t dispatch_ns, total_ns;
    int64_t number; /* of the executions of the stream and task in the whole capture, from 1 */
};
int legacy_each_ai_cpu_run(sqlite3 *db, int64_t device_id,
                           int (*each)(void *arg, const struct legacy_ai_cpu_run *run, struct err *err), void *arg,
                           struct err *err);

/* The operator of a task, by stream, task, batch. with_tensors: false leaves out what is said of tensors, which is
 * faster. */
struct legacy_operator {
    int64_t stream_id, task_id, model_id, time_ns, block_dim, task_type; /* 0 AI_CORE, 1 AI_CPU, 2 AIV */
    const char *name, *type;                                             /* an id without a text is its number */
    const char *input_shapes, *input_types, *input_formats, *output_shapes, *output_types, *output_formats;
};
int legacy_each_operator(sqlite3 *db, int64_t device_id, bool with_tensors,
                         int (*each)(void *arg, const struct legacy_operator *operator_, struct err *err), void *arg,
                         struct err *err);

/* Counters of a task, by stream and task, those of the AI cores first, in the order of records. */
struct legacy_counters {
    int64_t stream_id, task_id, total_cycle, counters[8];
    bool of_vector_core;
    int64_t block_num; /* DB_NULL: the operator says it */
};
int legacy_each_counters(sqlite3 *db, int64_t device_id,
                         int (*each)(void *arg, const struct legacy_counters *counters, struct err *err), void *arg,
                         struct err *err);

/* The end of one iteration of a model, by model and iteration. */
struct legacy_step {
    int64_t model_id, iteration, end_tick;
};
int legacy_each_step(sqlite3 *db, int64_t device_id,
                     int (*each)(void *arg, const struct legacy_step *step, struct err *err), void *arg,
                     struct err *err);

/* Which function of the runtime launched the first task of a call, by stream and task. */
struct legacy_launch {
    int64_t stream_id, task_id;
    const char *name;
};
int legacy_each_launch(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct legacy_launch *launch, struct err *err), void *arg,
                       struct err *err);

#endif
