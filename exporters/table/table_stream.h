/* SPDX-License-Identifier: Apache-2.0 */
/* One table of several captures or devices as one document: one head, the rows of all, one tail. */
#ifndef MSPROF_EXPORTERS_TABLE_TABLE_STREAM_H
#define MSPROF_EXPORTERS_TABLE_TABLE_STREAM_H

#include "base/err.h"
#include "exporters/export.h"

/* Set path and capture; the rest is zero before the first table. */
struct table_stream {
    const char *path;    /* "/dev/stdout" */
    const char *capture; /* whose rows come now: the first cell of each; NULL: of no other */
    enum table_format format;
    uint64_t rows; /* of the tables so far */
    bool begun;    /* the head is written */
    char *titles;  /* of it */
};

/* A table is about to write its first row; titles are those of its columns. *ret_head: the head must stand before it.
 * Where rows have no titles of their own, columns must be those of the head: else -ERR_FAILED. */
int table_stream_begin(struct table_stream *stream, enum table_format format, const char *const *titles, size_t count,
                       bool *ret_head, struct err *err);
/* Writes the tail where there is a head, and releases everything. */
int table_stream_end(struct table_stream *stream, struct err *err);

#endif
