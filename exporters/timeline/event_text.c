/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/event_text.h"

#include <stdlib.h>
#include <string.h>

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

static enum event_value_type read_number(struct event_span number, struct event_member *ret)
{
    uint64_t value = 0, limit = INT64_MAX;
    bool minus = number.text[0] == '-', whole = number.length > (size_t)minus;
    for (size_t i = minus; i < number.length && whole; i++) {
        unsigned digit = (unsigned)(unsigned char)number.text[i] - '0';
        whole = digit <= 9 && value <= (limit - digit) / 10;
        value = whole ? value * 10 + digit : value;
    }
    if (whole) {
        ret->integer = minus ? -(int64_t)value : (int64_t)value;
        return EVENT_INTEGER;
    }
    ret->real = read_real(number);
    return EVENT_REAL;
}

/* The end of the value at p, which is not empty; NULL: it is none. */
static const char *read_value(const char *p, const char *end, struct event_member *ret)
{
    const char *stop = p;
    if (*p == '"') {
        ret->type = EVENT_TEXT;
        stop = string_end(p + 1, end);
        ret->value = (struct event_span){p + 1, stop != NULL ? (size_t)(stop - p - 1) : 0};
        return stop != NULL ? stop + 1 : NULL;
    }
    if (*p == '{' || *p == '[') {
        ret->type = EVENT_NESTED;
        stop = nested_end(p, end);
    } else if (is_number_byte(*p)) {
        while (stop < end && is_number_byte(*stop))
            stop++;
        ret->type = read_number((struct event_span){p, (size_t)(stop - p)}, ret);
    } else {
        while (stop < end && *stop >= 'a' && *stop <= 'z')
            stop++;
        ret->type = *p == 't' ? EVENT_TRUE : *p == 'f' ? EVENT_FALSE : EVENT_NULL;
        stop = stop > p ? stop : NULL;
    }
    ret->value = (struct event_span){p, stop != NULL ? (size_t)(stop - p) : 0};
    return stop;
}

/* The end of the member at p. */
static const char *read_member(const char *p, const char *end, struct event_member *ret)
{
    if (p >= end || *p != '"')
        return NULL;
    const char *stop = string_end(p + 1, end);
    if (stop == NULL || end - stop < 3 || stop[1] != ':')
        return NULL;
    ret->key = (struct event_span){p + 1, (size_t)(stop - p - 1)};
    return read_value(stop + 2, end, ret);
}

bool event_text_next(const struct event_span *args, const char **at, struct event_member *ret)
{
    const char *end = args->text + args->length;
    if (*at == NULL || *at == end)
        return false;
    *at = read_member(*at + (**at == ','), end, ret);
    return *at != NULL;
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

static bool take_member(const struct event_member *member, struct event_text *ret)
{
    if (IS_KEY(member, "name"))
        ret->name = member->value;
    else if (IS_KEY(member, "ph"))
        ret->phase = member->value.length == 1 ? member->value.text[0] : '\0';
    else if (IS_KEY(member, "pid"))
        ret->pid = member->integer;
    else if (IS_KEY(member, "tid"))
        ret->tid = member->integer;
    else if (IS_KEY(member, "ts"))
        ret->start_ns = event_text_ns(member->value);
    else if (IS_KEY(member, "dur"))
        ret->duration_ns = event_text_ns(member->value);
    else if (IS_KEY(member, "cat"))
        ret->category = member->value;
    else if (IS_KEY(member, "bp"))
        ret->encloses = true;
    else if (IS_KEY(member, "id"))
        ret->id = member->type == EVENT_TEXT ? (struct event_span){member->value.text - 1, member->value.length + 2}
                                             : member->value;
    else if (!IS_KEY(member, "s") || ret->phase != 'i') {
        if (ret->other_count == EVENT_OTHERS_MAX)
            return false;
        ret->others[ret->other_count++] = *member;
    }
    return true;
}

/* Whether args begin at the comma: they are the last member of every event that has them. */
static bool take_args(const struct event_span *inside, const char *at, struct event_text *ret)
{
    static const char begin[] = ",\"args\":{";
    const char *end = inside->text + inside->length;
    if ((size_t)(end - at) < sizeof begin || memcmp(at, begin, sizeof begin - 1) != 0 || end[-1] != '}')
        return false;
    at += sizeof begin - 1;
    ret->args = (struct event_span){at, (size_t)(end - at) - 1};
    return true;
}

/* ---- slices as most are: the members before args, in the order in which they are put ---- */

#define SKIP(p, literal) (memcmp((p), "" literal, sizeof(literal) - 1) == 0 ? (p) + (sizeof(literal) - 1) : NULL)
#define DIGITS_FAST 15

/* Reads a number without a sign; the event ends with another byte. NULL: it is longer than most. */
static const char *read_digits(const char *p, int64_t *ret)
{
    const char *start = p;
    int64_t value = 0;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++)
        value = value * 10 + (int64_t)digit;
    *ret = value;
    return p > start && p - start <= DIGITS_FAST ? p : NULL;
}

/* Reads microseconds with three decimals. */
static const char *read_us(const char *p, int64_t *ret_ns)
{
    int64_t whole, parts;
    const char *point = read_digits(p, &whole);
    const char *stop = point != NULL && *point == '.' ? read_digits(point + 1, &parts) : NULL;
    if (stop == NULL || stop - point != 4)
        return NULL;
    *ret_ns = whole * 1000 + parts;
    return stop;
}

/* Reads them up to the times; NULL: the event is another one. The shortest event with these members is longer than any
 * of the texts. */
static const char *read_slice(const char *event, const char *end, struct event_text *ret)
{
    const size_t shortest = sizeof "{\"name\":\"\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1.000}";
    const char *p = (size_t)(end - event) > shortest ? SKIP(event, "{\"name\":\"") : NULL;
    const char *stop = p != NULL ? string_end(p, end) : NULL;
    if (stop == NULL || (size_t)(end - stop) < shortest - 12 || (p = SKIP(stop, "\",\"ph\":\"")) == NULL)
        return NULL;
    ret->name = (struct event_span){event + 9, (size_t)(stop - event) - 9};
    ret->phase = *p;
    if ((p = SKIP(p + 1, "\",\"pid\":")) == NULL || (p = read_digits(p, &ret->pid)) == NULL || end - p < 8 ||
        (p = SKIP(p, ",\"tid\":")) == NULL || (p = read_digits(p, &ret->tid)) == NULL || end - p < 8 ||
        (p = SKIP(p, ",\"ts\":")) == NULL || (p = read_us(p, &ret->start_ns)) == NULL || end - p < 8 || *p != ',')
        return NULL;
    const char *duration = SKIP(p, ",\"dur\":");
    return duration != NULL ? read_us(duration, &ret->duration_ns) : p;
}

bool event_text_read(const char *event, size_t length, struct event_text *ret)
{
    const struct event_span inside = {event + 1, length - 2};
    struct event_member member = {.integer = 0};
    ret->other_count = 0;
    ret->category.text = ret->id.text = ret->args.text = NULL;
    ret->category.length = ret->id.length = ret->args.length = 0;
    ret->encloses = false;
    ret->duration_ns = 0;
    if (length < 2 || event[0] != '{' || event[length - 1] != '}')
        return false;
    const char *at = read_slice(event, event + length, ret);
    if (at == NULL) {
        ret->name = (struct event_span){NULL, 0};
        ret->phase = '\0';
        ret->pid = ret->tid = ret->start_ns = ret->duration_ns = 0;
        at = inside.text;
    }
    while (!take_args(&inside, at, ret) && event_text_next(&inside, &at, &member)) {
        if (!take_member(&member, ret))
            return false;
        member.integer = 0;
    }
    const bool arrow = ret->phase == 's' || ret->phase == 't' || ret->phase == 'f';
    return at != NULL && (ret->id.text == NULL || arrow);
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
