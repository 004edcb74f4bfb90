/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of each operator, for slices: as the table `bound` has it, of all executions of its name. */
#ifndef MSPROF_EXPORTERS_LOAD_BOUNDS_H
#define MSPROF_EXPORTERS_LOAD_BOUNDS_H

#include "base/err.h"
#include "base/intern.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct workload;

/* All zero: of nothing. */
struct operator_bounds {
    struct intern names;
    bool borrowed;      /* the names are another's */
    const char **words; /* of each name; NULL: it is no operator, or the capture has no counters */
};
/* Reads the tasks once, by the counters of their units. Release it also after a failure. */
int operator_bounds_load(sqlite3 *db, struct operator_bounds *ret, struct err *err);
void operator_bounds_release(struct operator_bounds *bounds);
/* Takes them of a workload that has counters, which must outlive them. */
int operator_bounds_of(const struct workload *workload, struct operator_bounds *ret, struct err *err);
/* "memory" and so on, a literal of the program; NULL: nothing is known of this name. */
const char *operator_bounds_find(const struct operator_bounds *bounds, const char *name, size_t length);

#endif
