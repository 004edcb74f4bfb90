/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the decoder, shared by decode_capture.c (streams), decode_rows.c (a record into a row, and rows on their
 * way out). */
#ifndef MSPROF_PARSERS_DECODE_DECODER_H
#define MSPROF_PARSERS_DECODE_DECODER_H

#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

#include <stdatomic.h>

/* Rows of one kind that are being filled. */
struct open_batch {
    const struct record_kind *kind;
    size_t text_columns;
    struct row_batch *batch; /* NULL: none begun */
    int64_t rows;            /* emitted so far, those of the open batch included */
};

struct file_reader;

#define FOUND_KINDS 16

struct decoder {
    struct capture *capture;
    struct row_sink *sink;
    const struct progress *progress;
    struct open_batch *open; /* one for each record kind */
    size_t open_count;
    struct open_batch *found[FOUND_KINDS]; /* of it; see decoder_open_batch */
    /* Where the decoder is: */
    struct capture_file *file;
    int64_t record, offset;
    struct bytes bytes;              /* of the record that a hook is looking at */
    const struct layout *layout;     /* of that record */
    bool consumed;                   /* a hook took the current record: no row is stored */
    bool row_problem;                /* a hook or line reported the current record */
    struct association *association; /* NULL until a hook asks for it */
    struct cell *scratch;            /* RECORD_MAX_COLUMNS cells: the row of a kind without a table */
    uint64_t scratch_present;
    unsigned char *buffer; /* of the stream that is being decoded; one for all, because fresh memory costs time */
    size_t buffer_size;    /* grows to CHUNK_SIZE when a stream is longer */
    const struct layout *planned; /* of the stream that was begun last; NULL: none */
    struct decode_plan *plans;    /* of the layout, or of every one that may be mixed with it */
    size_t plan_count;
    uint64_t bytes_done, bytes_total;
    struct file_reader *reader; /* of the binary files */
    struct copies copies;       /* among the small ones of boards */
    struct ahead *ahead;        /* what is decoded beside them; NULL: nothing */
    const atomic_bool *apart;   /* of the decoder of those: whether it is to stop; else NULL */
};

struct open_batch *decoder_open_batch(struct decoder *decoder, const struct record_kind *kind);

/* Room for one more row of at most text_bytes of texts; commits the batch that has none. */
int open_batch_next(struct decoder *decoder, struct open_batch *open, size_t text_bytes, struct row *ret_row,
                    struct err *err);
/* The row that open_batch_next gave counts. */
void open_batch_keep(struct open_batch *open);
/* Hands every unfinished batch to the sink. */
int decoder_flush(struct decoder *decoder, struct err *err);

#endif
