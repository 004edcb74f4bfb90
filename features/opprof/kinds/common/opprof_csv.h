/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tables of 'msprof op' have in common: the first row names the columns, a comma may end every row, a column
 * that the table does not know is kept in opprof_other and reported once a file.
 *
 *     struct opprof_csv csv = {.kind = &kind_x, .expected = "block_id, ...", .column = ..., .row = ..., .arg = ...};
 *     return opprof_csv_read(&csv, decoder, file, path, NULL, err);
 */
#ifndef MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_CSV_H
#define MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_CSV_H

#include "base/format/csv_in.h"
#include "features/opprof/kinds/common/opprof_other.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

/* A key says which row it is; a table without any value is none. */
enum opprof_column { OPPROF_UNKNOWN, OPPROF_KEY, OPPROF_VALUE };

struct opprof_csv {
    const struct record_kind *kind;
    const char *expected; /* columns, for the message about a table that has none of them */
    enum opprof_column (*column)(void *arg, size_t place, const char *name);
    /* Takes a row of as many fields as the first one had. */
    int (*row)(void *arg, const char *const *fields, uint64_t number, struct err *err);
    void *arg;
    /* Of the reader: */
    struct decoder *decoder;
    const struct capture_file *file;
    size_t count;
    char *others[CSV_MAX_FIELDS]; /* names of columns that the table does not know */
    bool headed, comma;           /* comma: one ends the first row, and so every one */
};

/* Reads a file, unless another one of its kind and directory is newer. Damage is reported and no failure. *ret_whole
 * (may be NULL): the file was read to its end. */
int opprof_csv_read(struct opprof_csv *csv, struct decoder *decoder, const struct capture_file *file, const char *path,
                    bool *ret_whole, struct err *err);
/* Keeps the values of unknown columns of a row; key: of which block, NULL: of none. */
int opprof_csv_put_others(struct opprof_csv *csv, const struct block_key *key, const char *const *fields,
                          struct err *err);
/* Reports a row that is left out, and counts it. */
void opprof_csv_reject(struct opprof_csv *csv, uint64_t number, const char *field, const char *problem);
/* Reports a value that is no number. */
void opprof_csv_report_value(struct opprof_csv *csv, uint64_t number, const char *field, const char *text);

/* Settles how the reading of a file ended: one that is no CSV or JSON is reported and no failure. */
int opprof_settle(struct decoder *decoder, const struct capture_file *file, int status, struct err *mistake,
                  struct err *err);

#endif
