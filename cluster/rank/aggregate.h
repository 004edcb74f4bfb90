/* One rank's aggregate: a small file, so that a cluster of thousands of ranks is merged without reading their captures
 * again. It is our own format, for the machine that made it (a byte order mark tells), and thrown away when it is of
 * another version, of other data, or damaged. What a merge needs of all ranks at once is the index; rows, packets and
 * links of a block are read when their group and step are merged, and details only for those who ask. */
#ifndef MSPROF_CLUSTER_RANK_AGGREGATE_H
#define MSPROF_CLUSTER_RANK_AGGREGATE_H

#include "cluster/rank/aggregate_items.h"

/* The index of an aggregate in memory. Arrays are those of rank_data. */
struct aggregate {
    char *path;
    int64_t rank;
    int64_t parallel[4];
    char *texts; /* NUL-terminated, one after another */
    uint32_t *text_starts;
    size_t text_count;
    uint32_t columns[CLUSTER_MAX_COLUMNS];
    size_t column_count;
    struct rank_step *steps;
    size_t step_count;
    struct rank_group *groups;
    size_t group_count;
    int64_t *globals;
    size_t global_count;
    struct aggregate_block *blocks;
    size_t block_count;
    bool has_details;
};

/* Writes the aggregate of a rank under a path, whole or not at all. details: with every operator's times and transfers,
 * which make it ten times as large. */
int aggregate_write(const struct rank_data *rank, bool details, const char *path, struct err *err);

/* Reads the index. fingerprint: what the aggregate must have been made of; NULL: whatever. -ERR_NOT_FOUND when there is
 * none of this version and these data, -ERR_FORMAT when it is damaged. Release it also after a failure. */
int aggregate_open(struct aggregate *aggregate, const char *path, const char *fingerprint, struct err *err);
void aggregate_release(struct aggregate *aggregate);

const char *aggregate_text(const struct aggregate *aggregate, uint32_t number); /* NULL: none */

/* Reads a block's row_count rows, packet_count packets, link_count links into arrays of that size. */
int aggregate_read_rows(const struct aggregate *aggregate, const struct aggregate_block *block,
                        struct aggregate_row *rows, struct err *err);
int aggregate_read_packets(const struct aggregate *aggregate, const struct aggregate_block *block,
                           struct rank_packet *packets, struct err *err);
int aggregate_read_links(const struct aggregate *aggregate, const struct aggregate_block *block,
                         struct aggregate_link *links, struct err *err);

/* The names of operators and all other texts of the rank, into an empty intern. */
int aggregate_read_names(const char *path, struct intern *ret, struct err *err);

/* Reads everything back; -ERR_NOT_FOUND without details. */
int aggregate_read_all(const char *path, struct rank_data *ret, struct err *err);

#endif
