/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a stream of records, which the states of most kinds are or begin with: whose records they are, and who
 * joins them with others. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_RECORD_STREAM_H
#define MSPROF_PARSERS_KINDS_COMMON_RECORD_STREAM_H

#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/join/association.h"
#include "parsers/join/execution.h"

struct record_stream {
    const struct capture_part *part;
    struct part_ticks host, device; /* its counters */
    const struct record_kind *kind;
    struct association *join; /* takes tasks and counters of any capture of Ascend; NULL: it is of another family */
    struct association *association; /* of a capture of CANN since 2023; NULL: it is of another */
    struct executions *executions;   /* of one from before 2023; NULL: it is of another */
    int64_t device_id, group_id;     /* of the file's name; -1 */
    bool ageing; /* the oldest records may have been overwritten: those of operators with dynamic shapes */
};

int record_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err);

/* Sets column `name` to the row of table name with the text of the hash in column `hash`; leaves it NULL for hash 0. */
int record_stream_find_name(const struct record_stream *stream, struct row *row, size_t hash, size_t name,
                            struct err *err);

#endif
