/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of SQLite's file format that reading and writing pages share; docs/pages-format.md lists them. */
#ifndef MSPROF_DB_PAGES_FORMAT_H
#define MSPROF_DB_PAGES_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where things stand in the header of the file, the first bytes of page 1. */
enum {
    FILE_PAGE_SIZE = 16,
    FILE_PAGES = 28,
    FILE_HEADER = 100,
};

/* Kinds of pages that tables have. */
enum {
    PAGE_INTERIOR = 5,
    PAGE_LEAF = 13,
};

/* Where things stand in the header of a page. */
enum {
    PAGE_KIND = 0,
    PAGE_CELLS = 3,
    PAGE_CONTENT = 5, /* where the cells' part begins; 0: 65536 */
    PAGE_RIGHT = 8,   /* of an interior page: the last child */
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
};

enum {
    PAGE_SIZE_MIN = 512,
    PAGE_SIZE_MAX = 65536,
    CELL_MIN = 4, /* bytes that a cell takes at least */
    VARINT_MAX = 9,
};

/* Serial types of values: integers of 1, 2, 3, 4, 6 and 8 bytes are 1 to 6. */
enum {
    SERIAL_NULL = 0,
    SERIAL_INT64 = 6,
    SERIAL_REAL = 7,
    SERIAL_ZERO = 8,
    SERIAL_ONE = 9,
    SERIAL_BLOB = 12, /* plus twice the length */
    SERIAL_TEXT = 13, /* likewise */
};

/* The size of the file's pages, from its header: 1 stands for what two bytes cannot. */
static inline uint32_t file_page_size(const unsigned char header[FILE_HEADER])
{
    const uint32_t told = (uint32_t)header[FILE_PAGE_SIZE] << 8 | header[FILE_PAGE_SIZE + 1];
    return told == 1 ? PAGE_SIZE_MAX : told;
}

#define PAGES_MAX UINT32_C(1073741823) /* of a file */
#define LOCK_BYTE (UINT64_C(1) << 30)  /* of the file: the page that holds it is never used */

static inline uint32_t lock_page(size_t page_size)
{
    return (uint32_t)(LOCK_BYTE / page_size) + 1;
}

/* Bytes of a row that stand in its leaf, of `length` in all; the others stand in a chain of overflow pages. */
static inline size_t leaf_part(size_t page_size, uint64_t length)
{
    size_t most = page_size - 35, least = (page_size - 12) * 32 / 255 - 23;
    if (length <= most)
        return (size_t)length;
    size_t part = least + (size_t)((length - least) % (page_size - 4));
    return part <= most ? part : least;
}

/* Writes a number as SQLite's varint in front of `end`, where at most VARINT_MAX bytes are; its first byte. */
static inline unsigned char *varint_put_before(unsigned char *end, uint64_t value)
{
    if (value >> 56 != 0) { /* the last of nine bytes has all of its bits */
        *--end = (unsigned char)value;
        value >>= 8;
        for (int i = 0; i < VARINT_MAX - 1; i++, value >>= 7)
            *--end = (unsigned char)(value | 0x80);
        return end;
    }
    *--end = (unsigned char)(value & 0x7f);
    while ((value >>= 7) != 0)
        *--end = (unsigned char)(value | 0x80);
    return end;
}

/* Writes it likewise behind `to`; what is behind it. */
static inline unsigned char *varint_put(unsigned char *to, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];
    const unsigned char *first = varint_put_before(bytes + VARINT_MAX, value);
    size_t length = (size_t)(bytes + VARINT_MAX - first);
    memcpy(to, first, length);
    return to + length;
}

#endif
