/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of trace_view.json: what is shared by the frameworks' parts. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TRACE_VIEW_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TRACE_VIEW_H

#include "base/strbuf.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/places.h"
#include "exporters/timeline/document.h"
#include "parsers/frameworks/mindspore/mindspore.h"

#define TRACE_VIEW_FILE "trace_view.json"

enum { TRACE_MINDSPORE = 1, TRACE_CPU_OP = 2, TRACE_SCOPE = 3 }; /* processes of MindSpore */

struct framework_trace {
    struct framework_analysis *analysis;
    struct strbuf name; /* of the event that is being written, as a JSON string */
    struct strbuf args; /* its arguments: the inside of the object */
    struct mindspore_cpu_ops cpu_ops;
    struct framework_places places;
};

/* Makes name of a text. */
void trace_put_json(struct framework_trace *view, const char *text);

/* Whether what begins then belongs to a step that is asked for. */
bool trace_shows(void *view, int64_t time_ns);

/* Before anything is written: reads what is not read yet, and tells places of the slices when these are to be placed.
 */
int mindspore_trace_prepare(struct framework_trace *view, struct err *err);
int pytorch_trace_prepare(struct framework_trace *view, struct err *err);

int mindspore_trace_begin(void *view, struct trace *trace, struct err *err);
int mindspore_trace_end(void *view, struct trace *trace, struct err *err);

int pytorch_trace_begin(void *view, struct trace *trace, struct err *err);
bool pytorch_find_launch(void *view, int64_t connection_id, struct trace_launch *ret);

/* A slice whose name and arguments the view holds; writing it empties these. */
struct framework_event {
    struct trace_slice slice;
    const char *category;
    bool texts; /* its duration is a text where times are, as in MindSpore's own timelines */
};
int framework_write_slice(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                          struct err *err);

/* ---- threads ---- */

/* Those that have names. */
struct framework_threads {
    struct map threads, processes;
};
struct framework_threads framework_threads_none(void);
void framework_threads_release(struct framework_threads *threads);
enum { PLACE_SCOPE = 12 }; /* of scopes of operators, which are of no processor */

/* Names the thread of a slice, unless it is named, and its process. name NULL: by its number; behind: places. */
int framework_name_thread(struct framework_threads *threads, struct trace *trace, struct framework_slice slice,
                          const char *process, int64_t place, const char *name, int64_t behind, struct err *err);

#endif
