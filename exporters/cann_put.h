/* Pieces of the events of CANN timelines; each writes at p and returns the end. */
#ifndef MSPROF_EXPORTERS_CANN_PUT_H
#define MSPROF_EXPORTERS_CANN_PUT_H

#include "base/number.h"
#include "exporters/cann_trace.h"

#include <string.h>

static inline char *put_bytes(char *p, const char *bytes, size_t length)
{
    memcpy(p, bytes, length);
    return p + length;
}

/* A string literal: the compiler turns the copy into a few moves. */
#define put_literal(p, literal) put_bytes((p), "" literal, sizeof(literal) - 1)

static inline char *put_word(char *p, const char *word)
{
    return put_bytes(p, word, strlen(word));
}

static inline char *put_ids(char *p, int64_t pid, int64_t tid)
{
    p = put_literal(p, ",\"pid\":");
    p = number_put_signed(p, pid);
    p = put_literal(p, ",\"tid\":");
    return number_put_signed(p, tid);
}

static inline char *put_time(char *p, bool compat, int64_t time_ns)
{
    if (!compat) {
        p = put_literal(p, ",\"ts\":");
        return number_put_us(p, time_ns);
    }
    p = put_literal(p, ",\"ts\":\"");
    p = number_put_us(p, time_ns);
    return put_literal(p, "\"");
}

static inline char *put_duration(char *p, int64_t duration_ns)
{
    p = put_literal(p, ",\"dur\":");
    return number_put_shortest(p, duration_ns, 3);
}

/* What a text is without the quotes of a JSON string. */
static inline char *put_inside(char *p, struct cann_text text)
{
    return text.text != NULL && text.length >= 2 ? put_bytes(p, text.text + 1, text.length - 2) : p;
}

static inline char *put_string(char *p, struct cann_text text)
{
    return text.text != NULL ? put_bytes(p, text.text, text.length) : put_literal(p, "\"N/A\"");
}

static inline char *put_metadata(char *p, const char *event, int64_t pid, int64_t tid)
{
    p = put_literal(p, "{\"name\":\"");
    p = put_word(p, event);
    p = put_literal(p, "\"");
    p = put_ids(p, pid, tid);
    return put_literal(p, ",\"ph\":\"M\",\"args\":{");
}

#endif
