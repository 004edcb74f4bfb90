/* SPDX-License-Identifier: Apache-2.0 */
/* Files whose records are of several kinds: each goes to the one of the file kind's parts whose layout it fits. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_SPLIT_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_SPLIT_RECORD_H

#include "parsers/decode/decode.h"

#define SPLIT_MAX_PARTS 12

/* The state of a stream; zeroed at first. */
struct split_stream {
    struct split_part {
        const struct record_kind *kind;
        const struct layout *layout;
        struct decode_plan *plan;
        void *state; /* of the kind's hooks */
    } parts[SPLIT_MAX_PARTS];
    size_t count;
    struct cell *cells; /* RECORD_MAX_COLUMNS */
};

int split_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err);
/* Emits the current record as a row of the part that it belongs to; one that belongs to none is reported. */
int split_stream_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);
int split_stream_close(struct decoder *decoder, void *state, bool failed, struct err *err);

extern const struct kind_hooks split_hooks; /* these three */

#endif
