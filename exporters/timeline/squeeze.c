/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/squeeze.h"

#include "exporters/parallel.h"
#include "exporters/timeline/perfetto_put.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>

#define BLOCK_MAX ((size_t)500 * 1000) /* bytes that are compressed together; Perfetto takes packets below 512 KB */
#define GZIP_LEVEL 2                   /* half the time of 6, for a third more bytes: a tenth of the JSON still */
#define PACKETS_LEVEL 1                /* fewer bytes than 3 of zlib, in a fifth of the time */
#define HEAD_MAX 32                    /* bytes before a packet of packets */

enum { TRACE_PACKET = 1, PACKET_COMPRESSED = 50 };

struct block {
    char *bytes;
    size_t length, capacity;
    bool whole; /* one packet, too long for being compressed with others: stays as it is */
};

struct squeeze {
    enum squeeze_kind kind;
    struct outfile file, input;
    struct parallel *parallel;
    char *waiting; /* the beginning of a packet */
    size_t length, capacity;
    uint64_t total;
    unsigned long crc;
    struct err err; /* the first failure; reported by squeeze_commit */
};

/* ---- workers ---- */

/* Blocks of gzip are one stream, which zlib alone makes in pieces; those of packets stand for themselves. */
struct deflater {
    bool gzip;
    z_stream stream;
    struct libdeflate_compressor *packets;
};

static int worker_open(void *opaque, void *squeeze, struct err *err)
{
    enum { RAW_WINDOW = -15, MEMORY = 8 };
    struct deflater *deflater = opaque;
    deflater->gzip = ((const struct squeeze *)squeeze)->kind == SQUEEZE_GZIP;
    const bool done = deflater->gzip ? deflateInit2(&deflater->stream, GZIP_LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY,
                                                    Z_DEFAULT_STRATEGY) == Z_OK
                                     : (deflater->packets = libdeflate_alloc_compressor(PACKETS_LEVEL)) != NULL;
    return done ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for compressing");
}

static void worker_close(void *opaque)
{
    struct deflater *deflater = opaque;
    libdeflate_free_compressor(deflater->packets);
    deflateEnd(&deflater->stream); /* which does nothing to one that was not begun */
}

/* How many bytes a block becomes at most. */
static size_t bound_of(struct deflater *deflater, size_t length)
{
    return deflater->gzip ? deflateBound(&deflater->stream, (unsigned long)length) + HEAD_MAX
                          : libdeflate_zlib_compress_bound(deflater->packets, length);
}

/* Compresses a block into so much room; returns its length, 0: it cannot be. A block of gzip ends at a byte, so that
 * the next one can follow it. */
static size_t compress_block(struct deflater *deflater, const struct block *block, char *room, size_t bound)
{
    if (!deflater->gzip)
        return libdeflate_zlib_compress(deflater->packets, block->bytes, block->length, room, bound);
    z_stream *stream = &deflater->stream;
    deflateReset(stream);
    stream->next_in = (unsigned char *)block->bytes;
    stream->avail_in = (unsigned)block->length;
    stream->next_out = (unsigned char *)room;
    stream->avail_out = (unsigned)bound;
    return deflate(stream, Z_SYNC_FLUSH) == Z_OK && stream->avail_in == 0 ? bound - stream->avail_out : 0;
}

static int process(void *opaque, void *unit, struct parallel_output *output, struct err *err)
{
    struct deflater *deflater = opaque;
    const struct block *block = unit;
    if (block->whole)
        return parallel_write(output, block->bytes, block->length, err);
    const size_t bound = bound_of(deflater, block->length);
    char *room = parallel_reserve(output, bound + HEAD_MAX, err);
    if (room == NULL)
        return err_status(err);
    char *packed = room + HEAD_MAX, *p = room;
    const size_t length = compress_block(deflater, block, packed, bound);
    if (length == 0)
        return err_set(err, ERR_FAILED, "a block of %zu bytes cannot be compressed", block->length);
    if (!deflater->gzip) {
        char field[VARINT_MAX * 2];
        const size_t head = (size_t)(varint_put(field_put_tag(field, PACKET_COMPRESSED, WIRE_BYTES), length) - field);
        p = varint_put(field_put_tag(p, TRACE_PACKET, WIRE_BYTES), head + length);
        memcpy(p, field, head);
        p += head;
    }
    memmove(p, packed, length);
    parallel_advance(output, (size_t)(p - room) + length);
    return 0;
}

static void block_release(void *unit)
{
    struct block *block = unit;
    free(block->bytes);
    block->bytes = NULL;
}

/* ---- blocks ---- */

static int grow(char **bytes, size_t *capacity, size_t wanted, struct err *err)
{
    if (wanted <= *capacity)
        return 0;
    char *grown = realloc(*bytes, wanted);
    if (grown == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for compressing");
    *bytes = grown;
    *capacity = wanted;
    return 0;
}

static int submit(struct squeeze *squeeze, const char *bytes, size_t length, struct err *err)
{
    struct block *block = parallel_unit(squeeze->parallel, err);
    if (block == NULL || grow(&block->bytes, &block->capacity, length > BLOCK_MAX ? length : BLOCK_MAX, err) < 0)
        return err_status(err);
    memcpy(block->bytes, bytes, length);
    block->length = length;
    block->whole = length > BLOCK_MAX;
    parallel_submit(squeeze->parallel);
    return 0;
}

static int take_plain(struct squeeze *squeeze, const char *bytes, size_t length, struct err *err)
{
    squeeze->crc = crc32_z(squeeze->crc, (const unsigned char *)bytes, length);
    while (length > 0) {
        const size_t piece = length < BLOCK_MAX ? length : BLOCK_MAX;
        if (submit(squeeze, bytes, piece, err) < 0)
            return err_status(err);
        bytes += piece;
        length -= piece;
    }
    return 0;
}

/* The length of the packet at p with its head; 0: its end is not there. */
static size_t packet_length(const char *p, size_t available)
{
    uint64_t length = 0;
    for (size_t i = 1; i < available && i <= VARINT_MAX; i++) {
        length |= (uint64_t)((unsigned char)p[i] & 0x7f) << 7 * (i - 1);
        if (((unsigned char)p[i] & 0x80) == 0)
            return length <= available - i - 1 ? i + 1 + (size_t)length : 0;
    }
    return 0;
}

/* Submits the packets that have come as a whole, in blocks of about one length; what is left waits. */
static int take_packets(struct squeeze *squeeze, const char *bytes, size_t length, struct err *err)
{
    if (squeeze->length > 0) {
        if (grow(&squeeze->waiting, &squeeze->capacity, squeeze->length + length, err) < 0)
            return err_status(err);
        memcpy(squeeze->waiting + squeeze->length, bytes, length);
        bytes = squeeze->waiting;
        length += squeeze->length;
    }
    const size_t each = length / (length / BLOCK_MAX + 1);
    size_t start = 0, at = 0, packet;
    while ((packet = packet_length(bytes + at, length - at)) > 0) {
        if (at - start + packet > BLOCK_MAX || at - start >= each) {
            if (at > start && submit(squeeze, bytes + start, at - start, err) < 0)
                return err_status(err);
            start = at;
        }
        at += packet;
    }
    if (at > start && submit(squeeze, bytes + start, at - start, err) < 0)
        return err_status(err);
    squeeze->length = length - at;
    if (squeeze->length == 0)
        return 0;
    if (bytes != squeeze->waiting && grow(&squeeze->waiting, &squeeze->capacity, squeeze->length, err) < 0)
        return err_status(err);
    memmove(squeeze->waiting, bytes + at, squeeze->length);
    return 0;
}

/* For outfile_open_pipe. */
static int take(void *arg, const char *bytes, size_t length)
{
    struct squeeze *squeeze = arg;
    squeeze->total += length;
    if (squeeze->err.code == ERR_NONE && squeeze->kind == SQUEEZE_GZIP)
        take_plain(squeeze, bytes, length, &squeeze->err);
    else if (squeeze->err.code == ERR_NONE)
        take_packets(squeeze, bytes, length, &squeeze->err);
    return squeeze->err.code != ERR_NONE ? EIO : 0;
}

/* ---- the file ---- */

struct squeeze *squeeze_open(const char *path, enum squeeze_kind kind, struct err *err)
{
    static const unsigned char gzip_head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}; /* no name, no time, of Unix */
    struct squeeze *squeeze = calloc(1, sizeof *squeeze);
    if (squeeze == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for compressing");
        return NULL;
    }
    const struct parallel_work work = {.unit_size = sizeof(struct block),
                                       .arg = squeeze,
                                       .worker_size = sizeof(struct deflater),
                                       .worker_open = worker_open,
                                       .worker_close = worker_close,
                                       .process = process,
                                       .unit_release = block_release};
    squeeze->kind = kind;
    squeeze->err = (struct err)ERR_INIT;
    if (outfile_open(&squeeze->file, path, err) < 0 ||
        outfile_open_pipe(&squeeze->input, path, take, squeeze, err) < 0) {
        squeeze_abort(squeeze);
        return NULL;
    }
    if (kind == SQUEEZE_GZIP)
        outfile_write(&squeeze->file, gzip_head, sizeof gzip_head);
    squeeze->parallel = parallel_new(&work, &squeeze->file, err);
    if (squeeze->parallel == NULL) {
        squeeze_abort(squeeze);
        return NULL;
    }
    return squeeze;
}

struct outfile *squeeze_input(struct squeeze *squeeze)
{
    return &squeeze->input;
}

static void release(struct squeeze *squeeze)
{
    parallel_free(squeeze->parallel);
    outfile_abort(&squeeze->input);
    outfile_abort(&squeeze->file);
    free(squeeze->waiting);
    free(squeeze);
}

static void write_gzip_end(struct squeeze *squeeze)
{
    char end[10] = {3, 0}; /* an empty block, the last */
    for (size_t i = 0; i < 4; i++) {
        end[2 + i] = (char)(squeeze->crc >> 8 * i);
        end[6 + i] = (char)(squeeze->total >> 8 * i);
    }
    outfile_write(&squeeze->file, end, sizeof end);
}

static int finish(struct squeeze *squeeze, uint64_t *ret_bytes, struct err *err)
{
    const int committed = outfile_commit(&squeeze->input, err);
    if (squeeze->err.code != ERR_NONE) { /* it says more */
        *err = squeeze->err;
        return err_status(err);
    }
    if (committed < 0 || parallel_finish(squeeze->parallel, err) < 0)
        return err_status(err);
    parallel_free(squeeze->parallel);
    squeeze->parallel = NULL;
    if (squeeze->kind == SQUEEZE_GZIP)
        write_gzip_end(squeeze);
    *ret_bytes = squeeze->file.written + squeeze->file.used;
    return outfile_commit(&squeeze->file, err);
}

int squeeze_commit(struct squeeze *squeeze, uint64_t *ret_bytes, struct err *err)
{
    const int status = finish(squeeze, ret_bytes, err);
    release(squeeze);
    return status;
}

void squeeze_abort(struct squeeze *squeeze)
{
    if (squeeze != NULL)
        release(squeeze);
}
