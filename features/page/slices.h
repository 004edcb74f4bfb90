/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of a page: slices as the engine of timelines draws them, in the little that a page has room for. Of the
 * whole capture how busy each lane was, in equal bins; single slices of all of it, or, where these are too many, of a
 * few stretches. Memory does not grow with the capture.
 *
 *     slices_init(&slices, stretches, count)
 *     slices_draw(&slices, db, database, err)
 *     slices_finish(&slices, err)
 *     ... slices_release(&slices)
 */
#ifndef MSPROF_FEATURES_PAGE_SLICES_H
#define MSPROF_FEATURES_PAGE_SLICES_H

#include "base/array.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/progress.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_BINS 4096
#define SLICE_LANES_MAX 48
#define SLICES_WHOLE 12000     /* single slices of a whole capture, at most */
#define SLICES_STRETCH 4000    /* of a stretch, the longest */
#define SLICE_TEXTS_MAX 200000 /* bytes of names and details, at most */
#define SLICE_STRETCHES 3

/* What colour a slice has. */
enum slice_class {
    SLICE_CUBE,
    SLICE_VECTOR,
    SLICE_AI_CPU,
    SLICE_COMMUNICATION,
    SLICE_COPY,
    SLICE_OTHER,
    SLICE_HOST,
    SLICE_CLASSES
};

/* Since the capture began. */
struct slice_stretch {
    const char *name;
    int64_t start_ns, end_ns;
    int64_t shortest_ns; /* shorter slices are left out */
    size_t count, left;
};

struct slice {
    int64_t start_ns, duration_ns;
    uint32_t lane, name, detail; /* texts */
    uint8_t class, stretch;      /* stretch: SLICE_STRETCHES while all of the capture is kept */
    uint32_t call;               /* text: what launched it; 0: not known */
    int64_t called_ns;           /* when */
};

struct slice_lane {
    struct slice_lane_key {
        int64_t timeline, pid, tid;
    } key;
    uint32_t number;
    uint32_t slices;                   /* seen */
    int64_t rank;                      /* among those of its process */
    uint32_t name;                     /* text; 0: not said */
    int64_t *busy;                     /* of each bin; NULL: beyond SLICE_LANES_MAX */
    int64_t last_start_ns, covered_ns; /* of the slices before: the start of the last one, and the latest end */
};

struct slice_process {
    struct slice_process_key {
        int64_t timeline, pid;
    } key;
    int64_t rank;
    uint32_t name, label;
};

struct slices {
    struct map lanes, processes;
    struct intern texts; /* 0 is "" */
    size_t text_bytes;
    int64_t timeline, width_ns, first_ns, last_ns; /* first, last: of all slices */
    int64_t device_first_ns, device_last_ns;       /* likewise of those that ran on devices */
    struct slice_list ARRAY_OF(struct slice) list;
    struct slice_stretch stretches[SLICE_STRETCHES];
    size_t stretch_count;
    bool whole; /* all slices of the capture are in the list */
    uint64_t seen;
    struct slice_order ARRAY_OF(struct slice_lane *) order; /* lanes with slices, as viewers show them */
};

void slices_init(struct slices *slices, const struct slice_stretch *stretches, size_t count);
int slices_draw(struct slices *slices, sqlite3 *db, const char *database, const struct progress *progress,
                struct err *err);
/* Orders lanes and slices: those around others first. */
int slices_finish(struct slices *slices, struct err *err);
void slices_release(struct slices *slices);
const char *slices_text(const struct slices *slices, uint32_t number);
/* Keeps a text as far as there is room. */
int slices_keep(struct slices *slices, const char *text, size_t length, uint32_t *ret, struct err *err);

#endif
