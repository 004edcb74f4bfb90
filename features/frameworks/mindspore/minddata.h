/* SPDX-License-Identifier: Apache-2.0 */
/* Records of MindSpore's data pipeline: queues, processor time, batches. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_MINDSPORE_MINDDATA_H
#define MSPROF_FEATURES_FRAMEWORKS_MINDSPORE_MINDDATA_H

#include "features/frameworks/framework.h"

struct minddata_op {
    int64_t id, workers;
    char *type; /* "MapOp" */
    bool has_queue;
    int64_t queue_length;
    int64_t *queue; /* sizes, one for each sample */
    size_t queue_count;
    int64_t *children;
    size_t child_count;
    int64_t parent; /* -1: none */
};

struct minddata {
    bool has_pipeline, has_cpu, has_batches;
    int64_t interval;        /* of samples */
    struct minddata_op *ops; /* as the file has them */
    size_t op_count;
    double *cpu; /* by id: mean of what both kinds of time took, % */
    size_t cpu_count;
    double pipeline_ms, push_ms, batch_ms; /* means; -1: not known */
};

/* Reads the three files; those that are not there leave has_* false. One that cannot be understood is reported. */
int minddata_load(const struct framework *framework, const char *directory, struct minddata *ret,
                  struct diagnostics *diag, struct err *err);
void minddata_release(struct minddata *data);
/* The operator of this id; NULL: none. */
const struct minddata_op *minddata_op_of(const struct minddata *data, int64_t id);
/* Items in an operator's output queue, on average over its samples; 0 without samples. */
double minddata_queue_mean(const struct minddata_op *op);

#endif
