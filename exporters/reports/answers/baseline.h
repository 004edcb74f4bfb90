/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in a file: what msprof diff --save writes and takes in place of captures. JSON of the schema
 * msprof.baseline/1, the digest of all that stands before it at the end. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_BASELINE_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_BASELINE_H

#include "analysis/compare/profile.h"
#include "base/err.h"

/* A longer file is refused. */
#define BASELINE_MAX_BYTES ((size_t)32 * 1024 * 1024)

/* The file appears whole or not at all. */
int baseline_write(const char *path, const struct profile *const *profiles, size_t count, struct err *err);
/* *ret is an array of *ret_count profiles, each to be released and the array freed. -ERR_FORMAT for what is no
 * baseline, of another version, cut or edited. */
int baseline_parse(const char *text, size_t length, struct profile **ret, size_t *ret_count, struct err *err);
/* Reads a file and parses it likewise. */
int baseline_read(const char *path, struct profile **ret, size_t *ret_count, struct err *err);

#endif
