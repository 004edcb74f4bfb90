/* SPDX-License-Identifier: Apache-2.0 */
/* Reading events as event.h puts them for a sink, coded or as JSON, for who writes them in another format or chooses by
 * their times. */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_TEXT_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_TEXT_H

#include "base/file/outfile.h"
#include "exporters/timeline/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the event's bytes. text NULL: it is not there. */
struct event_span {
    const char *text;
    size_t length;
};

enum event_value_type { EVENT_TEXT, EVENT_INTEGER, EVENT_REAL, EVENT_TRUE, EVENT_FALSE, EVENT_NULL, EVENT_NESTED };

struct event_member {
    struct event_span key; /* inside its quotes */
    bool literal, stays;   /* key, text: one address is one text, until trace_forget_texts */
    enum event_value_type type;
    union {
        struct event_span value; /* of a text: inside its quotes; as it stands otherwise */
        int64_t integer;         /* of EVENT_INTEGER */
        double real;             /* of EVENT_REAL */
    };
};

#define EVENT_MEMBERS_MAX 128

struct event_text {
    struct event_span name, category, id; /* name, category: inside their quotes; id: with them, if it has any */
    struct event_span prefix;             /* of a name that stays */
    bool name_stays, category_stays;      /* one address is one text, until trace_forget_texts */
    char phase;                           /* 0: there was none */
    bool encloses;                        /* "bp":"e" */
    bool numbered;                        /* an arrow without id: duration_ns is its number */
    int64_t pid, tid, start_ns, duration_ns;
    size_t length;       /* bytes that it was read of */
    size_t outside;      /* bytes of texts that are not among them */
    size_t member_count; /* arguments, and members that no viewer of JSON shows */
    struct event_member members[EVENT_MEMBERS_MAX];
};

/* Reads the event at p, which begins with its brace or its code; returns what is behind it. NULL: its end has not come,
 * or it is no event, or has more members than have room here. */
const char *event_text_read(const char *p, const char *end, struct event_text *ret);

/* Writes an event that could be read as JSON in this style, whose ts 0 is 0. */
void event_text_write(struct outfile *out, const struct trace_style *style, const char *event, const char *end);

/* The characters of the inside of a JSON string into room for as many bytes; returns how many there are. */
size_t event_text_plain(char *ret, struct event_span text);

/* Microseconds with decimals in nanoseconds, rounded; what does not fit is the largest or the smallest. */
int64_t event_text_ns(struct event_span number);

#endif
