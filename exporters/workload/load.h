/* From a database to what analysis/ works on. */
#ifndef MSPROF_EXPORTERS_WORKLOAD_LOAD_H
#define MSPROF_EXPORTERS_WORKLOAD_LOAD_H

#include "analysis/diff/profile.h"
#include "exporters/workload/load_family.h"

/* Reads what ran on the devices of a capture of any family: operators, communication operators, copies, steps. ret is
 * empty before; workload_release() it when this succeeds. */
int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err);

/* Adds the calls of the host, by name, to a profile of the same database. */
int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err);

/* Adds what devices ran by the framework's operator and line that launched it, where framework_attach
 * (exporters/framework/host_side.h) has told the connection of them; else nothing. */
int workload_load_lines(sqlite3 *db, struct profile *profile, struct err *err);

#endif
