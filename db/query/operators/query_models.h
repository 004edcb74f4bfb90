/* SPDX-License-Identifier: Apache-2.0 */
/* Models, as the framework of captures of the layout of 2022 told of them. Same conventions as query.h; a name that
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

/* Part of an execution of a model. */
struct model_phase {
    int64_t phase; /* 0 input, 1 inference, 2 output */
    int64_t model_id, thread_id;
    const char *model;
    int64_t start_ns, end_ns;
};
enum model_order {
    MODELS_BY_EXECUTION, /* the parts of each together, by the start of its input */
    MODELS_BY_START,     /* of the parts; of those with the same start the longest first */
};
int model_each_phase(sqlite3 *db, int64_t device_id, enum model_order order,
                     int (*each)(void *arg, const struct model_phase *phase, struct err *err), void *arg,
                     struct err *err);

/* Step of the host for an operator of dynamic shape, in the order of records. */
struct model_host_step {
    int64_t thread_id;
    const char *op_type, *event;
    int64_t start_ns, end_ns;
};
int model_each_host_step(sqlite3 *db, int64_t device_id,
                         int (*each)(void *arg, const struct model_host_step *step, struct err *err), void *arg,
                         struct err *err);

#endif
