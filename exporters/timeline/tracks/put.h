/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the events of tracks; each writes at p and returns the end. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TRACKS_PUT_H
#define MSPROF_EXPORTERS_TIMELINE_TRACKS_PUT_H

#include "db/database.h"
#include "db/query/query_cann.h"
#include "exporters/timeline/event.h"
#include "exporters/timeline/track.h"

/* Begins an event of this name, which stands behind a prefix. */
static inline char *begin_named(char *p, const struct trace_style *style, const char *prefix, struct cann_text name)
{
    return name.text != NULL ? trace_begin_named(p, style, prefix, name.text + 1, name.length - 2)
                             : trace_begin_named(p, style, prefix, "N/A", 3);
}

/* An argument of a text that need not be there: "N/A" is its value then. */
#define put_text_argument(p, style, key, cann)                                                                         \
    ((cann).text != NULL ? trace_put_text((p), (style), key, (cann).text, (cann).length)                               \
                         : trace_put_value_word((p), (style), key, "N/A"))

/* From the host's call to the task on the device. */
static const struct trace_flow host_to_device = {.name = "HostToDevice", .category = "HostToDevice"};

/* ---- rows that stand where others do not ---- */

struct placed_row {
    int64_t id, tid;
    unsigned short_ps;
    bool instant;
};

struct placed_rows {
    struct placed_row rows[TRACK_UNIT_ROWS];
    size_t count;
};
_Static_assert(sizeof(struct placed_row) * TRACK_UNIT_ROWS <= TRACK_UNIT_BYTES, "a unit holds them");

/* Places the next row of a range. */
static inline int placed_rows_take(struct placed_rows *placed, struct trace_lanes *lanes, int64_t pid,
                                   const struct cann_span *span, struct err *err)
{
    struct trace_slice slice = {
        .pid = pid, .start_ns = span->start_ns, .duration_ns = time_since(span->end_ns, span->start_ns)};
    int status = trace_lanes_place(lanes, span->number, &slice, err);
    if (status == 0 && (slice.instant || slice.short_ps > 0 || slice.tid != span->number))
        placed->rows[placed->count++] = (struct placed_row){span->id, slice.tid, slice.short_ps, slice.instant};
    return status;
}

/* Hands a range of rows over, with what was placed of it. */
static inline int placed_rows_submit(struct placed_rows *placed, struct track_run *run, const void *state,
                                     int64_t first, int64_t end, struct err *err)
{
    struct track_unit *unit = track_unit_new(run, state, err);
    if (unit == NULL)
        return -(int)err->code;
    unit->first = first;
    unit->end = end;
    unit->count = placed->count;
    memcpy(unit->bytes, placed->rows, placed->count * sizeof *placed->rows);
    placed->count = 0;
    track_unit_submit(run);
    return 0;
}

/* For the rows of a unit one after the other: sets the place of the row with this id where it is not the usual one.
 * next begins at 0. */
static inline void placed_rows_find(const struct track_unit *unit, size_t *next, int64_t id, struct trace_slice *slice)
{
    const struct placed_row *rows = (const struct placed_row *)unit->bytes;
    while (*next < unit->count && rows[*next].id < id)
        ++*next;
    if (*next == unit->count || rows[*next].id != id)
        return;
    slice->tid = rows[*next].tid;
    slice->instant = rows[*next].instant;
    slice->short_ps = rows[*next].short_ps;
}

#endif
