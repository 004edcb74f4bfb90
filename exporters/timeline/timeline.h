/* SPDX-License-Identifier: Apache-2.0 */
/* Files made of tracks. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_H

#include "exporters/timeline/document.h"
#include "exporters/timeline/guest.h"

/* Writes msprof_<timestamp>.json with all tracks that the options show, and for each other report that tracks name a
 * file with these. No file without events. */
int tracks_write(struct timeline_run *run, struct err *err);

/* Writes <name> with all tracks and what the guest adds; compat: in the style of trace_style_2023. */
int tracks_write_with(struct timeline_run *run, const struct trace_guest *guest, const char *name, bool compat,
                      struct err *err);

#endif
