/* SPDX-License-Identifier: Apache-2.0 */
/* Things that the reports of one export share: texts and facts of the database, read once and when first needed. */
#ifndef MSPROF_EXPORTERS_TABLE_SESSION_H
#define MSPROF_EXPORTERS_TABLE_SESSION_H

#include "db/query/clocks.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "exporters/export.h"
#include "exporters/parallel.h"
#include "exporters/table/plan.h"

struct workload;       /* features/answers/analysis/workload.h */
struct path_steps;     /* features/answers/load/load.h */
struct host_calls;     /* features/answers/load/load.h */
struct device_reading; /* exporters/reports/cann/device_2022.h */

struct report_session {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    void *context;                   /* of reports that are made of more than the database */
    const struct workload *workload; /* of all answers of one page, read once; NULL: each reads its own */
    struct workload *shared;         /* the same where the session owns it (load/answer.h) */
    struct path_steps *paths;        /* likewise the critical paths */
    const struct host_calls *calls;  /* facts from the calls of the host, for one page; NULL: each reads its own */
    struct device_reading *reading;  /* of captures of 2022: what the tables of a device share; NULL: nothing yet */
    void (*reading_free)(struct device_reading *reading);
    /* Takes the values of rows that report_put gets, in place of the table: one for each column of the report. */
    int (*keep)(void *arg, const struct report *report, const struct report_value *values, size_t count,
                struct err *err);
    void *keep_arg;
    struct text_cache {
        bool loaded;
        struct cann_texts texts;
    } names, tensors, plain_names, plain_tensors; /* encoded for options->format, and as they are */
    bool quoted_shapes;                           /* of the tensors, in every format */
    struct {
        bool loaded;
        struct cann_communications items;
    } communications, launched;
    struct {
        bool loaded;
        struct cann_parts items;
    } parts;
    struct {
        bool loaded;
        struct cann_clocks items;
    } clocks;
    sqlite3 *idle[PARALLEL_MAX_WORKERS]; /* connections that workers gave back */
    size_t idle_count;
    bool lent; /* db itself */
};

/* Makes SQL's functions for reports known to db, which must outlive the session; so must the others. It needs
 * report_session_release whatever the result. */
int report_session_open(struct report_session *session, sqlite3 *db, const struct export_options *options,
                        struct export_result *result, struct err *err);
void report_session_release(struct report_session *session);

/* NULL with err set. Owned by the session. plain: not encoded. */
const struct cann_texts *report_names(struct report_session *session, bool plain, struct err *err);
const struct cann_texts *report_tensors(struct report_session *session, bool plain, struct err *err);
/* Those are many: who needs them no more gives them back. */
void report_forget_tensors(struct report_session *session);
const struct cann_communications *report_communications(struct report_session *session, struct err *err);
/* Those whose tasks the host launched: tables of operators have kernels on the AI CPU that are others as kernels. */
const struct cann_communications *report_launched_communications(struct report_session *session, struct err *err);
const struct cann_parts *report_parts(struct report_session *session, struct err *err);
const struct cann_clocks *report_clocks(struct report_session *session, struct err *err);

/* A connection of its own for a worker: opening one reads all of the schema, so they are lent again and again, first
 * the session's, which nobody else may use until it is back. Both are called by the session's thread. The worker gives
 * it back with its statements finalized; NULL is nothing. */
int report_lend_connection(struct report_session *session, sqlite3 **ret, struct err *err);
void report_return_connection(struct report_session *session, sqlite3 *db);

#endif
