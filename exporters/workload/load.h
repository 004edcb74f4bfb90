/* From a database to what analysis/ works on. */
#ifndef MSPROF_EXPORTERS_WORKLOAD_LOAD_H
#define MSPROF_EXPORTERS_WORKLOAD_LOAD_H

#include "analysis/profile.h"
#include "analysis/workload.h"
#include "base/err.h"

#include <sqlite3.h>

/* Whether the sums of units, blocks and bytes of operators are wanted too: they are more than all the rest. */
enum load_counters { WITHOUT_COUNTERS, WITH_COUNTERS };

/* Reads what ran on the devices of a capture of any family: operators, communication operators, copies, steps. ret is
 * empty before; workload_release() it when this succeeds. */
int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err);

/* Adds the calls of the host, by name, to a profile of the same database. */
int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err);

#endif
