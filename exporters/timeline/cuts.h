/* SPDX-License-Identifier: Apache-2.0 */
/* Where timelines are cut: which part of a file an event is in. A capture's timelines are drawn as often as their parts
 * need it, CUTS_AT_ONCE of them each time. */
#ifndef MSPROF_EXPORTERS_TIMELINE_CUTS_H
#define MSPROF_EXPORTERS_TIMELINE_CUTS_H

#include "base/array.h"
#include "base/err.h"
#include "exporters/export.h"

#include <stddef.h>

#define CUTS_AT_ONCE 16
#define CUTS_MAX 1000

/* How many bytes events have, by their time. */
#define CUT_BINS 4096
struct cut_bins {
    int64_t width_ns; /* of each, from 0 on; 0: nothing is there */
    uint64_t bytes[CUT_BINS], all;
};

/* Times at which parts but the first begin. */
struct cut_borders ARRAY_OF(int64_t);

/* Borders of one file, by its path. */
struct file_cuts {
    char *path;
    struct cut_borders borders;
};

/* State of one export. */
struct trace_cuts {
    size_t first;  /* of the parts that are being written */
    size_t parts;  /* so many have been met */
    bool counting; /* nothing is written: bytes are counted, by time */
    struct cut_borders steps;
    struct ARRAY_OF(struct file_cuts) files; /* of --split size */
};

void cut_bins_add(struct cut_bins *bins, int64_t time_ns, size_t bytes);
/* Cuts a file, whose size will be of size_bytes as a whole, so that its parts have about limit bytes at most. */
int trace_cuts_by_size(struct trace_cuts *cuts, const char *path, const struct cut_bins *bins, uint64_t size_bytes,
                       uint64_t limit, struct err *err);
/* The borders of a file; NULL: none. */
const struct cut_borders *trace_cuts_of(const struct trace_cuts *cuts, const struct export_options *options,
                                        const char *path);
/* The part of an event that begins then, from 0. */
size_t trace_cuts_part(const struct cut_borders *borders, const struct export_options *options, int64_t time_ns);

/* The begins of the steps of a capture's leading family, on whichever device, since origin_ns. */
int trace_cuts_read_steps(sqlite3 *db, int64_t origin_ns, struct cut_borders *ret, struct err *err);

/* Calls draw as often as the options' split needs it, with options that say which parts are written. steps: where those
 * of --split iteration begin; it is asked once. */
int trace_cuts_draw(const struct export_options *options,
                    int (*draw)(void *arg, const struct export_options *options, struct err *err),
                    int (*steps)(void *arg, struct cut_borders *ret, struct err *err), void *arg, struct err *err);

#endif
