/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of a step: its tasks, and the calls of the host that launched them. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_STEP_PATH_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_STEP_PATH_H

#include "features/answers/analysis/splits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds what a stretch of time waited for, and how much longer everything else could have taken. A node began when the
 * last of those that it waits for had ended, and some time behind it, its lag: with these the graph is exactly what was
 * recorded, and the critical path is the way back from the last end. */

#define PATH_NONE UINT32_MAX
#define PATH_BEFORE 3             /* that a node can wait for */
#define PATH_NO_SLACK INT64_C(-1) /* nothing that ends the stretch waits for it */

struct path_node {
    int64_t start_ns, end_ns;
    int64_t latest_ns;            /* when it could have ended without the stretch ending later: set by step_path_mark */
    uint32_t before[PATH_BEFORE]; /* nodes that it waits for, all in front of it; PATH_NONE: none */
    bool ends;                    /* the stretch may end with it: a task may, a call of the host does not */
    bool critical;                /* it is on the path: set by step_path_mark */
};

/* All zero but those arrays; a node waits for nothing. */
void step_path_clear(struct path_node *node);
/* Lets a node wait for another. One that ended behind its begin, or that does not stand in front of it, is nothing that
 * it waited for: then nothing happens. */
void step_path_wait(struct path_node *nodes, uint32_t node, uint32_t before);

/* Marks the critical path, and sets latest_ns, in one way back through the nodes. The last of the path is the first of
 * those that end last among the ones that may end it; PATH_NONE: there is none. */
uint32_t step_path_mark(struct path_node *nodes, size_t count);
/* The node whose end a node waited for: the last of them, of equal ones the first. PATH_NONE: it waits for nothing. */
uint32_t step_path_binding(const struct path_node *nodes, uint32_t node);
/* How much longer it could have taken; 0 on the path. PATH_NO_SLACK: it could have lasted to the end. */
int64_t step_path_slack_ns(const struct path_node *node);

/* Calls of the host that launch, and those that wait for a device. */
struct path_call {
    int64_t start_ns, end_ns;              /* end_ns of one that launches: not behind the begin of what it launched */
    uint32_t name, thread : 30, waits : 1; /* numbers of the caller's; whether it waits */
    uint32_t cut : 1;                      /* it ended behind the begin of what it launched */
};
#define LAUNCH_NONE UINT32_MAX
struct launches {
    struct path_call *calls; /* by start */
    size_t count;
    uint32_t *of; /* of each execution of the workload its call; LAUNCH_NONE: not known. NULL: of none */
    size_t threads;
    int64_t *thread_ids; /* of each thread, as the capture numbers them */
    int64_t hz;          /* the rate of the clock of the calls (base/ticks.h); 0: not known */
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
const char *step_path_reason_name(enum path_reason reason); /* "stream" and so on */

struct step_path_node {
    bool is_call;
    uint32_t place; /* of the workload's executions, or of the calls */
};
/* Nodes of one step by start. A node ends with the step where it lasted longer. */
struct step_path {
    struct path_node *nodes;
    struct step_path_node *items; /* of each node */
    size_t count;
    uint16_t device;          /* of the workload's */
    int64_t start_ns, end_ns; /* of the step: from its begin to that of its neighbour, where that is known */
    bool of_device;           /* both are ticks of the device's clock */
    size_t first_call;        /* of the calls that begin in it */
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
/* Likewise what a stretch of a device's time is made of, and what waits for what, without the path through it; end_ns
 * INT64_MAX: with the last that ran. */
int step_path_find_between(struct step_paths *paths, const struct workload *workload, uint16_t device, int64_t start_ns,
                           int64_t end_ns, const struct launches *launches, const struct step_path **ret,
                           struct err *err);
void step_paths_release(struct step_paths *paths);
/* Why a node waited for its binding one. */
enum path_reason step_path_reason(const struct step_path *path, const struct workload *workload,
                                  const struct launches *launches, uint32_t node);
/* In nanoseconds, exact where one clock measured both ends (base/ticks.h), and not rounded, to be summed: how long a
 * node took; from the end of what it waited for, or the begin of the step, to its own begin; the step; from the end of
 * the path to that of the step. */
double step_path_length(const struct step_path *path, const struct workload *workload, const struct launches *launches,
                        uint32_t node);
double step_path_lag(const struct step_path *path, const struct workload *workload, const struct launches *launches,
                     uint32_t node);
double step_path_time(const struct step_path *path, const struct workload *workload);
double step_path_rest(const struct step_path *path, const struct workload *workload, const struct launches *launches);

#endif
