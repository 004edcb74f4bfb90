/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of one thread on lanes of a timeline: what a lane holds is nested, so that viewers draw it as it was; what
 * overlaps another range only in part goes to a further lane. */
#ifndef MSPROF_EXPORTERS_TIMELINE_NESTING_H
#define MSPROF_EXPORTERS_TIMELINE_NESTING_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define NESTING_LANES_MAX 64
#define NESTING_DEPTH_MAX 128

/* All zero: no lane is used. */
struct nesting {
    struct nesting_lane {
        size_t depth;
        int64_t ends[NESTING_DEPTH_MAX]; /* of the ranges that are open, each inside the one before it */
    } * items;
    size_t count, capacity;
};

void nesting_clear(struct nesting *nesting);
void nesting_release(struct nesting *nesting);

/* *ret_lane: the lowest lane where the range fits behind or inside what is there; NESTING_LANES_MAX when it fits on
 * none. Ranges must come by start, of those with the same start the longest first. *ret_shared_ends says how many of
 * the ranges around it on its lane end when it does. */
int nesting_place(struct nesting *nesting, int64_t start_ns, int64_t end_ns, size_t *ret_lane,
                  unsigned *ret_shared_ends, struct err *err);

#endif
