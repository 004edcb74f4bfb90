/* SPDX-License-Identifier: Apache-2.0 */
/* Members of events as JSON: for event_json.c, and for who writes lines of frameworks' own. Everything here writes at
 * p, into room that the caller has made, and returns the end. */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_JSON_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_JSON_H

#include "exporters/timeline/event.h"

static inline char *trace_put_bytes(char *p, const char *bytes, size_t length)
{
    memcpy(p, bytes, length);
    return p + length;
}
/* A string literal: the compiler turns the copy into a few moves. */
#define trace_put_literal(p, literal) trace_put_bytes((p), "" literal, sizeof(literal) - 1)

static inline char *trace_put_word(char *p, const char *word)
{
    return trace_put_bytes(p, word, strlen(word));
}

/* A number as short as it reads back the same, with a point. Needs a finite one. */
static inline char *trace_put_float(char *p, double real)
{
    return p + number_print_float(p, real);
}
char *trace_put_tagged(char *p, int64_t pid);
char *trace_put_shortened(char *p, int64_t duration_ns, unsigned short_ps);

/* Begins an event: its name follows, with its quotes. */
static inline char *trace_begin_event(char *p)
{
    return trace_put_literal(p, ",\n{\"name\":");
}

static inline char *trace_put_pid(char *p, const struct trace_style *style, int64_t pid)
{
    return style->tagged_processes ? trace_put_tagged(p, pid) : number_put_signed(p, pid);
}

static inline char *trace_put_place(char *p, const struct trace_style *style, int64_t pid, int64_t tid)
{
    p = trace_put_literal(p, ",\"pid\":");
    p = trace_put_pid(p, style, pid);
    p = trace_put_literal(p, ",\"tid\":");
    return number_put_signed(p, tid);
}

#define TRACE_SHORT_MAX_PS 499 /* more would be another nanosecond */

/* Whether a reader that cuts ts * 1000 off to nanoseconds gets the one before: of 133401.24 it makes ...239. Then ts is
 * written a picosecond later. */
static inline bool trace_falls_short(const struct trace_style *style, int64_t since_ns)
{
    const int64_t most_ns =
        INT64_C(1000000000000000); /* eleven days: then a picosecond is none of a double's any more */
    return !style->as_recorded && since_ns > 0 && since_ns < most_ns &&
           (int64_t)((double)since_ns / 1000.0 * 1000.0) < since_ns;
}

/* since_ns: since ts 0; falls_short: it does. */
static inline char *trace_put_since(char *p, const struct trace_style *style, int64_t since_ns, bool falls_short)
{
    if (!style->string_times) {
        p = trace_put_literal(p, ",\"ts\":");
        p = number_put_us(p, since_ns);
        return falls_short ? trace_put_literal(p, "001") : p;
    }
    p = trace_put_literal(p, ",\"ts\":\"");
    p = number_put_us(p, since_ns);
    return trace_put_literal(p, "\"");
}

static inline char *trace_put_time(char *p, const struct trace_style *style, int64_t time_ns)
{
    const int64_t since_ns = time_since(time_ns, style->origin_ns);
    return trace_put_since(p, style, since_ns, trace_falls_short(style, since_ns));
}

static inline char *trace_put_length(char *p, const struct trace_style *style, int64_t ns)
{
    return style->short_durations ? number_put_shortest(p, ns, 3) : number_put_us(p, ns);
}

/* falls_short: its start does. */
static inline char *trace_put_duration_of(char *p, const struct trace_style *style, int64_t duration_ns,
                                          int64_t exact_ns, unsigned short_ps, bool falls_short)
{
    p = trace_put_literal(p, ",\"dur\":");
    if (style->as_recorded)
        return trace_put_length(p, style, exact_ns > 0 ? exact_ns : duration_ns);
    if (duration_ns > 0 && falls_short)
        short_ps += short_ps == 0 ? 2 : short_ps < TRACE_SHORT_MAX_PS; /* or it would end later, too */
    return short_ps == 0 ? number_put_us(p, duration_ns) : trace_put_shortened(p, duration_ns, short_ps);
}

static inline char *trace_put_duration(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    return trace_put_duration_of(p, style, slice->duration_ns, slice->exact_ns, slice->short_ps,
                                 trace_falls_short(style, time_since(slice->start_ns, style->origin_ns)));
}

static inline char *trace_put_phase(char *p, char phase)
{
    p = trace_put_literal(p, ",\"ph\":\"");
    *p++ = phase;
    *p++ = '"';
    return p;
}

/* Bytes of a text of any bytes as a JSON string at most, and the string; NULL takes none of them. */
#define trace_string_room(text) ((text) != NULL ? JSON_TEXT_EXPANSION * strlen(text) + 2 : 0)
char *trace_put_string(char *p, const char *text);

#endif
