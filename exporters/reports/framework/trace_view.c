/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/trace_view.h"

#include <string.h>

void trace_put_json(struct framework_trace *view, const char *text)
{
    strbuf_clear(&view->name);
    trace_text(&view->name, text, strlen(text));
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

int framework_write_slice(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                          struct err *err)
{
    const struct trace_style *style = &trace->style;
    const struct trace_slice *slice = &event->slice;
    if (view->name.failed || view->args.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event");
    trace_write_name(trace, &view->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = trace_put_phase(start, slice->instant ? 'i' : 'X');
    p = trace_put_place(p, style, slice->pid, slice->tid);
    p = trace_put_time(p, style, slice->start_ns);
    p = slice->instant ? trace_put_literal(p, ",\"s\":\"t\"") : put_duration(p, style, slice, event->texts);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, event->category);
    p = trace_put_literal(p, "\",\"args\":{");
    if (slice->instant) {
        p = trace_put_literal(p, "\"Duration(us)\":");
        p = number_put_us(p, slice->duration_ns);
        if (view->args.length > 0)
            *p++ = ',';
    }
    trace_advance(trace, start, p);
    if (view->args.length > 0)
        outfile_add(&trace->out, &view->args);
    outfile_write(&trace->out, "}}", 2);
    trace->events++;
    strbuf_clear(&view->args);
    return 0;
}

bool trace_shows(void *arg, int64_t time_ns)
{
    const struct framework_trace *view = arg;
    return framework_wants_time(view->analysis, time_ns);
}
