/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of trace_view.json: what is shared by the frameworks' parts. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_REPORTS_TRACE_VIEW_H
#define MSPROF_FEATURES_FRAMEWORKS_REPORTS_TRACE_VIEW_H

#include "base/strbuf.h"
#include "exporters/timeline/lanes.h"
#include "features/frameworks/mindspore/mindspore.h"
#include "features/frameworks/reports/analysis.h"

#define TRACE_VIEW_FILE "trace_view.json"

enum { TRACE_MINDSPORE = 1, TRACE_CPU_OP = 2, TRACE_SCOPE = 3 }; /* processes of MindSpore */

/* ---- places: slices stand on their threads, as they were recorded; or, where times are relative, on lanes of these,
 * so that no two on a thread overlap in part ---- */

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

/* ---- the file ---- */

struct framework_trace {
    struct framework_analysis *analysis;
    struct strbuf args; /* of the event that is being written: the inside of the object */
    struct mindspore_cpu_ops cpu_ops;
    struct intern texts; /* of cpu_ops */
    struct framework_places places;
};

/* Whether what begins then belongs to a step that is asked for. */
bool trace_shows(void *view, int64_t time_ns);

/* Before anything is written: reads what is not read yet, and sets places of the slices when these are to be placed.
 */
int mindspore_trace_prepare(struct framework_trace *view, struct err *err);
int pytorch_trace_prepare(struct framework_trace *view, struct err *err);

int mindspore_trace_begin(void *view, struct trace *trace, struct err *err);
int mindspore_trace_end(void *view, struct trace *trace, struct err *err);

int pytorch_trace_begin(void *view, struct trace *trace, struct err *err);
bool pytorch_find_launch(void *view, int64_t connection_id, struct trace_launch *ret);

/* A slice whose arguments the view holds; writing it empties these. */
struct framework_event {
    struct trace_slice slice;
    const char *name, *category;
    bool texts; /* its duration is a text where times are, as in MindSpore's own timelines */
};
int framework_write_slice(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                          struct err *err);

/* ---- threads ---- */

/* Those that have names. */
struct framework_threads {
    struct map threads, processes;
    bool any;
    int64_t pid, tid; /* the last one */
};
struct framework_threads framework_threads_none(void);
void framework_threads_release(struct framework_threads *threads);
enum { PLACE_SCOPE = 12 }; /* of scopes of operators, which are of no processor */

/* Names the thread of a slice, unless it is named, and its process. name NULL: by its number; behind: places. */
int framework_name_thread(struct framework_threads *threads, struct trace *trace, struct framework_slice slice,
                          const char *process, int64_t place, const char *name, int64_t behind, struct err *err);

#endif
