/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread of a trace an event belongs to, so that slices on one thread never overlap in part: the events of a
 * stream or of a program's thread have its own number, what overlaps them in part goes to further ones ("lanes") whose
 * numbers nobody else has. */
#ifndef MSPROF_EXPORTERS_TIMELINE_LANES_H
#define MSPROF_EXPORTERS_TIMELINE_LANES_H

#include "base/err.h"
#include "base/map.h"
#include "exporters/timeline/document.h"

#include <stddef.h>
#include <stdint.h>

/* The threads of some processes. */
struct trace_lanes {
    const struct trace_style *style; /* of the trace that its slices go to */
    const char *word;                /* names are "<word><number>" and "<word><number> (2)": "Stream " */
    bool no_own;                     /* the numbers belong to others: all threads have numbers of their own */
    bool own_named;                  /* somebody else names the threads of their own numbers */
    bool in_turn;                    /* places of threads are counted; else a thread's place is its number */
    bool apart;                      /* slices on a thread do not nest: what begins inside of another goes beside it */
    /* The number of a thread's first lane; below 0: it has none of its own. NULL: the thread's number. */
    int64_t (*own)(void *arg, int64_t number);
    /* A number above all that anybody has in these processes, asked for when the first further lane is needed. NULL:
     * own_next says it. */
    int (*first_free)(void *arg, int64_t *ret, struct err *err);
    void *arg;
    /* The process that a thread is named for, where it is another trace than that of the slices. NULL: theirs. */
    int64_t (*pid_of)(const void *other, int64_t pid);
    const void *other;
    int64_t *next, own_next; /* next may be what other lanes of the processes take from too; 0: not asked for yet */
    struct map threads;
    struct lanes_thread *last;
    int64_t last_pid, last_number;
};

/* lanes must stay where it is, and style. */
void trace_lanes_init(struct trace_lanes *lanes, const struct trace_style *style, const char *word,
                      int (*first_free)(void *arg, int64_t *ret, struct err *err), void *arg);
void trace_lanes_release(struct trace_lanes *lanes);
/* Sets tid, instant and short_ps of a slice whose pid, start_ns and duration_ns are set. Events of one number of a
 * process must come by start, of those with the same start the longest first. */
int trace_lanes_place(struct trace_lanes *lanes, int64_t number, struct trace_slice *slice, struct err *err);
/* Places a slice, and begins its event. */
static inline int trace_lanes_begin(struct trace_lanes *lanes, int64_t number, struct trace_slice *slice,
                                    struct event *event, struct err *err)
{
    const int status = trace_lanes_place(lanes, number, slice, err);
    event_slice(event, slice);
    return status;
}
/* Adds a thread that needs no placing; its first lane's tid into *ret_tid, which may be NULL. */
int trace_lanes_add(struct trace_lanes *lanes, int64_t pid, int64_t number, int64_t *ret_tid, struct err *err);
bool trace_lanes_has(const struct trace_lanes *lanes, int64_t pid, int64_t number);
/* The name of a thread, as the inside of a JSON string, which the lanes free; *: NULL until the caller sets it. NULL
 * with err set. */
char **trace_lanes_name_of(struct trace_lanes *lanes, int64_t pid, int64_t number, struct err *err);
/* Names all threads that have events, in the order of processes and numbers; name, which may be NULL, appends the names
 * of those that have none instead of "<word><number>". */
int trace_lanes_name(struct trace_lanes *lanes, struct trace *trace,
                     void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), void *arg,
                     struct err *err);

/* ---- ranges of one thread ---- */

/* On lanes of a timeline: what a lane holds is nested, so that viewers draw it as it was; what
 * overlaps another range only in part goes to a further lane. */
#define NESTING_LANES_MAX 256       /* where ranges are apart */
#define NESTING_NESTED_LANES_MAX 64 /* where they nest */
#define NESTING_DEPTH_MAX 128

/* All zero: no lane is used. */
struct nesting {
    struct nesting_lane {
        size_t depth;
        int64_t ends[NESTING_DEPTH_MAX]; /* of the ranges that are open, each inside the one before it */
    } * items;
    size_t count, capacity;
    bool apart; /* nothing is inside of another */
};

void nesting_clear(struct nesting *nesting);
void nesting_release(struct nesting *nesting);

/* *ret_lane: the lowest lane where the range fits behind or inside what is there; NESTING_LANES_MAX when it fits on
 * none. Ranges must come by start, of those with the same start the longest first. *ret_shared_ends says how many of
 * the ranges around it on its lane end when it does. */
int nesting_place(struct nesting *nesting, int64_t start_ns, int64_t end_ns, size_t *ret_lane,
                  unsigned *ret_shared_ends, struct err *err);

#endif
