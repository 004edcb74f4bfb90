/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the decoder: one stream of records on its way through the buffer. Shared by decode_capture.c (reading it)
 * and stream.c (where its records begin and what they look like). */
#ifndef MSPROF_PARSERS_DECODE_STREAM_H
#define MSPROF_PARSERS_DECODE_STREAM_H

#include "parsers/decode/decoder.h"
#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where records begin in a run of bytes: how well a layout fits, and the way back to sound records after a damaged
 * place. Inside of the decoder; plain functions of bytes. */

/* Whether the magics say enough to find a record at any offset: 16 bits or more that are not all 0. */
bool framing_can_search(const struct layout *layout);

/* Whether a record may begin at data, of which only length bytes are there: the magics inside them stand. */
bool framing_may_begin(const struct layout *layout, const unsigned char *data, size_t length);

/* The first offset at or after from where a record begins: its magics stand, and another record follows, or the data
 * end with it, or it lies on the grid: whole records after the offset grid (>= from). True and *ret set to it; false
 * and *ret set to the first offset that is not ruled out. at_end: no bytes will follow data. */
bool framing_search(const struct layout *layout, const unsigned char *data, size_t length, size_t from, size_t grid,
                    bool at_end, size_t *ret);

#define CHUNK_SIZE ((size_t)1024 * 1024) /* bytes that are decoded at once, if a stream has so many */

/* One file, or all slices of one, being decoded. */
struct stream {
    struct decoder *decoder;
    struct capture_file *files; /* consecutive in the capture */
    size_t file_count, current; /* current: the one being read */
    const struct record_kind *kind;
    void *state;
    const struct layout *layout;
    struct decode_plan *plan; /* of the current record, one of the decoder's */
    struct open_batch *open;
    struct checksum *checksum;
    /* Offsets in the stream count the bytes that were read of all its files. */
    int64_t *starts;       /* of each file that has been opened */
    unsigned char *buffer; /* the decoder's; holds used bytes that begin at stream offset buffer_offset */
    size_t used;
    int64_t buffer_offset;
    size_t run;      /* the file that the run of the current one begins with: between runs something is missing */
    bool run_begun;  /* its front has been looked at */
    bool last_chunk; /* nothing follows what is in the buffer */
    bool searching;  /* after a damaged record, for the next sound one */
    struct damage {
        int64_t offset; /* in the stream */
        struct capture_file *file;
        struct place place;
        uint64_t found, expected;
    } damage; /* that the search began with */
    uint64_t total_size;
};

/* Makes the decoder's buffer, or makes it longer, up to CHUNK_SIZE: a small file is not to touch the memory of a large
 * one. */
int stream_grow_buffer(struct stream *stream, struct err *err);
/* Makes the byte of the buffer the decoder's place: in which file, and where in it. */
void stream_locate_any(struct stream *stream, size_t at); /* inside: in whichever it is */
static inline void stream_locate(struct stream *stream, size_t at)
{
    const int64_t offset = stream->buffer_offset + (int64_t)at - stream->starts[stream->current];
    if (offset < 0) {
        stream_locate_any(stream, at);
        return;
    }
    stream->decoder->file = &stream->files[stream->current];
    stream->decoder->offset = offset;
}
/* Sets stream->layout and the decoder's plans by the first bytes, and drops the layout's header; NULL when none fits,
 * which has been reported. */
int stream_choose_layout(struct stream *stream, struct err *err);
/* Whether the file at index is the last of its run: the stream ends with it, or something is missing behind it. */
bool stream_run_ends(const struct stream *stream, size_t index);
/* Drops from the front of a run what ageing or missing slices left of a record. */
void stream_drop_front(struct stream *stream);

#endif
