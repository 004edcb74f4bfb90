/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/event_text.h"

#include "base/number.h"

#include <stdlib.h>

#define DIGITS_EXACT 15 /* so many decimal digits are a whole number that a double holds */
#define NUMBER_ROOM 64

/* ---- values ---- */

/* The end of the string whose first character is at p: its closing quote; NULL: there is none. */
static const char *string_end(const char *p, const char *end)
{
    const char *stop = memchr(p, '"', (size_t)(end - p));
    if (stop == NULL || stop == p || stop[-1] != '\\')
        return stop;
    for (; p < end && *p != '"'; p++) {
        if (*p == '\\')
            p++;
    }
    return p < end ? p : NULL;
}

/* The end of a list or an object. */
static const char *nested_end(const char *p, const char *end)
{
    for (unsigned depth = 0; p < end; p++) {
        if (*p == '"' && (p = string_end(p + 1, end)) == NULL)
            return NULL;
        depth += *p == '{' || *p == '[';
        if ((*p == '}' || *p == ']') && --depth == 0)
            return p + 1;
    }
    return NULL;
}

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == 'e' || c == 'E' || c == '+';
}

static double read_real(struct event_span number)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    int64_t digits = 0;
    size_t count = 0, decimals = 0;
    bool point = false, plain = true, minus = number.length > 0 && number.text[0] == '-';
    for (size_t i = minus; i < number.length && plain; i++) {
        char c = number.text[i];
        if (c == '.') {
            plain = !point;
            point = true;
            continue;
        }
        plain = c >= '0' && c <= '9' && ++count <= DIGITS_EXACT;
        digits = plain ? digits * 10 + (c - '0') : digits;
        decimals += point;
    }
    if (plain) { /* both are exact, so the quotient is the double that is nearest */
        double real = (double)digits / powers[decimals];
        return minus ? -real : real;
    }
    char text[NUMBER_ROOM];
    size_t length = number.length < sizeof text ? number.length : sizeof text - 1;
    memcpy(text, number.text, length);
    text[length] = '\0';
    return strtod(text, NULL);
}

void event_text_number(struct event_span number, struct event_member *ret)
{
    uint64_t value = 0, limit = INT64_MAX;
    bool minus = number.text[0] == '-', whole = number.length > (size_t)minus;
    for (size_t i = minus; i < number.length && whole; i++) {
        unsigned digit = (unsigned)(unsigned char)number.text[i] - '0';
        whole = digit <= 9 && value <= (limit - digit) / 10;
        value = whole ? value * 10 + digit : value;
    }
    ret->type = whole ? EVENT_INTEGER : EVENT_REAL;
    if (whole)
        ret->integer = minus ? -(int64_t)value : (int64_t)value;
    else
        ret->real = read_real(number);
}

/* The end of the value at p, which is not empty; NULL: it is none, or has not ended. */
static const char *value_end(const char *p, const char *end, enum event_value_type *ret)
{
    const char *stop = p;
    *ret = EVENT_NESTED;
    if (*p == '"') {
        *ret = EVENT_TEXT;
        stop = string_end(p + 1, end);
        return stop != NULL ? stop + 1 : NULL;
    }
    if (*p == '{' || *p == '[')
        return nested_end(p, end);
    if (is_number_byte(*p)) {
        *ret = EVENT_INTEGER;
        while (stop < end && is_number_byte(*stop))
            stop++;
        return stop;
    }
    *ret = *p == 't' ? EVENT_TRUE : *p == 'f' ? EVENT_FALSE : EVENT_NULL;
    while (stop < end && *stop >= 'a' && *stop <= 'z')
        stop++;
    return stop > p ? stop : NULL;
}

const char *event_text_member(const char *p, const char *end, struct event_member *ret)
{
    if (p >= end || *p != '"')
        return NULL;
    const char *stop = string_end(p + 1, end);
    if (stop == NULL || end - stop < 3 || stop[1] != ':')
        return NULL;
    ret->key = (struct event_span){p + 1, (size_t)(stop - p - 1)};
    ret->literal = ret->stays = false;
    p = stop + 2;
    stop = value_end(p, end, &ret->type);
    const size_t quotes = ret->type == EVENT_TEXT;
    if (stop != NULL)
        ret->value = (struct event_span){p + quotes, (size_t)(stop - p) - 2 * quotes};
    return stop;
}

int64_t event_text_ns(struct event_span number)
{
    enum { DECIMALS = 3 };
    uint64_t value = 0;
    size_t decimals = 0, i = number.length > 0 && number.text[0] == '-';
    const bool minus = i > 0;
    bool point = false, up = false;
    for (; i < number.length && decimals <= DECIMALS; i++) {
        unsigned digit = (unsigned)(unsigned char)number.text[i] - '0';
        if (number.text[i] == '.') {
            point = true;
        } else if (digit > 9) {
            break;
        } else if (point && ++decimals > DECIMALS) {
            up = digit >= 5;
        } else if (value > (INT64_MAX - 9) / 10) {
            return minus ? INT64_MIN : INT64_MAX;
        } else {
            value = value * 10 + digit;
        }
    }
    for (; decimals < DECIMALS; decimals++) {
        if (value > INT64_MAX / 10)
            return minus ? INT64_MIN : INT64_MAX;
        value *= 10;
    }
    value += up && value < INT64_MAX;
    return minus ? -(int64_t)value : (int64_t)value;
}

/* ---- events ---- */

static bool is_key(const struct event_member *member, const char *key, size_t length)
{
    return member->key.length == length && memcmp(member->key.text, key, length) == 0;
}
#define IS_KEY(member, literal) is_key((member), "" literal, sizeof(literal) - 1)

static int64_t read_integer(struct event_span number)
{
    struct event_member member;
    event_text_number(number, &member);
    return member.type == EVENT_INTEGER ? member.integer : 0;
}

/* Takes a member that has its place in the event; false: it has none. */
static bool take_own(const struct event_member *member, struct event_text *ret)
{
    const bool quoted = member->type == EVENT_TEXT;
    if (IS_KEY(member, "name"))
        ret->name = member->value;
    else if (IS_KEY(member, "ph"))
        ret->phase = member->value.length == 1 ? member->value.text[0] : '\0';
    else if (IS_KEY(member, "pid"))
        ret->pid = read_integer(member->value);
    else if (IS_KEY(member, "tid"))
        ret->tid = read_integer(member->value);
    else if (IS_KEY(member, "ts"))
        ret->start_ns = event_text_ns(member->value);
    else if (IS_KEY(member, "dur"))
        ret->duration_ns = event_text_ns(member->value);
    else if (IS_KEY(member, "cat"))
        ret->category = member->value;
    else if (IS_KEY(member, "bp"))
        ret->encloses = true;
    else if (IS_KEY(member, "id"))
        ret->id = (struct event_span){member->value.text - quoted, member->value.length + 2 * (size_t)quoted};
    else
        return IS_KEY(member, "s") && ret->phase == 'i';
    return true;
}

/* Takes a member of JSON, of the event or of its arguments. */
static bool take_member(struct event_member *member, bool in_args, struct event_text *ret)
{
    if (!in_args && take_own(member, ret))
        return true;
    if (ret->member_count == EVENT_MEMBERS_MAX)
        return false;
    if (member->type == EVENT_INTEGER)
        event_text_number(member->value, member);
    ret->members[ret->member_count++] = *member;
    return true;
}

static const char *take_times(const char *p, const char *end, struct event_text *ret)
{
    struct event_times times;
    if ((size_t)(end - p) < sizeof times)
        return NULL;
    memcpy(&times, p, sizeof times);
    ret->phase = times.phase;
    ret->encloses = times.phase == 'f';
    ret->numbered = times.phase == 's' || times.phase == 't' || times.phase == 'f';
    ret->pid = times.pid;
    ret->tid = times.tid;
    ret->start_ns = times.start_ns;
    ret->duration_ns = times.duration_ns;
    return p + sizeof times;
}

/* Whether the value is there as a whole; *ret_end is then behind it. */
static inline bool read_coded(const char *p, const char *end, struct event_value *ret, const char **ret_end)
{
    if ((size_t)(end - p) < sizeof *ret)
        return false;
    memcpy(ret, p, sizeof *ret);
    const size_t length = ret->code == CODE_COPY ? ret->length : 0;
    *ret_end = p + sizeof *ret + length;
    return length <= (size_t)(end - p) - sizeof *ret;
}

static inline const char *take_value(const char *p, const char *end, struct event_text *ret)
{
    struct event_value value;
    const char *stop;
    if (!read_coded(p, end, &value, &stop) || ret->member_count == EVENT_MEMBERS_MAX)
        return NULL;
    if (value.code == CODE_CATEGORY) {
        ret->category = (struct event_span){value.key, value.key_length};
        ret->category_stays = true;
        return stop;
    }
    event_value_member(&value, p + sizeof value, &ret->members[ret->member_count++]);
    ret->outside += value.code == CODE_TEXT || value.code == CODE_COPY ? value.length : 0;
    return stop;
}

#define STARTS(p, end, literal)                                                                                        \
    ((size_t)((end) - (p)) >= sizeof(literal) - 1 && memcmp((p), "" literal, sizeof(literal) - 1) == 0)

const char *event_text_name(const char *p, const char *end, struct event_text *ret)
{
    struct event_name name;
    if (p < end && *p == CODE_NAME) {
        if ((size_t)(end - p) < sizeof name)
            return NULL;
        memcpy(&name, p, sizeof name);
        ret->name_stays = true;
        ret->outside = (size_t)name.prefix_length + name.length;
        ret->prefix = (struct event_span){name.prefix, name.prefix_length};
        ret->name = (struct event_span){name.text, name.length};
        return p + sizeof name;
    }
    if (!STARTS(p, end, "{\"name\":\""))
        return NULL;
    const char *stop = string_end(p + 9, end);
    if (stop == NULL)
        return NULL;
    ret->name = (struct event_span){p + 9, (size_t)(stop - p) - 9};
    return stop + 1;
}

const char *event_text_read(const char *p, const char *end, struct event_text *ret)
{
    const char *event = p;
    bool in_args = false;
    memset(ret, 0, offsetof(struct event_text, members));
    for (p = event_text_name(p, end, ret); p != NULL && p < end;) {
        struct event_member member;
        if (*p >= CODE_CATEGORY && *p <= CODE_COPY) {
            p = take_value(p, end, ret);
        } else if (*p == CODE_TIMES) {
            p = take_times(p, end, ret);
        } else if (*p == '}') {
            p++;
            ret->length = (size_t)(p - event);
            if (!in_args)
                return p;
            in_args = false;
        } else if (!in_args && STARTS(p, end, ",\"args\":{")) {
            in_args = true;
            p += 9;
        } else {
            p = event_text_member(p + (*p == ','), end, &member);
            if (p != NULL && !take_member(&member, in_args, ret))
                return NULL;
        }
    }
    return NULL;
}

/* ---- as JSON ---- */

static char *put_times(char *p, const struct trace_style *style, const struct event_times *times)
{
    const struct trace_slice slice = {.pid = times->pid,
                                      .tid = times->tid,
                                      .start_ns = times->start_ns,
                                      .duration_ns = times->duration_ns,
                                      .instant = times->phase == 'i',
                                      .short_ps = times->short_ps,
                                      .exact_ns = times->duration_ns + times->exact_off};
    if (times->phase == 'X' || times->phase == 'i')
        return trace_put_times(p, style, &slice);
    if (times->phase == 'C')
        return trace_put_counter_time(p, style, times->pid, 0, times->start_ns);
    p = trace_put_phase(p, times->phase);
    p = number_put_signed(trace_put_literal(p, ",\"id\":"), times->duration_ns);
    p = trace_put_place(p, style, times->pid, times->tid);
    p = trace_put_time(p, style, times->start_ns);
    return times->phase == 'f' ? trace_put_literal(p, ",\"bp\":\"e\"") : p;
}

static char *put_number(char *p, const struct event_value *value)
{
    double real;
    switch (value->code) {
    case CODE_US:
        return number_put_us(p, value->value);
    case CODE_DECIMALS:
        return number_put_shortest(p, value->value, value->decimals);
    case CODE_REAL:
        memcpy(&real, &value->value, sizeof real);
        return trace_put_float(p, real);
    default:
        return number_put_signed(p, value->value);
    }
}

static void write_value(struct outfile *out, const struct trace_style *style, const struct event_value *value,
                        const char *text)
{
    char *start = outfile_reserve(out, TRACE_EVENT_MAX);
    if (value->code == CODE_CATEGORY) {
        outfile_advance(out, (size_t)(trace_put_category(start, style, value->key) - start));
        return;
    }
    char *p = trace_put_bytes(start, value->key, value->key_length);
    if (value->code != CODE_TEXT && value->code != CODE_COPY) {
        outfile_advance(out, (size_t)(put_number(p, value) - start));
        return;
    }
    *p++ = '"';
    outfile_advance(out, (size_t)(p - start));
    outfile_write(out, value->code == CODE_TEXT ? (const char *)(intptr_t)value->value : text, value->length);
    outfile_write(out, "\"", 1);
}

static void write_name(struct outfile *out, const struct event_name *name)
{
    outfile_write(out, "{\"name\":\"", 9);
    outfile_write(out, name->prefix, name->prefix_length);
    outfile_write(out, name->text, name->length);
    outfile_write(out, "\"", 1);
}

void event_text_write(struct outfile *out, const struct trace_style *style, const char *event, const char *end)
{
    for (const char *p = event; p < end;) {
        const char *stop = p;
        struct event_times times;
        struct event_value value;
        struct event_name name;
        while (stop < end && (unsigned char)*stop > CODE_COPY)
            stop++;
        outfile_write(out, p, (size_t)(stop - p));
        if (stop < end && *stop == CODE_NAME) {
            memcpy(&name, stop, sizeof name);
            write_name(out, &name);
            stop += sizeof name;
        } else if (stop < end && *stop == CODE_TIMES) {
            memcpy(&times, stop, sizeof times);
            char *start = outfile_reserve(out, TRACE_EVENT_MAX);
            outfile_advance(out, (size_t)(put_times(start, style, &times) - start));
            stop += sizeof times;
        } else if (stop < end && read_coded(stop, end, &value, &p)) {
            write_value(out, style, &value, stop + sizeof value);
            stop = p;
        }
        p = stop;
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

size_t event_text_plain(char *ret, struct event_span text)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char *p = ret;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if (c != '\\' || i + 1 == text.length) {
            *p++ = c;
            continue;
        }
        c = text.text[++i];
        const char *letter = memchr(letters, c, sizeof letters - 1);
        if (c == 'u' && text.length - i > 4) {
            p = put_utf8(p, hex4(text.text + i + 1));
            i += 4;
        } else {
            *p++ = letter != NULL ? meant[letter - letters] : c;
        }
    }
    return (size_t)(p - ret);
}
