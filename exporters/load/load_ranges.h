/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the host: what a program says it does, and the calls that it makes. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_RANGES_H
#define MSPROF_EXPORTERS_LOAD_LOAD_RANGES_H

#include "analysis/compare/profile.h"
#include "analysis/gap_calls.h"
#include "base/err.h"

#include <sqlite3.h>

/* The calls that the host made, of captures of any family. */

/* Gives every call with a time to each: those of a thread together and by their starts, a call before what is inside of
 * it. Its name is a number of names, which is added to. */
int host_calls_each(sqlite3 *db, struct intern *names,
                    int (*each)(void *arg, const struct host_call *call, struct err *err), void *arg, struct err *err);

/* Tells the connection that every range and call with this name is a step of the answers that follow. */
int step_range_choose(sqlite3 *db, const char *name, struct err *err);

/* Those of ranges that end behind their begin, or of calls. ret is empty before; it needs named_times_release whatever
 * the result. */
int named_times_of_ranges(sqlite3 *db, struct named_times *ret, struct err *err);
int named_times_of_calls(sqlite3 *db, struct named_times *ret, struct err *err);
void named_times_release(struct named_times *times);
/* Which took most time: places among them, the first of them first. free(*ret). */
int named_times_rank(const struct named_times *times, size_t **ret, struct err *err);
/* Those that took most time, the first of them first; series_release their times whatever the result. */
#define NAMED_LARGEST 5
struct named_series {
    const char *name;
    struct series times;
    double period_ns; /* named_times_period_ns */
};
int named_times_largest(const struct named_times *times, struct named_series ret[NAMED_LARGEST], size_t *ret_count,
                        struct err *err);
/* From the begin of one of a name to that of the next, the mean; negative: there is one alone. */
double named_times_period_ns(const struct named_times *times, size_t name);

#endif
