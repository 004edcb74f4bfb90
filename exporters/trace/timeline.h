/* Files made of tracks. */
#ifndef MSPROF_EXPORTERS_TRACE_TIMELINE_H
#define MSPROF_EXPORTERS_TRACE_TIMELINE_H

#include "exporters/trace/document.h"
#include "exporters/trace/guest.h"

/* Writes msprof_<timestamp>.json with all tracks that the options show, and for each other report that tracks name a
 * file with these. No file without events. */
int tracks_write(struct timeline_run *run, struct err *err);

/* Writes <name> with all tracks and what the guest adds; compat: in the style of trace_style_2023. */
int tracks_write_with(struct timeline_run *run, const struct trace_guest *guest, const char *name, bool compat,
                      struct err *err);

#endif
