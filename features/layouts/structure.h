/* SPDX-License-Identifier: Apache-2.0 */
/* Structure of records as their bytes show it, without any table: size, byte order, what each byte does. */
#ifndef MSPROF_FEATURES_LAYOUTS_STRUCTURE_H
#define MSPROF_FEATURES_LAYOUTS_STRUCTURE_H

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "parsers/capture/capture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files of records whose layout is not known: reading any record of them, given size and header. */

struct source_file {
    const char *name; /* of the capture's file; not owned */
    int fd;
    uint64_t length;
    unsigned char *bytes; /* the whole file when it is short; else NULL */
};

struct source ARRAY_OF(struct source_file);

/* Files that follow each other in a source, whose records are one sequence; each has the header. */
struct source_stream {
    size_t first, count;
    uint64_t length; /* of all of them */
};

/* Opens a regular file. The name must outlive the source. */
int source_add(struct source *source, const struct capture *capture, const struct capture_file *of, struct err *err);
void source_release(struct source *source);

/* Reads a record of a stream, of size bytes behind the headers. */
bool source_record(const struct source *source, const struct source_stream *stream, uint64_t header, size_t size,
                   uint64_t index, unsigned char *ret);

/* Bits that are the same in all records of all files, from header on, at most `most` of each: ones[i] has the bits that
 * are 1 in some record, zeros[i] those that are 0 in some. size bytes each. Returns the number of records. */
uint64_t source_masks(const struct source *source, uint64_t header, size_t size, uint64_t most, unsigned char *ones,
                      unsigned char *zeros, struct err *err);

#define STRUCTURE_SIZES 8

struct structure_size {
    size_t size;
    double score; /* share of bytes that are the same a record later */
};

/* The likeliest record sizes of a file, best first; returns how many there are. */
size_t structure_sizes(const struct source_file *file, struct structure_size sizes[STRUCTURE_SIZES], struct err *err);

/* A report in lines: sizes with their scores, byte order, header, and the fields of the likeliest size. */
int structure_report(const struct source_file *file, struct strbuf *text, struct err *err);

#endif
