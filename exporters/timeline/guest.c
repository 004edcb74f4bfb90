/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/guest.h"

#include "exporters/json_text.h"

size_t trace_guest_room(const struct trace_guest *guest, const struct trace_launch *launch)
{
    return 2 * (size_t)TRACE_EVENT_MAX + (guest->argument != NULL ? JSON_TEXT_EXPANSION * strlen(launch->name) : 0);
}

char *trace_guest_put_argument(char *p, const struct trace_guest *guest, const struct trace_launch *launch)
{
    if (guest->argument == NULL)
        return p;
    p = trace_put_literal(p, ",\"");
    p = trace_put_word(p, guest->argument);
    p = trace_put_literal(p, "\":\"");
    p += json_text_escape(p, launch->name, strlen(launch->name));
    return trace_put_literal(p, "\"");
}

static char *put_end(char *p, const struct trace_guest *guest, const struct trace_style *style, char phase,
                     int64_t id_ns, const struct trace_launch *at)
{
    p = trace_begin_event(p);
    p = trace_put_literal(p, "\"");
    p = trace_put_word(p, guest->flow.name);
    p = trace_put_literal(p, "\",\"ph\":\"");
    *p++ = phase;
    p = trace_put_literal(p, "\",\"bp\":\"e\",\"id\":");
    if (guest->flow_of_text) {
        *p++ = '"';
        p = number_put_us(p, id_ns);
        *p++ = '"';
    } else {
        p = number_put_signed(p, id_ns);
    }
    p = trace_put_place(p, style, at->pid, at->tid);
    p = trace_put_time(p, style, at->time_ns);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, guest->flow.category);
    return trace_put_literal(p, "\"}");
}

char *trace_guest_put_arrow(char *p, const struct trace_guest *guest, const struct trace_launch *launch,
                            const struct trace_style *style, const struct trace_slice *slice)
{
    const struct trace_launch end = {slice->pid, slice->tid, slice->start_ns, NULL};
    p = put_end(p, guest, style, 's', slice->start_ns, launch);
    return put_end(p, guest, style, 'f', slice->start_ns, &end);
}
