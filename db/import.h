/* SPDX-License-Identifier: Apache-2.0 */
/* Import: a capture into its database, in one pass over the raw data. */
#ifndef MSPROF_DB_IMPORT_H
#define MSPROF_DB_IMPORT_H

#include "base/diag.h"
#include "base/err.h"
#include "db/database.h"
#include "parsers/capture/capture.h"

#include <sqlite3.h>

struct import_request {
    const char *directory; /* the capture */
    const char *database;  /* path of the database to make; its directory exists */
    const char *tool_version;
    const char *parameters; /* options that change the result, as text; kept in meta for db_open_current */
    struct capture_options options;
    const struct progress *progress; /* may be NULL */
    enum database_way way;
    /* Adds to a database that is complete, but has no name yet, what questions need often: into the connection, from
     * the file at the path. NULL: nothing is added. */
    int (*complete)(const char *path, sqlite3 *db, struct err *err);
};

struct import_result {
    uint64_t records_decoded, records_rejected, bytes_read;
    uint64_t rejected_for[DIAG_COUNT]; /* the rejected ones by their reason */
    uint64_t warm_up_records;          /* rows whose records ended before the collection started */
    size_t files_decoded;
    char fingerprint[65]; /* of the capture (capture_fingerprint) */
};

/* Always builds anew. Data problems go to diag and into the diagnostics table; with a strict diag the first one fails
 * the import and no database appears (an older one stays). */
int db_import(const struct import_request *request, struct diagnostics *diag, struct import_result *ret,
              struct err *err);

/* Reads back what the import that made a database reported: what it counted, and its data problems (the first
 * DIAG_KEPT_IN_FULL of each kind and file). ret->bytes_read is 0. */
int db_read_import(sqlite3 *db, struct diagnostics *diag, struct import_result *ret, struct err *err);

/* Opens the database (database_open) when it exists, has this schema, was made with the same parameters, and the
 * capture's files are the ones it was made from (names, sizes, times). NULL: it is not so, or cannot be read. */
sqlite3 *db_open_current(const struct import_request *request);

#endif
