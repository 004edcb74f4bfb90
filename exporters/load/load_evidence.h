/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the host while devices waited: the evidence of advice. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_EVIDENCE_H
#define MSPROF_EXPORTERS_LOAD_LOAD_EVIDENCE_H

#include "analysis/advice.h"
#include "analysis/compare/workload.h"
#include "base/array.h"
#include "base/err.h"

#include <sqlite3.h>

/* Finds the longest gaps of the workload, and what covers them in its database. */
int evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err);

/* Tells in the rows of findings who launched them, where framework_attach has told the connection. */
int evidence_name_launchers(sqlite3 *db, struct advice *advice, struct err *err);

/* At which frequencies devices' tasks ran. */

/* Tasks count at the frequency that was measured last when they began, with the time they took: idle time does not
 * count, and of tasks beside each other each does. */
struct frequency_use {
    int64_t device_id, mhz, rated_mhz; /* rated_mhz 0: not known */
    int64_t tasks;
    double time_ns;
};
struct frequency_uses ARRAY_OF(struct frequency_use); /* by device, then frequency */
/* The mean frequency of one device, or of all of them. */
struct frequency_mean {
    double mhz, rated_mhz;    /* 0: not measured, not known */
    double time_ns, below_ns; /* of tasks whose frequency is known; of those below the rated one */
};

/* Empty for captures that measure none. free(ret->items). */
int frequency_uses_load(sqlite3 *db, const struct workload *workload, struct frequency_uses *ret, struct err *err);
/* Takes the mean of items [from, until). */
struct frequency_mean frequency_mean_of(const struct frequency_uses *uses, size_t from, size_t until);

/* Inside of loading evidence: the stages of a framework's data pipeline. */

#endif
