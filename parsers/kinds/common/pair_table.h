/* SPDX-License-Identifier: Apache-2.0 */
/* First halves that wait for their second: a task's start for its end, an event for the one that closes it. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_PAIR_TABLE_H
#define MSPROF_PARSERS_KINDS_COMMON_PAIR_TABLE_H

#include "base/map.h"
#include "parsers/capture/capture.h"

struct pair_key {
    uint64_t a, b, c;
};

/* The items of a map of first halves. */
struct open_half {
    struct pair_key key;
    int64_t tick;
    struct capture_file *file; /* of its record, when that has no row of its own (decoder_joined_file); else NULL */
};
#define PAIR_TABLE MAP_OF(struct open_half, key)

/* Few first halves are open at once; a damaged file must not take all memory. */
#define PAIR_TABLE_MAX (1u << 18)

static inline bool pair_table_is_full(const struct map *table)
{
    return table->used >= PAIR_TABLE_MAX;
}

/* Adds a half whose key is not there. */
static inline int pair_table_add(struct map *table, const struct pair_key *key, int64_t tick, struct capture_file *file,
                                 struct err *err)
{
    struct open_half *half = map_add(table, key, NULL, err);
    if (half == NULL)
        return err_status(err);
    half->tick = tick;
    half->file = file;
    return 0;
}

/* The record of a half that becomes part of nothing, which has been reported. */
static inline void half_drop(const struct open_half *half, enum diag_id reason)
{
    if (half->file != NULL)
        capture_file_drop(half->file, reason);
}

#endif
