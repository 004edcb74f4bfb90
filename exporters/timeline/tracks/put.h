/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the events of tracks; each writes at p and returns the end. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TRACKS_PUT_H
#define MSPROF_EXPORTERS_TIMELINE_TRACKS_PUT_H

#include "db/database.h"
#include "db/query/query_cann.h"
#include "exporters/timeline/event.h"

/* What a text is without the quotes of a JSON string. */
static inline char *put_inside(char *p, struct cann_text text)
{
    return text.text != NULL && text.length >= 2 ? trace_put_bytes(p, text.text + 1, text.length - 2) : p;
}

static inline char *put_string(char *p, struct cann_text text)
{
    return text.text != NULL ? trace_put_bytes(p, text.text, text.length) : trace_put_literal(p, "\"N/A\"");
}

/* The number, or "N/A" for DB_NULL. */
static inline char *put_number(char *p, int64_t value)
{
    return value != DB_NULL ? number_put_signed(p, value) : trace_put_literal(p, "\"N/A\"");
}

/* From the host's call to the task on the device. */
static const struct trace_flow host_to_device = {.name = "HostToDevice", .category = "HostToDevice"};

#endif
