/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/event.h"

#include "base/map.h"
#include "exporters/json_text.h"
#include "exporters/timeline/event_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARED_ENDS_MAX 128
#define SHORT_MAX_PS TRACE_SHORT_MAX_PS

const struct trace_style trace_style_msprof = {.phase = PHASE_SECOND};
const struct trace_style trace_style_2023 = {
    .string_times = true,
    .short_durations = true,
    .as_recorded = true,
    .phase = PHASE_BEFORE_ARGS,
};
const struct trace_style trace_style_2022 = {
    .as_recorded = true,
    .tagged_processes = true,
    .phase = PHASE_LAST,
};

char *trace_put_tagged(char *p, int64_t pid)
{
    int64_t tag = pid >> TRACE_TAG_SHIFT;
    if (tag <= 0)
        return number_put_signed(p, pid);
    *p++ = '"';
    p = number_put_signed(p, tag);
    *p++ = '_';
    p = number_put_signed(p, pid & ((INT64_C(1) << TRACE_TAG_SHIFT) - 1));
    *p++ = '"';
    return p;
}

/* A viewer reads ts, dur and the time of the thread's first slice, subtracts and adds, and does the same with what
 * begins at the end, each time with an error of half a unit in the last place: the two ends of a slice are off by two
 * units at most, its beginning by one. Four units are enough, and as many more for each slice around it that ends when
 * it does. That is a picosecond, the last decimal that is written, in the first half hour of a capture. */
static unsigned four_units_ps(int64_t start_ns, int64_t duration_ns, unsigned levels)
{
    const double half_an_hour_us = 2147483648.0, end_us = (double)span_end(start_ns, duration_ns) / 1000.0;
    int exponent;
    if (fabs(end_us) < half_an_hour_us)
        return levels;
    frexp(end_us, &exponent);
    const double four_units = ldexp(1000000.0, exponent - 51), all = (floor(four_units) + 1) * levels;
    return all < SHORT_MAX_PS ? (unsigned)all : SHORT_MAX_PS;
}

static bool ends_in_time(double begin_us, double length_us, double end_us)
{
    return begin_us + length_us <= end_us;
}

unsigned trace_shortening(int64_t first_ns, int64_t start_ns, int64_t duration_ns, unsigned shared_ends)
{
    if (duration_ns <= 0)
        return 0;
    const double first = (double)first_ns / 1000.0, start = (double)start_ns / 1000.0;
    const double length = (double)duration_ns / 1000.0, end = (double)span_end(start_ns, duration_ns) / 1000.0;
    /* Either is as good as at random: one branch instead of two. */
    const bool in_time = (int)ends_in_time(start, length, end) & (int)ends_in_time(start - first, length, end - first);
    if (in_time && shared_ends == 0)
        return 0;
    return four_units_ps(start_ns, duration_ns, (shared_ends < SHARED_ENDS_MAX ? shared_ends : SHARED_ENDS_MAX) + 1);
}

unsigned trace_shortening_anywhere(int64_t start_ns, int64_t duration_ns)
{
    return duration_ns > 0 ? four_units_ps(start_ns, duration_ns, 1) : 0;
}

char *trace_put_shortened(char *p, int64_t duration_ns, unsigned short_ps)
{
    unsigned rest = 1000 - short_ps;
    p = number_put_us(p, duration_ns - 1);
    *p++ = (char)('0' + rest / 100);
    *p++ = (char)('0' + rest / 10 % 10);
    *p++ = (char)('0' + rest % 10);
    return p;
}

/* ---- filling ---- */

/* Room for a word that is made for the event; what has no place there is cut. Behind it keys can be read. */
static char *scratch(struct event *event, size_t *length)
{
    const size_t room = sizeof event->scratch - EVENT_KEY_ROOM - event->used;
    char *word = event->scratch + event->used;
    if (*length > room)
        *length = room;
    event->used += *length;
    return word;
}

void event_name_plain(struct event *event, const char *text)
{
    const size_t length = strlen(text);
    event_name_copy(event, text, length);
    event->room += (JSON_TEXT_EXPANSION - 1) * length;
    event->head.flags |= EVENT_PLAIN_NAME;
}

void event_name_vformat(struct event *event, const char *format, va_list args)
{
    size_t length = EVENT_NAME_MAX;
    char *name = scratch(event, &length);
    vsnprintf(name, length, format, args);
    event_name_copy(event, name, strlen(name));
}

void event_name_format(struct event *event, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    event_name_vformat(event, format, args);
    va_end(args);
}

void event_name_numbered(struct event *event, const char *word, int64_t number)
{
    char digits[NUMBER_MAX];
    const size_t word_length = strlen(word), digit_count = (size_t)(number_put_signed(digits, number) - digits);
    size_t length = word_length + digit_count;
    char *name = scratch(event, &length);
    if (length == word_length + digit_count)
        memcpy(trace_put_bytes(name, word, word_length), digits, digit_count);
    else
        length = 0;
    event_name_copy(event, name, length);
}

void event_copy_of(struct event *event, struct event_key key, const char *word)
{
    size_t length = strlen(word);
    char *copy = scratch(event, &length);
    memcpy(copy, word, length);
    event_text_of(event, key, copy, length)->copied = EVENT_COPY_TEXT;
    event->head.flags |= EVENT_COPIES;
}

void event_plain_of(struct event *event, struct event_key key, const char *text, size_t length)
{
    event_text_of(event, key, text, length)->copied = EVENT_COPY_TEXT | EVENT_PLAIN;
    event->room += (JSON_TEXT_EXPANSION - 1) * length;
    event->head.flags |= EVENT_COPIES;
}

struct event_key event_numbered_key(struct event *event, struct event_key key, int64_t number)
{
    const size_t title = key.length - strlen("\":"), wanted = key.length + NUMBER_MAX;
    size_t length = wanted;
    char *word = scratch(event, &length);
    if (length < wanted)
        return key;
    char *p = trace_put_literal(trace_put_bytes(word, key.text, title), " ");
    p = trace_put_literal(number_put_signed(p, number), "\":");
    return (struct event_key){word, (size_t)(p - word)};
}

/* ---- as JSON ---- */

char *trace_put_string(char *p, const char *text)
{
    *p++ = '"';
    p += json_text_escape(p, text, strlen(text));
    *p++ = '"';
    return p;
}

/* Most texts are short: a call would take longer than their copy. */
static inline char *put_short(char *p, const char *text, size_t length)
{
    enum { SHORT = 8, MIDDLE = 16 };
    if (length - SHORT <= SHORT) { /* in two moves that may overlap */
        memcpy(p, text, SHORT);
        memcpy(p + length - SHORT, text + length - SHORT, SHORT);
    } else if (length - MIDDLE <= MIDDLE) {
        memcpy(p, text, MIDDLE);
        memcpy(p + length - MIDDLE, text + length - MIDDLE, MIDDLE);
    } else {
        memcpy(p, text, length);
    }
    return p + length;
}

static inline char *put_inside(char *p, const char *text, size_t length, bool plain)
{
    return plain ? p + json_text_escape(p, text, length) : put_short(p, text, length);
}

static inline char *put_name(char *p, const struct event_head *head)
{
    p = trace_put_literal(p, ",\n{\"name\":\"");
    if (head->prefix_length > 0)
        p = put_short(p, head->prefix, head->prefix_length);
    if (head->name_length > 0)
        p = put_inside(p, head->name, head->name_length, (head->flags & EVENT_PLAIN_NAME) != 0);
    return trace_put_literal(p, "\"");
}

static inline char *put_category(char *p, const struct event_head *head)
{
    p = put_short(trace_put_literal(p, ",\"cat\":\""), head->category, head->category_length);
    return trace_put_literal(p, "\"");
}

static inline char *put_text(char *p, const struct event_arg *arg)
{
    *p++ = '"';
    p = put_inside(p, arg->text, arg->length, (arg->copied & EVENT_PLAIN) != 0);
    *p++ = '"';
    return p;
}

static char *put_number(char *p, const struct event_arg *arg)
{
    switch ((enum event_type)arg->type) {
    case EVENT_US:
        return number_put_us(p, arg->integer);
    case EVENT_DECIMALS:
        return number_put_shortest(p, arg->integer, arg->decimals);
    case EVENT_REAL:
        return trace_put_float(p, arg->real);
    case EVENT_DIGITS:
        return number_put_real(p, arg->real, arg->decimals);
    case EVENT_FORM_INTEGER:
        return form_put_integer(p, (enum report_form)arg->form, arg->decimals, arg->integer);
    default:
        return form_put_real(p, (enum report_form)arg->form, arg->decimals, arg->real);
    }
}

static inline char *put_integer(char *p, int64_t value)
{
    if ((uint64_t)value > 9)
        return number_put_signed(p, value);
    *p = (char)('0' + value);
    return p + 1;
}

/* Each argument with a comma before it. */
static inline __attribute__((always_inline)) char *put_members(char *p, const struct event *event)
{
    for (const struct event_arg *arg = event->args, *end = arg + event->head.arg_count; arg < end; arg++) {
        memcpy(p, arg->key, EVENT_KEY_ROOM); /* a few moves, of which a part counts */
        if (arg->key_length > EVENT_KEY_ROOM)
            memcpy(p, arg->key, arg->key_length);
        p += arg->key_length;
        if (arg->type == EVENT_INTEGER)
            p = put_integer(p, arg->integer);
        else
            p = arg->type == EVENT_TEXT ? put_text(p, arg) : put_number(p, arg);
    }
    return p;
}

static inline char *put_place(char *p, const struct trace_style *style, const struct event_head *head,
                              struct trace_place *place)
{
    if (place->length == 0 || place->pid != head->pid || place->tid != head->tid) {
        place->length = (size_t)(trace_put_place(place->text, style, head->pid, head->tid) - place->text);
        place->pid = head->pid;
        place->tid = head->tid;
    }
    memcpy(p, place->text, sizeof place->text); /* as above */
    return p + place->length;
}

/* Puts what stands in braces at begin, up to end, which is a comma before each; returns the end. */
static inline char *put_braces(char *begin, char *end)
{
    *begin = '{';
    end += end == begin;
    *end++ = '}';
    return end;
}

/* The arguments as a member, and the end of the event. */
static inline char *put_args(char *p, const struct trace_style *style, const struct event *event)
{
    const struct event_head *head = &event->head;
    if (head->arg_count > 0 || (head->flags & EVENT_THREAD_TEXT) == 0) {
        char *begin = trace_put_literal(p, ",\"args\":");
        p = put_members(begin, event);
        if (head->phase == 'i')
            p = number_put_us(trace_put_literal(p, ",\"Duration(us)\":"), head->duration_ns);
        p = put_braces(begin, p);
    }
    if (style->phase == PHASE_LAST)
        p = trace_put_phase(p, head->phase);
    *p++ = '}';
    return p;
}

/* Closes the event of a call. */
static inline char *end_call(char *p, const struct event *event)
{
    p = put_members(p, event);
    if (event->head.phase == 'i') {
        p = number_put_us(trace_put_literal(p, ",\"args\":{\"Duration(us)\":"), event->head.duration_ns);
        *p++ = '}';
    }
    *p++ = '}';
    return p;
}

static inline char *put_times(char *p, const struct trace_style *style, const struct event_head *head)
{
    const int64_t since_ns = time_since(head->start_ns, style->origin_ns);
    const bool falls_short = trace_falls_short(style, since_ns);
    p = trace_put_since(p, style, since_ns, falls_short);
    return head->phase == 'i'
               ? trace_put_literal(p, ",\"s\":\"t\"")
               : trace_put_duration_of(p, style, head->duration_ns, head->exact_ns, head->short_ps, falls_short);
}

/* Place and times of the tool of 2022. */
static char *put_old_times(char *p, const struct trace_style *style, const struct event_head *head,
                           struct trace_place *place)
{
    if ((head->flags & EVENT_THREAD_TEXT) != 0) {
        p = number_put_signed(trace_put_literal(p, ",\"pid\":"), head->pid);
        p = number_put_signed(trace_put_literal(p, ",\"tid\":\"Thread "), head->tid);
        return put_times(trace_put_literal(p, "\""), style, head);
    }
    p = put_place(p, style, head, place);
    p = number_put_signed(trace_put_literal(p, ",\"ts\":"), head->start_ns);
    return number_put_signed(trace_put_literal(p, ",\"dur\":"), head->duration_ns);
}

static inline char *put_slice(char *p, const struct trace_style *style, const struct event *event,
                              struct trace_place *place)
{
    const struct event_head *head = &event->head;
    const bool first = (head->flags & EVENT_CATEGORY_FIRST) != 0;
    if (first && head->category != NULL)
        p = put_category(p, head);
    if (style->phase == PHASE_SECOND)
        p = trace_put_phase(p, head->phase);
    p = __builtin_expect((head->flags & (EVENT_THREAD_TEXT | EVENT_WHOLE_US)) != 0, 0)
            ? put_old_times(p, style, head, place)
            : put_times(put_place(p, style, head, place), style, head);
    if (!first && head->category != NULL)
        p = put_category(p, head);
    if ((head->flags & EVENT_CALL) != 0)
        return end_call(p, event);
    if (style->phase == PHASE_BEFORE_ARGS)
        p = trace_put_phase(p, head->phase);
    return put_args(p, style, event);
}

/* A counter, or the name of a process or a thread. */
static char *put_other(char *p, const struct trace_style *style, const struct event *event, struct trace_place *place)
{
    const struct event_head *head = &event->head;
    if (style->phase == PHASE_SECOND)
        p = trace_put_phase(p, head->phase);
    p = put_place(p, style, head, place);
    if (head->phase == 'C')
        p = trace_put_time(p, style, head->start_ns);
    if (style->phase == PHASE_BEFORE_ARGS)
        p = trace_put_phase(p, head->phase);
    return put_args(p, style, event);
}

char *event_put_id(char *p, const struct event *event)
{
    const struct event_head *head = &event->head;
    if (head->id_form == EVENT_ID_NUMBER)
        return put_integer(p, head->id);
    *p++ = '"';
    if (head->id_form == EVENT_ID_THREAD && head->category != NULL) {
        p = trace_put_literal(trace_put_bytes(p, head->category, head->category_length), " ");
        p = number_put_signed(p, head->pid);
        p = number_put_signed(trace_put_literal(p, "_"), head->tid);
    } else if (head->id_form == EVENT_ID_PAIR) {
        p = number_put_unsigned(p, (uint64_t)head->id >> 32);
        *p++ = '-';
        p = number_put_unsigned(p, (uint64_t)head->id & UINT32_MAX);
    } else {
        p = number_put_signed(p, head->id);
    }
    *p++ = '"';
    return p;
}

static char *put_id(char *p, const struct event *event)
{
    p = trace_put_literal(p, ",\"id\":");
    return event->head.id_form == EVENT_ID_NUMBER ? put_integer(p, event->head.id) : event_put_id(p, event);
}

static char *put_guest_flow(char *p, const struct trace_style *style, const struct event *event,
                            struct trace_place *place)
{
    const struct event_head *head = &event->head;
    p = trace_put_literal(trace_put_phase(p, head->phase), ",\"bp\":\"e\"");
    p = put_place(put_id(p, event), style, head, place);
    p = put_category(trace_put_time(p, style, head->start_ns), head);
    return trace_put_literal(p, "}");
}

static char *put_flow(char *p, const struct trace_style *style, const struct event *event, struct trace_place *place)
{
    const struct event_head *head = &event->head;
    const bool of_thread = head->id_form == EVENT_ID_THREAD;
    if ((head->flags & EVENT_GUEST) != 0)
        return put_guest_flow(p, style, event, place);
    if (head->category != NULL)
        p = put_category(p, head);
    if (of_thread)
        p = put_id(p, event);
    p = trace_put_phase(p, head->phase);
    if (!of_thread)
        p = put_id(p, event);
    p = put_place(p, style, head, place);
    p = trace_put_time(p, style, head->start_ns);
    if (head->phase == 'f')
        p = trace_put_literal(p, ",\"bp\":\"e\"");
    if (head->arg_count > 0) {
        char *begin = trace_put_literal(p, ",\"args\":");
        p = put_braces(begin, put_members(begin, event));
    }
    return trace_put_literal(p, "}");
}

char *event_put_json(char *p, const struct trace_style *style, const struct event *event, struct trace_place *place)
{
    const char phase = event->head.phase;
    p = put_name(p, &event->head);
    if (phase == 'X' || phase == 'i')
        return put_slice(p, style, event, place);
    return phase == 'C' || phase == 'M' ? put_other(p, style, event, place) : put_flow(p, style, event, place);
}

size_t event_json_room(const struct event *event)
{
    size_t room = TRACE_EVENT_MAX + event->head.prefix_length + event->head.name_length;
    for (size_t i = 0; i < event->head.arg_count; i++) {
        const struct event_arg *arg = &event->args[i];
        room += arg->key_length + (arg->type == EVENT_TEXT ? arg->length + NUMBER_MAX : (size_t)FORM_NUMBER_MAX);
    }
    return room;
}

/* ---- packed: the head, the arguments, and what may go: the name, keys and texts in their order ---- */

static char *pack_copies(char *args, char *p, struct event_head *head, const struct event *event)
{
    if ((head->flags & EVENT_COPY_NAME) != 0) {
        char *end = put_inside(p, head->name, head->name_length, (head->flags & EVENT_PLAIN_NAME) != 0);
        head->name_length = (uint32_t)(end - p);
        head->flags &= (uint8_t)~EVENT_PLAIN_NAME;
        p = end;
    }
    for (size_t i = 0; i < head->arg_count; i++) {
        struct event_arg arg = event->args[i];
        if ((arg.copied & EVENT_COPY_KEY) != 0)
            p = trace_put_bytes(p, arg.key, arg.key_length);
        if ((arg.copied & EVENT_COPY_TEXT) != 0) {
            char *end = put_inside(p, arg.text, arg.length, (arg.copied & EVENT_PLAIN) != 0);
            arg.length = (uint32_t)(end - p);
            arg.copied &= (uint8_t)~EVENT_PLAIN;
            p = end;
        }
        memcpy(args + i * sizeof arg, &arg, sizeof arg);
    }
    memset(p, 0, EVENT_KEY_ROOM); /* which can be read behind keys */
    return p + EVENT_KEY_ROOM;
}

char *event_pack(char *p, const struct trace_style *style, const struct event *event)
{
    struct event_head head = event->head;
    char *args = p + sizeof head, *end = args + head.arg_count * sizeof *event->args;
    if ((head.flags & EVENT_COPIES) != 0)
        end = pack_copies(args, end, &head, event);
    else
        memcpy(args, event->args, head.arg_count * sizeof *event->args);
    head.size = (uint32_t)(end - p);
    head.start_ns = time_since(head.start_ns, style->origin_ns);
    memcpy(p, &head, sizeof head);
    return end;
}

void event_unpack(struct event *ret, const char *p)
{
    struct event_head *head = &ret->head;
    memcpy(head, p, sizeof *head);
    memcpy(ret->args, p + sizeof *head, head->arg_count * sizeof *ret->args);
    if ((head->flags & EVENT_COPIES) == 0)
        return;
    p += sizeof *head + head->arg_count * sizeof *ret->args;
    if ((head->flags & EVENT_COPY_NAME) != 0) {
        head->name = p;
        p += head->name_length;
    }
    for (size_t i = 0; i < head->arg_count; i++) {
        struct event_arg *arg = &ret->args[i];
        if ((arg->copied & EVENT_COPY_KEY) != 0) {
            arg->key = p;
            p += arg->key_length;
        }
        if ((arg->copied & EVENT_COPY_TEXT) != 0) {
            arg->text = p;
            p += arg->length;
        }
    }
}

/* ---- values ---- */

static struct event_number whole(int64_t integer)
{
    return (struct event_number){.whole = true, .integer = integer};
}

static struct event_number real_of(double real)
{
    return (struct event_number){.real = real};
}

/* A number of so many decimals, of which a whole one is an integer where zeros at its end are not shown. */
static struct event_number decimal(int64_t value, unsigned decimals, bool shows_zeros)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    const int64_t power = powers[decimals % (sizeof powers / sizeof *powers)];
    if (decimals == 0 || (!shows_zeros && value % power == 0))
        return whole(value / power);
    return (struct event_number){.real = (double)value / (double)power};
}

/* A real number rounded to the decimals or digits that are shown of it, up to end. */
static struct event_number rounded(char *shown, char *end)
{
    int64_t integer;
    const bool minus = *shown == '-';
    *end = '\0';
    if (number_parse_integer(shown + minus, (size_t)(end - shown) - minus, &integer) == 0)
        return whole(minus ? -integer : integer);
    return (struct event_number){.real = strtod(shown, NULL)};
}

static struct event_number number_of_form(enum report_form form, unsigned decimals, int64_t value)
{
    switch (form) {
    case FORM_SCALED:
        return decimal(value, decimals, false);
    case FORM_SCALED_FIXED:
        return decimal(value, decimals, true);
    case FORM_SCALED_FLOAT:
        return (struct event_number){.real = decimals == 0 ? (double)value : decimal(value, decimals, true).real};
    case FORM_TIME:
        return decimal(value, 3, true);
    case FORM_FIXED:
        return decimals > 0 ? real_of((double)value) : whole(value);
    case FORM_FLOAT:
        return real_of((double)value);
    case FORM_UNSIGNED:
        return value < 0 ? real_of((double)(uint64_t)value) : whole(value);
    default:
        return whole(value);
    }
}

struct event_number event_number(const struct event_arg *arg)
{
    char shown[FORM_NUMBER_MAX + 1];
    switch ((enum event_type)arg->type) {
    case EVENT_US:
        return decimal(arg->integer, 3, true);
    case EVENT_DECIMALS:
        return decimal(arg->integer, arg->decimals, false);
    case EVENT_REAL:
        return (struct event_number){.real = arg->real};
    case EVENT_FORM_INTEGER:
        return number_of_form((enum report_form)arg->form, arg->decimals, arg->integer);
    case EVENT_FORM_REAL:
        if (arg->form != FORM_FIXED && arg->form != FORM_SHORTEST)
            return (struct event_number){.real = arg->real};
        return rounded(shown, form_put_real(shown, (enum report_form)arg->form, arg->decimals, arg->real));
    case EVENT_DIGITS:
        return rounded(shown, number_put_real(shown, arg->real, arg->decimals));
    default:
        return whole(arg->integer);
    }
}

/* ---- texts ---- */

static unsigned hex4(const char *p)
{
    unsigned value = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];
        value = value << 4 | (c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10u);
    }
    return value;
}

/* A character of the plane that \u reaches; halves of pairs are none. */
static char *put_utf8(char *p, unsigned code)
{
    if (code >= 0xd800 && code < 0xe000)
        code = 0xfffd;
    if (code < 0x80) {
        *p++ = (char)code;
        return p;
    }
    if (code < 0x800) {
        *p++ = (char)(0xc0 | code >> 6);
    } else {
        *p++ = (char)(0xe0 | code >> 12);
        *p++ = (char)(0x80 | (code >> 6 & 63));
    }
    *p++ = (char)(0x80 | (code & 63));
    return p;
}

size_t event_text_characters(char *ret, const char *text, size_t length)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char *p = ret;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c != '\\' || i + 1 == length) {
            *p++ = c;
            continue;
        }
        c = text[++i];
        const char *letter = memchr(letters, c, sizeof letters - 1);
        if (c == 'u' && length - i > 4) {
            p = put_utf8(p, hex4(text + i + 1));
            i += 4;
        } else {
            *p++ = letter != NULL ? meant[letter - letters] : c;
        }
    }
    return (size_t)(p - ret);
}
