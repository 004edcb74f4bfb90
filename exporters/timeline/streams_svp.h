/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread of a trace an event belongs to, so that events on one thread never overlap: a stream's first thread has
 * the stream's own number, what runs at the same time goes to further ones ("lanes") whose numbers no stream has. */
#ifndef MSPROF_EXPORTERS_TIMELINE_STREAMS_SVP_H
#define MSPROF_EXPORTERS_TIMELINE_STREAMS_SVP_H

#include "base/err.h"
#include "exporters/timeline/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The different stream ids of a capture, ascending; DB_NULL is one of them when a stream is not known. Past the limit
 * (damaged data) the rest are told apart by the events' arguments only. */
#define STREAMS_MAX 1024

struct stream_set {
    int64_t ids[STREAMS_MAX];
    size_t count;
    bool overflowed; /* ids were left out */
};

/* Adds an id that may be there already. */
void stream_set_add(struct stream_set *set, int64_t id);
/* The id's index; count when it is not in the set. */
size_t stream_set_index(const struct stream_set *set, int64_t id);

/* Gives thread numbers that are no stream id of two sets (the second may be NULL), ascending. The sets must not change.
 */
struct tid_pool {
    const struct stream_set *streams[2];
    int64_t next;
};

void tid_pool_init(struct tid_pool *pool, const struct stream_set *first, const struct stream_set *second);
/* The first of `width` consecutive free numbers. */
int64_t tid_pool_take(struct tid_pool *pool, size_t width);

/* Lanes for spans that come by start time. */
#define LANES_MAX 256

struct lanes {
    size_t count;
    int64_t ends[LANES_MAX];
};

/* The lowest lane that is free at start_ns, and occupied until end_ns from now on; LANES_MAX when all are occupied. */
size_t lanes_take(struct lanes *lanes, int64_t start_ns, int64_t end_ns);

/* A stream's events one by one: its lanes and their threads. Index LANES_MAX is for instants, what found no lane. */
struct stream_lanes {
    struct lanes lanes;
    int64_t tids[LANES_MAX + 1]; /* -1: not used so far */
};

/* Lanes of every stream of a set. */
struct stream_threads {
    const struct stream_set *streams;
    struct tid_pool *pool;
    const struct stream_set *avoid; /* streams whose numbers belong to others; NULL: none */
    struct stream_lanes **lanes;    /* per stream, and one more for streams that the set left out; NULL: not used */
};

int stream_threads_init(struct stream_threads *threads, const struct stream_set *streams,
                        const struct stream_set *avoid, struct tid_pool *pool, struct err *err);
void stream_threads_release(struct stream_threads *threads);
/* Gives every stream its first thread, before any event is placed. */
int stream_threads_number(struct stream_threads *threads, struct err *err);
/* The number of a stream's first thread, once stream_threads_number has given it; index is that of the stream in the
 * set. */
int64_t stream_threads_first(const struct stream_threads *threads, size_t index);
/* Finds the thread of an event; *ret_instant when every lane is occupied. Events must come by start time. */
int stream_threads_place(struct stream_threads *threads, int64_t stream_id, int64_t start_ns, int64_t duration_ns,
                         int64_t *ret_tid, bool *ret_instant, struct err *err);

/* Names every thread that was used, in process 0: "Stream 5", "Stream 5 (2)" for its second lane, "Stream 5 (more)" for
 * instants. A thread that could not have its stream's own number has clash_suffix after "Stream 5". Returns the next
 * sort index after first_sort_index. */
int64_t stream_threads_write(const struct stream_threads *threads, struct trace *trace, int64_t first_sort_index,
                             const char *clash_suffix);

#endif
