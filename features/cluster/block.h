/* SPDX-License-Identifier: Apache-2.0 */
/* One group and step, merged over ranks: what each collective took at the fastest and the slowest rank, sums of times
 * and transfers, links. Merging parts in any order and any grouping gives the same bytes. */
#ifndef MSPROF_FEATURES_CLUSTER_BLOCK_H
#define MSPROF_FEATURES_CLUSTER_BLOCK_H

#include "base/map.h"
#include "base/strbuf.h"
#include "features/cluster/plan.h"

/* Which rank has which number in a communication group: docs/formats/cluster.md 2. */

/* Fills known, numbers and sizes of a plan's groups. */
int numbers_find(struct plan *plan, struct err *err);

/* The rank that has this number in the group; -1: not known. */
int64_t numbers_rank(const struct plan *plan, const struct plan_group *group, int64_t number);

/* A collective operator, by the hash of its name. Ranks leave it together: who was in it for the shortest time came
 * last, and the others waited for it. */
#define COLLECTIVE_ENDS 3 /* how many of the shortest and the longest are kept */
struct merged_collective {
    uint64_t name_hash;
    int64_t count; /* ranks */
    int64_t sum_ns;
    uint64_t squares_high, squares_low;                          /* sum of squares, 128 bits */
    int64_t shortest[COLLECTIVE_ENDS], longest[COLLECTIVE_ENDS]; /* ascending; INT64_MAX, INT64_MIN: not so many */
    int64_t shortest_rank, longest_rank;                         /* of equal ones the lowest */
    int64_t different[4]; /* values, ascending; INT64_MAX: not so many; a fifth is not kept */
};

/* Sums over "-total" links between two ranks of the whole cluster. */
struct merged_link {
    struct {
        int64_t entry, source, target; /* entry: number of a text of the block */
    } key;
    int64_t bytes, ns, reports;
    int64_t transport; /* number of a text, of the highest rank that reports it */
    int64_t last_rank;
};

/* The sum of all that one rank did. */
struct merged_total {
    struct aggregate_sum sum;
    uint32_t rank;         /* of the plan */
    uint32_t packet_count; /* in the block's packets, behind those of the totals before */
};

struct merged_block {
    int64_t ranks; /* how many have it */
    struct map collectives, links;
    struct intern texts;
    struct ARRAY_OF(struct merged_total) totals; /* of ranks with operators; only process 0 needs them */
    struct ARRAY_OF(struct comm_packet) packets;
    int64_t unmapped_links; /* whose ranks nobody knows */
};

void merged_block_init(struct merged_block *block);
void merged_block_clear(struct merged_block *block);
void merged_block_release(struct merged_block *block);

/* Adds one rank's part. */
int merged_block_add(struct merged_block *block, const struct plan *plan, const struct plan_entry *entry,
                     struct err *err);

/* As bytes, and bytes of another one added. For team_reduce. The second way of giving leaves the totals out. */
int merged_block_give(void *block, struct strbuf *bytes, struct err *err);
int merged_block_give_shared(void *block, struct strbuf *bytes, struct err *err);
int merged_block_take(void *block, const void *bytes, size_t length, struct err *err);

/* Adds the totals of another block to those of the same ranks, and puts them into the order of the ranks. */
int merged_block_add_totals(struct merged_block *block, const struct merged_block *from, struct err *err);

#endif
