/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ordered pipeline: one thread makes units of work, several workers turn them into bytes side by side, and the bytes
 * reach the output file strictly in the order of the units. Memory is a fixed number of units and buffers, whatever
 * passes through: a unit whose bytes exceed its buffer waits for its turn and then writes on directly.
 */
#ifndef MSPROF_EXPORTERS_PARALLEL_H
#define MSPROF_EXPORTERS_PARALLEL_H

#include "base/err.h"
#include "base/file/outfile.h"

#include <stddef.h>

#define PARALLEL_MAX_WORKERS 8
#define PARALLEL_BUFFER_SIZE (1024 * 1024) /* bytes of one unit's buffer */

struct parallel;        /* opaque */
struct parallel_output; /* where a worker puts the bytes of its unit */

struct parallel_work {
    unsigned workers; /* 0: to use every CPU; at most PARALLEL_MAX_WORKERS */
    size_t unit_size; /* bytes of one unit; zeroed once, then reused */
    void *arg;
    size_t worker_size; /* bytes of the state of one worker */
    /* Opens that of one worker, which is zeroed, in the thread that makes units: of the first in parallel_new, of more
     * when units wait for one. */
    int (*worker_open)(void *worker, void *arg, struct err *err);
    void (*worker_close)(void *worker); /* also after a failed open; NULL: there is nothing to close */
    /* Turns a unit into bytes, in a worker's thread. Non-zero with err set stops the whole pipeline. */
    int (*process)(void *worker, void *unit, struct parallel_output *output, struct err *err);
    /* Releases what a unit holds, once for each at the end. May be NULL. */
    void (*unit_release)(void *unit);
};

/* Starts a worker, to which others come as they are needed; out must outlive the pipeline and not be used by others
 * meanwhile. out NULL: the units are written elsewhere, process must leave its output alone. NULL with err set. */
struct parallel *parallel_new(const struct parallel_work *work, struct outfile *out, struct err *err);

/* The next unit to fill, with what it held when it was last used; waits until one is free. NULL with err set when the
 * pipeline has stopped: a worker failed, the output cannot be written, a signal asked to stop. */
void *parallel_unit(struct parallel *parallel, struct err *err);
/* Hands over the unit that parallel_unit gave. */
void parallel_submit(struct parallel *parallel);
/* Waits until everything submitted is written. Returns 0, or -code of the first failure. */
int parallel_finish(struct parallel *parallel, struct err *err);
/* Stops what is not finished, without writing it, and releases everything; NULL is fine. */
void parallel_free(struct parallel *parallel);

/* Room for length bytes (at most PARALLEL_BUFFER_SIZE) to format into; parallel_advance sets how many were used. NULL
 * with err set when the pipeline has stopped: process returns -err->code then. */
struct parallel_output {
    char *data;
    size_t used;
    struct parallel *parallel;
    size_t sequence;
};

char *parallel_reserve_slow(struct parallel_output *output, size_t length, struct err *err);

static inline char *parallel_reserve(struct parallel_output *output, size_t length, struct err *err)
{
    if (PARALLEL_BUFFER_SIZE - output->used >= length)
        return output->data + output->used;
    return parallel_reserve_slow(output, length, err);
}

static inline void parallel_advance(struct parallel_output *output, size_t length)
{
    output->used += length;
}

/* Appends any number of bytes. */
int parallel_write(struct parallel_output *output, const void *bytes, size_t length, struct err *err);

#endif
