/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of the exporters of new CANN captures to the database. As in query.h: no SQL above, no formatting below;
 * integers that are NULL are DB_NULL. */
#ifndef MSPROF_DB_QUERY_QUERY_CANN_H
#define MSPROF_DB_QUERY_QUERY_CANN_H

#include "base/err.h"
#include "base/texts.h"
#include "db/database.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One part of the capture; see struct capture_part. */
struct cann_part {
    int64_t device_id, chip, aic_hz, aiv_hz, ai_core_num, aiv_num, process_id, rank_id;
    int64_t start_ns, end_ns;
    int64_t unix_offset_ns; /* from the host's monotonic clock to these times; 0: not known */
    int64_t host_monotonic_ns, device_tick, device_hz; /* of the counter: where both clocks stood at the start */
    bool is_host, samples_cores;                       /* its cores were sampled, not counted by task */
    char metrics[64], events[256], aiv_metrics[64], aiv_events[256];
    char directory[32], job[64], host_name[128], host_uid[64], begin_date[40], process_name[64];
};
struct cann_parts {
    struct cann_part *parts; /* the host first, then by device */
    size_t count, capacity;
};
int cann_parts_load(sqlite3 *db, struct cann_parts *ret, struct err *err);
void cann_parts_release(struct cann_parts *list);
/* The part of a device, NULL: none. */
const struct cann_part *cann_part_of_device(const struct cann_parts *list, int64_t device_id);

/* All rows of a table of texts in memory, found by id. */
struct cann_texts {
    struct cann_text {
        const char *text; /* NUL-terminated; NULL: SQL NULL or no such row */
        uint32_t length;
    } * items; /* column_count for each id from 0 on */
    size_t rows, column_count;
    struct text_blocks kept;
};
int cann_names_load(sqlite3 *db, struct cann_texts *ret, struct err *err);
/* Columns: shapes, data types, formats of the inputs, then of the outputs. */
#define CANN_TENSOR_COLUMNS 6
int cann_tensor_sets_load(sqlite3 *db, struct cann_texts *ret, struct err *err);
/* Shapes of inputs alone. */
int cann_shapes_load(sqlite3 *db, struct cann_texts *ret, struct err *err);
/* Puts shapes in quotes. */
int cann_quoted_tensor_sets_load(sqlite3 *db, struct cann_texts *ret, struct err *err);
/* Puts a copy of another text in the place of item i; an equal one is left as it is. */
int cann_texts_replace(struct cann_texts *texts, size_t i, const char *text, size_t length, struct err *err);
void cann_texts_release(struct cann_texts *texts);
/* A missing text for DB_NULL and unknown ids. */
static inline struct cann_text cann_text(const struct cann_texts *texts, int64_t id, size_t column)
{
    if (id < 0 || (uint64_t)id >= texts->rows)
        return (struct cann_text){NULL, 0};
    return texts->items[(size_t)id * texts->column_count + column];
}

#define CANN_COUNTERS 10
#define CANN_NO_ID 4294967295 /* a model or part that there is none of */

/* Name by which users know a row of host_call: a call of communication is called by what it is of. */
#define CANN_CALL_NAME                                                                                                 \
    "CASE level WHEN " SQL_NUMBER(HOST_LEVEL_COMMUNICATION) " THEN coalesce(item_id, name_id) ELSE name_id END"

struct cann_task {
    int64_t device_id, start_ns, duration_ns, stream_id, task_id, context_id, type;
    int64_t op_name_id, op_type_id, op_task_type, block_num, mix_block_num, tensor_set_id, model_id;
    /* Ticks of the device, of captures from before 2023; DB_NULL: it did not come into the state. */
    int64_t start_tick, end_tick, wait_tick, pending_tick, counted_blocks, launch_name_id;
    int64_t id, batch_id; /* from here on what those captures do not have, but counters */
    int64_t connection_id, thread_id, host_type_id, kernel_name_id, op_state, op_flag, attribute_id;
    int64_t split;                      /* CANN_SPLIT_; DB_NULL: neither split nor a part */
    int64_t copy_bytes, copy_direction; /* of an asynchronous copy */
    int64_t collective;                 /* CANN_COLLECTIVE_ of its kernels; DB_NULL: it is of none */
    int64_t grid_dim_id, block_dim_id;  /* of a kernel of type KERNEL_SIMT */
    bool profiles;                      /* of sums: as of a span, below */
    bool has_aic, has_aiv;              /* the counters below were recorded */
    int64_t aic_total_cycle, aic_counters[CANN_COUNTERS], aiv_total_cycle, aiv_counters[CANN_COUNTERS];
    int64_t aic_time_ns, aiv_time_ns; /* DB_NULL: not measured */
};
/* By a task's op_task_type: what is written back or invalid does not run; what communicates runs but
 * does not compute. In SQL likewise. */
#define TASK_WRITES_BACK 3
#define TASK_MIX_AIC 4
#define TASK_MIX_AIV 5
#define TASK_COMMUNICATES 9
#define TASK_INVALID 11
#define TASK_COMMUNICATES_ON_AI_CPU 12
#define CANN_OPERATOR_RUNS(type) type " <> " SQL_NUMBER(TASK_WRITES_BACK) " AND " type " <> " SQL_NUMBER(TASK_INVALID)
#define CANN_OPERATOR_COMPUTES(type)                                                                                   \
    type " <> " SQL_NUMBER(TASK_COMMUNICATES) " AND " type " <> " SQL_NUMBER(TASK_COMMUNICATES_ON_AI_CPU)
/* By a task's split: parts of a whole are rows, too. Part 0 of a mixed kernel is all of it: one of both is shown. */
#define CANN_SPLIT_WHOLE 1
#define CANN_SPLIT_MIXED_WHOLE 2
#define CANN_SPLIT_MIXED_PART 3
#define CANN_SPLIT_MIXED_HIDDEN 4
/* Whether the row's parts, or the whole that it is the part of, show what it is. */
static inline bool cann_stands_elsewhere(const struct cann_task *task)
{
    return task->split == CANN_SPLIT_WHOLE || task->split == CANN_SPLIT_MIXED_WHOLE ||
           task->split == CANN_SPLIT_MIXED_HIDDEN;
}
/* Whether a row of device_task is shown as an operator: one that has a name, runs and computes. */
#define CANN_IS_OPERATOR                                                                                               \
    "op_name_id IS NOT NULL AND " CANN_OPERATOR_RUNS("op_task_type") " AND " CANN_OPERATOR_COMPUTES("op_task_type")
/* Whether a collection at level 0 recorded the operator: its name is known, its type is not. */
static inline bool cann_is_named_alone(int64_t op_name_id, int64_t op_type_id)
{
    return op_name_id != DB_NULL && op_type_id == DB_NULL;
}
/* Whether a mixed kernel that no record describes has blocks of the other core that nobody counted: tables of Ascend's
 * tool leave their counters out. */
static inline bool cann_has_loose_blocks(int64_t op_task_type, int64_t op_state, int64_t mix_block_num)
{
    return (op_task_type == TASK_MIX_AIC || op_task_type == TASK_MIX_AIV) && op_state == DB_NULL &&
           (mix_block_num == DB_NULL || mix_block_num == 0);
}
static inline bool cann_is_operator(const struct cann_task *task)
{
    return task->op_name_id != DB_NULL && task->op_task_type != TASK_WRITES_BACK &&
           task->op_task_type != TASK_INVALID && task->op_task_type != TASK_COMMUNICATES &&
           task->op_task_type != TASK_COMMUNICATES_ON_AI_CPU;
}
/* By a task's collective: its run is the communication, or that of an operator of communication is. */
#define CANN_COLLECTIVE_ITSELF 1
#define CANN_COLLECTIVE_IN_OPERATOR 2
struct cann_call {
    int64_t id, thread_id, level, type, name_id, item_id, start_ns, duration_ns, parent_id, connection_id;
    int64_t launches; /* tasks that this call itself launched */
};

/* CANN_CALL_NAME of a call. */
int64_t cann_call_name_id(const struct cann_call *call);

/* When a task ran, and whether it counts as computing or communicating; or when a call did: then device_id is DB_NULL.
 */
struct cann_span {
    int64_t id, device_id, start_ns, end_ns;
    int64_t number;                /* of the stream, of a call's thread */
    bool computing, communicating; /* as operators of communication do, which are no tasks */
    bool profiles;                 /* the profiler launched it to begin or end: no work of the program */
};

/* Rows, and which members of each are read: the fewer, the faster. The others are unset. Tasks are numbered by device
 * and start, calls by thread and start: a call comes before those inside of it. */
enum cann_rows {
    CANN_TASKS, /* all but the ticks; has_aic, has_aiv and the counters of _COUNTED alone */
    CANN_TASKS_COUNTED,
    CANN_SUMS, /* that sums are made of: where, when, what, tensors, blocks, copies */
    CANN_SUMS_COUNTED,
    CANN_TICKS,        /* all that captures from before 2023 have */
    CANN_TICKS_CYCLES, /* with the totals of the counters */
    CANN_TICKS_COUNTED,
    CANN_TICK_STREAMS,   /* of the ticks the end; stream, type */
    CANN_TICK_SUMS,      /* both ends; operator, its type, what it ran on */
    CANN_TICK_STATES,    /* all ticks; stream, task, type, operator, what launched it */
    CANN_TASK_DURATIONS, /* device, core type, operator, its type, duration */
    CANN_TASK_LAUNCHES,  /* device, stream, start, duration, connection */
    CANN_TASK_SPANS,
    CANN_CALLS,
    CANN_TIMED_CALLS,    /* thread, times, level, names, launches */
    CANN_CALL_LAUNCHES,  /* likewise, with the connection */
    CANN_CALL_DURATIONS, /* level, names, duration */
    CANN_CALL_SPANS,
};

/* Reads ranges of rows, first <= id < end by id, one after another. */
struct cann_reader;                                                                     /* opaque */
struct cann_reader *cann_reader_new(sqlite3 *db, enum cann_rows rows, struct err *err); /* NULL with err set */
/* As `first`, which reads the same rows on another connection to the same database; it may be used on another thread.
 * first: NULL: none. */
struct cann_reader *cann_reader_share(const struct cann_reader *first, sqlite3 *db, enum cann_rows rows,
                                      struct err *err);
void cann_reader_free(struct cann_reader *reader); /* NULL is fine */
int cann_read_tasks(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err);
int cann_read_calls(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_call *call, struct err *err), void *arg, struct err *err);
int cann_read_spans(struct cann_reader *reader, int64_t first, int64_t end,
                    int (*each)(void *arg, const struct cann_span *span, struct err *err), void *arg, struct err *err);
/* One call; *ret_found false: there is none. */
int cann_get_call(struct cann_reader *reader, int64_t id, struct cann_call *ret, bool *ret_found, struct err *err);

/* All rows. */
int cann_each_task(sqlite3 *db, enum cann_rows rows,
                   int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err);
int cann_each_call(sqlite3 *db, enum cann_rows rows,
                   int (*each)(void *arg, const struct cann_call *call, struct err *err), void *arg, struct err *err);
int cann_each_span(sqlite3 *db, int (*each)(void *arg, const struct cann_span *span, struct err *err), void *arg,
                   struct err *err); /* of tasks */

/* How many rows there are: ids run from 1 to this. */
int cann_task_count(sqlite3 *db, int64_t *ret, struct err *err);
/* The id from which on tasks of a device are looked for, as tasks are numbered by device; there may be none. */
int cann_first_task_of(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err);
/* How many tasks are shown as operators; it reads every row. */
int cann_operator_count(sqlite3 *db, int64_t *ret, struct err *err);
/* Whether any task has counters of cores. */
int cann_has_counters(sqlite3 *db, bool *ret, struct err *err);
int cann_call_count(sqlite3 *db, int64_t *ret, struct err *err);
/* The largest number of a name; 0: there is none. */
int cann_last_name(sqlite3 *db, int64_t *ret, struct err *err);
/* Whether calls of a thread may overlap without one being inside the other: the import reported it, or did not check.
 */
int cann_calls_overlap(sqlite3 *db, bool *ret, struct err *err);
/* The largest number of a stream of a device's tasks and marks, and of a thread of the host; -1: none. They read every
 * row. */
int cann_largest_stream(sqlite3 *db, int64_t *ret, struct err *err);
int cann_largest_thread(sqlite3 *db, int64_t *ret, struct err *err);

#endif
