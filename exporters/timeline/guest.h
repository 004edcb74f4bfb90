/* SPDX-License-Identifier: Apache-2.0 */
/* What a framework adds to the timeline of a capture: its own processes, and what it knows of those who launched. */
#ifndef MSPROF_EXPORTERS_TIMELINE_GUEST_H
#define MSPROF_EXPORTERS_TIMELINE_GUEST_H

#include "base/strbuf.h"
#include "exporters/timeline/document.h"

/* Where an operator was launched. */
struct trace_launch {
    int64_t pid, tid, time_ns;
    const char *name; /* NUL-terminated, as recorded */
};

struct trace_guest {
    void *arg;
    const char *argument; /* of an operator's event, with the launch's name; NULL: none */
    struct trace_flow flow;
    bool flow_of_text; /* the arrow's number is its end as a text of microseconds, else its nanoseconds */
    /* Each returns 0 or -code: what stands before the tracks, and behind them. */
    int (*begin)(void *arg, struct trace *trace, struct err *err);
    int (*end)(void *arg, struct trace *trace, struct err *err);
    /* Whether what begins then is drawn; NULL: everything is. In several threads at once. */
    bool (*shows)(void *arg, int64_t time_ns);
    /* Who launched an operator of a connection; false: not known. In several threads at once. */
    bool (*launch)(void *arg, int64_t connection_id, struct trace_launch *ret);
};

/* Whether the guest (NULL: there is none) knows it. */
static inline bool trace_guest_knows(const struct trace_guest *guest, int64_t connection_id, struct trace_launch *ret)
{
    return guest != NULL && guest->launch(guest->arg, connection_id, ret);
}

static inline bool trace_guest_shows(const struct trace_guest *guest, int64_t time_ns)
{
    return guest == NULL || guest->shows == NULL || guest->shows(guest->arg, time_ns);
}

/* Bytes that the two functions below write at most. */
size_t trace_guest_room(const struct trace_guest *guest, const struct trace_launch *launch);
/* Into args, behind another argument. */
char *trace_guest_put_argument(char *p, const struct trace_guest *guest, const struct trace_launch *launch);
/* The arrow from the launch to the operator's event. */
char *trace_guest_put_arrow(char *p, const struct trace_guest *guest, const struct trace_launch *launch,
                            const struct trace_style *style, const struct trace_slice *slice);

#endif
