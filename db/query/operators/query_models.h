/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the framework of captures of the layout of 2022 told of models. Same conventions as query.h; a name that
 * is an id without a text is its number. */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_MODELS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_MODELS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

/* An operator that was fused of others, in the order of models and records. */
struct model_fusion {
    int64_t model_id;
    const char *model, *name, *operators; /* model: NULL when its load was not recorded; operators: between ';' */
    int64_t input, output, weight, workspace, total; /* bytes */
};
int model_each_fusion(sqlite3 *db, int64_t device_id,
                      int (*each)(void *arg, const struct model_fusion *fusion, struct err *err), void *arg,
                      struct err *err);

/* Something that the host did: a part of a model's execution, or a step for an operator of dynamic shape. */
struct model_slice {
    int64_t thread_id, start_ns, end_ns, model_id;
    const char *name, *model; /* model: NULL, it is of an operator */
};
enum model_slices {
    MODEL_PARTS,          /* the parts of each execution together, by the start of its input */
    MODEL_PARTS_BY_START, /* of the parts; of those with the same start the longest first */
    MODEL_OPERATOR_STEPS, /* in the order of records */
};
int model_each_slice(sqlite3 *db, int64_t device_id, enum model_slices which,
                     int (*each)(void *arg, const struct model_slice *slice, struct err *err), void *arg,
                     struct err *err);

/* A step of the host for an operator of dynamic shape, in the order of records. */
struct model_host_step {
    int64_t thread_id;
    const char *op_type, *event;
    int64_t start_ns, end_ns;
};
int model_each_host_step(sqlite3 *db, int64_t device_id,
                         int (*each)(void *arg, const struct model_host_step *step, struct err *err), void *arg,
                         struct err *err);

#endif
