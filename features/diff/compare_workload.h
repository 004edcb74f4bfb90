/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of a workload that is open with a base. */
#ifndef MSPROF_FEATURES_DIFF_COMPARE_WORKLOAD_H
#define MSPROF_FEATURES_DIFF_COMPARE_WORKLOAD_H

#include "features/diff/compare.h"

#include <sqlite3.h>

/* Compares the workload of a database: operators, gaps and calls, by the default options. *ret points into
 * *ret_profile and the base; both need their releases when this succeeds. -ERR_NOT_FOUND when a side has no operator.
 */
int compare_workload(sqlite3 *db, const struct workload *workload, const char *name, const struct side *base,
                     struct profile *ret_profile, struct comparison *ret, struct err *err);

#endif
