/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of time, half open: [start_ns, end_ns). Lengths that int64_t cannot hold are INT64_MAX. */
#ifndef MSPROF_BASE_INTERVAL_H
#define MSPROF_BASE_INTERVAL_H

#include "base/array.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    int64_t start_ns, end_ns;
};

/* All zero: empty; intervals_release() it. United lists are sorted, and their intervals neither overlap nor touch. */
struct intervals ARRAY_OF(struct interval);

int64_t interval_length(int64_t start_ns, int64_t end_ns); /* 0 when it ends before it starts */

/* Appends one; an empty one is left out. */
int intervals_add(struct intervals *list, int64_t start_ns, int64_t end_ns, struct err *err);
/* Adds an interval likewise where they come by start: the list stays united. */
int intervals_extend(struct intervals *list, int64_t start_ns, int64_t end_ns, struct err *err);
/* Sorts and merges what overlaps or touches. */
void intervals_unite(struct intervals *list);
/* The sum of the lengths. */
int64_t intervals_length(const struct intervals *list);
/* The part of the length of a united list that lies in [from_ns, until_ns). *cursor is where to look first, for calls
 * with ascending from_ns; 0 for the first. */
int64_t intervals_length_within(const struct intervals *list, int64_t from_ns, int64_t until_ns, size_t *cursor);
/* A length of which a part is counted in ticks of a clock, whose rate goes beside it (base/ticks.h). */
struct length {
    int64_t ticks, ns;
};
int64_t length_ns(struct length length, int64_t hz); /* rounded once */
struct length length_without(struct length all, struct length part);
/* Likewise, exact: the ends of the list are ticks of a clock; those of the stretch are where bounds_tick. */
struct length intervals_exact_within(const struct intervals *list, int64_t from_ns, int64_t until_ns, size_t *cursor,
                                     int64_t hz, bool bounds_tick);
/* Time that is in a and not in b, or in either; a and b united, ret empty before and united after. */
int intervals_subtract(const struct intervals *a, const struct intervals *b, struct intervals *ret, struct err *err);
int intervals_join(const struct intervals *a, const struct intervals *b, struct intervals *ret, struct err *err);
void intervals_release(struct intervals *list);

#endif
