/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks that measured the times of a capture, for lengths that are printed (base/ticks.h). */
#ifndef MSPROF_DB_QUERY_CLOCKS_H
#define MSPROF_DB_QUERY_CLOCKS_H

#include "base/err.h"
#include "base/ticks.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* In table meta, followed by the id of a part: a time at which its clock ticks, in ns, where lengths need it. */
#define CLOCK_ORIGIN "clock_origin_ns."

struct cann_clocks {
    int64_t host_hz; /* this and those of devices are rates of base/ticks.h; 0: not loaded, which counts nanoseconds */
    struct device_clock {
        int64_t device_id, hz;
    } * items;
    size_t count, capacity;
    int64_t any_hz; /* of devices that are not among the items; 0: theirs counts nanoseconds */
};

/* Those of captures that count from the clocks of their host; of others times are nanoseconds. */
int cann_clocks_load(sqlite3 *db, struct cann_clocks *ret, struct err *err);
void cann_clocks_release(struct cann_clocks *clocks);

/* The rate of a device; DB_NULL: of the host. */
int64_t cann_clock_hz(const struct cann_clocks *clocks, int64_t device_id);

#endif
