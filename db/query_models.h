/* What the framework of captures of the layout of 2022 said of models. Same conventions as query_legacy.h; a name that
 * is an id without a text is its number. */
#ifndef MSPROF_DB_QUERY_MODELS_H
#define MSPROF_DB_QUERY_MODELS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

/* An operator that was fused of others, in the order of models and records. */
struct legacy_fusion {
    int64_t model_id;
    const char *model, *name, *operators; /* model: NULL when its load was not recorded; operators: between ';' */
    int64_t input, output, weight, workspace, total; /* bytes */
};
int legacy_each_fusion(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct legacy_fusion *fusion, struct err *err), void *arg,
                       struct err *err);

/* An execution of a model, by its start. */
struct legacy_model_time {
    int64_t model_id, thread_id;
    const char *model;
    int64_t start_ns[3], end_ns[3]; /* input, inference, output */
};
int legacy_each_model_time(sqlite3 *db, int64_t device_id,
                           int (*each)(void *arg, const struct legacy_model_time *time, struct err *err), void *arg,
                           struct err *err);

#endif
