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
