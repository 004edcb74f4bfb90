/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines as Perfetto's protobuf (docs/formats/perfetto.md): events in, packets out, nothing kept of an event.
 *
 * A process of the trace is a process there, a thread and a counter each a track below it and a packet sequence of its
 * own: its events come by time, so that times are differences (an incremental clock) and the track is said once, in the
 * sequence's defaults. An event that is earlier has its whole time. Slices are a beginning and an end; the ends that
 * are due are written before what begins then or later. Texts are interned for each sequence; when there are too many,
 * all sequences begin anew.
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_PERFETTO_H
#define MSPROF_EXPORTERS_TIMELINE_PERFETTO_H

#include "exporters/timeline/event_writer.h"

/* Writes whole packets, so that the file may be cut between them. Slices of a thread must nest and come by start, the
 * longest first where they begin together. */
extern const struct event_writer perfetto_writer;

#endif
