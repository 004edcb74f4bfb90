/* A report is a table: its columns are data, and one engine makes CSV, JSON and tables of the terminal of it, sorted,
 * filtered and cut as wanted. docs/adding-a-report.md tells how one is added. */
#ifndef MSPROF_EXPORTERS_REPORT_REPORT_H
#define MSPROF_EXPORTERS_REPORT_REPORT_H

#include "base/err.h"
#include "db/query/query.h"
#include "exporters/report/session.h"
#include "exporters/report/writer.h"
#include "parsers/series.h"

/* Families of captures (db/query/query.h), as bits. */
#define REPORT_OF(family) (1u << (family))
#define REPORT_OF_ALL (~0u)

struct report_run;
struct report_worker;

/* A table with a row for each row of a table of the database that has ids from 1 on, in their order: read in ranges,
 * on all processors. The report's query is not used. Every function may be NULL but those of rows between. */
struct report_scan {
    const char *table;
    const char *where;  /* which rows; NULL: all */
    bool integers;      /* every column's sql gives an integer or NULL, which is faster to read */
    size_t worker_size; /* bytes of a worker's own state, zeroed */
    /* Before the first row of a range; previous: the row of the table before it, NULL: there is none. */
    int (*begin)(struct report_worker *worker, const struct report_value *previous, struct err *err);
    /* Changes a row before it is put; values of columns without sql are VALUE_MISSING. */
    int (*row)(struct report_worker *worker, struct report_value *values, struct err *err);
    /* Rows of another source that stand between those of the table: how many, whether the i-th stands in front of a
     * row, and its values. */
    size_t (*between_count)(const struct report_run *run);
    bool (*between_before)(const struct report_run *run, size_t i, const struct report_value *values);
    int (*between)(struct report_worker *worker, size_t i, struct report_value *values, struct err *err);
};

/* A query of a user's file. */
struct report_user_query {
    const char *text, *place; /* place: the file, for messages */
    size_t first_line;        /* of the text in the file */
};

struct report {
    const char *name;  /* "op_summary": of its files, of show --table */
    const char *title; /* "Operators" */
    const char *doc;   /* a sentence or two for the manual */
    const char *needs; /* NULL, or what a capture without rows of it lacks: "calls of the host" */
    unsigned families; /* REPORT_OF(...) that can have it */
    bool whole;        /* all rows are shown unless --top says otherwise: it is short */
    bool shown_only;   /* on terminals and by its name, not among the files of a summary */
    bool of_device;    /* a table for each device, :device; else one for the capture */
    const char *when;  /* NULL, or an expression; without it the table is not made */
    struct report_query query;
    const struct report_column *columns; /* ended by no title; without sql: the report's own code gives their values */
    /* What a table cannot say; each may be NULL. */
    size_t state_size;                                    /* bytes of run->state, zeroed */
    int (*open)(struct report_run *run, struct err *err); /* may add columns to run->plan with report_plan_add */
    void (*close)(struct report_run *run);                /* also after a failed open */
    int (*rows)(struct report_run *run, struct err *err); /* instead of the query: report_row for each row */
    const struct report_scan *scan;                       /* instead of both */
    const struct report_user_query *user;                 /* instead of all that: its columns are the report's */
};

/* What a table is made of beside the database: a part of it, and what tells its file from that of other parts. */
struct report_scope {
    int64_t device_id, model_id, iteration; /* :device, :model and :iteration of the query; DB_NULL: NULL */
    const char *suffix;                     /* of the file's name: "_20250101120000", "_0_1" */
};

/* One table on its way. */
struct report_run {
    const struct report *report;
    struct report_session *session;
    const struct report_scope *scope;
    struct report_plan plan;
    struct row_choice choice;
    struct report_writer writer;
    void *state; /* the report's */
    bool chosen; /* rows are filtered, sorted or cut */
};

/* A worker of a scan. */
struct report_worker {
    const struct report_run *run;
    void *state; /* the report's */
};

/* Puts a row: a value for each column of the report, then for those that were added. */
int report_row(struct report_run *run, const struct report_value *values, struct err *err);

/* Makes one table. Nothing appears, and *ret_rows is 0, when it has no rows. */
int report_write(struct report_session *session, const struct report *report, const struct report_scope *scope,
                 uint64_t *ret_rows, struct err *err);

/* All reports: those of exporters/reports/, then those of kinds with a series, each group by name; ended by NULL.
 * Within a family the names of those that summaries have are different from each other, and so are those of the shown
 * ones, by test. */
const struct report *const *report_all(void);
/* The report of this name that captures of a family (DB_FAMILY_...) can have; of two the one that is only shown. NULL:
 * there is none. */
const struct report *report_find(const char *name, int family);

#endif
