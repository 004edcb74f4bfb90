/* Files made of tracks. */
#ifndef MSPROF_EXPORTERS_TRACE_TIMELINE_H
#define MSPROF_EXPORTERS_TRACE_TIMELINE_H

#include "exporters/trace/document.h"

/* Writes msprof_<timestamp>.json with all tracks that the options show, and for each other report that tracks name a
 * file with these. No file without events. */
int tracks_write(struct timeline_run *run, struct err *err);

#endif
