/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over time, of the pieces that somebody got and gave back, and who held it when most was held. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_MEMORY_CURVE_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_MEMORY_CURVE_H

#include "base/array.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define MEMORY_KEPT INT64_MAX /* as an end: it was never given back */

struct memory_piece {
    int64_t start_ns, end_ns, bytes; /* held in [start_ns, end_ns) */
    int64_t device;
    uint32_t owner; /* a number of the caller's */
};
struct memory_pieces ARRAY_OF(struct memory_piece);

/* From its time to that of the next point of the device. */
struct memory_point {
    int64_t time_ns, device;
    int64_t bytes, pieces; /* the sum of the pieces that are held, and how many they are */
};
struct memory_curve ARRAY_OF(struct memory_point); /* by device and time: one for each time at which that changes */
/* Sorting apart it takes one way through the pieces. free(ret->items). */
int memory_curve_make(const struct memory_pieces *pieces, struct memory_curve *ret, struct err *err);
/* The first point behind those of the device of point `from`. */
size_t memory_curve_end(const struct memory_curve *curve, size_t from);
/* The first point in [from, until) with the most bytes. */
size_t memory_curve_peak(const struct memory_curve *curve, size_t from, size_t until);

/* All that an owner holds at one time. */
struct memory_holder {
    uint32_t owner;
    int64_t bytes, pieces, since_ns; /* since_ns: when it got the oldest of them */
};
struct memory_holders ARRAY_OF(struct memory_holder); /* the most bytes first, of equal ones the smaller owner */
/* Those at a point of the curve: their bytes add up to the point's. free(ret->items). */
int memory_holders_at(const struct memory_pieces *pieces, const struct memory_point *point, struct memory_holders *ret,
                      struct err *err);

#endif
