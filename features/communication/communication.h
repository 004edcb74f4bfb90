/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of communication.json and communication_matrix.json: operators with what they did, by steps. */
#ifndef MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_H
#define MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_H

#include "features/communication/communication_json.h"
#include "features/frameworks/reports/analysis.h"

struct comm_operator {
    const char *name;
    uint64_t group; /* its number */
    bool point_to_point;
    size_t step;      /* place among the document's steps; SIZE_MAX: in none */
    int64_t start_ns; /* of its first task on the main stream; INT64_MAX: it has none */
    size_t first, task_count;
};

struct comm_step {
    const char *id; /* NULL: the whole capture */
    int64_t start_ns, end_ns;
    size_t first, end; /* operators between which all of it stand */
};

struct comm_document {
    struct framework_analysis *analysis;
    bool pytorch;
    struct comm_operator *operators;
    size_t operator_count;
    struct collective_task *tasks; /* of one operator together */
    struct comm_step *steps;
    size_t *places; /* of the steps before some were chosen: where each is among those; SIZE_MAX: it is not */
    size_t step_count;
    struct json_out json; /* of the file that is being written */
};

/* A capture's communication, with the steps that are wanted, read once; framework_unrelate frees it. Without any,
 * operator_count is 0. NULL with err set. */
struct comm_document *comm_document_of(struct framework_analysis *analysis, struct err *err);
void comm_document_free(struct comm_document *document);

/* Sums up an operator as the frameworks do, its sizes ascending. Release it whatever the result. */
int comm_sum_make(const struct comm_document *document, const struct comm_operator *operator, struct collective * ret,
                  struct err *err);

/* NULL: it is of no known kind. */
static inline const char *comm_transport(const struct collective_pair *pair)
{
    return pair->medium != MEDIUM_SDMA ? collective_media[pair->medium] : NULL;
}

/* Whether an operator counts in a half of a step. */
static inline bool comm_is_in(const struct comm_operator *op, size_t step, bool point_to_point)
{
    return op->step == step && op->point_to_point == point_to_point && op->start_ns != INT64_MAX;
}

/* One of the fastest, the middle and the slowest on each link, or all together, of one kind of operator and one group.
 */
struct comm_link_row {
    const char *key; /* "allreduce-top1" */
    uint64_t group;
    const struct collective_pair *sum;
    double bandwidth;
    const char *op; /* NULL: of all together */
    bool first;     /* of its key and group */
};
typedef int comm_link_taker(void *arg, const struct comm_link_row *row, struct err *err);
int comm_each_link(struct comm_document *document, size_t step, bool point_to_point, comm_link_taker *take, void *arg,
                   struct err *err);

/* Each communication operator of a device's tasks, analysed: what the files of it are made of, whoever writes them. */

/* Called for each run of an operator whose tasks are known, by device and start: in memory that it does not own.
 * task_rows: device_task.id of each task of collective->runs. */
typedef int collective_taker(void *arg, const struct cann_communication *op, const struct collective *collective,
                             const int64_t *task_rows, struct err *err);

/* names: of the database, plain. Holds the tasks of one operator at a time. */
int collectives_each(sqlite3 *db, const struct cann_texts *names, collective_taker *take, void *arg, struct err *err);

/* The whole run of a payload that RDMA confirmed: bytes that it moved, and in what time. */
struct communication_run {
    int64_t task_row_id, bytes; /* by device_task.id */
    double ns;                  /* of whole ticks, not rounded */
};
/* Those of all payloads, a map of struct communication_run; release it whatever the result. */
int communication_runs_load(sqlite3 *db, struct map *ret, struct err *err);

/* Whether an operator of this name, NULL for none, sends or receives between two ranks. */
bool communication_is_point_to_point(const char *name);

/* A task of an operator, as records have it; its plane is known. */
struct collective_task collective_task_of(const struct cann_texts *names, const struct cann_transfer *transfer);

#endif
