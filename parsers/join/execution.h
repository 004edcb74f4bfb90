/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Join of the records of a capture from before 2023. Its records know nothing of calls around them: what the host says
 * of a task (its operator, which call launched it) and what the device measured of it bear the numbers of stream and
 * task only. The n-th execution of a task belongs to its n-th description, the last one when there are fewer (a loaded
 * model runs the same operators again and again), to its n-th launch and to its n-th counters.
 *
 * Hooks of record kinds hand their records over; when the whole capture is decoded they are joined and emitted as
 * device_task, task_state, host_call, name and tensor_set. Captures of JOB describe tasks by their number alone.
 *
 * Every int function returns 0 or -code with err set.
 */
#ifndef MSPROF_PARSERS_JOIN_EXECUTION_H
#define MSPROF_PARSERS_JOIN_EXECUTION_H

#include "base/err.h"
#include "parsers/join/association.h"

#include <stddef.h>
#include <stdint.h>

struct executions; /* opaque; one for a decoder */

/* The decoder's; NULL when the capture is of another era. */
struct executions *decoder_executions(struct decoder *decoder);
/* Reports which of the row's columns, from first on, are ids that no dictionary has, as association_expect_name does;
 * those without a value are no ids. Nothing when the capture is of another era. */
int executions_expect_names(struct decoder *decoder, const struct record_kind *kind, const struct row *row,
                            size_t first, size_t count, struct err *err);

#define NO_TICK INT64_MIN

/* Numbers of a task as the host and the device know it. */
struct task_numbers {
    int64_t device_id; /* -1: not known */
    uint32_t stream_id, task_id;
};

/* A state that a task of chip 0 comes into: it waits, is pending, runs, is complete. */
enum { TASK_WAITING = 1, TASK_RUNNING = 2, TASK_COMPLETE = 3, TASK_PENDING = 4 };
struct task_state {
    struct task_numbers task;
    int64_t tick, time_ns;
    uint32_t type, state;
};
int executions_add_state(struct executions *executions, const struct task_state *state, struct err *err);

/* Which operator a task runs. */
struct task_description {
    struct task_numbers task;
    int64_t time_ns, iteration;
    int64_t name_id, type_id; /* in the dictionary, when there is no text */
    const char *name, *type;  /* NULL: see the ids; not NUL-terminated */
    size_t name_length, type_length;
    uint32_t model_id, batch_id, block_num, task_type, op_state;
};
int executions_add_description(struct executions *executions, const struct task_description *description,
                               struct err *err);
/* Tensors of the operator whose description has the same numbers and time. */
struct described_tensors {
    struct task_numbers task;
    int64_t time_ns, iteration;
    uint32_t model_id, batch_id, count; /* count <= TENSORS_PER_RECORD */
    struct host_tensor tensors[TENSORS_PER_RECORD];
};
int executions_add_tensors(struct executions *executions, const struct described_tensors *tensors, struct err *err);
/* The text of an id; of several the first counts. */
int executions_add_name(struct executions *executions, int64_t id, const char *text, size_t length, struct err *err);

/* JOB: the operator that every execution of the task runs, whatever its stream; of several the first counts. */
int executions_add_operator_of_task(struct executions *executions, const struct task_description *description,
                                    struct err *err);
/* Facts about the operator of this name: its type and the texts of its tensors, as the columns of tensor_set have
 * them (NULL: none). The first of several counts. */
#define OPERATOR_TEXTS 6
struct named_operator {
    const char *name, *type;
    size_t name_length, type_length;
    const char *texts[OPERATOR_TEXTS]; /* NUL-terminated */
};
int executions_add_operator(struct executions *executions, const struct named_operator *operator_, struct err *err);

/* A call of a function; type: its part of ACL (1 op, 2 model, 3 runtime, 4 others), 0 of the runtime. task_count tasks
 * were launched, the first of which is launched. */
struct plain_call {
    int64_t begin_ns, end_ns;
    const char *name;
    size_t name_length;
    uint32_t thread_id, type, task_count;
    uint16_t level;
    struct task_numbers launched;
};
int executions_add_call(struct executions *executions, const struct plain_call *call, struct err *err);

/* A row of aicpu_node, which gets its operator; the columns are those of its kind. */
int executions_add_ai_cpu(struct executions *executions, const struct task_numbers *task, int64_t start_tick,
                          const struct row *row, struct err *err);

/* ---- for association ---- */

/* One execution of a task or of a part of it. */
int executions_add_run(struct executions *executions, const struct device_task *task, struct err *err);
/* The counters of one task or part, in the order of its executions; those that belong to none become rows of their own
 * kind. Blocks are not counted. */
int executions_add_counters(struct executions *executions, const struct device_pmu *pmu, struct err *err);

struct executions *executions_new(struct association *association, struct err *err); /* NULL with err set */
void executions_free(struct executions *executions);                                 /* NULL is fine */
/* Joins everything and emits it. */
int executions_join(struct executions *executions, struct err *err);

#endif
