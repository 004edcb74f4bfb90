/* SPDX-License-Identifier: Apache-2.0 */
/* What features add to the outputs of the core, beside reports, tracks and kinds: a
 * "const struct export_extension export_extension_<name>" in features/, which the Makefile finds. Each function below
 * calls the member of every extension that has it, until one fails. */
#ifndef MSPROF_EXPORTERS_EXTENSION_H
#define MSPROF_EXPORTERS_EXTENSION_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>

struct export_options;
struct export_result;
struct report_run;
struct report_session;

struct export_extension {
    /* Appends why a capture has nothing for a table, at least "TABLE: no data". */
    int (*tell_absence)(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err);
    /* Appends why a capture holds nothing at all; nothing when it holds something. */
    int (*tell_emptiness)(sqlite3 *db, struct strbuf *ret, struct err *err);
    /* Writes further files of 'export summary' of a capture of CANN. */
    int (*summary_files)(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
    /* Writes the database of 'export communication', likewise. */
    int (*communication_database)(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                                  struct err *err);
    /* Adds to a database that import has just made what answers are made of: import_request.complete. */
    int (*complete)(const char *path, sqlite3 *db, struct err *err);
    /* Makes what a report's query names that is no table of the database, as temporary tables. */
    int (*query_begin)(sqlite3 *db, const char *sql, struct err *err);
    /* Puts the rows of a report of_workload. */
    int (*put_rows)(struct report_run *run, struct err *err);
    /* Reads what several tables of a session are made of once; end it whatever the result. */
    int (*session_begin)(struct report_session *session, struct err *err);
    void (*session_end)(struct report_session *session);
};

int extension_tell_absence(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err);
int extension_tell_emptiness(sqlite3 *db, struct strbuf *ret, struct err *err);
int extension_summary_files(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                            struct err *err);
int extension_communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                                     struct err *err);
int extension_complete(const char *path, sqlite3 *db, struct err *err);
int extension_query_begin(sqlite3 *db, const char *sql, struct err *err);
int extension_put_rows(struct report_run *run, struct err *err);
int extension_session_begin(struct report_session *session, struct err *err);
void extension_session_end(struct report_session *session);

#endif
