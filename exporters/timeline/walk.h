/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of large tables on their way through the tracks of a file. */
#ifndef MSPROF_EXPORTERS_TIMELINE_WALK_H
#define MSPROF_EXPORTERS_TIMELINE_WALK_H

#include "exporters/timeline/track.h"

/* Walks calls, then tasks, for all tracks of the file that are made of them, and writes their events. */
int tracks_walk(struct track_run *run, struct err *err);

#endif
