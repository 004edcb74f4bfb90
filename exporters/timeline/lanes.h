/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread of a trace an event belongs to, so that slices on one thread never overlap in part: the events of a
 * stream or of a program's thread have its own number, what overlaps them in part goes to further ones ("lanes") whose
 * numbers nobody else has. */
#ifndef MSPROF_EXPORTERS_TIMELINE_LANES_H
#define MSPROF_EXPORTERS_TIMELINE_LANES_H

#include "base/err.h"
#include "base/map.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/nesting.h"

/* The threads of some processes. */
struct trace_lanes {
    const struct trace_style *style; /* of the trace that its slices go to */
    const char *word;                /* names are "<word><number>" and "<word><number> (2)": "Stream " */
    bool no_own;                     /* the numbers belong to others: all threads have numbers of their own */
    bool own_named;                  /* somebody else names the threads of their own numbers */
    bool in_turn;                    /* places of threads are counted; else a thread's place is its number */
    /* A number above all that anybody has in these processes, asked for when the first further lane is needed. */
    int (*first_free)(void *arg, int64_t *ret, struct err *err);
    void *arg;
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
/* Adds a thread that needs no placing. */
int trace_lanes_add(struct trace_lanes *lanes, int64_t pid, int64_t number, struct err *err);
/* Names all threads that have events, in the order of processes and numbers; name, which may
 * be NULL, appends another name than "<word><number>", as the inside of a JSON string. */
int trace_lanes_name(struct trace_lanes *lanes, struct trace *trace,
                     void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), void *arg,
                     struct err *err);

#endif
