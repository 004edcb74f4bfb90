/* SPDX-License-Identifier: Apache-2.0 */
/* trace_view.json: the capture's timeline with what the framework's threads did. */
#include "exporters/reports/framework/trace_view.h"

#include "db/query/query.h"
#include "exporters/timeline/track.h"

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
    *ret =
        (struct trace_launch){TRACE_MINDSPORE, places_tid(&view->places, launch->range, launch->thread),
                              launch->start_ns, framework_text(framework, framework->ranges.items[launch->range].name)};
    return true;
}

/* Where times are texts, MindSpore's durations are, too. */
static char *put_duration(char *p, const struct trace_style *style, const struct trace_slice *slice, bool as_text)
{
    if (!as_text || !style->string_times)
        return trace_put_duration(p, style, slice);
    p = trace_put_literal(p, ",\"dur\":\"");
    p = number_put_us(p, slice->duration_ns);
    return trace_put_literal(p, "\"");
}

char *trace_put_framework_slice(char *p, const struct trace_style *style, const struct trace_slice *slice,
                                const char *category, bool duration_as_text)
{
    p = trace_put_phase(p, slice->instant ? 'i' : 'X');
    p = trace_put_place(p, style, slice->pid, slice->tid);
    p = trace_put_time(p, style, slice->start_ns);
    p = slice->instant ? trace_put_literal(p, ",\"s\":\"t\"") : put_duration(p, style, slice, duration_as_text);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, category);
    p = trace_put_literal(p, "\",\"args\":{");
    if (slice->instant) {
        p = trace_put_literal(p, "\"Duration(us)\":");
        p = number_put_us(p, slice->duration_ns);
    }
    return p;
}

bool trace_shows(void *arg, int64_t time_ns)
{
    const struct framework_trace *view = arg;
    return framework_wants_time(view->analysis, time_ns);
}

/* Whether the framework's times are since 1970, and not those of a counter that nothing relates to it. */
static bool is_since_1970(const struct framework_trace *view)
{
    return view->analysis->clock->offset_ns != 0;
}

/* Without a capture, or with one that tells nothing of times, the timeline begins with what the framework recorded
 * first. */
static struct capture_origin origin_alone(const struct framework_trace *view)
{
    struct capture_origin origin = {0, DB_NULL, DB_NULL};
    if (places_earliest(&view->places, &origin.time_ns))
        *(is_since_1970(view) ? &origin.origin_unix_ns : &origin.origin_ns) = origin.time_ns;
    return origin;
}

static int write_alone(struct framework_trace *view, struct timeline_run *run, const struct trace_guest *guest,
                       const struct trace_style *style, struct err *err)
{
    const struct trace_info info = {.clock = is_since_1970(view) ? "unix" : "counter", .device_id = DB_NULL};
    struct trace trace;
    run->origin = origin_alone(view);
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
    strbuf_init(&view.name, (size_t)16 * 1024 * 1024);
    int status =
        analysis->framework->torch != NULL ? pytorch_trace_prepare(&view, err) : mindspore_trace_prepare(&view, err);
    if (status == 0 && analysis->database != NULL) {
        status = query_origin(analysis->db, CAPTURE_CANN, &run.origin, err);
        if (status == 0 && run.origin.origin_unix_ns == DB_NULL)
            run.origin = origin_alone(&view);
        if (status == 0)
            status = tracks_write_with(&run, &guest, TRACE_VIEW_FILE, !analysis->relative_times, err);
    } else if (status == 0) {
        status =
            write_alone(&view, &run, &guest, analysis->relative_times ? &trace_style_msprof : &trace_style_2023, err);
    }
    strbuf_release(&view.name);
    free(view.cpu_ops.items);
    places_release(&view.places);
    return status;
}
