/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit little- and big-endian loads and stores, and a bounded reader. Nothing is ever laid over file bytes as a
 * struct. */
#ifndef MSPROF_BASE_BYTES_H
#define MSPROF_BASE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* width 1..8 bytes at p; the caller has checked that they are there. */
static inline uint64_t bytes_load(const unsigned char *p, unsigned width, bool big_endian)
{
    uint64_t value = 0;
    uint32_t half;
    uint16_t quarter;
    if (big_endian) {
        for (unsigned i = 0; i < width; i++)
            value = value << 8 | p[i];
        return value;
    }
    switch (width) { /* each of these is one load */
    case 1:
        return p[0];
    case 2:
        memcpy(&quarter, p, sizeof quarter);
        return le16toh(quarter);
    case 4:
        memcpy(&half, p, sizeof half);
        return le32toh(half);
    case 8:
        memcpy(&value, p, sizeof value);
        return le64toh(value);
    default:
        for (unsigned i = width; i-- > 0;)
            value = value << 8 | p[i];
        return value;
    }
}

/* Stores the low width bytes (1..8) of value at p. */
static inline void bytes_store(unsigned char *p, unsigned width, bool big_endian, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        p[big_endian ? width - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

/* A window of bytes; every read says whether it was inside. */
struct bytes {
    const unsigned char *data;
    size_t length;
};

/* Reads width (1..8) bytes at offset into *ret; false, and *ret untouched, when they are not all inside. */
static inline bool bytes_read(const struct bytes *b, size_t offset, unsigned width, bool big_endian, uint64_t *ret)
{
    if (width == 0 || width > 8 || offset > b->length || b->length - offset < width)
        return false;
    *ret = bytes_load(b->data + offset, width, big_endian);
    return true;
}

#endif
