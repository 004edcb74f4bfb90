/* SPDX-License-Identifier: Apache-2.0 */
/* Divides a device's time into parts that do not overlap: each nanosecond is of one of them, so they add up to the
 * whole, exactly. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_TIME_PARTS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_TIME_PARTS_H

#include "features/answers/analysis/workload.h"

/* A part counts where none before it does. */
enum time_part {
    TIME_CUBE,       /* an operator of the cube units ran */
    TIME_VECTOR,     /* one of the vector units */
    TIME_AI_CPU,     /* one of the AI CPU */
    TIME_EXPOSED,    /* communication, and nothing computed */
    TIME_WAITING,    /* a communication operator was under way, and none of its tasks ran */
    TIME_COPIES,     /* a copy ran */
    TIME_OTHER,      /* another task ran */
    TIME_UNRECORDED, /* nothing is known */
    TIME_FREE,       /* nothing ran */
    TIME_PARTS
};
/* "Cube operators" and so on; of the former "AI Core operators" where the kind of core is not known. */
const char *time_part_title(enum time_part part, const struct workload_facts *facts);

struct time_parts {
    int64_t ns[TIME_PARTS];
};

/* For each of `count` ascending times, ns, divides the time from the first of them to it: ret has room for as many,
 * ret[0] is all zero, and the parts between two times are the difference of theirs. Linear in the executions of
 * the device, which are those of workload_finish. device: an index. */
void time_parts_at(const struct workload *workload, uint16_t device, const int64_t *times, size_t count,
                   struct time_parts *ret);

#endif
