/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event of a timeline: a slice, an instant, a counter, one end of an arrow, or the name of a process or a thread.
 * Whoever draws fills one and puts it into a timeline, which prints it as JSON or hands it to a sink (sink.h) for
 * another format; nobody has to read it back out of a text.
 *
 *     struct event event;
 *     event_slice(&event, &slice);
 *     event_name(&event, "Node@", text, length);
 *     event_integer(&event, "Task Id", task->task_id);
 *     event_us(&event, "Busy(us)", busy_ns);
 *     trace_put(trace, &event, err)                  (document.h; trace_put_beside in the threads of
 * exporters/parallel.h)
 *
 * Times are int64 nanoseconds until they are printed, as microseconds with three decimals. Viewers read them as doubles
 * and add ts and dur; the sum may come out a little after the ts of a slice that begins just there, which then looks as
 * if it began inside. Where that is so dur is written shorter, by less than half a nanosecond: rounded to nanoseconds
 * it is exact (docs/formats/trace-event.md). A difference of Ascend's tools is a setting (struct trace_style), not
 * another writer.
 *
 * Nothing here allocates. Texts are the inside of JSON strings, escaped once for all events that have them, and stay
 * until trace_forget_texts, but for those that say otherwise, which may go when the event has been put.
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_EVENT_H
#define MSPROF_EXPORTERS_TIMELINE_EVENT_H

#include "base/number.h"
#include "base/ticks.h"
#include "exporters/row_format.h"

#include <stdarg.h>
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
    bool short_durations; /* of a style that is as_recorded: dur without zeros at its end */
    bool as_recorded;     /* what overlaps stays on its thread, dur is never shortened, and the origin is not written */
    bool tagged_processes; /* what trace_tagged gave is written as "7_1" */
    bool unplaced;         /* names of processes and threads stand without their places */
    bool packed;           /* for a sink: event_pack, not JSON */
    enum trace_phase_place phase;
};

/* Ours, for captures of every family; origin_ns is set by the caller. */
extern const struct trace_style trace_style_msprof;
/* Styles of Ascend's tools: since 2023, and in 2022. */
extern const struct trace_style trace_style_2023, trace_style_2022;

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

/* By how many picoseconds the dur of a slice must be short, so that no viewer that adds doubles finds it overlapping
 * what begins at its end, or ending after a slice around it that ends when it does; shared_ends: how many of these
 * there are. Some viewers add ts and dur as they are, others count from the first slice of the thread, first_ns: both
 * since ts 0. */
unsigned trace_shortening(int64_t first_ns, int64_t start_ns, int64_t duration_ns, unsigned shared_ends);
/* Finds it for who draws without knowing what the thread begins with. */
unsigned trace_shortening_anywhere(int64_t start_ns, int64_t duration_ns);

/* ---- arguments ---- */

/* A key as JSON has it behind another argument: ,"Task Id": of so many bytes. EVENT_KEY_ROOM bytes can be read there.
 */
struct event_key {
    const char *text;
    size_t length;
};
#define EVENT_KEY_ROOM 32
#define EVENT_KEY_INIT(literal)                                                                                        \
    {                                                                                                                  \
        ",\"" literal "\":\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",                           \
            sizeof(",\"" literal "\":") - 1                                                                            \
    }
#define EVENT_KEY(literal) ((struct event_key)EVENT_KEY_INIT(literal))

enum event_type {
    EVENT_TEXT,
    EVENT_INTEGER,
    EVENT_US,       /* nanoseconds, shown as microseconds */
    EVENT_DECIMALS, /* a number of so many decimals, without zeros at its end */
    EVENT_REAL,     /* as short as it reads back the same */
    EVENT_DIGITS,   /* a real number of so many digits */
    EVENT_FORM_INTEGER,
    EVENT_FORM_REAL, /* both as a column of a table has them */
};

/* What may go, and is copied by event_pack. */
enum event_copied { EVENT_COPY_KEY = 1, EVENT_COPY_TEXT = 2, EVENT_PLAIN = 4 /* not escaped yet */ };

struct event_arg {
    const char *key;
    uint16_t key_length;
    uint8_t type, copied;
    union {
        uint32_t length; /* of a text */
        struct {
            uint8_t form, decimals; /* decimals: or digits */
        };
    };
    union {
        const char *text;
        int64_t integer;
        double real;
    };
};

/* The title of a key: without comma, quotes and colon. */
static inline bool event_is_key(const struct event_arg *arg, const char *title)
{
    const size_t length = strlen(title);
    return arg->key_length == length + strlen(",\"\":") && memcmp(arg->key + strlen(",\""), title, length) == 0;
}

/* The number that an argument shows, which is none of a text. */
struct event_number {
    bool whole;
    int64_t integer;
    double real; /* of one that is not whole */
};
struct event_number event_number(const struct event_arg *arg);

/* ---- events ---- */

enum event_flag {
    EVENT_COPIES = 1,         /* something is copied */
    EVENT_COPY_NAME = 2,      /* the name may go; it has no prefix */
    EVENT_PLAIN_NAME = 4,     /* and is not escaped yet */
    EVENT_CATEGORY_FIRST = 8, /* behind the name */
    EVENT_CALL = 16,     /* of the host, in our own style: its arguments are members that no viewer shows, as speedscope
                            makes those of args a part of the name, and each call were a function of its own */
    EVENT_GUEST = 32,    /* an arrow as frameworks have it */
    EVENT_WHOLE_US = 64, /* as the tool of 2022 has it in ai_stack_time: start and duration are whole microseconds */
    EVENT_THREAD_TEXT =
        128, /* as it has it in thread_group: the thread is a text, and without arguments there is no args */
};

/* How the number of an arrow is written. */
enum event_id {
    EVENT_ID_NUMBER,
    EVENT_ID_TEXT,   /* "7" */
    EVENT_ID_PAIR,   /* "1-2": two of 32 bits */
    EVENT_ID_THREAD, /* "<category> <pid>_<tid>": of all arrows of a thread; it stands before the phase */
};

#define EVENT_ARGS_MAX 80
#define EVENT_NAME_MAX 320     /* bytes of a name that is made for an event */
#define EVENT_SCRATCH_MAX 1024 /* bytes of all words that are */

struct event_head {
    uint32_t size; /* in bytes, when it is packed */
    char phase;    /* of the Trace Event Format: X, i, C, s, t, f, M */
    uint8_t flags, id_form, arg_count;
    uint16_t short_ps, prefix_length;
    uint32_t name_length, category_length;
    const char *prefix, *name; /* prefix: a word of the program, before the name */
    const char *category;      /* likewise; NULL: none */
    int64_t pid, tid, start_ns, duration_ns;
    union {
        int64_t exact_ns; /* of a slice */
        int64_t id;       /* of an arrow */
    };
};

struct event {
    struct event_head head;
    struct event_arg args[EVENT_ARGS_MAX];
    size_t room; /* bytes that arguments take when they are put, and a name that is escaped then */
    size_t used; /* of: */
    char scratch[EVENT_SCRATCH_MAX];
};

static inline void event_begin(struct event *event, char phase, int64_t pid, int64_t tid, int64_t start_ns)
{
    event->head = (struct event_head){.phase = phase, .pid = pid, .tid = tid, .start_ns = start_ns};
    event->room = event->used = 0;
}

static inline void event_slice(struct event *event, const struct trace_slice *slice)
{
    event->head = (struct event_head){.phase = slice->instant ? 'i' : 'X',
                                      .short_ps = (uint16_t)slice->short_ps,
                                      .pid = slice->pid,
                                      .tid = slice->tid,
                                      .start_ns = slice->start_ns,
                                      .duration_ns = slice->duration_ns,
                                      .exact_ns = slice->exact_ns};
    event->room = event->used = 0;
}

/* The name: a word of the program, and a text. */
static inline void event_name(struct event *event, const char *prefix, const char *text, size_t length)
{
    event->head.prefix = prefix;
    event->head.prefix_length = (uint16_t)strlen(prefix);
    event->head.name = text;
    event->head.name_length = (uint32_t)length;
}
/* A word of the program alone. */
static inline void event_name_word(struct event *event, const char *word)
{
    event_name(event, word, "", 0);
}
/* A name that may go, and one of any bytes that may. */
static inline void event_name_copy(struct event *event, const char *text, size_t length)
{
    event_name(event, "", text, length);
    event->head.flags |= EVENT_COPIES | EVENT_COPY_NAME;
}
void event_name_plain(struct event *event, const char *text);
/* A name that printf makes, without anything to escape, of EVENT_NAME_MAX bytes at most. */
__attribute__((format(printf, 2, 0))) void event_name_vformat(struct event *event, const char *format, va_list args);
__attribute__((format(printf, 2, 3))) void event_name_format(struct event *event, const char *format, ...);

/* A word of the program with a number behind it. */
void event_name_numbered(struct event *event, const char *word, int64_t number);

/* Behind the times of the event; NULL: none. event_category_first: behind its name. */
static inline void event_category(struct event *event, const char *word)
{
    event->head.category = word;
    event->head.category_length = word != NULL ? (uint32_t)strlen(word) : 0;
}
static inline void event_category_first(struct event *event, const char *word)
{
    event_category(event, word);
    event->head.flags |= EVENT_CATEGORY_FIRST;
}

/* Arguments: keys are literals, where the name of the function does not end in _of. */
#define event_integer(event, key, value) event_integer_of((event), EVENT_KEY(key), (value))
#define event_us(event, key, ns) event_us_of((event), EVENT_KEY(key), (ns))
#define event_decimals(event, key, value, decimals) event_decimals_of((event), EVENT_KEY(key), (value), (decimals))
#define event_real(event, key, real) event_real_of((event), EVENT_KEY(key), (real))
#define event_digits(event, key, real, digits) event_digits_of((event), EVENT_KEY(key), (real), (digits))
/* text: the inside of a JSON string; word: of the program; copy: a word that may go; plain: any bytes, which may go,
 * NULL takes none of them. */
#define event_text(event, key, text, length) event_text_of((event), EVENT_KEY(key), (text), (length))
#define event_word(event, key, word) event_word_of((event), EVENT_KEY(key), (word))
#define event_copy(event, key, word) event_copy_of((event), EVENT_KEY(key), (word))
#define event_plain(event, key, text) event_plain_of((event), EVENT_KEY(key), (text), strlen(text))
/* A number that need not be known: "N/A" is its value then. */
#define event_known(event, key, value)                                                                                 \
    ((value) != DB_NULL ? event_integer((event), key, (value)) : event_word((event), key, "N/A"))

static inline struct event_arg *event_arg(struct event *event, struct event_key key, enum event_type type, size_t room)
{
    struct event_arg *arg = &event->args[event->head.arg_count++];
    arg->key = key.text;
    arg->key_length = (uint16_t)key.length;
    arg->type = (uint8_t)type;
    arg->copied = 0;
    event->room += key.length + room;
    return arg;
}

static inline void event_integer_of(struct event *event, struct event_key key, int64_t value)
{
    event_arg(event, key, EVENT_INTEGER, NUMBER_MAX)->integer = value;
}

static inline void event_us_of(struct event *event, struct event_key key, int64_t ns)
{
    event_arg(event, key, EVENT_US, NUMBER_MAX)->integer = ns;
}

static inline void event_decimals_of(struct event *event, struct event_key key, int64_t value, unsigned decimals)
{
    struct event_arg *arg = event_arg(event, key, EVENT_DECIMALS, NUMBER_MAX);
    arg->decimals = (uint8_t)decimals;
    arg->integer = value;
}

static inline void event_real_of(struct event *event, struct event_key key, double real)
{
    event_arg(event, key, EVENT_REAL, REAL_SHORTEST_MAX)->real = real;
}

static inline void event_digits_of(struct event *event, struct event_key key, double real, unsigned digits)
{
    struct event_arg *arg = event_arg(event, key, EVENT_DIGITS, NUMBER_MAX);
    arg->decimals = (uint8_t)digits;
    arg->real = real;
}

static inline struct event_arg *event_text_of(struct event *event, struct event_key key, const char *text,
                                              size_t length)
{
    struct event_arg *arg = event_arg(event, key, EVENT_TEXT, length + NUMBER_MAX);
    arg->length = (uint32_t)length;
    arg->text = text;
    return arg;
}

static inline void event_word_of(struct event *event, struct event_key key, const char *word)
{
    (void)event_text_of(event, key, word, strlen(word));
}

void event_copy_of(struct event *event, struct event_key key, const char *word);
void event_plain_of(struct event *event, struct event_key key, const char *text, size_t length);

/* A key, a word of the program, with a number behind its title. */
struct event_key event_numbered_key(struct event *event, struct event_key key, int64_t number);
/* The key of the last argument may go. */
static inline void event_copy_key(struct event *event)
{
    event->args[event->head.arg_count - 1].copied |= EVENT_COPY_KEY;
    event->head.flags |= EVENT_COPIES;
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

/* One end of an arrow: phase 's' where it begins, 'f' where it ends, in the slice around that time. */
static inline void event_flow(struct event *event, const struct trace_style *style, const struct trace_flow *flow,
                              char phase, int64_t id, int64_t pid, int64_t tid, int64_t time_ns)
{
    const bool connects = flow->connects && style->string_times, numbered = flow->numbered || connects;
    event_begin(event, phase, pid, tid, time_ns);
    event_category_first(event, flow->category);
    id += style->first_arrow;
    event->head.id = connects ? (int64_t)((uint64_t)id << 32) : id;
    event->head.id_form = flow->paired ? EVENT_ID_PAIR : numbered ? EVENT_ID_TEXT : EVENT_ID_NUMBER;
    if (numbered)
        event_name_numbered(event, flow->name, event->head.id);
    else
        event_name_word(event, flow->name);
}

/* The number of an arrow as JSON has it. */
char *event_put_id(char *p, const struct event *event);
#define EVENT_ID_MAX 512

/* ---- putting ---- */

/* Process and thread of the last event, as they were printed: many events of one come one after the other. One for each
 * timeline, and for each thread that puts events into it; all zero: of none. */
struct trace_place {
    int64_t pid, tid;
    size_t length; /* of the text */
    char text[64];
};

/* Bytes that an event takes at most beside names and texts. */
#define TRACE_EVENT_MAX 640

/* Bytes that event_put writes at most. */
static inline size_t event_room(const struct event *event)
{
    return TRACE_EVENT_MAX + event->head.prefix_length + event->head.name_length + event->room;
}

/* The same of one that was unpacked, as JSON. */
size_t event_json_room(const struct event *event);

/* Each writes at p and returns the end: a line of JSON with what stands before it; or a packed event, whose times are
 * since ts 0; or as the style says. */
char *event_put_json(char *p, const struct trace_style *style, const struct event *event, struct trace_place *place);
char *event_pack(char *p, const struct trace_style *style, const struct event *event);
static inline char *event_put(char *p, const struct trace_style *style, const struct event *event,
                              struct trace_place *place)
{
    return style->packed ? event_pack(p, style, event) : event_put_json(p, style, event, place);
}

/* The size of a packed event that begins with these bytes, of which there are sizeof(uint32_t) or more. */
static inline size_t event_packed_size(const char *p)
{
    uint32_t size;
    memcpy(&size, p, sizeof size);
    return size;
}
/* What was packed, whose texts stay there. Only head and args are set. */
void event_unpack(struct event *ret, const char *p);

/* ---- who takes them ---- */

/* Takes the events of a capture's timeline of everything, as the engine draws them; 0 or -code. */
struct event_taker {
    /* Before the events of each timeline of a capture that has several: processes and threads have numbers of their own
     * there. */
    int (*begin)(void *arg, struct err *err);
    int (*take)(void *arg, const struct event *event, struct err *err);
    void *arg;
};

/* The characters of the inside of a JSON string into room for as many bytes; returns how many there are. */
size_t event_text_characters(char *ret, const char *text, size_t length);

#endif
