/* First halves that wait for their second: a task's start for its end, an event for the one that closes it. */
#ifndef MSPROF_PARSERS_PAIR_TABLE_H
#define MSPROF_PARSERS_PAIR_TABLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair_key {
    uint64_t a, b, c;
};

struct open_half {
    struct pair_key key;
    int64_t tick;
    int64_t value; /* the user's */
    bool taken;
};

struct pair_table {
    struct open_half *halves; /* open addressing, capacity a power of two, never more than half full */
    size_t capacity, used;
};

/* What is under way at once is little; a damaged file must not take all memory. */
#define PAIR_TABLE_MAX (1u << 18)

int pair_table_init(struct pair_table *table, struct err *err);
void pair_table_release(struct pair_table *table);

/* The half with this key (taken), or the free place where it would stand. */
struct open_half *pair_table_find(const struct pair_table *table, const struct pair_key *key);
/* Fills a free place that pair_table_find gave; the place is not valid after. The table must not be full. */
int pair_table_add(struct pair_table *table, struct open_half *place, const struct open_half *half, struct err *err);
static inline bool pair_table_is_full(const struct pair_table *table)
{
    return table->used >= PAIR_TABLE_MAX;
}
/* Takes a half out of the table; other halves may move. */
void pair_table_remove(struct pair_table *table, struct open_half *half);

#endif
