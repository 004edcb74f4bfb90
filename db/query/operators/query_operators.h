/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a capture of any family, in the order in which a device reports them: by their end. */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_OPERATORS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_OPERATORS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

struct operator_run {
    const char *type, *name; /* never NULL: "N/A" when the capture does not say it */
    int64_t device_id;
    int64_t model_id;              /* DB_NULL: the capture does not say it */
    int64_t thread_id;             /* of the host, that launched it; DB_NULL: not known */
    int64_t start_ns, duration_ns; /* DB_NULL: not known, when the clock of the cores is not */
};

/* Operators of one model and those of which the capture does not say the model; model_id DB_NULL: all. SVP: a layer
 * group is one operator; without a known start of its inference it is placed as in timelines. */
int operators_each(sqlite3 *db, int64_t model_id,
                   int (*each)(void *arg, const struct operator_run *run, struct err *err), void *arg, struct err *err);

/* The models that operators_each gives operators of, ascending; without the ones of which the capture says nothing. */
int operators_each_model(sqlite3 *db, int (*each)(void *arg, int64_t model_id, struct err *err), void *arg,
                         struct err *err);

#endif
