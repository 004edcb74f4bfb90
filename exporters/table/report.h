/* SPDX-License-Identifier: Apache-2.0 */
/* A report is a table: its columns are data, and one engine makes CSV, JSON and tables of the terminal of it, sorted,
 * filtered and cut as wanted. docs/adding-a-report.md describes how to add one. */
#ifndef MSPROF_EXPORTERS_TABLE_REPORT_H
#define MSPROF_EXPORTERS_TABLE_REPORT_H

#include "base/err.h"
#include "db/query/query.h"
#include "db/query/query_window.h"
#include "exporters/table/session.h"
#include "exporters/table/writer.h"
#include "parsers/record.h"

struct report_run;
struct report_scope;
struct report_worker;
struct report;

#define REPORT_SKIP 1

/* A table with a row for each row of a table of the database that has ids from 1 on, in their order: read in ranges,
 * on all processors. Every column's sql gives an integer or NULL. The report's query is not used. Every function may be
 * NULL but those of rows between. */
struct report_scan {
    const char *table;
    const char *where;          /* which rows; NULL: all; query_scan.h says how it is fast, and columns' sql likewise */
    size_t worker_size;         /* bytes of a worker's own state, zeroed */
    size_t variant_worker_size; /* likewise, of a variant */
    /* Whether a column's value is needed: one that is not is VALUE_MISSING. NULL: all are. */
    bool (*needs)(const struct report_run *run, size_t column);
    /* Before the first row of a range; previous: the row of the table before it, NULL: there is none. */
    int (*begin)(struct report_worker *worker, const struct report_value *previous, struct err *err);
    /* Changes a row before it is put; values of columns without sql are VALUE_MISSING. REPORT_SKIP: it is not put. */
    int (*row)(struct report_worker *worker, struct report_value *values, struct err *err);
    /* Rows of another source that stand between those of the table: how many, whether the i-th stands in front of a
     * row, and its values. */
    size_t (*between_count)(const struct report_run *run);
    bool (*between_before)(const struct report_run *run, size_t i, const struct report_value *values);
    int (*between)(struct report_worker *worker, size_t i, struct report_value *values, struct err *err);
    void (*end)(struct report_worker *worker); /* what its state owns */
};

/* One way through the database that several tables are made of: they are made together where all are wanted, and each
 * alone where it is. */
struct report_walk {
    /* Puts the rows of one of them. */
    int (*rows)(struct report_run *run, struct err *err);
    /* Writes the files of `count` of them. */
    int (*files)(struct report_session *session, const struct report_scope *scope, const struct report *const *reports,
                 size_t count, struct err *err);
};

/* A query of a file (msprof-report(5)). */
struct report_user_query {
    const char *text, *place; /* place: the file, for messages */
    size_t first_line;        /* of the text in the file */
    int64_t seconds;          /* that it may take; 0: as many as it takes */
    bool joint;               /* it is asked over several captures: the tables that it reads name theirs */
};

struct report {
    const char *name;      /* "op_summary": of its files, of show --table */
    const char *title;     /* "Operators" */
    const char *doc;       /* a sentence or two for the manual */
    const char *needs;     /* NULL, or what a capture without rows of it lacks: "calls of the host" */
    unsigned families;     /* FAMILY_... that can have it */
    bool of_kind;          /* a record kind declares it (parsers/series.h) */
    const char *tables[2]; /* of such a one: while none of these has rows it has none; NULL: there are no more */
    const char *parts; /* NULL, or what stands behind the name of a part's file, for the manual: "_<device>_<model>" */
    bool is_short;     /* all rows are shown unless --top says otherwise */
    int show_order;    /* of a tree's: its place among those that 'show' prints without --table, from 1; 0: not there */
    const char *show_if; /* of such a one: an expression without which it is left out there; NULL: it never is */
    bool shown_only;     /* on terminals and by its name, not among the files of a summary */
    bool of_device;      /* a table for each device, :device; else one for the capture */
    bool whole;          /* no file is split, however many rows it has */
    bool windowed;       /* rows: only those of the step or time that was chosen; of_workload: they always are */
    /* Of rows that are made of those of other tables: the tables of the database of which only what begins in that step
     * or time is seen meanwhile; NULL: there are no more. */
    const char *narrowed[QUERY_NARROWED_MAX];
    bool one_width;   /* on a terminal the tables of all parts are as wide as the widest */
    const char *when; /* NULL, or an expression; without it the table is not made */
    struct report_query query;
    const struct report_column *columns; /* ended by no title; without sql: the report's own code gives their values */
    /* Things that a table cannot say; each may be NULL. */
    size_t state_size;   /* bytes of run->state, zeroed */
    size_t variant_size; /* of run->variant: the state of a report that another is copied into, whose functions have
                            run->state */
    int (*open)(struct report_run *run, struct err *err); /* may add columns to run->plan with report_plan_add */
    void (*close)(struct report_run *run);                /* also after a failed open */
    int (*rows)(struct report_run *run, struct err *err); /* instead of the query: report_put for each row */
    /* Likewise, of what ran on devices (features/answers/load/answer.h), with their counters or without. */
    int (*of_workload)(struct report_run *run, const struct workload *workload, struct err *err);
    bool counters;
    bool known; /* of_workload: import keeps the rows of whole captures (features/answers/load/known.h) */
    const struct report_scan *scan;       /* instead of all that */
    const struct report_walk *walk;       /* instead of the scan, too; shared with other reports */
    const void *visitor;                  /* what its functions, or the walk, use, of their type */
    const struct report_user_query *user; /* instead of all that: its columns are the report's */
    const struct report_user_query *own;  /* likewise, of msprof's own text: it knows :device and temporary tables, and
                                             nothing confines it */
};

/* The scope that a table is made of, beside the database: a part of it, and the suffix of its file among those of other
 * parts. */
struct report_scope {
    int64_t device_id, model_id, iteration; /* :device, :model and :iteration of the query; DB_NULL: NULL */
    const char *suffix;                     /* of the file's name: "_20250101120000", "_0_1" */
};

/* A part of a table that is more than one: of files each has its own, on a terminal each is a table under a heading.
 * Where rows are chosen, or go into one stream or a merged table, the parts stand one behind the other in one table. */
struct report_part {
    const char *suffix; /* of its file's name, instead of the scope's; that of the part before: the same file */
    int (*heading)(const void *arg, struct show *show, struct err *err); /* prints what stands above it */
    /* Puts its rows: a second time too, for a terminal, where they are too many to be kept. NULL, with one_width: they
     * are those that follow. */
    int (*rows)(const void *arg, struct report_run *run, struct err *err);
    const void *arg;
};

/* One table on its way. */
struct report_run {
    const struct report *report;
    struct report_session *session;
    const struct report_scope *scope;
    struct report_plan plan;
    struct row_choice choice;
    struct report_writer writer;
    struct terminal_table *terminal; /* NULL: rows go to a file */
    void *state, *variant;           /* the report's */
    bool chosen;                     /* rows are filtered, sorted or cut */
    size_t parts;                    /* so far, of those with rows of their own, on a terminal */
    /* Which members of a row report_put needs, and their values; NULL until the first. */
    struct put_field *fields;
    size_t field_count;
    struct report_value *values;
};

/* A worker of a scan. */
struct report_worker {
    const struct report_run *run;
    void *state, *variant; /* the report's */
    const int64_t *raw;    /* what the columns with REPORT_RAW have in the row, DB_NULL: nothing */
};

/* Puts a row: a value for each column of the report, then for those that were added. */
static inline int report_row(struct report_run *run, const struct report_value *values, struct err *err)
{
    return report_writer_row(&run->writer, values, err);
}
/* Puts a row of the struct whose members the columns show (REPORT_FIELD): a pointer to it. */
#define report_put(run, row, err) report_put_struct(run, row, sizeof *(row), err)
int report_put_struct(struct report_run *run, const void *row, size_t size, struct err *err);
/* Puts the rows of a part. */
int report_put_part(struct report_run *run, const struct report_part *part, struct err *err);
/* How many of the columns that are shown, from the first on, have one of the values below `limit`: their cells may be
 * put at once (value_cells). 0 where values have to be known one by one. */
size_t report_leading_columns(const struct report_run *run, size_t limit);

/* Whether anything of this table needs a value: a column that is shown, a filter, the order. */
bool report_needs(const struct report_run *run, size_t value);

/* Whether the database has the table: report->when is true of it. */
int report_is_there(const struct report_session *session, const struct report *report, bool *ret, struct err *err);
/* The columns of a table of the database, including those that only its rows define. The plan needs
 * report_plan_release whatever the result. */
int report_columns(struct report_session *session, const struct report *report, const struct report_scope *scope,
                   struct report_plan *ret, struct err *err);
/* Makes one table. Nothing appears, and *ret_rows is 0, when it has no rows. */
int report_write(struct report_session *session, const struct report *report, const struct report_scope *scope,
                 uint64_t *ret_rows, struct err *err);
/* For a walk: a table in files whose rows, or parts, are put between the two. report_close completes it, or drops what
 * is open when status < 0, and returns status or a failure of its own; needed whatever report_open returns. */
int report_open(struct report_run *run, struct report_session *session, const struct report *report,
                const struct report_scope *scope, struct err *err);
int report_close(struct report_run *run, int status, struct err *err);
/* Completes the file of the last part. */
int report_end_part(struct report_run *run, struct err *err);

/* All reports: those of exporters/reports/ and features/, functions and texts alike, then those of kinds with a series,
 * each group by name; ended by NULL.
 * Within a family the names of those that summaries have are different from each other, and so are those of the shown
 * ones, by test. NULL with err set when memory ran out. */
const struct report *const *report_all(struct err *err);
/* Whether the queries of msprof's own texts can be asked of an empty database, and have a value for each column: for
 * the build. Those that are for captures with something beside them are left out. */
int report_check_own(struct err *err);
/* Finds the report of this name that captures of a family (CAPTURE_...) can have; of two the one that is only shown.
 * NULL: there is none. */
const struct report *report_find(const struct report *const *all, const char *name, int family);
/* Finds it among those that summaries have files of. */
const struct report *report_find_file(const struct report *const *all, const char *name, int family);

/* Inside of the engine: where rows come from. */

/* Puts the rows of the report's query. */
int report_query_rows(struct report_run *run, struct err *err);
/* Prepares the query of the report's own text; the columns are those of the report. */
int report_own_prepare(sqlite3 *db, const struct report *report, sqlite3_stmt **ret, struct err *err);
/* Puts the rows of a user's query. */
int report_user_rows(struct report_run *run, struct err *err);
/* Adds the columns that the user's query gives to the plan of a report that has none. */
int report_user_columns(struct report_run *run, struct err *err);
/* Puts the rows of the report's scan, or writes them into files itself. */
int report_scan_rows(struct report_run *run, struct err *err);

/* Reads the tables that columns of the run look up; once, before rows are put. */
int report_lookups_load(struct report_run *run, struct err *err);

/* Reports as text files with a query and what its columns are: msprof-report(5) describes them. */

#define REPORT_FILE_SUFFIX ".report"
#define REPORT_FILE_LIMIT ((size_t)1024 * 1024) /* bytes */

/* All zero: empty. */
struct report_files {
    struct report_file *items; /* inside */
    size_t count, capacity;
    int64_t seconds; /* that each query may take; 0: as many as it takes */
    bool joint;      /* each is asked over several captures */
    bool own;        /* they are msprof's own */
};

/* Adds the report of a text; what the messages call it is name. -ERR_FORMAT reports line and column of a mistake; a
 * report whose name is taken, by one of msprof's or by one of another text, is a mistake too. */
int report_files_parse(struct report_files *files, const char *name, const char *text, size_t length, struct err *err);
/* Adds a query as a report of this name, whose columns are those that it gives. Both texts are copied; messages call
 * the query "query". */
int report_files_add_query(struct report_files *files, const char *name, const char *sql, struct err *err);
/* Adds the report of a file likewise. */
int report_files_load(struct report_files *files, const char *path, struct err *err);
/* Adds all files of a directory whose names end in REPORT_FILE_SUFFIX, by name; one that does not exist is empty. */
int report_files_load_directory(struct report_files *files, const char *path, struct err *err);
void report_files_release(struct report_files *files);

/* The i-th report. Its query can only read: what would attach, write or set anything is refused when it is prepared,
 * and the error has line and column. */
const struct report *report_files_get(const struct report_files *files, size_t i);

#endif
