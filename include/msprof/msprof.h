/* SPDX-License-Identifier: Apache-2.0 */
/* libmsprof: reads profiler captures of Ascend cards and SVP boards. Link with -lmsprof (pkg-config msprof, or
 * find_package(Msprof) in CMake). Manual: msprof_open(3).
 *
 *     struct msprof_capture *capture;
 *     struct msprof_error *error = NULL;
 *     if (msprof_open("PROF_000001", NULL, &capture, &error) < 0) {
 *         fprintf(stderr, "%s\n%s\n", msprof_error_message(error), msprof_error_hint(error));
 *         msprof_error_free(error);
 *         return 1;
 *     }
 *     struct msprof_table *table;
 *     struct msprof_table_options options = {.size = sizeof options, .columns = "name,total", .top = 10};
 *     if (msprof_table_open(capture, "ops", &options, &table, NULL) == 0) {
 *         const struct msprof_block *block;
 *         while (msprof_table_next(table, &block, NULL) == 1)
 *             for (size_t row = 0; row < block->rows; row++)
 *                 printf("%.3f us %.*s\n", block->columns[1].reals[row],
 *                        (int)(block->columns[0].offsets[row + 1] - block->columns[0].offsets[row]),
 *                        block->columns[0].text + block->columns[0].offsets[row]);
 *         msprof_table_close(table);
 *     }
 *     msprof_close(capture);
 *
 * Results: 0 on success, else a negative MSPROF_ERROR_ value. The last argument of a function that can fail is NULL, or
 * the address of a pointer that is set to an error on failure only; free it with msprof_error_free(). Strings are
 * UTF-8. Structs of options begin with their size; a member of 0 or NULL means the default, and NULL instead of a
 * struct means all defaults.
 *
 * Pointers: only `error`, `options`, `arg`, `other`, `written` and the members of options may be NULL; another NULL is
 * MSPROF_ERROR_USAGE. On failure *ret is NULL, and nothing is to be freed but the error. The size of a struct may be
 * that of an older or a newer version of this header.
 *
 * Errors: MSPROF_ERROR_USAGE for an argument, a name, a column or a filter that is wrong; MSPROF_ERROR_NOT_FOUND for
 * what is not there; MSPROF_ERROR_FORMAT for data, a database or a query that is wrong; MSPROF_ERROR_STRICT from
 * msprof_open alone. Each function that reads or writes can also return the codes of the system: _ACCESS, _IO,
 * _NO_SPACE, _NO_MEMORY, _LIMIT and _DATABASE.
 *
 * Lifetime: each type of object has its own function to free it. A table and an Arrow stream remain readable after
 * their capture is closed. Threads: a capture and its tables are used by one thread at a time; several captures may be
 * used in parallel. msprof_interrupt() may be called from any thread and from a signal handler.
 *
 * The library prints nothing, does not end the program, handles no signals, and does not change SQLite's settings, the
 * locale or the umask. It reads two environment variables: TMPDIR, the directory for temporary files, and TZ. Its own
 * threads receive no signals. */
#ifndef MSPROF_MSPROF_H
#define MSPROF_MSPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_API __attribute__((visibility("default")))

/* Returns the version of the library, such as "0.3.0". */
MSPROF_API const char *msprof_version(void);

/* ---- errors ---- */

enum msprof_error_code {
    MSPROF_ERROR_FAILED = -1,       /* any other error */
    MSPROF_ERROR_USAGE = -2,        /* invalid argument, or unknown table */
    MSPROF_ERROR_NOT_FOUND = -3,    /* no such file, capture or data */
    MSPROF_ERROR_ACCESS = -4,       /* permission denied, or read-only */
    MSPROF_ERROR_IO = -5,           /* the system failed to read or write */
    MSPROF_ERROR_NO_SPACE = -6,     /* the disk is full */
    MSPROF_ERROR_NO_MEMORY = -7,    /* out of memory */
    MSPROF_ERROR_FORMAT = -8,       /* data that does not follow its format, or a wrong query */
    MSPROF_ERROR_LIMIT = -9,        /* a documented limit is exceeded */
    MSPROF_ERROR_DATABASE = -10,    /* SQLite failed */
    MSPROF_ERROR_STRICT = -11,      /* a data problem, with the option strict */
    MSPROF_ERROR_INTERRUPTED = -12, /* msprof_interrupt was called */
};

struct msprof_error; /* opaque */

/* Of NULL: 0, "" and "". The strings are valid until msprof_error_free. */
MSPROF_API int msprof_error_code(const struct msprof_error *error);
/* Returns what happened, where, and what was expected; from the outermost to the innermost cause, separated by ": ". */
MSPROF_API const char *msprof_error_message(const struct msprof_error *error);
/* Returns what to do, or "". */
MSPROF_API const char *msprof_error_hint(const struct msprof_error *error);
MSPROF_API void msprof_error_free(struct msprof_error *error); /* NULL is allowed */

/* ---- captures ---- */

/* Calls `each` with the absolute path of every capture: the directory itself, those in it, and those up to `depth`
 * levels further down (less than 0: as 0). A non-zero result of `each` ends the search and is returned. */
MSPROF_API int msprof_find(const char *directory, int depth, int (*each)(void *arg, const char *path), void *arg,
                           struct msprof_error **error);

struct msprof_capture; /* opaque */

enum msprof_import {
    MSPROF_IMPORT_STALE,  /* import if there is no database, or the capture has changed since */
    MSPROF_IMPORT_ALWAYS, /* always import again */
    MSPROF_IMPORT_NEVER,  /* MSPROF_ERROR_NOT_FOUND if there is no up-to-date database */
};

struct msprof_open_options {
    size_t size; /* sizeof(struct msprof_open_options) */
    enum msprof_import import;
    int strict; /* not 0: the first data problem of an import is an error */
    /* The directory for the database and other results; NULL: the capture or, if it is read-only, a temporary directory
     * that msprof_close removes. */
    const char *results;
    /* Reports the progress of an import, possibly from another thread. A non-zero result interrupts the import. */
    int (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
    const char *layouts; /* a directory with more record layouts, msprof-records(5); NULL: only the installed ones */
};

/* Opens the capture in a directory and imports it if necessary. *ret is NULL on failure. Data problems are not a
 * failure unless `strict` is set; msprof_diagnostics lists them. */
MSPROF_API int msprof_open(const char *path, const struct msprof_open_options *options, struct msprof_capture **ret,
                           struct msprof_error **error);
MSPROF_API void msprof_close(struct msprof_capture *capture); /* NULL is allowed */
/* Interrupts the call that runs on the capture in any thread, or else the next one: it returns
 * MSPROF_ERROR_INTERRUPTED, or succeeds if it ends before it notices. Later calls are not interrupted. */
MSPROF_API void msprof_interrupt(struct msprof_capture *capture); /* NULL is allowed */

struct msprof_facts {
    size_t size;          /* set by the caller */
    const char *path;     /* absolute path of the capture; these strings are valid until msprof_close */
    const char *database; /* path of its SQLite database, msprof-schema(5) */
    const char *family;   /* as in the table meta, such as "svp" or "ascend-cann" */
    int64_t start_ns;     /* start of the collection, or else the earliest event, by the clock of the capture */
    uint64_t records_decoded, records_rejected, problems;
    int imported; /* not 0: msprof_open imported the capture */
};
MSPROF_API int msprof_facts(struct msprof_capture *capture, struct msprof_facts *ret, struct msprof_error **error);

enum msprof_severity { MSPROF_NOTE, MSPROF_WARNING, MSPROF_ERROR };
struct msprof_diagnostic {
    const char *id; /* "file-empty" */
    enum msprof_severity severity;
    const char *file;    /* relative to the capture; "" if it concerns no file */
    const char *message; /* with record and offset */
    const char *remedy;
    uint64_t count; /* number of occurrences in this file */
};
/* Calls `each` with every data problem of the import; the strings are valid until `each` returns. A non-zero result of
 * `each` ends the iteration and is returned. */
MSPROF_API int msprof_diagnostics(struct msprof_capture *capture,
                                  int (*each)(void *arg, const struct msprof_diagnostic *diagnostic), void *arg,
                                  struct msprof_error **error);

/* ---- tables ---- */

/* Calls `each` with the name and the title of every table that has rows in this capture. A non-zero result of `each`
 * ends the iteration and is returned. */
MSPROF_API int msprof_tables(struct msprof_capture *capture,
                             int (*each)(void *arg, const char *name, const char *title), void *arg,
                             struct msprof_error **error);

struct msprof_table; /* opaque */

struct msprof_table_options {
    size_t size;         /* sizeof(struct msprof_table_options) */
    const char *columns; /* ids of columns in the wanted order: "name,total" */
    const char *sort;    /* "total", or "-total" for descending order */
    /* Conditions, terminated by NULL; rows must match all of them: "COLUMN~GLOB", "COLUMN!~GLOB", or a comparison with
     * < <= > >= = != and a value, with or without a unit: "total > 100us". */
    const char *const *filters;
    uint64_t top;             /* largest number of rows; 0: all */
    const char *step;         /* only rows of this step, a number or "slowest", as --step of msprof-show(1) */
    const char *from, *until; /* only rows in this time range since the start of the capture: "1.5s" */
    size_t block_rows;        /* largest number of rows in a block, up to 1048576; 0: 1024 */
};

/* Opens a table by its name, from msprof_tables or any other table that the capture can have. */
MSPROF_API int msprof_table_open(struct msprof_capture *capture, const char *name,
                                 const struct msprof_table_options *options, struct msprof_table **ret,
                                 struct msprof_error **error);
/* Opens the rows of an SQL query, which can only read. */
MSPROF_API int msprof_sql(struct msprof_capture *capture, const char *query, struct msprof_table **ret,
                          struct msprof_error **error);

enum msprof_type { MSPROF_INTEGER, MSPROF_REAL, MSPROF_TEXT };

/* A column of a block, in the memory layout of Apache Arrow: int64, double or utf8. */
struct msprof_column {
    const char *id;    /* the name in options: "task_duration" */
    const char *title; /* the title in files: "Task Duration(us)". Points in time are integers in nanoseconds. */
    enum msprof_type type;
    const uint8_t *valid;    /* bit row % 8 of byte row / 8 is 1 if the value exists */
    const int64_t *integers; /* for MSPROF_INTEGER; 0 if the value does not exist */
    const double *reals;     /* for MSPROF_REAL */
    const int32_t *offsets;  /* for MSPROF_TEXT: row i is from text + offsets[i] to text + offsets[i + 1] */
    const char *text;
};
struct msprof_block {
    size_t rows, column_count; /* rows 0: of msprof_table_columns alone */
    const struct msprof_column *columns;
};

/* Returns 1 and the next block in *ret, which is valid until the next call on this table; 0 after the last block, as
 * often as it is called. The types of the columns are the same in all blocks. A failure is final: it is returned again.
 */
MSPROF_API int msprof_table_next(struct msprof_table *table, const struct msprof_block **ret,
                                 struct msprof_error **error);
/* Returns the columns in a block without rows, which is valid until msprof_table_close. */
MSPROF_API int msprof_table_columns(struct msprof_table *table, const struct msprof_block **ret,
                                    struct msprof_error **error);
/* Returns the remaining rows as a stream of the Arrow C data interface. The stream owns the table; end it with
 * ret->release(ret), and do not close the table. After a failure the table is still the caller's. */
struct ArrowArrayStream;
MSPROF_API int msprof_table_arrow(struct msprof_table *table, struct ArrowArrayStream *ret,
                                  struct msprof_error **error);
MSPROF_API void msprof_table_close(struct msprof_table *table); /* NULL is allowed */

/* ---- answers and files ---- */

/* Answers a question as JSON, to be freed with msprof_free(): "summary", the figures of 'msprof show'; "advise", the
 * findings (schema msprof.advice/1); "diff", the changes from `other` to this capture (msprof.diff/2). `other` is NULL
 * except for "diff". */
MSPROF_API int msprof_answer(struct msprof_capture *capture, const char *question, struct msprof_capture *other,
                             char **ret, struct msprof_error **error);
MSPROF_API void msprof_free(char *text); /* NULL is allowed */

struct msprof_cluster_options {
    size_t size;       /* sizeof(struct msprof_cluster_options) */
    const char *table; /* a table about all ranks, such as "operator_sum", msprof-cluster(1); NULL: who is slow */
    /* As in struct msprof_open_options; called by one thread at a time. */
    int (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
};
/* Analyses the captures of all ranks in a directory together and returns JSON (msprof.cluster/1), to be freed with
 * msprof_free(): the slowest rank, the worst link and who computes for longest, or a table. Captures that cannot be
 * read are left out; the member "problems" lists them. */
MSPROF_API int msprof_cluster(const char *directory, const struct msprof_cluster_options *options, char **ret,
                              struct msprof_error **error);

/* Writes files into a directory, which is created if missing: "summary" (CSV), "timeline" (JSON), "perfetto"
 * (timelines in Perfetto's format), "db" (the database for viewers) or "report" (report.html). Calls `written`, which
 * may be NULL, with the path of each file. */
MSPROF_API int msprof_export(struct msprof_capture *capture, const char *what, const char *directory,
                             void (*written)(void *arg, const char *path), void *arg, struct msprof_error **error);

/* Does the same, but passes the bytes of each file to `write` in pieces; a piece of length 0 ends a file. A positive
 * result of `write` ends the export and is returned. The files are made below TMPDIR and removed afterwards. */
MSPROF_API int msprof_export_bytes(struct msprof_capture *capture, const char *what,
                                   int (*write)(void *arg, const char *name, const void *bytes, size_t length),
                                   void *arg, struct msprof_error **error);

#ifdef __cplusplus
}
#endif

#endif
