/* SPDX-License-Identifier: Apache-2.0 */
#include "db/blank.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static void put16(unsigned char *to, size_t value)
{
    to[0] = (unsigned char)(value >> 8);
    to[1] = (unsigned char)value;
}

static void put32(unsigned char *to, size_t value)
{
    put16(to, value >> 16);
    put16(to + 2, value & 0xffff);
}

/* A leaf without cells: its kind, and that the cells' part begins behind the page. */
static void put_leaf(unsigned char *to, size_t page_size, bool keyed)
{
    enum { LEAF_OF_INDEX = 10, LEAF_OF_TABLE = 13, CELLS = 5 };
    to[0] = keyed ? LEAF_OF_INDEX : LEAF_OF_TABLE;
    put16(to + CELLS, page_size);
}

/* 0, or an errno. */
static int put(int fd, const unsigned char *bytes, size_t length, size_t offset)
{
    ssize_t written = pwrite(fd, bytes, length, (off_t)offset);
    if (written < 0)
        return errno;
    return written == (ssize_t)length ? 0 : ENOSPC;
}

int blank_write(int fd, const struct blank *blank)
{
    enum { HEADER = 100, LEAF = 8 };
    enum { PAGE_SIZE = 16, VERSIONS = 18, FRACTIONS = 21, CHANGES = 24, PAGES = 28, COOKIE = 40, FORMAT = 44 };
    enum { ENCODING = 56, UTF8 = 1, VALID_FOR = 92 };
    unsigned char first[HEADER + LEAF] = "SQLite format 3", leaf[LEAF] = {0};
    put16(first + PAGE_SIZE, blank->page_size);
    memcpy(first + VERSIONS, "\1\1", 2);          /* with a rollback journal, if any */
    memcpy(first + FRACTIONS, "\x40\x20\x20", 3); /* as they must be */
    put32(first + CHANGES, 1);
    put32(first + PAGES, blank->tables + 1);
    put32(first + COOKIE, 1);
    put32(first + FORMAT, 4);
    put32(first + ENCODING, UTF8);
    put32(first + VALID_FOR, 1); /* the number of pages stands since change 1 */
    put_leaf(first + HEADER, blank->page_size, false);
    int failure = put(fd, first, sizeof first, 0);
    for (size_t i = 0; i < blank->tables && failure == 0; i++) {
        put_leaf(leaf, blank->page_size, blank->keyed[i]);
        failure = put(fd, leaf, sizeof leaf, (BLANK_ROOT(i) - 1) * blank->page_size);
    }
    if (failure == 0 && ftruncate(fd, (off_t)((blank->tables + 1) * blank->page_size)) != 0)
        failure = errno;
    return failure;
}
