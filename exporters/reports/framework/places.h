/* SPDX-License-Identifier: Apache-2.0 */
/* Where a framework's own slices stand in trace_view.json: on their threads, as they were recorded; or, where times are
 * relative, on lanes of these, so that no two on a thread overlap in part. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_PLACES_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_PLACES_H

#include "exporters/timeline/lanes.h"

struct framework_slice {
    size_t number;
    int64_t pid, thread, start_ns, end_ns;
    bool is_point;
};

/* All zero: everything stands as it was recorded. */
struct framework_places {
    struct framework_slice *items; /* until they are placed */
    size_t count, capacity;
    int64_t largest_thread;
    struct framework_place {
        int64_t tid;
        uint16_t short_ps;
        bool placed, instant;
    } * places; /* by number */
    size_t place_count;
    struct trace_lanes lanes;
};

/* Adds a slice, or a point: a moment that no slice of its own stands for, which goes to the innermost one around it.
 * Numbers are the caller's, the smaller the better. */
int places_add(struct framework_places *places, struct framework_slice slice, struct err *err);
/* The earliest start of those that were added; false: there is none. Before they are placed. */
bool places_earliest(const struct framework_places *places, int64_t *ret_ns);
/* Places what was added. style must stay where it is until places_name. */
int places_settle(struct framework_places *places, const struct trace_style *style, struct err *err);
/* Names the threads that further lanes are; name, which may be NULL, appends the name of their thread. */
int places_name(struct framework_places *places, struct trace *trace,
                void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err);
void places_release(struct framework_places *places);

/* A slice as it stands. */
struct trace_slice places_slice(const struct framework_places *places, struct framework_slice slice);

#endif
