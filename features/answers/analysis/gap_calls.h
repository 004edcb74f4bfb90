/* SPDX-License-Identifier: Apache-2.0 */
/* Why a device waited: which call of the host covers a gap, and whether a launch began inside of it. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_GAP_CALLS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_GAP_CALLS_H

#include "base/interval.h"
#include "base/statistics.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/workload.h"

/* How much of any stretch of time a list of intervals covers, asked for many stretches. */

/* All zero: covers nothing. */
struct coverage {
    struct intervals list; /* united */
    int64_t *before;       /* the length of all intervals in front of each */
};

/* Takes a united list over, which is empty afterwards. */
int coverage_make(struct intervals *list, struct coverage *ret, struct err *err);
/* The part of [from_ns, until_ns) that is covered. *cursor says where to look first: 0, or what the call before left;
 * stretches that come by their starts are found without searching. */
int64_t coverage_within(const struct coverage *coverage, int64_t from_ns, int64_t until_ns, size_t *cursor);
void coverage_release(struct coverage *coverage);

#define QUEUE_GAP_NS 1000 /* passes between tasks that wait in a queue, too */

/* When no device did anything, from the first execution of all to the end of the last. left_ns: so much of the end of
 * each stretch is none, as of those that are no longer. */
int coverage_of_idle(const struct workload *workload, int64_t left_ns, struct coverage *ret, struct err *err);
/* When an operator ran on this device (an index): communication and copies do not count. */
int coverage_of_computing(const struct workload *workload, uint16_t device, struct coverage *ret, struct err *err);
/* The same in ticks of the device's clock since the begin of its first execution. */
int coverage_of_computing_ticks(const struct workload *workload, uint16_t device, struct coverage *ret,
                                int64_t *ret_since_ns, struct err *err);
/* The time of a stretch that such a list of ticks of a clock of this rate does not cover, in nanoseconds that are not
 * rounded. */
double coverage_ticks_outside(const struct coverage *ticks, int64_t hz, int64_t since_ns, int64_t start_ns,
                              int64_t duration_ns, size_t *cursor);

/* A call of the host. */
struct host_call {
    uint32_t name; /* a number of the caller's */
    int64_t thread;
    int64_t start_ns, end_ns;
    int64_t hz;        /* the rate of its clock (base/ticks.h) */
    bool launches;     /* it launched a task */
    bool communicates; /* an entry of a communication library for its own tasks: its name is no call's */
};

/* How long it took: rounded once, and as it is, to be summed. */
static inline int64_t host_call_length_ns(const struct host_call *call)
{
    return ticks_span_ns(call->hz, call->start_ns, interval_length(call->start_ns, call->end_ns));
}
static inline double host_call_length(const struct host_call *call)
{
    return ticks_exact_ns(call->hz, call->start_ns, interval_length(call->start_ns, call->end_ns));
}

enum gap_cause {
    CAUSE_UNKNOWN, /* the capture has no calls of the host */
    CAUSE_HOST,    /* a launch began inside of the gap: the device waited for the host */
    CAUSE_SYNC,    /* a call that waits or copies covers at least half of the gap */
    CAUSE_QUEUE,   /* neither: what the device waited for was launched before */
};
const char *gap_cause_name(enum gap_cause cause);

/* Facts about a gap; small, for there may be as many as executions. */
struct gap_call {
    uint32_t name;    /* of the call that covers most of the gap; of equal ones the shortest, which is the innermost.
                         NO_TEXT: none */
    float covered_ns; /* how much it covers */
    float length_ns;  /* how long that call took */
    uint32_t number;  /* which of the calls that were taken */
    bool launched;
    bool communicates; /* that call does */
};

struct gap_calls {
    const struct workload *workload;
    const struct gaps *gaps; /* as gaps_make orders them, or some of them in that order */
    struct gap_call *items;  /* one for each gap */
    size_t *device_ends;     /* of each device that has gaps: the index behind its last gap */
    size_t *cursors;         /* of each of them: where to look first */
    size_t device_count;
    bool any;                 /* calls were recorded, in the chosen time or outside of it */
    struct gap_cover *covers; /* of calls that cover many gaps: a tree over the gaps; NULL: none yet */
    uint32_t taken;           /* calls so far, for those that are equal */
};

/* Its arguments must outlive it. gap_calls_release() it whatever the result. */
int gap_calls_open(struct gap_calls *calls, const struct workload *workload, const struct gaps *gaps, struct err *err);
/* Takes one call; fastest when the calls of a thread come by their starts. */
void gap_calls_take(struct gap_calls *calls, const struct host_call *call);
/* To be called behind the last of them, before items are read. */
void gap_calls_finish(struct gap_calls *calls);
void gap_calls_release(struct gap_calls *calls);

/* The name of the call that gap i is shown with: one that covers a tenth of it at least; NO_TEXT: none does. */
uint32_t gap_calls_name(const struct gap_calls *calls, size_t i);
/* Why gap i was; name is that of the call which covers it, NULL when there is none. */
enum gap_cause gap_calls_cause(const struct gap_calls *calls, size_t i, const char *name);

/* By their names: calls that wait for a device, and calls that allocate, free, or copy and wait. Entries that
 * communicate are neither, whatever they are called. */
bool gap_call_is_waiting(const char *name);
bool gap_call_is_memory(const char *name);
/* Calls that compile an operator, and those that wait for a device and copy nothing. */
bool gap_call_is_compiling(const char *name);
bool gap_call_is_synchronising(const char *name);

/* How long calls of the host take by themselves, and how long devices had nothing to do meanwhile. */

/* All calls of one name. */
struct call_time {
    double total_ns;
    double self_ns;             /* without the calls inside of them */
    double blocked_ns;          /* while no device did anything */
    struct durations durations; /* until call_times_finish() */
    struct series series;       /* of them, from then on */
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
/* Makes the series of all, which take less memory than what they are made of. */
int call_times_finish(struct call_times *times, struct err *err);
void call_times_release(struct call_times *times);

#endif
