/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks that record kinds declare (parsers/series.h): counters, and slices of what they say lasts. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SERIES_H
#define MSPROF_EXPORTERS_TIMELINE_SERIES_H

#include "exporters/timeline/track.h"
#include "parsers/record.h"

/* The layer's name in the file of --reports. */
const char *series_layer(const struct series_report *series);
/* Calls each for every series that the timeline shows something of, until it returns other than 0, which it returns. */
int series_each(int (*each)(void *arg, const struct record_kind *kind, const struct series_report *series), void *arg);

/* Writes the events of all series that the options show. */
int series_write(struct track_run *run, struct err *err);

#endif
