/* Inside of trace_view.json: what is shared by the frameworks' parts. */
#ifndef MSPROF_EXPORTERS_FRAMEWORK_TRACE_TRACE_VIEW_H
#define MSPROF_EXPORTERS_FRAMEWORK_TRACE_TRACE_VIEW_H

#include "base/strbuf.h"
#include "exporters/framework/analysis.h"
#include "exporters/trace/guest.h"
#include "frameworks/mindspore/mindspore.h"

#define TRACE_VIEW_FILE "trace_view.json"

enum { TRACE_MINDSPORE = 1, TRACE_CPU_OP = 2, TRACE_SCOPE = 3 }; /* processes of MindSpore */

struct framework_trace {
    struct framework_analysis *analysis;
    struct strbuf name; /* of the event that is being written, as a JSON string */
    struct mindspore_cpu_ops cpu_ops;
};

/* Makes name of a text. */
void trace_put_json(struct framework_trace *view, const char *text);

/* Whether what begins then belongs to a step that is asked for. */
bool trace_shows(void *view, int64_t time_ns);

int mindspore_trace_begin(void *view, struct trace *trace, struct err *err);
int mindspore_trace_end(void *view, struct trace *trace, struct err *err);

int pytorch_trace_begin(void *view, struct trace *trace, struct err *err);
int pytorch_trace_end(void *view, struct trace *trace, struct err *err);
bool pytorch_find_launch(void *view, int64_t connection_id, struct trace_launch *ret);

/* A range as MindSpore's own timelines have it: its duration is a text where times are; name is set. more: a text
 * behind it in args, "" for none. */
struct framework_event {
    int64_t pid, tid, start_ns, duration_ns;
    const char *category;
    const char *type; /* NULL, or the argument of this name, as the inside of a JSON string */
};
int trace_write_range(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                      struct err *err);

/* A duration that viewers' doubles do not carry into what follows. */
char *framework_put_duration(char *p, const struct trace_style *style, int64_t start_ns, int64_t duration_ns);

/* Scope Layer: the operators' scopes, nested. */
int trace_write_scopes(struct framework_trace *view, struct trace *trace, struct err *err);

#endif
