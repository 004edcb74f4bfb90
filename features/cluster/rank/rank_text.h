/* SPDX-License-Identifier: Apache-2.0 */
/* A rank from the files that a framework's analysis has made of it: ASCEND_PROFILER_OUTPUT of *_ascend_pt and
 * *_ascend_ms directories, with profiler_info_<rank>.json and profiler_metadata.json beside it. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_RANK_TEXT_H
#define MSPROF_FEATURES_CLUSTER_RANK_RANK_TEXT_H

#include "base/diag.h"
#include "base/map.h"
#include "features/cluster/rank/rank_data.h"

/* Whether the directory has such files. */
bool rank_text_is_there(const char *directory);

/* Where the files of a rank are. */
struct rank_places {
    const char *capture; /* that profiler_metadata.json is in, and messages name */
    const char *results; /* the directory that ASCEND_PROFILER_OUTPUT is in */
};

/* Reads them into an empty rank; what is missing or damaged is named in diag and left out. Formats:
 * docs/formats/cluster.md 1 and 2. */
int rank_text_read(struct rank_data *rank, const struct rank_places *places, struct diagnostics *diag, struct err *err);

/* Reads profiler_metadata.json of the directory: groups and how the ranks are divided. One that is not there is fine.
 */
int rank_metadata_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err);

/* Takes them from the text of the file, NULL for none with err set; path: for messages. */
int rank_metadata_take(struct rank_data *rank, const char *path, const char *text, size_t length,
                       struct diagnostics *diag, struct err *err);

/* Whether ASCEND_PROFILER_OUTPUT of a directory has databases of results. */
bool rank_database_is_there(const char *directory);
/* Reads a rank whose results a framework left as databases only: docs/formats/cluster.md 2. */
int rank_database_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err);

/* ---- inside: rows of results on their way into a rank, whatever holds them ---- */

/* A value as its holder has it. */
struct told_value {
    bool there, is_number;
    double number;
};

struct rank_reader {
    struct rank_data *rank;
    struct diagnostics *diag;
    const char *file; /* for diagnostics */
    const char *key;  /* likewise: the member that is read */
    uint64_t unsafe;  /* texts of the files before */
    size_t step_column, first_value, title_count;
    struct map blocks, operators, links; /* places */
    struct rank_operator operator_;      /* on its way */
    size_t packets_before;
    bool sound;
};
void rank_reader_init(struct rank_reader *reader, struct rank_data *rank, const char *file, struct diagnostics *diag);
void rank_reader_release(struct rank_reader *reader);

/* A row of step_trace_time.csv; arg: the reader; number 1: the titles. */
int rank_reader_step(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err);

/* An operator, then its transfers in any order, each before its packets. keys: step, half, "operator@group". A value
 * that is refused is reported, and the operator left out. */
enum told_time { TOLD_START, TOLD_WAIT_RATIO, TOLD_SYNCHRONIZATION_RATIO, TOLD_NS, TOLD_TIMES = TOLD_NS + COMM_TIMES };
enum { TOLD_TRANSFER = 4 }; /* size, time, bandwidth, share of large packets */
int rank_reader_begin_operator(struct rank_reader *reader, const char *const *keys,
                               const struct told_value values[TOLD_TIMES], struct err *err);
void rank_reader_transfer(struct rank_reader *reader, size_t transport, const struct told_value values[TOLD_TRANSFER]);
int rank_reader_packet(struct rank_reader *reader, size_t transport, const char *size, struct told_value count,
                       struct told_value ms, struct err *err);
int rank_reader_end_operator(struct rank_reader *reader, struct err *err);

struct told_link {
    const char *ranks;               /* "0-3" */
    const char *transport, *op_name; /* NULL: none */
    struct told_value size, time, bandwidth;
};
int rank_reader_link(struct rank_reader *reader, const char *const *keys, const struct told_link *told,
                     struct err *err);

#endif
