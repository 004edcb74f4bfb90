/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of ASCEND_PROFILER_OUTPUT. */
#ifndef MSPROF_FEATURES_VIEWERDB_DATABASES_H
#define MSPROF_FEATURES_VIEWERDB_DATABASES_H

#include "base/err.h"
#include "base/map.h"
#include "db/query/query_cann.h"
#include "db/schema.h"
#include "exporters/export.h"
#include "features/frameworks/reports/analysis.h"

#include <sqlite3.h>
#include <stdint.h>

/* The database that Ascend's viewers read (msprof_<time>.db, docs/formats/cann.md 8.5), made from that of a new CANN
 * capture.
 */

struct unified; /* opaque: a database being made */

/* Begins the database at path: first its large tables are filled, then it is connected to. NULL with err set. */
struct unified *unified_new(const char *path, struct err *err);
struct unified_bulk *unified_bulk_of(const struct unified *unified);
/* The id of a metric's name. */
int unified_name_metric(struct unified *unified, const char *name, int64_t *ret, struct err *err);
/* Ends the large tables and fills the others with all that can be said in SQL; database: of the capture, NULL: there is
 * none, and the tables are empty; runs: as communication_runs_load. */
int unified_connect(struct unified *unified, const char *database, struct map *runs, struct err *err);
/* Makes a table for the rows to come, unless it is there. */
int unified_begin_table(struct unified *unified, const struct exported_table *table, struct err *err);
/* A row of the table that was begun last: the columns of the statement are those of the table, in their order. */
int unified_add_row(struct unified *unified, sqlite3_stmt *row, struct err *err);
/* The database that is being made, for tables that others add: the capture is attached as "capture", and
 * launch(connection) gives the call in CANN_API that launched for it. */
sqlite3 *unified_sqlite(const struct unified *unified);
/* Completes the file under its name. It releases in any case. *ret_rows: of all tables. */
int unified_commit(struct unified *unified, uint64_t *ret_rows, struct err *err);
void unified_abort(struct unified *unified); /* NULL is fine */

/* The large tables of the database for viewers, whose rows are written as finished pages before SQLite opens the file:
 * calls come first, because tasks have the numbers of calls, then tasks. */

/* Ids of words that are not texts of the capture, which published databases have: not ours to choose. */
#define FIRST_WORD_ID INT64_C(4000000000)
#define NOT_AVAILABLE_ID 4000000016
#define UNKNOWN_ID 4000000017
#define SCHEDULE_ID 4000000018
#define NO_TEXT_ID 4000000041   /* of the empty one */
#define NO_NUMBER_ID 4294967295 /* of a connection, a context, a model, a range: there is none */

/* Names of numbers have ids in ranges, `id` for the number `first`. */
struct word_range {
    const char *kind;
    const struct value_name *names;
    int64_t first, last, id;
};
#define WORD_RANGES 5

struct unified_bulk; /* opaque */

/* file: of the tables that `script` makes; fd is its. NULL with err set. */
void unified_bulk_free(struct unified_bulk *bulk); /* NULL is fine */
/* Facts about the capture that rows are made of: the process, and the largest number of a name. */
void unified_bulk_capture(struct unified_bulk *bulk, int64_t process_id, int64_t last_name);

/* Calls come by their numbers, a call before those inside of it. */
int unified_add_call(struct unified_bulk *bulk, const struct cann_call *call, struct err *err);
int unified_add_task(struct unified_bulk *bulk, const struct cann_task *task, struct err *err);
/* Metrics of a task; names: their ids. */
int unified_add_metrics(struct unified_bulk *bulk, int64_t task_id, const int64_t *names, const double *values,
                        size_t count, struct err *err);
/* Adds what a device did for a while: type as in ENUM_OVERLAP_ANALYSIS_TYPE. */
int unified_add_overlap(struct unified_bulk *bulk, int64_t device_id, int64_t start_ns, int64_t end_ns, int type,
                        struct err *err);

/* ascend_mindspore_profiler_<rank>.db or ascend_pytorch_profiler_<rank>.db: what the capture's database for viewers has
 * and, of PyTorch, the framework's tables. */
int framework_write_database(struct framework_analysis *analysis, struct err *err);

/* communication_analyzer.db of MindSpore, analysis.db of PyTorch: communication, and PyTorch's steps. */
int framework_write_communication_database(struct framework_analysis *analysis, struct err *err);

/* Inside: adds PyTorch's tables to a database. */
int torch_add_tables(struct framework_analysis *analysis, sqlite3 *db, struct err *err);

/* Inside: "<directory>/<name>" (free() it). */
char *framework_database_path(const struct framework_analysis *analysis, const char *name, struct err *err);

/* The capture's database with nothing but the steps that are asked for. */

struct framework_part {
    char *path; /* a temporary file beside the results */
    int fd;
    sqlite3 *db;
};

/* Makes it of analysis->db. It needs framework_part_release whatever the result. */
int framework_part_make(const struct framework_analysis *analysis, struct framework_part *ret, struct err *err);
/* Removes the file. */
void framework_part_release(struct framework_part *part);

#endif
