/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/large.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK_SLOTS = 512, /* 4 KiB */
    BLOCKS = 512,      /* in memory */
    PLACES_MAX_BITS = 50,
};

struct block {
    int64_t values[BLOCK_SLOTS];
};

struct slots {
    int file;                /* -1: nothing was written */
    int64_t numbers[BLOCKS]; /* of the blocks in memory, plus 1; 0: none */
    bool changed[BLOCKS];
    struct block blocks[BLOCKS];
};

struct slots *slots_new(struct err *err)
{
    struct slots *slots = calloc(1, sizeof *slots);
    if (slots == NULL)
        err_no_memory(err);
    else
        slots->file = -1;
    return slots;
}

void slots_free(struct slots *slots)
{
    if (slots != NULL && slots->file >= 0)
        close(slots->file);
    free(slots);
}

static int file_failure(struct err *err, const char *doing)
{
    err_set_errno(err, errno, "cannot %s a temporary file", doing);
    return err_hint(err, "set TMPDIR to another directory");
}

/* The whole block, or what the file has of it. */
static int move_block(int file, bool out, struct block *block, int64_t number, struct err *err)
{
    const size_t size = sizeof block->values;
    const uint64_t at = (uint64_t)number * size;
    if (out) {
        errno = file_write_at(file, block->values, size, at);
        return errno == 0 ? 0 : file_failure(err, "write");
    }
    ssize_t got = file_read_at(file, block->values, size, at);
    if (got < 0)
        return file_failure(err, "read");
    memset((char *)block->values + got, 0, size - (size_t)got);
    return 0;
}

static int write_back(struct slots *slots, size_t held, struct err *err)
{
    if (!slots->changed[held])
        return 0;
    if (slots->file < 0)
        slots->file = temporary_open_unnamed(err);
    if (slots->file < 0)
        return err_status(err);
    slots->changed[held] = false;
    return move_block(slots->file, true, &slots->blocks[held], slots->numbers[held] - 1, err);
}

/* Has the block of a place in memory. NULL with err set. */
static int64_t *slot_at(struct slots *slots, int64_t place, size_t *ret_held, struct err *err)
{
    int64_t number = place / BLOCK_SLOTS;
    /* Streams whose blocks are equally far apart must not all have the same one in memory. */
    size_t held = (size_t)((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % BLOCKS;
    *ret_held = held;
    if (slots->numbers[held] != number + 1) {
        int status = write_back(slots, held, err);
        slots->numbers[held] = 0;
        if (status == 0 && slots->file >= 0)
            status = move_block(slots->file, false, &slots->blocks[held], number, err);
        else if (status == 0)
            memset(&slots->blocks[held], 0, sizeof slots->blocks[held]);
        if (status < 0)
            return NULL;
        slots->numbers[held] = number + 1;
    }
    return &slots->blocks[held].values[place % BLOCK_SLOTS];
}

static bool is_place(int64_t place)
{
    return place >= 0 && place >> PLACES_MAX_BITS == 0;
}

int slots_set(struct slots *slots, int64_t place, int64_t value, struct err *err)
{
    size_t held;
    if (!is_place(place))
        return err_set(err, ERR_LIMIT, "the number %lld is not one of 0 to 2^%d - 1", (long long)place,
                       PLACES_MAX_BITS);
    int64_t *slot = slot_at(slots, place, &held, err);
    if (slot == NULL)
        return err_status(err);
    *slot = value;
    slots->changed[held] = true;
    return 0;
}

int slots_get(struct slots *slots, int64_t place, int64_t *ret, struct err *err)
{
    size_t held;
    *ret = 0;
    if (!is_place(place))
        return 0;
    const int64_t *slot = slot_at(slots, place, &held, err);
    if (slot == NULL)
        return err_status(err);
    *ret = *slot;
    return 0;
}
