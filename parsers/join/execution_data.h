/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the executions: what is kept of each record. Shared by execution_records.c (records in),
 * association_host.c (calls into trees), execution_join.c (who belongs to whom) and execution_rows.c (rows out).
 * Records of tasks wait in spools, so that memory does not grow with them: first by task, then, joined, by start. */
#ifndef MSPROF_PARSERS_JOIN_EXECUTION_DATA_H
#define MSPROF_PARSERS_JOIN_EXECUTION_DATA_H

#include "base/file/spool.h"
#include "base/intern.h"
#include "base/map.h"
#include "parsers/join/association_data.h"
#include "parsers/join/execution.h"

#include <string.h>

#define NO_DEVICE UINT32_MAX
#define NO_ACCELERATOR (-1) /* the device does not say it */

static inline bool same_numbers(const struct numbers *a, const struct numbers *b)
{
    uint64_t x[2], y[2];
    _Static_assert(sizeof x == sizeof *a, "two words");
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

/* Records of a task. The order of a record is its place among those of its kind; the members from `order` on
 * of those that have it behind their data are not in the spool: there it is their place among those of the task. */
enum task_record {
    RECORD_RUN,
    RECORD_STATE,
    RECORD_DESCRIPTION,
    RECORD_TENSORS,
    RECORD_COUNTERS,
    RECORD_LAUNCH,
    RECORD_AI_CPU
};
#define RECORD_BITS 8 /* of its number in the key of a spool */

struct execution {
    int64_t start_ns, end_ns, start_tick, end_tick, wait_tick, pending_tick;
    uint64_t order;
    uint32_t description, counters, launch; /* of its task; NO_INDEX */
    uint32_t type;
    int32_t accelerator_id;
};

struct mark {
    int64_t tick, time_ns;
    uint32_t type, state;
    uint64_t order;
};

/* A task goes through its states at once, most often: some records of one task are one in the spool. */
#define MARKS_TOGETHER 4
#define MARKED_TASKS 256
struct spooled_mark {
    int64_t tick, time_ns;
    uint32_t type, state;
};
struct marked_task {
    struct numbers of;
    size_t count;
    struct spooled_mark marks[MARKS_TOGETHER];
};

/* Parts of a description that the task's row has. */
struct described {
    uint32_t name, type; /* texts; NO_INDEX: see the ids of the description, and for a type: not known */
    uint32_t model_id, batch_id, block_num, task_type, op_state;
    uint32_t tensor_set; /* NO_INDEX */
};

struct description {
    int64_t time_ns, iteration, name_id, type_id;
    struct described operator_;
    uint64_t order;
};

/* Tensors of the description with the same numbers, which were recorded at the same time. */
struct recorded_tensors {
    int64_t time_ns, iteration;
    uint32_t model_id, batch_id, set;
    uint64_t order;
    bool used;
};

struct counters {
    int64_t total_cycle, values[PMU_COUNTERS], block_num;
    bool of_vector_core;
    int64_t file_id; /* this and the following are not needed of a joined task */
    uint64_t order;
    bool used;
};

struct launch {
    uint64_t order;
    uint32_t connection, thread_id;
    uint32_t function; /* text */
};

/* A row of aicpu_node, whose cells wait for the operator in a spool of their own. */
struct ai_cpu_run {
    int64_t start_tick;
    uint64_t order;
    uint32_t description;
};
enum { AI_CPU_CELLS, AI_CPU_OPERATOR }; /* what there is of a row: the minor of its key */
struct ai_cpu_cells {
    uint64_t present;
    struct cell cells[RECORD_MAX_COLUMNS]; /* as many as the kind has */
};
_Static_assert(sizeof(struct ai_cpu_cells) <= SPOOL_RECORD_MAX, "a spool takes a row");

/* An execution with what belongs to it. The counters are missing when it has none. */
struct joined_task {
    struct numbers of;
    bool described, launched, counted;
    struct execution run;
    struct described operator_;
    struct launch launch;
    struct counters counters; /* last, without what is not needed */
};

/* JOB. */
struct operator_of_task {
    struct operator_key {
        uint32_t device_id, task_id;
    } key;
    struct description description;
    bool used;
};
struct operator_of_name {
    uint32_t name; /* text */
    uint32_t type, texts;
    bool used;
};

struct executions {
    struct association *association;
    struct spool *tasks;                         /* records of tasks, by task and enum task_record */
    struct spool *joined;                        /* struct joined_task, by start */
    struct spool *ai_cpu;                        /* by order */
    uint64_t added[RECORD_AI_CPU + 1], launches; /* of each kind of record; of all calls */
    struct marked_task *marked;                  /* MARKED_TASKS: those whose states are not in the spool yet */
    uint64_t tensors_unused;                     /* records of operators that did not run */
    struct unpaired {
        uint64_t count;
        struct numbers first;                  /* of the first of them */
    } starts_without_end, ends_without_start;  /* of chip 0; those where the capture ends are none */
    struct unpaired unsound;                   /* likewise: spans that cannot be */
    struct unpaired more_counters, unlaunched; /* than the task ran; executions */
    struct device_half half;                   /* of the device whose tasks are being joined */
    struct map task_operators, operators;      /* of JOB: struct operator_of_task, struct operator_of_name */
    struct intern operator_texts;              /* of JOB: the texts of an operator, each with its NUL, "\1" for none */
    bool of_job;
};

/* Adds a record of a task. */
int executions_add_record(struct executions *executions, const struct numbers *of, enum task_record kind,
                          const void *record, size_t size, struct err *err);
/* Ends the adding of states. */
int executions_finish_states(struct executions *executions, struct err *err);
/* Gives every execution its description, counters and launch, and every run of the AI CPU its operator; emits counters
 * of tasks that did not run. */
int executions_match(struct executions *executions, struct err *err);

#endif
