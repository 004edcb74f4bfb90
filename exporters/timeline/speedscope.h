/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines as speedscope's own format (https://www.speedscope.app/file-format-schema.json): a profile for each thread
 * that has slices, of openings and closings; a frame is the name of a slice, so that a symbol is an operator or a
 * function. Of the Trace Event Format speedscope makes one symbol for each set of arguments. Counters, arrows and
 * instants are left out: the format has none.
 *
 *     struct speedscope *writer = speedscope_new(&out, err);
 *     for each event: speedscope_add(writer, &event, err)
 *     speedscope_end(writer, "capture", err); speedscope_free(writer)
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_SPEEDSCOPE_H
#define MSPROF_EXPORTERS_TIMELINE_SPEEDSCOPE_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "exporters/timeline/event_text.h"

struct speedscope; /* opaque */

/* Writes to out, which must outlive it. NULL with err set. */
struct speedscope *speedscope_new(struct outfile *out, struct err *err);
/* Keeps a slice, or the name of a process or a thread. Slices of a thread nest; they may come in any order. */
int speedscope_add(struct speedscope *writer, const struct event_text *event, struct err *err);
/* Writes the document; name (not escaped): of the whole. */
int speedscope_end(struct speedscope *writer, const char *name, struct err *err);
void speedscope_free(struct speedscope *writer);

#endif
