/* Inside of the executions: what is kept of each record. Shared by execution_records.c (records in), execution_join.c
 * (who belongs to whom) and execution_rows.c (rows out). */
#ifndef MSPROF_PARSERS_JOIN_EXECUTION_DATA_H
#define MSPROF_PARSERS_JOIN_EXECUTION_DATA_H

#include "base/intern.h"
#include "base/map.h"
#include "parsers/join/association_data.h"
#include "parsers/join/execution.h"

/* Whose record it is, and its place among those of its kind: what everything is sorted by. */
struct numbers {
    uint32_t device_id, stream_id, task_id, order;
};
#define NO_DEVICE UINT32_MAX

struct execution {
    struct numbers of;
    int64_t start_ns, end_ns, start_tick, end_tick, wait_tick, pending_tick;
    uint32_t description, counters, launch; /* indexes; NO_INDEX */
    uint8_t type;
};

struct mark {
    struct numbers of;
    int64_t tick, time_ns;
    uint8_t type, state;
};

struct description {
    struct numbers of;
    int64_t time_ns, iteration, name_id, type_id;
    uint32_t name, type; /* texts; NO_INDEX: see the ids, and for a type: not known */
    uint32_t model_id, batch_id, block_num, task_type, op_state;
    uint32_t tensor_set; /* NO_INDEX */
};

struct counters {
    struct numbers of;
    int64_t total_cycle, values[PMU_COUNTERS], block_num, file_id;
    bool of_vector_core, used;
};

struct launch {
    struct numbers of;
    int64_t call_row; /* of host_call */
    uint32_t connection, thread_id;
};

/* A row of aicpu_node until its operator is known. */
struct ai_cpu_run {
    struct numbers of;
    int64_t start_tick;
    uint32_t description;
    uint64_t present;
    struct cell *cells;
};

/* The tensors of a description by everything that the two must share. */
struct tensors_of {
    struct tensors_key {
        int64_t time_ns, iteration;
        uint32_t device_id, stream_id, task_id, batch_id, model_id, unused;
    } key;
    uint32_t set;
};

/* JOB. */
struct operator_of_task {
    struct operator_key {
        uint32_t device_id, task_id;
    } key;
    uint32_t description;
};
struct operator_of_name {
    uint32_t name; /* text */
    uint32_t type, texts;
};

#define LIST_OF(type)                                                                                                  \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

struct executions {
    struct association *association;
    LIST_OF(struct execution) runs;
    LIST_OF(struct mark) marks;
    LIST_OF(struct description) descriptions;
    LIST_OF(struct counters) counters;
    LIST_OF(struct launch) launches;
    LIST_OF(struct ai_cpu_run) ai_cpu;
    int64_t call_rows;                    /* of the threads whose calls have connections */
    struct map tensors;                   /* struct tensors_of */
    struct map task_operators, operators; /* of JOB: struct operator_of_task, struct operator_of_name */
    struct intern operator_texts;         /* of JOB: the texts of an operator, each with its NUL, "\1" for none */
};

/* Gives every execution its description, counters and launch, and every run of the AI CPU its operator. */
int executions_match(struct executions *executions, struct err *err);
/* Emits the rows; the executions are in their order. */
int executions_emit(struct executions *executions, struct err *err);

#endif
