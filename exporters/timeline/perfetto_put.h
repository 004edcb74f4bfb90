/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of protobuf as bytes: each writes at p and returns the end. */
#ifndef MSPROF_EXPORTERS_TIMELINE_PERFETTO_PUT_H
#define MSPROF_EXPORTERS_TIMELINE_PERFETTO_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 10

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

static inline char *varint_put(char *p, uint64_t value)
{
    while (__builtin_expect(value > 0x7f, 0)) {
        *p++ = (char)(value | 0x80);
        value >>= 7;
    }
    *p++ = (char)value;
    return p;
}

static inline size_t varint_size(uint64_t value)
{
    return (size_t)(((63 - __builtin_clzll(value | 1)) * 9 + 73) >> 6); /* bits / 7, rounded up */
}

static inline char *field_put_tag(char *p, unsigned field, enum wire_type type)
{
    return varint_put(p, field << 3 | (unsigned)type);
}

static inline char *field_put(char *p, unsigned field, uint64_t value)
{
    return varint_put(field_put_tag(p, field, WIRE_VARINT), value);
}

static inline char *field_put_double(char *p, unsigned field, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    p = field_put_tag(p, field, WIRE_64);
    for (size_t i = 0; i < sizeof bits; i++)
        *p++ = (char)(bits >> 8 * i);
    return p;
}

/* A text, or a message that is whole already. */
static inline char *field_put_bytes(char *p, unsigned field, const char *bytes, size_t length)
{
    p = varint_put(field_put_tag(p, field, WIRE_BYTES), length);
    memcpy(p, bytes, length);
    return p + length;
}

#endif
