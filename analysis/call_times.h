/* SPDX-License-Identifier: Apache-2.0 */
/* How long calls of the host take by themselves, and how long devices had nothing to do meanwhile. */
#ifndef MSPROF_ANALYSIS_CALL_TIMES_H
#define MSPROF_ANALYSIS_CALL_TIMES_H

#include "analysis/compare/statistics.h"
#include "analysis/coverage.h"
#include "analysis/gap_calls.h"

/* All calls of one name. */
struct call_time {
    double total_ns;
    double self_ns;    /* without the calls inside of them */
    double blocked_ns; /* while no device did anything */
    struct durations durations;
};

struct call_times {
    const struct coverage *idle; /* when no device did anything */
    struct call_time *items;     /* by the number of the name */
    size_t count, capacity;
    size_t cursor; /* in idle */
    int64_t thread;
    struct {
        struct open_call {
            int64_t end_ns;
            uint32_t name;
        } * items;
        size_t count, capacity;
    } open; /* the calls of the thread that the next one may be inside of, the outermost first */
};

/* All zero but idle before; call_times_release() it. Takes the calls of a thread together and by their starts, a call
 * before what is inside of it. */
int call_times_take(struct call_times *times, const struct host_call *call, struct err *err);
void call_times_release(struct call_times *times);

#endif
