/* SPDX-License-Identifier: Apache-2.0 */
/* libmsprof: reading profiler captures of Ascend cards and SVP boards. Link with -lmsprof (pkg-config msprof, or
 * find_package(Msprof) of CMake). msprof_open(3) is the manual.
 *
 *     struct msprof_capture *capture;
 *     struct msprof_error *error = NULL;
 *     if (msprof_open("PROF_000001", NULL, &capture, &error) < 0) {
 *         fprintf(stderr, "%s\n%s\n", msprof_error_message(error), msprof_error_hint(error));
 *         msprof_error_free(error);
 *         return 1;
 *     }
 *     struct msprof_table *table;
 *     struct msprof_table_options options = {.size = sizeof options, .columns = "name,duration", .top = 10};
 *     if (msprof_table_open(capture, "ops", &options, &table, NULL) == 0) {
 *         const struct msprof_block *block;
 *         while (msprof_table_next(table, &block, NULL) == 1)
 *             for (size_t row = 0; row < block->rows; row++)
 *                 use(block->columns[0].text + block->columns[0].offsets[row], block->columns[1].reals[row]);
 *         msprof_table_close(table);
 *     }
 *     msprof_close(capture);
 *
 * Results: 0, or a negative MSPROF_ERROR_ value. The last argument of a function that can fail takes what went wrong:
 * NULL where nobody asks, else the address of a pointer, which is set on failure only; msprof_error_free() it.
 * Strings are UTF-8. Structs of options begin with their size, and a member that is 0 or NULL is as if the struct had
 * not been given; NULL stands for no options at all.
 *
 * Lifetime: an object is freed by the function of its kind. A table, and a stream of Arrow, may be read on when its
 * capture is closed. Threads: a capture and its tables are used by one thread at a time; several captures may be used
 * side by side. msprof_interrupt() may be called by any thread, and by a signal handler.
 *
 * The library prints nothing, does not end the program, takes no signal and changes nothing of the process: neither
 * SQLite's settings, nor the locale, nor the umask. Of the environment it reads TMPDIR, where temporary files go, and
 * TZ. It uses threads of its own, which get no signals. */
#ifndef MSPROF_MSPROF_H
#define MSPROF_MSPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_API __attribute__((visibility("default")))

/* "0.3.0": the version of the library in use. */
MSPROF_API const char *msprof_version(void);

/* ---- errors ---- */

enum msprof_error_code {
    MSPROF_ERROR_FAILED = -1,       /* anything without a better name */
    MSPROF_ERROR_USAGE = -2,        /* an argument is wrong, or there is no such table */
    MSPROF_ERROR_NOT_FOUND = -3,    /* there is no such file, capture or data */
    MSPROF_ERROR_ACCESS = -4,       /* permission denied, or read-only */
    MSPROF_ERROR_IO = -5,           /* the system failed to read or write */
    MSPROF_ERROR_NO_SPACE = -6,     /* the disk is full */
    MSPROF_ERROR_NO_MEMORY = -7,    /* out of memory */
    MSPROF_ERROR_FORMAT = -8,       /* data that does not follow its format, or a wrong query */
    MSPROF_ERROR_LIMIT = -9,        /* a documented limit is exceeded */
    MSPROF_ERROR_DATABASE = -10,    /* SQLite failed */
    MSPROF_ERROR_STRICT = -11,      /* a data problem where none is accepted */
    MSPROF_ERROR_INTERRUPTED = -12, /* msprof_interrupt was called */
};

struct msprof_error; /* opaque */

MSPROF_API int msprof_error_code(const struct msprof_error *error);
/* What happened, where, and what was expected; causes from the outer to the inner one, divided by ": ". */
MSPROF_API const char *msprof_error_message(const struct msprof_error *error);
/* What to do; "" where there is nothing to say. */
MSPROF_API const char *msprof_error_hint(const struct msprof_error *error);
MSPROF_API void msprof_error_free(struct msprof_error *error); /* NULL is fine */

/* ---- captures ---- */

/* Calls each with the absolute path of every capture that a directory is or holds, and with those up to `depth` levels
 * further down. A result of each that is not 0 ends the search, and is the result. */
MSPROF_API int msprof_find(const char *directory, int depth, int (*each)(void *arg, const char *path), void *arg,
                           struct msprof_error **error);

struct msprof_capture; /* opaque */

enum msprof_import {
    MSPROF_IMPORT_STALE,  /* where there is no database, or the capture has changed since */
    MSPROF_IMPORT_ALWAYS, /* anew */
    MSPROF_IMPORT_NEVER,  /* MSPROF_ERROR_NOT_FOUND where there is no current database */
};

struct msprof_open_options {
    size_t size; /* sizeof(struct msprof_open_options) */
    enum msprof_import import;
    int strict; /* not 0: the first data problem of an import is an error */
    /* A directory for the database and other results; NULL: the capture, or a temporary one where that cannot be
     * written to, which msprof_close removes. */
    const char *results;
    /* Called during an import, perhaps by another thread: what is done, of how much. A result that is not 0 interrupts
     * the import. */
    int (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *progress_arg;
    const char *layouts; /* a directory of record layouts beside the installed ones, msprof-records(5); NULL: none */
};

/* Opens the capture in a directory, and imports it where that is needed. *ret is NULL after a failure. Data problems
 * are no failure unless they are to be: msprof_diagnostics lists them. */
MSPROF_API int msprof_open(const char *path, const struct msprof_open_options *options, struct msprof_capture **ret,
                           struct msprof_error **error);
MSPROF_API void msprof_close(struct msprof_capture *capture); /* NULL is fine */
/* Ends what runs on the capture, in whichever thread: it returns MSPROF_ERROR_INTERRUPTED. What is begun after that has
 * ended is not interrupted. */
MSPROF_API void msprof_interrupt(struct msprof_capture *capture);

struct msprof_facts {
    size_t size;          /* set by the caller */
    const char *path;     /* of the capture, absolute; these texts live as long as the capture */
    const char *database; /* path of its database: SQLite, as msprof-schema(5) describes it */
    const char *family;   /* "svp", "job", "2022", "cann" or that of a tree, as in the table meta */
    int64_t start_ns; /* the start of the collection, else the earliest event; by the clock of the capture's times */
    uint64_t records_decoded, records_rejected, problems;
    int imported; /* not 0: msprof_open had to import */
};
MSPROF_API int msprof_facts(struct msprof_capture *capture, struct msprof_facts *ret, struct msprof_error **error);

enum msprof_severity { MSPROF_NOTE, MSPROF_WARNING, MSPROF_ERROR };
struct msprof_diagnostic {
    const char *id; /* "file-empty" */
    enum msprof_severity severity;
    const char *file;    /* relative to the capture; "": of none */
    const char *message; /* with the place */
    const char *remedy;
    uint64_t count; /* how often it occurred in this file */
};
/* Calls each with what the import met; texts live until it returns. A result that is not 0 ends it, and is the result.
 */
MSPROF_API int msprof_diagnostics(struct msprof_capture *capture,
                                  int (*each)(void *arg, const struct msprof_diagnostic *diagnostic), void *arg,
                                  struct msprof_error **error);

/* ---- tables ---- */

/* Calls each with the name and the title of every table that has rows in this capture. */
MSPROF_API int msprof_tables(struct msprof_capture *capture,
                             int (*each)(void *arg, const char *name, const char *title), void *arg,
                             struct msprof_error **error);

struct msprof_table; /* opaque */

struct msprof_table_options {
    size_t size;         /* sizeof(struct msprof_table_options) */
    const char *columns; /* "name,duration": ids in the order wanted */
    const char *sort;    /* "duration", "-duration" */
    /* Ended by NULL: each "COLUMN~GLOB", "COLUMN!~GLOB", or COLUMN, one of < <= > >= = !=, and a value with a unit or
     * without: "duration > 100us". All must hold. */
    const char *const *filters;
    uint64_t top;             /* at most so many rows */
    const char *step;         /* rows of this step: its number, first, last, slowest or median, as --step has it */
    const char *from, *until; /* rows of this time, since the capture's start: "1.5s" */
    size_t block_rows;        /* rows of a block, at most; 0: 1024 */
};

/* Opens a table by its name: of msprof_tables, or of a summary. */
MSPROF_API int msprof_table_open(struct msprof_capture *capture, const char *name,
                                 const struct msprof_table_options *options, struct msprof_table **ret,
                                 struct msprof_error **error);
/* Opens the rows of an SQL query, which can only read. */
MSPROF_API int msprof_sql(struct msprof_capture *capture, const char *query, struct msprof_table **ret,
                          struct msprof_error **error);

enum msprof_type { MSPROF_INTEGER, MSPROF_REAL, MSPROF_TEXT };

/* A column of a block, laid out as Apache Arrow has it: int64, double, or utf8. */
struct msprof_column {
    const char *id;    /* as options name it: "task_duration" */
    const char *title; /* as files have it: "Task Duration(us)". A point in time is an integer in nanoseconds. */
    enum msprof_type type;
    const uint8_t *valid;    /* bit row % 8 of byte row / 8: the value exists */
    const int64_t *integers; /* of MSPROF_INTEGER; 0 where there is no value */
    const double *reals;     /* of MSPROF_REAL */
    const int32_t *offsets;  /* of MSPROF_TEXT: row i is from text + offsets[i] to text + offsets[i + 1] */
    const char *text;
};
struct msprof_block {
    size_t rows, column_count; /* rows 0: a table without rows, whose columns these are */
    const struct msprof_column *columns;
};

/* 1: *ret is the next block, which lives until the next call on this table. 0: there are no more. The types of the
 * columns are the same in all blocks. */
MSPROF_API int msprof_table_next(struct msprof_table *table, const struct msprof_block **ret,
                                 struct msprof_error **error);
/* The columns alone: a block of no rows. It lives as long as the table. */
MSPROF_API int msprof_table_columns(struct msprof_table *table, const struct msprof_block **ret,
                                    struct msprof_error **error);
/* Gives all rows that follow as a stream of the Arrow C data interface, which owns the table from then on.
 * ret->release(ret) ends it. */
struct ArrowArrayStream;
MSPROF_API int msprof_table_arrow(struct msprof_table *table, struct ArrowArrayStream *ret,
                                  struct msprof_error **error);
MSPROF_API void msprof_table_close(struct msprof_table *table); /* NULL is fine */

/* ---- answers and files ---- */

/* A text for msprof_free(): "summary", the figures of 'show'; "advise", the findings (msprof.advice/1); "diff", what
 * changed from `other` to this capture (msprof.diff/2). All are JSON. other: NULL for all but "diff". */
MSPROF_API int msprof_answer(struct msprof_capture *capture, const char *question, struct msprof_capture *other,
                             char **ret, struct msprof_error **error);
MSPROF_API void msprof_free(char *text);

/* Writes files into a directory, which is made where it is missing: "summary" (CSV), "timeline" (JSON), "perfetto"
 * (timelines of Perfetto), "db" (the database for viewers), "report" (report.html). Calls written, which may be NULL,
 * with the path of each file. */
MSPROF_API int msprof_export(struct msprof_capture *capture, const char *what, const char *directory,
                             void (*written)(void *arg, const char *path), void *arg, struct msprof_error **error);

/* Likewise, but hands the bytes of each file to write, in pieces, and with the length 0 at its end. A result of write
 * that is not 0, a positive number, ends the export, and is the result. Files are made below TMPDIR, and are gone when
 * write has them. */
MSPROF_API int msprof_export_bytes(struct msprof_capture *capture, const char *what,
                                   int (*write)(void *arg, const char *name, const void *bytes, size_t length),
                                   void *arg, struct msprof_error **error);

#ifdef __cplusplus
}
#endif

#endif
