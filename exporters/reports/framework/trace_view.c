/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/trace_view.h"

#include <stdio.h>
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
    char *p = trace_event_room(trace, view->name.length + view->args.length, err);
    if (p == NULL)
        return -(int)err->code;
    p = trace_put_bytes(trace_begin_event(p), view->name.data, view->name.length);
    p = trace_put_phase(p, slice->instant ? 'i' : 'X');
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
    p = trace_put_bytes(p, view->args.length > 0 ? view->args.data : "", view->args.length);
    strbuf_clear(&view->args);
    return trace_event_done(trace, trace_put_literal(p, "}}"), err);
}

bool trace_shows(void *arg, int64_t time_ns)
{
    const struct framework_trace *view = arg;
    return framework_wants_time(view->analysis, time_ns);
}

/* ---- threads ---- */

struct thread {
    struct {
        int64_t pid, tid;
    } key;
};

struct process {
    int64_t pid;
};

struct framework_threads framework_threads_none(void)
{
    return (struct framework_threads){MAP_OF(struct thread, key), MAP_OF(struct process, pid)};
}

void framework_threads_release(struct framework_threads *threads)
{
    map_release(&threads->threads);
    map_release(&threads->processes);
}

int framework_name_thread(struct framework_threads *threads, struct trace *trace, struct framework_slice slice,
                          const char *process, int64_t place, const char *name, int64_t behind, struct err *err)
{
    const struct thread key = {{slice.pid, slice.thread}};
    char number[48];
    bool added;
    if (map_add(&threads->processes, &slice.pid, &added, err) == NULL)
        return -(int)err->code;
    if (added)
        trace_name_process(trace, slice.pid, place, process, place == PLACE_SCOPE ? NULL : "CPU");
    if (map_add(&threads->threads, &key, &added, err) == NULL)
        return -(int)err->code;
    snprintf(number, sizeof number, "Thread %lld", (long long)slice.thread);
    if (added)
        trace_name_thread(trace, slice.pid, slice.thread, slice.thread + behind, name != NULL ? name : number);
    return 0;
}
