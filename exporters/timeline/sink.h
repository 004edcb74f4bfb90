/* SPDX-License-Identifier: Apache-2.0 */
/* Where the events of a timeline go that are not simply written: into another format, or only some of them, or into
 * several files. A sink takes packed events (event.h) from an outfile (outfile_open_pipe); a format of files is a table
 * of functions (event_writer.h). */
#ifndef MSPROF_EXPORTERS_TIMELINE_SINK_H
#define MSPROF_EXPORTERS_TIMELINE_SINK_H

#include "base/array.h"
#include "base/err.h"
#include "exporters/export.h"
#include "exporters/timeline/event_writer.h"

struct trace_sink; /* opaque */

/* Whether the options need one. */
bool trace_sink_needed(const struct export_options *options);
/* How messages name a timeline of this path, which ends with ".json": as the format's files end. NULL: out of memory.
 */
char *trace_sink_path(const struct export_options *options, const char *path);

/* path: that of JSON, which ends with ".json"; report: a taker has the events of "msprof" alone. Events of style
 * trace_style_msprof only. NULL with err set. */
struct trace_sink *trace_sink_open(const struct export_options *options, const char *path, const char *report,
                                   struct err *err);
/* For outfile_open_pipe, with the sink as its argument. */
int trace_sink_take(void *sink, const char *bytes, size_t length);
/* Whether it takes packed events; else lines of JSON, as they are in a file. */
bool trace_sink_takes_events(const struct trace_sink *sink);
/* Forgets texts of events by their address. */
void trace_sink_forget_texts(struct trace_sink *sink);
/* Its own failure, which says more than the outfile's: 0 or -code. */
int trace_sink_failed(const struct trace_sink *sink, struct err *err);
/* Completes its files, those that have events, and reports each: report as in export_options.written; drawn: all
 * events that there were. Frees it; 0 or -code. */
int trace_sink_commit(struct trace_sink *sink, uint64_t drawn, const char *report, const struct trace_about *about,
                      struct export_result *result, struct err *err);
void trace_sink_abort(struct trace_sink *sink);

/* ---- parts ---- */

/* Times at which parts but the first begin. */
struct cut_borders ARRAY_OF(int64_t);

/* The begins of the steps of a capture's leading family, on whichever device, since origin_ns. */
int trace_cuts_read_steps(sqlite3 *db, int64_t origin_ns, struct cut_borders *ret, struct err *err);

/* Calls draw as often as the options' split needs it, with options that say which parts are written. steps: where those
 * of --split iteration begin; it is asked once. */
int trace_cuts_draw(const struct export_options *options,
                    int (*draw)(void *arg, const struct export_options *options, struct err *err),
                    int (*steps)(void *arg, struct cut_borders *ret, struct err *err), void *arg, struct err *err);

#endif
