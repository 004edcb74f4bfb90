/* SPDX-License-Identifier: Apache-2.0 */
/* The data that a cluster's analysis keeps of one rank: its steps, and per collective group and step the operators,
 * what they moved and over which links. Times are whole nanoseconds and sizes whole bytes, so that sums do not depend
 * on the order of merging. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_RANK_DATA_H
#define MSPROF_FEATURES_CLUSTER_RANK_RANK_DATA_H

#include "base/array.h"
#include "base/err.h"
#include "base/intern.h"
#include "features/communication/communication_json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_MAX_COLUMNS 16 /* of a step, beside its name */
#define CLUSTER_NO_TEXT UINT32_MAX

/* One row of step_trace_time. */
struct rank_step {
    uint32_t name, reserved;         /* text; "" for a capture without steps */
    int64_t ns[CLUSTER_MAX_COLUMNS]; /* INT64_MIN: no value */
};

#define CLUSTER_NO_NUMBER (-1)
#define CLUSTER_TWO_NUMBERS (-2)
#define CLUSTER_MOST_MEMBERS 16777216 /* ranks of a group */

/* A communication group as this rank knows it. */
struct rank_group {
    uint32_t number;               /* text: the decimal hash behind "@" in the names of operators */
    uint32_t name;                 /* text: "dp"; CLUSTER_NO_TEXT: not known */
    uint32_t id;                   /* text: the name that the number is the hash of; CLUSTER_NO_TEXT: not known */
    uint32_t first_run, run_count; /* in runs: the ranks as they are listed; none: not known */
    /* This rank's own number in the group: as the metadata say, and as its links to itself show. CLUSTER_NO_NUMBER,
     * CLUSTER_TWO_NUMBERS. */
    int32_t told_number, shown_number;
    uint32_t numbers; /* one more than the highest number in a link */
};

/* Ranks first, first + step, ...: lists of groups are a few of these, however many ranks there are. */
struct rank_run {
    int64_t first, step, count;
};

struct rank_transfer {
    int64_t bytes, ns;
    int64_t bandwidth, large_ratio; /* in units of 10^-4, as the rank's own file has them */
    uint32_t first_packet, packet_count;
};

/* One operator of a group in a step. */
struct rank_operator {
    uint32_t name, block; /* name: of names */
    int64_t start_ns;     /* since 1970 */
    int64_t ns[COMM_TIMES];
    int64_t wait_ratio, synchronization_ratio; /* in units of 10^-4 */
    struct rank_transfer transfers[COMM_TRANSPORTS];
};

/* One link in an entry of the matrix: "allreduce-top1". */
struct rank_link {
    uint32_t entry;     /* text, without the group */
    uint32_t transport; /* text: "HCCS"; CLUSTER_NO_TEXT: none */
    uint32_t op_name;   /* name; CLUSTER_NO_TEXT: none */
    uint32_t block;
    int64_t source, target; /* numbers in the group */
    int64_t bytes, ns, bandwidth;
};

/* All that happened in one group and step. */
struct rank_block {
    uint32_t group; /* index */
    uint32_t step;  /* text: "step2" */
    bool p2p;
    uint32_t first_operator, operator_count, first_link, link_count;
};

/* Whether a file of results exists; a rank without operators or links is reported with it. */
enum rank_file { RANK_FILE_THERE, RANK_FILE_MISSING };

struct rank_data {
    int64_t rank;         /* -1: the capture does not say */
    char fingerprint[65]; /* of what it was made of */
    enum rank_file communication, matrix;
    int64_t parallel[4];                   /* tensor, pipeline, data parallel sizes and world size; 0: not known */
    struct intern texts;                   /* but for names: those that merging needs of all ranks at once */
    struct intern names;                   /* of operators */
    uint64_t unsafe_texts;                 /* that rank_text made safe */
    uint32_t columns[CLUSTER_MAX_COLUMNS]; /* titles */
    size_t column_count;
    struct ARRAY_OF(struct rank_step) steps;
    struct ARRAY_OF(struct rank_group) groups;
    struct ARRAY_OF(struct rank_run) runs;
    struct ARRAY_OF(struct rank_block) blocks;
    struct ARRAY_OF(struct rank_operator) operators; /* of one block together after rank_data_gather */
    struct ARRAY_OF(struct rank_link) links;         /* likewise */
    struct ARRAY_OF(struct comm_packet) packets;
};

void rank_data_init(struct rank_data *rank);
void rank_data_release(struct rank_data *rank);

/* The number of a text of the rank, or of a name. */
int rank_text(struct rank_data *rank, const char *text, size_t length, uint32_t *ret, struct err *err);
int rank_name(struct rank_data *rank, const char *name, size_t length, uint32_t *ret, struct err *err);
/* The text; NULL for CLUSTER_NO_TEXT. */
const char *rank_text_of(const struct intern *texts, uint32_t number);
/* The number that CANN makes of a group's name: docs/formats/acl-api.md E2. */
uint64_t rank_group_number(const char *name);

/* The index of the group with this number, added when it is new. */
int rank_group_of(struct rank_data *rank, const char *number, size_t length, uint32_t *ret, struct err *err);

/* Adds a rank to the list of a group, whose list is the last one. */
int rank_group_add_member(struct rank_data *rank, struct rank_group *group, int64_t member, struct err *err);

/* Makes packets of equal sizes in a part of a list one; how many different ones there are, ascending. */
uint32_t rank_packets_join(struct comm_packet *packets, size_t first, size_t end);

/* Puts the operators and links of each block together, which stand in any order, in the order in which they came, and
 * finds what links say of the groups. */
int rank_data_gather(struct rank_data *rank, struct err *err);

/* The parts of an aggregate beside the lists of rank_data. Whole numbers without padding: they lie in files as they
 * are.
 */

/* One group and step: how many items of each section are its own. Those of one block follow those of the one before. */
struct aggregate_block {
    uint32_t group, step, p2p; /* index of the group; text of the step */
    uint32_t operator_count;   /* of all; only those that ranks wait in have a row */
    uint32_t row_count, packet_count, link_count, detail_link_count;
};

/* Sums of a block. */
struct aggregate_sum {
    int64_t ns[COMM_TIMES];
    struct {
        int64_t bytes, ns;
    } transfers[COMM_TRANSPORTS];
    uint32_t packets_of[COMM_TRANSPORTS], reserved; /* of packet_count, by transport in order */
    uint64_t hash;                                  /* of the block's rows, packets and links */
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
