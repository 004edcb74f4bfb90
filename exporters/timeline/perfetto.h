/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines as Perfetto's protobuf (docs/formats/perfetto.md): events in, packets out, nothing kept of an event.
 *
 * A process of the trace is a process there, a thread and a counter each a track below it and a packet sequence of its
 * own: its events come by time, so that times are differences (an incremental clock) and the track is said once, in the
 * sequence's defaults. An event that is earlier has its whole time. Slices are a beginning and an end; the ends that
 * are due are written before what begins then or later. Texts are interned for each sequence; when there are too many,
 * all sequences begin anew.
 *
 *     struct perfetto *writer = perfetto_new(&out, err);
 *     for each event: event_text_read(bytes, end, &event), perfetto_add(writer, &event, err)
 *     perfetto_end(writer, about, unix_ns, err); perfetto_free(writer)
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_PERFETTO_H
#define MSPROF_EXPORTERS_TIMELINE_PERFETTO_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "exporters/timeline/event_text.h"

struct perfetto; /* opaque */

/* Writes to out, which must outlive it; whole packets, so that out may cut between them. NULL with err set. */
struct perfetto *perfetto_new(struct outfile *out, struct err *err);
/* Writes an event: X, i, C, s, t, f or M. Slices of a thread must nest and come by start, the longest first where they
 * begin together. -ERR_FORMAT for another phase. */
int perfetto_add(struct perfetto *writer, const struct event_text *event, struct err *err);
/* Writes the event at p when it is a slice, an instant or an arrow whose times are coded, as nearly all are that tracks
 * draw; returns what is behind it. NULL: it is another one, or its end has not come, or err is set. */
const char *perfetto_take(struct perfetto *writer, const char *p, const char *end, char *ret_phase, struct err *err);
/* Texts that stayed are gone. */
void perfetto_forget_texts(struct perfetto *writer);
/* Ends slices and names tracks. about: metadata of the trace, as text; unix_ns: when time 0 was, DB_NULL: not
 * known. */
int perfetto_end(struct perfetto *writer, struct event_span about, int64_t unix_ns, struct err *err);
void perfetto_free(struct perfetto *writer);

#endif
