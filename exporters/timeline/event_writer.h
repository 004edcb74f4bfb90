/* SPDX-License-Identifier: Apache-2.0 */
/* A format of timelines: a table of functions that write the events of one file. */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_WRITER_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_WRITER_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "base/strbuf.h"
#include "exporters/export.h"
#include "exporters/timeline/event.h"

/* What the end of a timeline says. */
struct trace_about {
    const struct strbuf *facts; /* of the whole, as an object of JSON; empty: none */
    int64_t first_pid;          /* the process that was named first */
    int64_t unix_ns;            /* when time 0 was, DB_NULL: not known */
};

/* What writes the events of one file in a format. */
struct event_writer {
    /* Writes to out, which must outlive it, as the options do; NULL with err set. */
    void *(*open)(struct outfile *out, const struct export_options *options, struct err *err);
    int (*add)(void *writer, const struct event *event, struct err *err);
    /* name (not escaped): of the whole. */
    int (*end)(void *writer, const struct trace_about *about, const char *name, struct err *err);
    void (*free)(void *writer);         /* NULL is fine */
    void (*forget_texts)(void *writer); /* texts that stayed are gone; NULL: it knows none by their addresses */
    bool slices_alone;                  /* it shows no instants and counters */
};

/* JSON; those of Perfetto and speedscope are in perfetto.h and speedscope.h. */
extern const struct event_writer json_writer;
/* Writes the end of a document of JSON that has events. */
void trace_put_end(struct outfile *out, const struct trace_about *about);

#endif
