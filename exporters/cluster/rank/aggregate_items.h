/* SPDX-License-Identifier: Apache-2.0 */
/* What an aggregate holds beside the lists of rank_data. Whole numbers without padding: they lie in files as they are.
 */
#ifndef MSPROF_EXPORTERS_CLUSTER_RANK_AGGREGATE_ITEMS_H
#define MSPROF_EXPORTERS_CLUSTER_RANK_AGGREGATE_ITEMS_H

#include "exporters/cluster/rank/rank_data.h"

/* One group and step: how many items of each section are its own. Those of one block follow those of the one before. */
struct aggregate_block {
    uint32_t group, step, p2p; /* index of the group; text of the step */
    uint32_t operator_count;   /* of all; only those that ranks wait in have a row */
    uint32_t row_count, packet_count, link_count, detail_link_count;
};

/* Sums of a block. */
struct aggregate_sum {
    int64_t ns[CLUSTER_TIMES];
    struct {
        int64_t bytes, ns;
    } transfers[TRANSPORTS];
    uint32_t packets_of[TRANSPORTS], reserved; /* of packet_count, by transport in order */
    uint64_t hash;                             /* of the block's rows, packets and links */
};

/* An operator in a merge. */
struct aggregate_row {
    uint64_t name_hash;
    int64_t elapse_ns;
};

/* A link of an entry "<type>-total". */
struct aggregate_link {
    int64_t source, target, bytes, ns;
    uint32_t entry, transport; /* texts */
};

#endif
