/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"

#include "base/number.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

/* Stands behind data while nothing is allocated; read only. */
static char nothing[1];

void strbuf_init(struct strbuf *buf, size_t maximum)
{
    *buf = (struct strbuf){.data = nothing, .maximum = maximum < SIZE_MAX ? maximum : SIZE_MAX - 1};
}

void strbuf_release(struct strbuf *buf)
{
    if (buf->capacity > 0)
        free(buf->data);
    strbuf_init(buf, buf->maximum);
}

void strbuf_clear(struct strbuf *buf)
{
    buf->length = 0;
    buf->failed = false;
    if (buf->capacity > 0)
        buf->data[0] = '\0';
}

void strbuf_cut(struct strbuf *buf, size_t length)
{
    if (length >= buf->length)
        return;
    buf->length = length;
    buf->data[length] = '\0';
}

static int fail(struct strbuf *buf)
{
    buf->failed = true;
    return -1;
}

static int grow(struct strbuf *buf, size_t length)
{
    if (length > buf->maximum - buf->length)
        return fail(buf);
    size_t needed = buf->length + length + 1;
    size_t most = buf->maximum + 1;
    size_t capacity = buf->capacity < FIRST_CAPACITY / 2 ? FIRST_CAPACITY
                      : buf->capacity > most / 2         ? most
                                                         : buf->capacity * 2;
    if (capacity > most)
        capacity = most;
    if (capacity < needed)
        capacity = needed;
    char *data = realloc(buf->capacity > 0 ? buf->data : NULL, capacity);
    if (data == NULL)
        return fail(buf);
    data[buf->length] = '\0';
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

/* Makes room for length more bytes and a NUL; the capacity is at most a byte more than the maximum. */
static inline int make_room(struct strbuf *buf, size_t length)
{
    return length < buf->capacity - buf->length ? 0 : grow(buf, length);
}

int strbuf_add(struct strbuf *buf, const void *bytes, size_t length)
{
    if (make_room(buf, length) < 0)
        return -1;
    if (length > 0)
        memcpy(buf->data + buf->length, bytes, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
    return 0;
}

char *strbuf_reserve(struct strbuf *buf, size_t length)
{
    return make_room(buf, length) == 0 ? buf->data + buf->length : NULL;
}

void strbuf_advance(struct strbuf *buf, size_t length)
{
    buf->length += length;
    buf->data[buf->length] = '\0';
}

int strbuf_adds(struct strbuf *buf, const char *text)
{
    return strbuf_add(buf, text, strlen(text));
}

int strbuf_addc(struct strbuf *buf, char c)
{
    if (make_room(buf, 1) < 0)
        return -1;
    buf->data[buf->length++] = c;
    buf->data[buf->length] = '\0';
    return 0;
}

int strbuf_add_integer(struct strbuf *buf, int64_t value)
{
    char text[NUMBER_MAX];
    return strbuf_add(buf, text, (size_t)(number_put_signed(text, value) - text));
}

int strbuf_addf(struct strbuf *buf, const char *format, ...)
{
    va_list args;
    int length, room;
    do {
        size_t left = buf->capacity - buf->length;
        room = left < INT_MAX ? (int)left : INT_MAX;
        va_start(args, format);
        length = vsnprintf(buf->data + buf->length, (size_t)room, format, args);
        va_end(args);
        if (length < room)
            break;
        if (room > 0)
            buf->data[buf->length] = '\0';
    } while (make_room(buf, (size_t)length) == 0);
    if (length < 0 || length >= room)
        return fail(buf);
    buf->length += (size_t)length;
    return 0;
}

int strbuf_add_built(struct strbuf *buf, const struct strbuf *text)
{
    return text->failed ? fail(buf) : strbuf_add(buf, text->data, text->length);
}

char *strbuf_detach(struct strbuf *buf)
{
    if (buf->failed)
        strbuf_release(buf);
    else if (buf->capacity == 0)
        return calloc(1, 1);
    char *data = buf->capacity > 0 ? buf->data : NULL;
    strbuf_init(buf, buf->maximum);
    return data;
}
