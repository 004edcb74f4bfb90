/* SPDX-License-Identifier: Apache-2.0 */
/* How an aggregate lies in its file: a header, then sections of items, all of whole numbers without padding. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_AGGREGATE_FORMAT_H
#define MSPROF_FEATURES_CLUSTER_RANK_AGGREGATE_FORMAT_H

#include "features/cluster/rank/rank_data.h"

#define AGGREGATE_MAGIC "MSPCLAGG"
#define AGGREGATE_BYTE_ORDER 0x01020304u
#define AGGREGATE_VERSION 3u
#define AGGREGATE_DIGEST_LENGTH 64

/* X(constant, item); those up to the blocks are the index. */
#define AGGREGATE_SECTIONS(X)                                                                                          \
    X(SECTION_TEXTS, char)                                                                                             \
    X(SECTION_COLUMNS, uint32_t)                                                                                       \
    X(SECTION_STEPS, struct rank_step)                                                                                 \
    X(SECTION_GROUPS, struct rank_group)                                                                               \
    X(SECTION_RUNS, struct rank_run)                                                                                   \
    X(SECTION_BLOCKS, struct aggregate_block)                                                                          \
    X(SECTION_SUMS, struct aggregate_sum)                                                                              \
    X(SECTION_ROWS, struct aggregate_row)                                                                              \
    X(SECTION_PACKETS, struct comm_packet)                                                                             \
    X(SECTION_LINKS, struct aggregate_link)                                                                            \
    X(SECTION_PROBLEMS, char)                                                                                          \
    X(SECTION_NAMES, char)                                                                                             \
    X(SECTION_OPERATORS, struct rank_operator)                                                                         \
    X(SECTION_DETAIL_PACKETS, struct comm_packet)                                                                      \
    X(SECTION_DETAIL_LINKS, struct rank_link)

enum aggregate_section {
#define SECTION_ENUM(constant, item) constant,
    AGGREGATE_SECTIONS(SECTION_ENUM)
#undef SECTION_ENUM
        SECTION_COUNT
};
#define INDEX_SECTIONS (SECTION_BLOCKS + 1)

extern const size_t aggregate_item_sizes[SECTION_COUNT];

/* Hashes what a block has in the sections that a merge reads. */
uint64_t aggregate_hash(const struct aggregate_block *block, const struct aggregate_row *rows,
                        const struct comm_packet *packets, const struct aggregate_link *links);

struct aggregate_header {
    char magic[8];
    uint32_t byte_order, version;
    char fingerprint[64];
    int64_t rank, parallel[4];
    struct {
        uint64_t offset, count; /* bytes from the file's start; items */
    } sections[SECTION_COUNT];
    uint64_t has_details;                 /* 0 or 1 */
    uint32_t communication, matrix;       /* enum rank_file */
    char digest[AGGREGATE_DIGEST_LENGTH]; /* SHA-256 of the file with zeros here, as hexadecimal digits */
};

_Static_assert(sizeof(struct aggregate_header) == 200 + 16 * SECTION_COUNT, "no padding");
_Static_assert(sizeof(struct aggregate_block) == 32, "no padding");
_Static_assert(sizeof(struct aggregate_sum) == 8 * (COMM_TIMES + 2 * COMM_TRANSPORTS + 1) + 24, "no padding");
_Static_assert(sizeof(struct aggregate_row) == 16, "no padding");
_Static_assert(sizeof(struct aggregate_link) == 40, "no padding");
_Static_assert(sizeof(struct rank_group) == 32 && sizeof(struct rank_run) == 24, "no padding");

#endif
