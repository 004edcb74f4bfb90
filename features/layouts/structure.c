/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/structure.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_CACHED ((uint64_t)16 * 1024 * 1024) /* bytes: of a file up to this length */

#define CHUNK_SIZE ((size_t)1024 * 1024)

int source_add(struct source *source, const struct capture *capture, const struct capture_file *of, struct err *err)
{
    struct stat info;
    int failure;
    const char *name = of->name;
    if (array_reserve(source, 1, err) < 0)
        return err_status(err);
    struct source_file file = {.name = name, .fd = capture_file_open(capture, name, &info, &failure)};
    if (file.fd < 0)
        return failure == NOT_REGULAR ? err_set(err, ERR_FORMAT, "'%s' is not a regular file", name)
                                      : err_set_errno(err, failure, "cannot open '%s'", name);
    file.length = (uint64_t)info.st_size;
    if (file.length <= SOURCE_CACHED && (file.bytes = malloc((size_t)file.length + 1)) != NULL) {
        ssize_t got = file_read_at(file.fd, file.bytes, (size_t)file.length, 0);
        if (got < 0) {
            (void)err_set_errno(err, errno, "cannot read '%s'", name);
            free(file.bytes);
            close(file.fd);
            return err_status(err);
        }
        file.length = (uint64_t)got; /* fewer: the file became shorter */
    }
    source->items[source->count++] = file;
    return 0;
}

void source_release(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        close(source->items[i].fd);
        free(source->items[i].bytes);
    }
    free(source->items);
    *source = (struct source){.items = NULL};
}

/* Copies size bytes at an offset; false when they are not all inside or cannot be read. */
static bool source_read(const struct source_file *file, uint64_t offset, size_t size, unsigned char *ret)
{
    if (offset > file->length || file->length - offset < size)
        return 0;
    if (file->bytes != NULL) {
        memcpy(ret, file->bytes + offset, size);
        return true;
    }
    return file_read_at(file->fd, ret, size, offset) == (ssize_t)size;
}

struct records {
    const unsigned char *data;
    size_t size, count;
};

bool source_record(const struct source *source, const struct source_stream *stream, uint64_t header, size_t size,
                   uint64_t index, unsigned char *ret)
{
    for (size_t i = 0; i < stream->count; i++) {
        const struct source_file *file = &source->items[stream->first + i];
        uint64_t records = file->length > header ? (file->length - header) / size : 0;
        if (index < records)
            return source_read(file, header + index * size, size, ret);
        index -= records;
    }
    return false;
}

uint64_t source_masks(const struct source *source, uint64_t header, size_t size, uint64_t most, unsigned char *ones,
                      unsigned char *zeros, struct err *err)
{
    size_t per_chunk = CHUNK_SIZE / size > 0 ? CHUNK_SIZE / size : 1;
    SCOPED_FREE unsigned char *chunk = scoped_memory(1, per_chunk * size);
    uint64_t records = 0;
    memset(ones, 0, size);
    memset(zeros, 0, size);
    if (chunk == NULL) {
        err_no_memory(err);
        return 0;
    }
    for (size_t f = 0; f < source->count; f++) {
        uint64_t at = header, here = 0;
        while (here < most && source->items[f].length >= at && source->items[f].length - at >= size && !interrupted()) {
            uint64_t left = (source->items[f].length - at) / size;
            left = left < most - here ? left : most - here;
            size_t count = left < per_chunk ? (size_t)left : per_chunk;
            if (!source_read(&source->items[f], at, count * size, chunk))
                break;
            for (size_t i = 0; i < count; i++) {
                for (size_t k = 0; k < size; k++) {
                    ones[k] |= chunk[i * size + k];
                    zeros[k] |= (unsigned char)~chunk[i * size + k];
                }
            }
            records += count;
            here += count;
            at += (uint64_t)count * size;
        }
    }
    return records;
}

#define LOOK_BYTES ((size_t)512 * 1024) /* of a file: its beginning */
#define SIZE_LAST 4096
#define ROWS_LOOKED_AT 4096

/* ---- size ---- */

/* How many of eight bytes are the same in both. */
static unsigned same_bytes(const unsigned char *a, const unsigned char *b)
{
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x ^= y;
    uint64_t differing = (((x & low_bits) + low_bits) | x) & ~low_bits; /* the high bits of bytes that are not 0 */
    return 8 - (unsigned)((differing >> 7) * UINT64_C(0x0101010101010101) >> 56);
}

/* The share of the bytes that are the same `lag` bytes later. */
static double equality(const unsigned char *data, size_t length, size_t lag)
{
    uint64_t equal = 0;
    size_t i = 0;
    for (; i + lag + 8 <= length; i += 8)
        equal += same_bytes(data + i, data + i + lag);
    for (; i + lag < length; i++)
        equal += data[i] == data[i + lag];
    return (double)equal / (double)(length - lag);
}

/* The lag's equality over that of its neighbours: a period stands out, a long run of zeros does not. */
static double peak(const double *scores, size_t count, size_t lag)
{
    double around = 0;
    size_t n = 0;
    for (size_t k = lag > 6 ? lag - 6 : 1; k <= lag + 6 && k < count; k++) {
        if (k == lag)
            continue;
        around += scores[k];
        n++;
    }
    return n > 0 ? scores[lag] - around / (double)n : 0;
}

static unsigned char *read_front(const struct source_file *file, size_t *ret_length)
{
    size_t length = file->length < LOOK_BYTES ? (size_t)file->length : LOOK_BYTES;
    unsigned char *data = scoped_memory(length + 8, 1);
    if (data != NULL && !source_read(file, 0, length, data)) {
        free(data);
        data = NULL;
    }
    *ret_length = length;
    return data;
}

/* Keeps a list sorted by score. */
static size_t keep_size(struct structure_size *sizes, size_t count, size_t size, double score)
{
    size_t at = count < STRUCTURE_SIZES ? count : STRUCTURE_SIZES;
    while (at > 0 && sizes[at - 1].score < score) {
        if (at < STRUCTURE_SIZES)
            sizes[at] = sizes[at - 1];
        at--;
    }
    if (at < STRUCTURE_SIZES)
        sizes[at] = (struct structure_size){size, score};
    return count < STRUCTURE_SIZES ? count + 1 : count;
}

size_t structure_sizes(const struct source_file *file, struct structure_size sizes[STRUCTURE_SIZES], struct err *err)
{
    size_t length, found = 0;
    SCOPED_FREE unsigned char *data = read_front(file, &length);
    size_t last = length / 2 < SIZE_LAST ? length / 2 : SIZE_LAST;
    SCOPED_FREE double *scores = scoped_memory(last + 1, sizeof *scores);
    SCOPED_FREE double *peaks = scoped_memory(last + 1, sizeof *peaks);
    double best = 0;
    if (data == NULL || scores == NULL || peaks == NULL) {
        err_set(err, ERR_NO_MEMORY, "cannot look at '%s'", file->name);
        return 0;
    }
    for (size_t lag = 1; lag <= last; lag++)
        scores[lag] = equality(data, length < LOOK_BYTES / 4 ? length : LOOK_BYTES / 4, lag);
    for (size_t lag = 8; lag <= last; lag++) {
        peaks[lag] = peak(scores, last + 1, lag);
        best = peaks[lag] > best ? peaks[lag] : best;
    }
    for (size_t lag = 8; lag <= last; lag++) {
        /* a multiple of a size is one, too: it must be clearly better than what divides it */
        double score = peaks[lag];
        for (size_t part = 2; part * 8 <= lag; part++)
            if (lag % part == 0 && peaks[lag / part] > 0.6 * score)
                score = score < 0.25 * best ? 0 : score * 0.5;
        if (score > 0.02)
            found = keep_size(sizes, found, lag, score);
    }
    return found;
}

/* ---- fields ---- */

static uint64_t value_of(const struct records *records, size_t row, size_t offset, unsigned width, bool big)
{
    return bytes_load(records->data + row * records->size + offset, width, big);
}

/* The entropy of one byte of the records, in bits. */
static double entropy(const struct records *records, size_t offset)
{
    size_t counts[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < records->count; i++)
        counts[records->data[i * records->size + offset]]++;
    for (size_t i = 0; i < 256; i++) {
        if (counts[i] == 0)
            continue;
        double share = (double)counts[i] / (double)records->count;
        bits -= share * log2(share);
    }
    return bits;
}

/* In a number the low bytes vary more than the high ones: the sign of the slope over aligned words shows the order. */
static double little_over_big(const struct records *records)
{
    double little = 0;
    for (size_t word = 0; word + 4 <= records->size; word += 4) {
        double low = entropy(records, word), high = entropy(records, word + 3);
        if (low + high > 1)
            little += low > high + 1 ? 1 : high > low + 1 ? -1 : 0;
    }
    return little;
}

/* Describes how a number behaves from record to record; NULL: no pattern was found. */
static const char *behaviour(const struct records *records, size_t offset, unsigned width, bool big)
{
    size_t same = 0, up = 0, one = 0;
    uint64_t before = value_of(records, 0, offset, width, big), most = before;
    for (size_t i = 1; i < records->count; i++) {
        uint64_t value = value_of(records, i, offset, width, big);
        same += value == before;
        up += value > before;
        one += value == before + 1;
        most = value > most ? value : most;
        before = value;
    }
    size_t steps = records->count - 1;
    if (same == steps)
        return most == 0 ? "always 0" : "constant";
    if (one * 10 >= steps * 9)
        return "counts the records";
    if (one * 2 >= steps)
        return "counts, and begins again";
    if (up + same == steps && up * 4 >= steps)
        return "never decreases: a time or a sum";
    if (width >= 2 && most < 256 && most > 0)
        return "small numbers";
    return NULL;
}

/* The widest number that does something, else the byte's entropy. */
static size_t report_field(const struct records *records, size_t offset, bool big, struct strbuf *text)
{
    static const unsigned widths[] = {8, 4, 2, 1};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        unsigned width = widths[w];
        if (offset % width != 0 || offset + width > records->size)
            continue;
        const char *what = behaviour(records, offset, width, big);
        if (what == NULL)
            continue;
        (void)strbuf_addf(text, "  offset %4zu width %u: %s", offset, width, what);
        if (strcmp(what, "constant") == 0)
            (void)strbuf_addf(text, ", 0x%0*" PRIx64, (int)(2 * width), value_of(records, 0, offset, width, big));
        (void)strbuf_addc(text, '\n');
        return width;
    }
    unsigned width = offset % 4 == 0 && offset + 4 <= records->size ? 4 : 1;
    (void)strbuf_addf(text, "  offset %4zu width %u: varies, %.1f bits in its %s byte\n", offset, width,
                      entropy(records, offset + (big ? width - 1 : 0)), width > 1 ? "lowest" : "one");
    return width;
}

int structure_report(const struct source_file *file, struct strbuf *text, struct err *err)
{
    struct structure_size sizes[STRUCTURE_SIZES];
    err->code = ERR_NONE;
    size_t count = structure_sizes(file, sizes, err), length;
    if (err->code != ERR_NONE)
        return err_status(err);
    (void)strbuf_addf(text, "%s: %" PRIu64 " bytes\n", file->name, file->length);
    if (count == 0) {
        (void)strbuf_adds(text, "  no record size stands out: no fixed-size records, or too few of them\n");
        return 0;
    }
    for (size_t i = 0; i < count && i < 4; i++)
        (void)strbuf_addf(text,
                          "  record size %4zu: score %.2f, %" PRIu64 " records and a header of %" PRIu64 " bytes\n",
                          sizes[i].size, sizes[i].score, file->length / sizes[i].size, file->length % sizes[i].size);
    SCOPED_FREE unsigned char *data = read_front(file, &length);
    if (data == NULL)
        return err_set(err, ERR_NO_MEMORY, "cannot look at '%s'", file->name);
    size_t header = (size_t)(file->length % sizes[0].size);
    struct records records = {data + header, sizes[0].size, (length - header) / sizes[0].size};
    if (records.count > ROWS_LOOKED_AT)
        records.count = ROWS_LOOKED_AT;
    double order = little_over_big(&records);
    (void)strbuf_addf(text, "  byte order: %s\n", order > 0 ? "little" : order < 0 ? "big" : "unknown");
    for (size_t offset = 0; records.count > 1 && offset < records.size;)
        offset += report_field(&records, offset, order < 0, text);
    return 0;
}
