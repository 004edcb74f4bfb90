/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of the host launched each execution, and which calls waited for a device. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_LAUNCHES_H
#define MSPROF_EXPORTERS_LOAD_LOAD_LAUNCHES_H

#include "analysis/step_path.h"
#include "base/err.h"

#include <sqlite3.h>

/* Reads them of Ascend's captures; names of calls are ids of table name. ret is empty before; launches_release() it
 * whatever the result. */
int launches_load(sqlite3 *db, const struct workload *workload, struct launches *ret, struct err *err);

#endif
