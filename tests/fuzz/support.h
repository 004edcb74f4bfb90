/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the fuzz targets: a sink that checks every row, and files that live in memory only. */
#ifndef MSPROF_TESTS_FUZZ_SUPPORT_H
#define MSPROF_TESTS_FUZZ_SUPPORT_H

#include "parsers/decode/decode.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding that no sanitizer would see. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                                   \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

struct checking_sink {
    struct row_sink sink; /* first */
    uint64_t rows;
    uint64_t bytes; /* of texts, summed up so that every one is read */
};

/* Batches are large: they are used again from one input to the next. */
#define SPARE_BATCHES 16
static struct row_batch *spare_batches[SPARE_BATCHES];
static size_t spare_count;

static inline struct row_batch *checking_begin(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    struct row_batch *batch = spare_count > 0 ? spare_batches[--spare_count] : row_batch_new();
    if (batch != NULL && row_batch_begin(batch, kind))
        return batch;
    row_batch_free(batch);
    err_set(err, ERR_NO_MEMORY, "out of memory");
    return NULL;
}

static inline int checking_commit(struct row_sink *base, struct row_batch *batch, struct err *err)
{
    (void)err;
    struct checking_sink *sink = (struct checking_sink *)base;
    const struct record_kind *kind = batch->kind;
    EXPECT(batch->rows <= batch->capacity && batch->texts_used <= batch->texts_capacity);
    for (size_t i = 0; i < batch->rows; i++) {
        const struct cell *cells = batch->cells + i * kind->column_count;
        EXPECT(kind->column_count == RECORD_MAX_COLUMNS || batch->present[i] >> kind->column_count == 0);
        for (size_t column = 0; column < kind->column_count; column++) {
            if ((batch->present[i] >> column & 1) == 0 || kind->columns[column].type != COLUMN_TEXT)
                continue;
            EXPECT(cells[column].length <= DECODED_TEXT_MAX);
            for (uint32_t k = 0; k < cells[column].length; k++)
                sink->bytes += (unsigned char)cells[column].text[k];
        }
    }
    sink->rows += batch->rows;
    if (spare_count < SPARE_BATCHES)
        spare_batches[spare_count++] = batch;
    else
        row_batch_free(batch);
    return 0;
}

#define CHECKING_SINK_INIT                                                                                             \
    {                                                                                                                  \
        .sink = { checking_begin, checking_commit, NULL }                                                              \
    }

/* Holds after every decoding: nothing is dropped without a word, be it a problem or (aged data) a note. */
static inline void expect_honest_counts(const struct capture *capture)
{
    uint64_t rejected = 0, reasons = 0;
    for (size_t i = 0; i < capture->file_count; i++) {
        rejected += capture->files[i].rejected;
        for (size_t reason = 0; reason < DIAG_COUNT; reason++)
            reasons += capture->files[i].rejected_for[reason];
    }
    EXPECT(rejected == reasons);
    EXPECT(rejected == 0 || diag_reports(capture->diag) > 0);
}

/* Opens and decodes a directory: it succeeds and counts honestly, or the directory is no capture. fingerprint: what the
 * capture must have; NULL: any. */
static inline void expect_decoded(const char *directory, const struct capture_options *options, const char *fingerprint)
{
    struct checking_sink sink = CHECKING_SINK_INIT;
    struct diagnostics diag;
    struct capture capture;
    struct err err = ERR_INIT;
    diag_init(&diag, false);
    if (capture_open(&capture, directory, options, &diag, &err) == 0) {
        EXPECT(fingerprint == NULL || strcmp(capture.fingerprint, fingerprint) == 0);
        EXPECT(decode_capture(&capture, &sink.sink, NULL, &err) == 0);
        expect_honest_counts(&capture);
    } else {
        EXPECT(err.code == ERR_NOT_FOUND);
    }
    capture_release(&capture);
    diag_release(&diag);
}

/* A file without a name on any disk; its path is written to path. */
static inline int memory_file(const uint8_t *data, size_t size, char path[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    EXPECT(fd >= 0);
    for (size_t written = 0; written < size;) {
        ssize_t n = write(fd, data + written, size - written);
        EXPECT(n > 0);
        written += (size_t)n;
    }
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
