/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes a capture into memory, for tests that ask what came out. */
#ifndef MSPROF_TESTS_COLLECT_H
#define MSPROF_TESTS_COLLECT_H

#include "base/diag.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/layout.h"

#include <stddef.h>
#include <stdint.h>

struct collection; /* opaque: one capture, its rows and diagnostics */

/* Opens and decodes a capture; any failure fails the running test. layouts may be NULL. */
struct collection *collect(const char *directory, const struct layout_set *layouts);
struct collection *collect_with(const char *directory, const struct capture_options *options);
/* Fails unless both have the same rows, in the same order. */
void assert_same_rows(const struct collection *a, const struct collection *b);
void collection_free(struct collection *collection);

const struct diagnostics *collection_diagnostics(const struct collection *collection);
const struct capture *collection_capture(const struct collection *collection);
/* A file of the capture by its name ("data/aicore.0.1.1"); fails the test when there is none. */
const struct capture_file *collection_file(const struct collection *collection, const char *name);

/* Rows of a kind, and cells of them; a cell that is NULL fails the test. */
size_t row_count(const struct collection *collection, const char *kind);
int64_t row_integer(const struct collection *collection, const char *kind, size_t index, const char *column);
/* The text, valid until the fourth call after. */
const char *row_text(const struct collection *collection, const char *kind, size_t index, const char *column);

/* How many problems of this id were reported for a file; file NULL: for any. */
uint64_t reported(const struct diagnostics *diag, enum diag_id id, const char *file);
/* The first kept text of that id; fails the test when there is none. */
const char *first_report(const struct diagnostics *diag, enum diag_id id);
/* Fails unless the first text of that id holds every one of the texts, of which the last is followed by NULL. */
void assert_report(const struct diagnostics *diag, enum diag_id id, ...) __attribute__((sentinel));

#endif
