/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of a step: its tasks, and the calls of the host that launched them. */
#ifndef MSPROF_ANALYSIS_STEP_PATH_H
#define MSPROF_ANALYSIS_STEP_PATH_H

#include "analysis/critical_path.h"
#include "analysis/splits.h"

/* Calls of the host that launch, and those that wait for a device. */
struct path_call {
    int64_t start_ns, end_ns;              /* end_ns of one that launches: not behind the begin of what it launched */
    uint32_t name, thread : 31, waits : 1; /* numbers of the caller's; whether it waits */
};
#define LAUNCH_NONE UINT32_MAX
struct launches {
    struct path_call *calls; /* by start */
    size_t count;
    uint32_t *of; /* of each execution of the workload its call; LAUNCH_NONE: not known. NULL: of none */
    size_t threads;
};
void launches_release(struct launches *launches);

enum path_reason {
    PATH_AT_BEGIN,     /* it waited for nothing that is known */
    PATH_STREAM,       /* for what ran before it on its stream */
    PATH_OTHER,        /* for what ended last on the device before it began, on another stream: it is taken to have */
    PATH_LAUNCH,       /* for the call that launched it */
    PATH_THREAD,       /* a call: for the one before it on its thread */
    PATH_OTHER_THREAD, /* for the call that waited and ended last before it, on another thread: it is taken to have */
    PATH_TASK,         /* a call that waits: for the task that ended last before it did */
    PATH_REASONS
};
const char *path_reason_name(enum path_reason reason); /* "stream" and so on */

struct step_path_node {
    bool is_call;
    uint32_t place; /* of the workload's executions, or of the calls */
};
/* Nodes of one step by start. A node ends with the step where it lasted longer. */
struct step_path {
    struct path_node *nodes;
    struct step_path_node *items; /* of each node */
    size_t count;
    int64_t start_ns, end_ns; /* of the step: from its begin to that of its neighbour, where that is known */
    uint32_t last;            /* of the path; PATH_NONE: nothing ran */
};

/* Room that is used again from step to step: all zero at first. step_paths_release() it in the end. */
struct step_paths {
    struct step_path path;
    size_t room, tasks;
    struct path_order {
        int64_t time_ns;
        struct step_path_node item;
        uint32_t rank;
    } * order, *ends;            /* the nodes by time; the tasks among them by their ends */
    uint32_t *streams, *threads; /* the last node of each */
    uint32_t *node_of_call;
};
/* Finds the path of split i; ret points into paths until the next one. Sorting apart it takes time in proportion to
 * what ran in the step. */
int step_path_find(struct step_paths *paths, const struct workload *workload, const struct splits *splits, size_t i,
                   const struct launches *launches, const struct step_path **ret, struct err *err);
void step_paths_release(struct step_paths *paths);
/* Why a node waited for its binding one. */
enum path_reason step_path_reason(const struct step_path *path, const struct workload *workload,
                                  const struct launches *launches, uint32_t node);
/* From the end of what it waited for, or the begin of the step, to its own begin. */
int64_t step_path_lag_ns(const struct step_path *path, uint32_t node);

#endif
