/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines as speedscope's own format (https://www.speedscope.app/file-format-schema.json): a profile for each thread
 * that has slices, of openings and closings; a frame is the name of a slice, so that a symbol is an operator or a
 * function. Of the Trace Event Format speedscope makes one symbol for each set of arguments. Counters, arrows and
 * instants are left out: the format has none.
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_SPEEDSCOPE_H
#define MSPROF_EXPORTERS_TIMELINE_SPEEDSCOPE_H

#include "exporters/timeline/event_writer.h"

/* Slices of a thread nest; they may come in any order. */
extern const struct event_writer speedscope_writer;

#endif
