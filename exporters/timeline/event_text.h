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
#include <string.h>

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

/* Decimals: a number that is printed without zeros at its end, so that a whole one is an integer. */
static inline void event_member_decimals(const struct event_value *value, struct event_member *ret)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    const int64_t power = powers[value->decimals % (sizeof powers / sizeof *powers)];
    ret->type = value->value % power == 0 ? EVENT_INTEGER : EVENT_REAL;
    if (ret->type == EVENT_INTEGER)
        ret->integer = value->value / power;
    else
        ret->real = (double)value->value / (double)power;
}

/* The member that a coded value is, which is no category; behind: what follows it, where a copied text is. */
static inline void event_value_member(const struct event_value *value, const char *behind, struct event_member *ret)
{
    const size_t before = (size_t)(value->key[0] == ',') + 1; /* and behind it a quote and a colon */
    ret->key = (struct event_span){value->key + before, value->key_length - before - 2};
    ret->literal = true;
    switch (value->code) {
    case CODE_INTEGER:
        ret->type = EVENT_INTEGER;
        ret->integer = value->value;
        break;
    case CODE_TEXT:
    case CODE_COPY:
        ret->type = EVENT_TEXT;
        ret->stays = value->code == CODE_TEXT;
        ret->value = (struct event_span){ret->stays ? (const char *)(intptr_t)value->value : behind, value->length};
        break;
    case CODE_US:
        ret->type = EVENT_REAL;
        ret->real = (double)value->value / 1000.0;
        break;
    case CODE_DECIMALS:
        event_member_decimals(value, ret);
        break;
    default:
        ret->type = EVENT_REAL;
        memcpy(&ret->real, &value->value, sizeof ret->real);
    }
}

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

/* Takes the events of a capture's timeline of everything, as the engine draws them; 0 or -code. */
struct event_taker {
    /* Before the events of each timeline of a capture that has several: processes and threads have numbers of their own
     * there. */
    int (*begin)(void *arg, struct err *err);
    int (*take)(void *arg, const struct event_text *event, struct err *err);
    void *arg;
};

/* Reads the event at p, which begins with its brace or its code; returns what is behind it. NULL: its end has not come,
 * or it is no event, or has more members than have room here. */
const char *event_text_read(const char *p, const char *end, struct event_text *ret);

/* Parts of it: name and prefix at its beginning; a member of JSON, whose number is as it stands; a number. */
const char *event_text_name(const char *p, const char *end, struct event_text *ret);
const char *event_text_member(const char *p, const char *end, struct event_member *ret);
void event_text_number(struct event_span number, struct event_member *ret);

/* Writes an event that could be read as JSON in this style, whose ts 0 is 0. */
void event_text_write(struct outfile *out, const struct trace_style *style, const char *event, const char *end);

/* The characters of the inside of a JSON string into room for as many bytes; returns how many there are. */
size_t event_text_plain(char *ret, struct event_span text);

/* Microseconds with decimals in nanoseconds, rounded; what does not fit is the largest or the smallest. */
int64_t event_text_ns(struct event_span number);

#endif
