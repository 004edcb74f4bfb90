/* What an aggregate holds beside the lists of rank_data. Whole numbers without padding: they lie in files as they are.
 */
#ifndef MSPROF_CLUSTER_RANK_AGGREGATE_ITEMS_H
#define MSPROF_CLUSTER_RANK_AGGREGATE_ITEMS_H

#include "cluster/rank/rank_data.h"

/* Sums of one group and step, and where its parts are (in items of their sections). */
struct aggregate_block {
    int64_t ns[CLUSTER_TIMES];
    struct {
        int64_t bytes, ns;
    } transfers[TRANSPORTS];
    uint64_t first_row, first_packet, first_link, first_operator, first_detail_link;
    uint32_t row_count, packet_count, link_count, detail_link_count;
    uint32_t packets_of[TRANSPORTS]; /* of packet_count, by transport in order */
    uint32_t group, step, p2p;       /* index of the group; text of the step */
    uint64_t hash;                   /* of its rows, packets and links */
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
