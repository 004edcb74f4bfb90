/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds the memory and the time that SQLite takes on one thread, where nothing else does: a query whose parts name
 * each other doubles with each of them while it is prepared, before the machine of SQLite makes its first step. */
#ifndef MSPROF_DB_MEMORY_BOUND_H
#define MSPROF_DB_MEMORY_BOUND_H

#include <stdbool.h>
#include <stdint.h>

struct memory_bound {
    int64_t most;  /* bytes at a time */
    int64_t at_ns; /* of the monotonic clock, from which on nothing is allocated; 0: none */
    int64_t used;
    bool exceeded, late; /* why an allocation failed */
};

/* Before SQLite begins; returns its code. */
int memory_bound_setup(void);

/* From here on allocations of SQLite on this thread count, and fail beyond the bound, until it is NULL. */
void memory_bound_set(struct memory_bound *bound);

#endif
