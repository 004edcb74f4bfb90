/* SPDX-License-Identifier: Apache-2.0 */
/* Inventory of a capture, in numbers and in words of this program: no text of a capture is among them. Same conventions
 * as query.h. */
#ifndef MSPROF_DB_QUERY_QUERY_INVENTORY_H
#define MSPROF_DB_QUERY_QUERY_INVENTORY_H

#include "base/diag.h"
#include "base/err.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The files of one kind of records. */
struct inventory_kind {
    const struct record_kind *kind; /* NULL: of none, as settings and files that nothing claims */
    int64_t files, bytes;
    int64_t rows, joined, rejected; /* together all records of the files */
};
/* Those with losses first, then those with the most records. */
int inventory_each_kind(sqlite3 *db, int (*each)(void *arg, const struct inventory_kind *kind, struct err *err),
                        void *arg, struct err *err);

/* A loss or refusal of an import. */
struct inventory_problem {
    enum diag_id id;
    int64_t occurrences, files; /* files that it concerns; a capture as a whole counts as one */
    int64_t rejected;           /* records that were rejected for it */
};
int inventory_each_problem(sqlite3 *db,
                           int (*each)(void *arg, const struct inventory_problem *problem, struct err *err), void *arg,
                           struct err *err);

/* A device's half of a capture, or the host's. */
struct inventory_part {
    int64_t device_id, chip; /* DB_NULL: unknown */
    bool is_host;
};
int inventory_each_part(sqlite3 *db, int (*each)(void *arg, const struct inventory_part *part, struct err *err),
                        void *arg, struct err *err);

#endif
