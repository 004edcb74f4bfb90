/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back an event of the Trace Event Format as event.h puts it: for who writes it in another format, or chooses
 * by its time. */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_TEXT_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_TEXT_H

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
    enum event_value_type type;
    struct event_span value; /* of a text: inside its quotes; as it stands otherwise */
    int64_t integer;         /* of EVENT_INTEGER */
    double real;             /* of EVENT_REAL */
};

/* Members beside those that have a place in struct event_text: viewers of JSON show none of them. */
#define EVENT_OTHERS_MAX 4

struct event_text {
    struct event_span name, category, id; /* name, category: inside their quotes; id: with them, if it has any */
    char phase;                           /* 0: there was none */
    int64_t pid, tid, start_ns, duration_ns;
    bool encloses;          /* "bp":"e" */
    struct event_span args; /* inside the braces */
    struct event_member others[EVENT_OTHERS_MAX];
    size_t other_count;
};

/* Reads one event, whose last byte is its closing brace; false: it is none, or has more members than have room here. */
bool event_text_read(const char *event, size_t length, struct event_text *ret);

/* Reads the next of args; *at begins as its text. false: there are no more, or (*at is then NULL) it is no member. */
bool event_text_next(const struct event_span *args, const char **at, struct event_member *ret);

/* The characters of the inside of a JSON string into room for as many bytes; returns how many there are. */
size_t event_text_plain(char *ret, struct event_span text);

/* Microseconds with decimals in nanoseconds, rounded; what does not fit is the largest or the smallest. */
int64_t event_text_ns(struct event_span number);

#endif
