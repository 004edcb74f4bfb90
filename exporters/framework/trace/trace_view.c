/* trace_view.json: the capture's timeline with what the framework's threads did. */
#include "exporters/framework/trace/trace_view.h"

#include "db/query/query.h"
#include "exporters/trace/timeline.h"

#include <stdlib.h>

void trace_put_json(struct framework_trace *view, const char *text)
{
    strbuf_clear(&view->name);
    trace_text(&view->name, text, strlen(text));
}

static bool find_launch(void *arg, int64_t connection_id, struct trace_launch *ret)
{
    const struct framework_trace *view = arg;
    const struct framework_analysis *analysis = view->analysis;
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = relation_launch(&analysis->relation, framework, connection_id);
    if (launch == NULL)
        return false;
    *ret = (struct trace_launch){TRACE_MINDSPORE, launch->thread, launch->start_ns,
                                 framework_text(framework, framework->ranges.items[launch->range].name)};
    return true;
}

char *framework_put_duration(char *p, const struct trace_style *style, int64_t start_ns, int64_t duration_ns)
{
    unsigned short_ps = trace_shortening_anywhere(time_since(start_ns, style->origin_ns), duration_ns);
    return short_ps > 0 ? trace_put_shortened(p, duration_ns, short_ps) : number_put_us(p, duration_ns);
}

bool trace_shows(void *arg, int64_t time_ns)
{
    const struct framework_trace *view = arg;
    return framework_wants_time(view->analysis, time_ns);
}

static int write_alone(struct framework_trace *view, struct timeline_run *run, const struct trace_guest *guest,
                       const struct trace_style *style, struct err *err)
{
    const struct trace_info info = {.clock = "unix", .device_id = DB_NULL};
    struct trace trace;
    int status = trace_open(&trace, run, style, "trace_view", TRACE_VIEW_FILE, err);
    if (status < 0)
        return status;
    status = guest->begin(view, &trace, err);
    if (status == 0)
        status = guest->end(view, &trace, err);
    return trace_close(&trace, status, &info, err);
}

int framework_write_trace_view(struct framework_analysis *analysis, struct err *err)
{
    struct framework_trace view = {.analysis = analysis};
    struct trace_guest guest = {
        .arg = &view,
        .argument = "mindspore_op",
        .flow = {.name = "mindspore_to_npu", .category = "async_npu"},
        .flow_of_text = true,
        .begin = mindspore_trace_begin,
        .end = mindspore_trace_end,
        .launch = find_launch,
        .shows = trace_shows,
    };
    if (analysis->framework->torch != NULL)
        guest = (struct trace_guest){.arg = &view,
                                     .flow = {.name = "torch_to_npu", .category = "async_npu"},
                                     .begin = pytorch_trace_begin,
                                     .end = pytorch_trace_end,
                                     .launch = pytorch_find_launch,
                                     .shows = trace_shows};
    struct timeline_run run = {.db = analysis->db, .options = analysis->options, .result = analysis->result};
    int status = 0;
    strbuf_init(&view.name, (size_t)16 * 1024 * 1024);
    if (analysis->database != NULL) {
        status = query_origin(analysis->db, CAPTURE_CANN, &run.origin, err);
        if (status == 0)
            status = tracks_write_with(&run, &guest, TRACE_VIEW_FILE, !analysis->relative_times, err);
    } else {
        status =
            write_alone(&view, &run, &guest, analysis->relative_times ? &trace_style_msprof : &trace_style_2023, err);
    }
    strbuf_release(&view.name);
    return status;
}
