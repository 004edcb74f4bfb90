/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's aggregate: a small file, so that a cluster of thousands of ranks is merged without reading their captures
 * again. It is our own format, for the machine that made it (checked by a byte order mark), and thrown away when it is
 * of another version, of other data, or damaged according to its digest. Its beginning is the index, which a merge
 * needs of all ranks at once, also of those that another process has opened; sums, rows, packets and links of a block
 * are read when their group and step are merged, and details only for those who ask. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_AGGREGATE_H
#define MSPROF_FEATURES_CLUSTER_RANK_AGGREGATE_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "features/cluster/rank/rank_data.h"

/* Where the items of a block begin, each in its section. */
struct aggregate_place {
    uint64_t row, packet, link, operator_, detail_link;
};

/* The index of an aggregate in memory. */
struct aggregate {
    char *source; /* the capture; set by the caller that opens it */
    char *path;   /* the file; NULL: of another process */
    int owner;    /* the process that has opened it */
    char *bytes;  /* as they are in the file: the lists are in there */
    size_t byte_count;
    int64_t rank;
    int64_t parallel[4];
    enum rank_file communication, matrix;
    bool has_details;
    const char *texts; /* NUL-terminated, one after another */
    uint32_t *text_starts;
    size_t text_count;
    const uint32_t *columns;
    const struct rank_step *steps;
    const struct rank_group *groups;
    const struct rank_run *runs;
    const struct aggregate_block *blocks;
    size_t column_count, step_count, group_count, run_count, block_count;
    struct aggregate_place *places; /* of each block */
};

/* Writes the aggregate of a rank under a path, whole or not at all. details: with every operator's times and transfers,
 * which make it ten times as large. problems: what was wrong with the capture, for who reads only the aggregate. */
int aggregate_write(const struct rank_data *rank, const struct diagnostics *problems, bool details, const char *path,
                    struct err *err);

/* Checks all of the file and reads the index. fingerprint: what the aggregate must have been made of; NULL: whatever.
 * -ERR_NOT_FOUND when there is none of this version and these data, -ERR_FORMAT when it is not what was written.
 * Release it also after a failure. */
int aggregate_open(struct aggregate *aggregate, const char *path, const char *fingerprint, struct err *err);
/* Takes over the index that another process has opened: its bytes, which malloc() gave. */
int aggregate_open_index(struct aggregate *aggregate, char *bytes, size_t byte_count, struct err *err);
void aggregate_release(struct aggregate *aggregate);

const char *aggregate_text(const struct aggregate *aggregate, uint32_t number); /* NULL: none */
/* The column of the steps with this title; column_count: there is none. */
size_t aggregate_column(const struct aggregate *aggregate, const char *title);

/* Adds what was wrong with the capture when the aggregate was made. */
int aggregate_read_problems(const struct aggregate *aggregate, struct diagnostics *diag, struct err *err);

/* Reads a block's sums and its row_count rows, packet_count packets and link_count links. Release them. */
struct aggregate_parts {
    struct aggregate_sum sum;
    struct aggregate_row *rows;
    struct comm_packet *packets;
    struct aggregate_link *links;
};
int aggregate_read_parts(const struct aggregate *aggregate, size_t block, struct aggregate_parts *ret, struct err *err);
void aggregate_parts_release(struct aggregate_parts *parts);
/* Its rows alone (free() them). */
int aggregate_read_rows(const struct aggregate *aggregate, size_t block, struct aggregate_row **ret, struct err *err);

/* The names of the rank's operators, into an empty intern. */
int aggregate_read_names(const struct aggregate *aggregate, struct intern *ret, struct err *err);

/* The bytes of the whole file, for another process. */
int aggregate_read_bytes(const struct aggregate *aggregate, struct strbuf *ret, struct err *err);

/* Every operator and link from the bytes of the whole file, whose blocks and texts are those of the index;
 * -ERR_NOT_FOUND without details. */
int aggregate_take_details(const struct aggregate *aggregate, const char *bytes, size_t byte_count,
                           struct rank_data *ret, struct err *err);

#endif
