/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of timelines as bytes: slices, instants, counters, flows and metadata of the Trace Event Format, for every
 * timeline there is. A difference of Ascend's tools is a setting (struct trace_style), not another writer.
 *
 * Times are int64 nanoseconds until they are printed, as microseconds with three decimals. Viewers read them as doubles
 * and add ts and dur; the sum may come out a little after the ts of a slice that begins just there, which then looks as
 * if it began inside. Where that is so dur is written shorter, by less than half a nanosecond: rounded to nanoseconds
 * it is exact (docs/formats/trace-event.md).
 *
 * Everything here writes at p, into room that the caller has made, and returns the end; nothing allocates and nothing
 * is kept, so several threads may put events at once. Names come as JSON strings (json_text_quote), escaped once for
 * all events that have them.
 *
 * Where a sink takes the events (style->coded), times, places and values stand among them as structures, struct
 * event_code and those behind it, which event_text.h reads: they are no text that somebody has to read back.
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_H

#include "base/number.h"
#include "base/ticks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where an event's phase stands among its members. */
enum trace_phase_place {
    PHASE_SECOND,      /* behind the name */
    PHASE_BEFORE_ARGS, /* behind the times */
    PHASE_LAST,        /* behind the args */
};

struct trace_style {
    int64_t origin_ns;    /* ts 0 */
    int64_t first_arrow;  /* added to the ids of arrows: those of several captures in one file differ */
    bool string_times;    /* ts is a text */
    bool short_durations; /* dur without zeros at its end */
    bool as_recorded;     /* what overlaps stays on its thread, dur is never shortened, and the origin is not written */
    bool tagged_processes; /* what trace_tagged gave is written as "7_1" */
    bool unplaced;         /* names of processes and threads stand without their places */
    bool coded;            /* for a sink */
    enum trace_phase_place phase;
};

/* Ours, for captures of every family; origin_ns is set by the caller. */
extern const struct trace_style trace_style_msprof;
/* Styles of Ascend's tools: since 2023, and in 2022. */
extern const struct trace_style trace_style_2023, trace_style_2022;

/* The last event is a metadata event; its args.value is an object with metadata of the trace. */
#define TRACE_FACTS_BEGIN "{\"name\":\"TraceConfig\",\"ph\":\"M\"" /* the name that catapult knows for such facts */
#define TRACE_FACTS_KEY "\"value\":"
#define TRACE_FACTS_END "}}\n]\n" /* behind the object */

/* A process number and the tag that the tool of 2022 puts before it in a file of several reports. */
#define TRACE_TAG_SHIFT 40
static inline int64_t trace_tagged(int64_t tag, int64_t process)
{
    return tag << TRACE_TAG_SHIFT | process;
}

/* A slice (ph "X"), or an instant (ph "i") for what would partly overlap every slice beside it: its duration is then
 * its last argument, so that nothing is lost and no viewer sees broken nesting. */
struct trace_slice {
    int64_t pid, tid, start_ns, duration_ns; /* start: as recorded, before origin_ns is taken from it */
    bool instant;
    unsigned short_ps; /* picoseconds that dur is short of the duration, below 500: see trace_shortening */
    int64_t exact_ns;  /* the length by the clock of both ends (base/ticks.h); 0: not known. Styles that are as_recorded
                          have it, others that of the rounded times: there slices end where others begin */
};

/* Bytes that any of the functions here write at most, without the texts that they are given. */
#define TRACE_EVENT_MAX 640

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

/* ---- codes, each the first byte of a structure: no byte of JSON is one ---- */

enum event_code {
    CODE_TIMES = 1, /* struct event_times */
    CODE_NAME,      /* struct event_name: the event begins with it */
    CODE_CATEGORY,  /* struct event_value, and all that follow; its key is a word of the program */
    CODE_INTEGER,
    CODE_US,       /* nanoseconds, shown as microseconds */
    CODE_DECIMALS, /* a number of so many decimals, without zeros at its end */
    CODE_REAL,     /* bits of a double */
    CODE_TEXT,     /* the address of the inside of a JSON string, which stays until trace_forget_texts */
    CODE_COPY,     /* the same text, behind it */
};

struct event_name {
    uint8_t code;
    uint16_t prefix_length;
    uint32_t length;
    const char *prefix, *text; /* prefix: a word of the program; text: as of CODE_TEXT */
};

struct event_times {
    uint8_t code;
    char phase;
    uint16_t short_ps;
    int32_t exact_off;                       /* exact_ns without duration_ns */
    int64_t pid, tid, start_ns, duration_ns; /* start: since ts 0; duration of an arrow: its number */
};

struct event_value {
    uint8_t code, decimals;
    uint16_t key_length;
    uint32_t length; /* of a text */
    const char *key; /* as JSON has it, with what must stand before it: ,"Task Id": */
    int64_t value;
};

/* key must be a literal. */
static inline char *trace_put_code(char *p, enum event_code code, const char *key, size_t key_length, int64_t value)
{
    const struct event_value item = {
        .code = (uint8_t)code, .key_length = (uint16_t)key_length, .key = key, .value = value};
    memcpy(p, &item, sizeof item);
    return p + sizeof item;
}

/* "key": with what must stand before it. */
static inline char *trace_put_key(char *p, const char *key)
{
    if (p[-1] != '{')
        *p++ = ',';
    *p++ = '"';
    p = trace_put_word(p, key);
    return trace_put_literal(p, "\":");
}

/* time - origin, where damaged times must not overflow; start + duration likewise. */
static inline int64_t time_since(int64_t time_ns, int64_t origin_ns)
{
    int64_t since;
    if (!__builtin_sub_overflow(time_ns, origin_ns, &since))
        return since;
    return time_ns < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t span_end(int64_t start_ns, int64_t duration_ns)
{
    int64_t end;
    return __builtin_add_overflow(start_ns, duration_ns, &end) ? INT64_MAX : end;
}

/* A number as short as it reads back the same, with a point. Needs a finite one. */
static inline char *trace_put_float(char *p, double real)
{
    return p + number_print_float(p, real);
}
char *trace_put_tagged(char *p, int64_t pid);
char *trace_put_shortened(char *p, int64_t duration_ns, unsigned short_ps);

/* By how many picoseconds the dur of a slice must be short, so that no viewer that adds doubles finds it overlapping
 * what begins at its end, or ending after a slice around it that ends when it does; shared_ends: how many of these
 * there are. Some viewers add ts and dur as they are, others count from the first slice of the thread, first_ns: both
 * since ts 0. */
unsigned trace_shortening(int64_t first_ns, int64_t start_ns, int64_t duration_ns, unsigned shared_ends);
/* Finds it for who draws without knowing what the thread begins with. */
unsigned trace_shortening_anywhere(int64_t start_ns, int64_t duration_ns);

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

static inline char *trace_put_time(char *p, const struct trace_style *style, int64_t time_ns)
{
    time_ns = time_since(time_ns, style->origin_ns);
    if (!style->string_times) {
        p = trace_put_literal(p, ",\"ts\":");
        p = number_put_us(p, time_ns);
        return trace_falls_short(style, time_ns) ? trace_put_literal(p, "001") : p;
    }
    p = trace_put_literal(p, ",\"ts\":\"");
    p = number_put_us(p, time_ns);
    return trace_put_literal(p, "\"");
}

static inline char *trace_put_length(char *p, const struct trace_style *style, int64_t ns)
{
    return style->short_durations ? number_put_shortest(p, ns, 3) : number_put_us(p, ns);
}

static inline char *trace_put_duration(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    p = trace_put_literal(p, ",\"dur\":");
    if (style->as_recorded && slice->exact_ns > 0)
        return trace_put_length(p, style, slice->exact_ns);
    if (style->short_durations)
        return trace_put_length(p, style, slice->duration_ns);
    unsigned short_ps = slice->short_ps;
    if (slice->duration_ns > 0 && trace_falls_short(style, time_since(slice->start_ns, style->origin_ns)))
        short_ps += short_ps == 0 ? 2 : short_ps < TRACE_SHORT_MAX_PS; /* or it would end later, too */
    if (style->as_recorded || short_ps == 0)
        return number_put_us(p, slice->duration_ns);
    return trace_put_shortened(p, slice->duration_ns, short_ps);
}

static inline char *trace_put_phase(char *p, char phase)
{
    p = trace_put_literal(p, ",\"ph\":\"");
    *p++ = phase;
    *p++ = '"';
    return p;
}

/* Closes args and the event. */
static inline char *trace_end_args(char *p, const struct trace_style *style, char phase)
{
    *p++ = '}';
    if (style->phase == PHASE_LAST)
        p = trace_put_phase(p, phase);
    *p++ = '}';
    return p;
}

/* ---- arguments, and members beside them; the key is a literal with what stands before it: ",\"Task Id\":" ---- */

#define trace_put_integer(p, style, key, value) trace_put_integer_of((p), (style), "" key, sizeof(key) - 1, (value))
#define trace_put_us(p, style, key, ns) trace_put_us_of((p), (style), "" key, sizeof(key) - 1, (ns))
/* text: with its quotes, in memory that stays until trace_forget_texts; word: one of the program, which needs no
 * escaping; copy: another one of that kind. */
#define trace_put_text(p, style, key, text, length)                                                                    \
    trace_put_text_of((p), (style), "" key, sizeof(key) - 1, (text), (length))
#define trace_put_value_word(p, style, key, word)                                                                      \
    trace_put_word_of((p), (style), CODE_TEXT, "" key, sizeof(key) - 1, (word))
#define trace_put_copy(p, style, key, word) trace_put_word_of((p), (style), CODE_COPY, "" key, sizeof(key) - 1, (word))
#define trace_put_decimals(p, style, key, value, decimals)                                                             \
    trace_put_decimals_of((p), (style), "" key, sizeof(key) - 1, (value), (decimals))
#define trace_put_real(p, style, key, real) trace_put_real_of((p), (style), "" key, sizeof(key) - 1, (real))

static inline char *trace_put_integer_of(char *p, const struct trace_style *style, const char *key, size_t length,
                                         int64_t value)
{
    return style->coded ? trace_put_code(p, CODE_INTEGER, key, length, value)
                        : number_put_signed(trace_put_bytes(p, key, length), value);
}

static inline char *trace_put_us_of(char *p, const struct trace_style *style, const char *key, size_t length,
                                    int64_t ns)
{
    return style->coded ? trace_put_code(p, CODE_US, key, length, ns)
                        : number_put_us(trace_put_bytes(p, key, length), ns);
}

static inline char *trace_put_coded_text(char *p, enum event_code code, const char *key, size_t key_length,
                                         const char *text, size_t length)
{
    const struct event_value item = {.code = (uint8_t)code,
                                     .key_length = (uint16_t)key_length,
                                     .length = (uint32_t)length,
                                     .key = key,
                                     .value = (int64_t)(intptr_t)text};
    memcpy(p, &item, sizeof item);
    p += sizeof item;
    return code == CODE_COPY ? trace_put_bytes(p, text, length) : p;
}

static inline char *trace_put_text_of(char *p, const struct trace_style *style, const char *key, size_t key_length,
                                      const char *text, size_t length)
{
    return style->coded ? trace_put_coded_text(p, CODE_TEXT, key, key_length, text + 1, length - 2)
                        : trace_put_bytes(trace_put_bytes(p, key, key_length), text, length);
}

static inline char *trace_put_word_of(char *p, const struct trace_style *style, enum event_code code, const char *key,
                                      size_t key_length, const char *word)
{
    const size_t length = strlen(word);
    if (style->coded)
        return trace_put_coded_text(p, code, key, key_length, word, length);
    p = trace_put_bytes(p, key, key_length);
    *p++ = '"';
    p = trace_put_bytes(p, word, length);
    *p++ = '"';
    return p;
}

static inline char *trace_put_decimals_of(char *p, const struct trace_style *style, const char *key, size_t length,
                                          int64_t value, unsigned decimals)
{
    if (!style->coded)
        return number_put_shortest(trace_put_bytes(p, key, length), value, decimals);
    char *end = trace_put_code(p, CODE_DECIMALS, key, length, value);
    p[1] = (char)decimals;
    return end;
}

static inline char *trace_put_real_of(char *p, const struct trace_style *style, const char *key, size_t length,
                                      double real)
{
    int64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return style->coded ? trace_put_code(p, CODE_REAL, key, length, bits)
                        : trace_put_float(trace_put_bytes(p, key, length), real);
}

/* word: one of the program, for as long as it runs. */
static inline char *trace_put_category(char *p, const struct trace_style *style, const char *word)
{
    if (style->coded)
        return trace_put_code(p, CODE_CATEGORY, word, strlen(word), 0);
    p = trace_put_word(trace_put_literal(p, ",\"cat\":\""), word);
    return trace_put_literal(p, "\"");
}

/* ---- slices and instants: the name, trace_put_slice, arguments, trace_end_slice; of calls trace_put_times,
 * trace_end_call ---- */

/* Begins an event: its name follows, with its quotes. */
static inline char *trace_begin_event(char *p)
{
    return trace_put_literal(p, ",\n{\"name\":");
}

static inline char *trace_put_coded_times(char *p, const struct trace_style *style, char phase,
                                          const struct trace_slice *slice)
{
    const struct event_times times = {.code = CODE_TIMES,
                                      .phase = phase,
                                      .short_ps = (uint16_t)slice->short_ps,
                                      .exact_off =
                                          slice->exact_ns > 0 ? (int32_t)(slice->exact_ns - slice->duration_ns) : 0,
                                      .pid = slice->pid,
                                      .tid = slice->tid,
                                      .start_ns = time_since(slice->start_ns, style->origin_ns),
                                      .duration_ns = slice->duration_ns};
    memcpy(p, &times, sizeof times);
    return p + sizeof times;
}

/* Begins an event with its name: a word of the program, and the inside of a JSON string that stays until
 * trace_forget_texts. */
static inline char *trace_begin_named(char *p, const struct trace_style *style, const char *prefix, const char *text,
                                      size_t length)
{
    const size_t prefix_length = strlen(prefix);
    if (style->coded) {
        const struct event_name name = {CODE_NAME, (uint16_t)prefix_length, (uint32_t)length, prefix, text};
        p = trace_put_literal(p, ",\n");
        memcpy(p, &name, sizeof name);
        return p + sizeof name;
    }
    p = trace_put_literal(p, ",\n{\"name\":\"");
    p = trace_put_bytes(trace_put_bytes(p, prefix, prefix_length), text, length);
    return trace_put_literal(p, "\"");
}

/* Puts the members behind the name, up to the times. */
static inline char *trace_put_times(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    if (style->coded)
        return trace_put_coded_times(p, style, slice->instant ? 'i' : 'X', slice);
    if (style->phase == PHASE_SECOND)
        p = trace_put_phase(p, slice->instant ? 'i' : 'X');
    p = trace_put_place(p, style, slice->pid, slice->tid);
    p = trace_put_time(p, style, slice->start_ns);
    return slice->instant ? trace_put_literal(p, ",\"s\":\"t\"") : trace_put_duration(p, style, slice);
}

/* The members up to the place, for who draws many events of a thread one after the other. All zero: of none. */
struct trace_place {
    int64_t pid, tid;
    size_t length; /* of the text; 0: not made yet */
    char text[96];
};

/* Only for slices of a style whose phase is second, which is not coded. */
static inline char *trace_put_place_at(char *p, const struct trace_style *style, const struct trace_slice *slice,
                                       struct trace_place *place)
{
    if (place->length == 0 || place->pid != slice->pid || place->tid != slice->tid) {
        char *end = trace_put_place(trace_put_phase(place->text, 'X'), style, slice->pid, slice->tid);
        place->length = (size_t)(end - place->text);
        place->pid = slice->pid;
        place->tid = slice->tid;
    }
    memcpy(p, place->text, sizeof place->text); /* a few moves, of which a part counts */
    return p + place->length;
}

/* Puts what trace_put_times does. */
static inline char *trace_put_times_at(char *p, const struct trace_style *style, const struct trace_slice *slice,
                                       struct trace_place *place)
{
    if (style->coded || slice->instant || style->phase != PHASE_SECOND)
        return trace_put_times(p, style, slice);
    p = trace_put_time(trace_put_place_at(p, style, slice, place), style, slice->start_ns);
    return trace_put_duration(p, style, slice);
}

/* Puts them with the opening of args. */
static inline char *trace_put_slice(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    p = trace_put_times(p, style, slice);
    if (style->phase == PHASE_BEFORE_ARGS)
        p = trace_put_phase(p, slice->instant ? 'i' : 'X');
    return trace_put_literal(p, ",\"args\":{");
}

/* Key of the duration of an instant. */
#define TRACE_DURATION "\"Duration(us)\":"

/* Closes args and the event. An instant's duration becomes the last argument, behind one that must be there. */
static inline char *trace_end_slice(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    if (slice->instant)
        p = trace_put_us(p, style, "," TRACE_DURATION, slice->duration_ns);
    return trace_end_args(p, style, slice->instant ? 'i' : 'X');
}

/* Closes the event of a call of the host, in our own style, behind trace_put_times and members that no viewer shows. It
 * has no args: speedscope makes them a part of the name, and each call were a function of its own. */
static inline char *trace_end_call(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    if (slice->instant) {
        p = trace_put_us(trace_put_literal(p, ",\"args\":{"), style, TRACE_DURATION, slice->duration_ns);
        *p++ = '}';
    }
    *p++ = '}';
    return p;
}

/* ---- counters: the name, trace_put_counter, arguments, trace_end_counter ---- */

static inline char *trace_put_counter_time(char *p, const struct trace_style *style, int64_t pid, int64_t tid,
                                           int64_t time_ns)
{
    const struct trace_slice at = {.pid = pid, .start_ns = time_ns};
    if (style->coded)
        return trace_put_coded_times(p, style, 'C', &at);
    if (style->phase == PHASE_SECOND)
        p = trace_put_phase(p, 'C');
    p = trace_put_place(p, style, pid, tid);
    return trace_put_time(p, style, time_ns);
}

static inline char *trace_put_counter(char *p, const struct trace_style *style, int64_t pid, int64_t tid,
                                      int64_t time_ns)
{
    p = trace_put_counter_time(p, style, pid, tid, time_ns);
    if (style->phase == PHASE_BEFORE_ARGS)
        p = trace_put_phase(p, 'C');
    return trace_put_literal(p, ",\"args\":{");
}

static inline char *trace_end_counter(char *p, const struct trace_style *style)
{
    return trace_end_args(p, style, 'C');
}

/* ---- arrows ---- */

/* Things that arrows of one kind have in common; texts need no escaping. */
struct trace_flow {
    const char *name;     /* "HostToDevice" */
    const char *category; /* NULL: none */
    bool numbered;        /* the name ends with the number, which is written as a text */
    bool paired;          /* the number is two of 32 bits, written as "1-2" */
    bool connects;        /* the number is of a connection: where ts is a text it is as Ascend's tool has it, 2^32 times
                             as much, in the name and as a text */
};

/* A whole event, one end of an arrow: phase 's' where it begins, 'f' where it ends, in the slice around that time. */
char *trace_put_flow(char *p, const struct trace_style *style, const struct trace_flow *flow, char phase, int64_t id,
                     int64_t pid, int64_t tid, int64_t time_ns);

#endif
