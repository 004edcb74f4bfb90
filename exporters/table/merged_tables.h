/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of several captures as one set: each capture gives its rows in turn, and the file of a table goes on from
 * one capture to the next. A row has a cell for every column that any of the captures has. */
#ifndef MSPROF_EXPORTERS_TABLE_MERGED_TABLES_H
#define MSPROF_EXPORTERS_TABLE_MERGED_TABLES_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "exporters/export.h"
#include "exporters/table/plan.h"

struct merged_tables; /* opaque */

#define ROWS_PER_FILE 1000000

/* One of the files of a table. */
struct table_file {
    struct outfile out;   /* path NULL: it is not open */
    uint64_t rows, files; /* of this one so far, and complete ones before it */
    bool whole;           /* it takes all rows, also more than ROWS_PER_FILE */
};

struct merged_tables *merged_tables_new(const struct export_options *options, struct export_result *result,
                                        struct err *err);
/* The rows from here on are those of this capture. */
int merged_tables_begin(struct merged_tables *merged, const struct merge_part *part, struct err *err);

/* Takes out the file of a table where the capture before left it; it is not open where there is none yet. The plan is
 * given the columns of all captures so far. The file comes back with merged_tables_keep, or is aborted. */
int merged_tables_take(struct merged_tables *merged, const char *table, struct report_plan *plan,
                       struct table_file *ret, struct err *err);
void merged_tables_keep(struct merged_tables *merged, const char *table, struct table_file *file);
/* Writes the titles of a table's columns. */
int merged_tables_head(const struct merged_tables *merged, const char *table, struct outfile *out, struct err *err);

/* Completes the tables whose captures all gave rows of the columns that it has now. *ret_again: the others, whose first
 * captures did not know of columns of later ones, need the rows of all once more. */
int merged_tables_end(struct merged_tables *merged, bool *ret_again, struct err *err);
/* Whether rows of this table are taken: where all are given once more, only of those that need them. */
bool merged_tables_wants(const struct merged_tables *merged, const char *table);

/* Drops what is not complete. */
void merged_tables_free(struct merged_tables *merged);

#endif
