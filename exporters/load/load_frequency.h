/* SPDX-License-Identifier: Apache-2.0 */
/* At which frequencies devices' tasks ran. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_FREQUENCY_H
#define MSPROF_EXPORTERS_LOAD_LOAD_FREQUENCY_H

#include "analysis/compare/workload.h"
#include "base/err.h"

#include <sqlite3.h>

/* Tasks count at the frequency that was measured last when they began, with the time they took: idle time does not
 * count, and of tasks beside each other each does. */
struct frequency_use {
    int64_t device_id, mhz, rated_mhz; /* rated_mhz 0: not known */
    int64_t tasks;
    double time_ns;
};
struct frequency_uses {
    struct frequency_use *items; /* by device, then frequency */
    size_t count, capacity;
};
/* What one device, or all of them, ran at. */
struct frequency_mean {
    double mhz, rated_mhz;    /* 0: not measured, not known */
    double time_ns, below_ns; /* of tasks whose frequency is known; of those below the rated one */
};

/* Empty for captures that measure none. free(ret->items). */
int frequency_uses_load(sqlite3 *db, const struct workload *workload, struct frequency_uses *ret, struct err *err);
/* Of items [from, until). */
struct frequency_mean frequency_mean_of(const struct frequency_uses *uses, size_t from, size_t until);

#endif
