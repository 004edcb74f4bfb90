/* The reports: what the command line asks exporters/ for. Each reads the database and writes whole files or one stream.
 */
#ifndef MSPROF_EXPORTERS_EXPORT_H
#define MSPROF_EXPORTERS_EXPORT_H

#include "base/err.h"
#include "base/progress.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* TABLE_TERMINAL is for show alone: rows of short tables on their way to the terminal. */
enum table_format { TABLE_CSV, TABLE_JSON, TABLE_TERMINAL };
enum column_set { COLUMNS_GUIDE, COLUMNS_VENDOR };

/* Layers of timelines of new CANN captures, as bits. */
enum timeline_layer {
    TIMELINE_CALLS = 1,
    TIMELINE_TASKS = 2,
    TIMELINE_COMMUNICATION = 4,
    TIMELINE_OVERLAP = 8,
    TIMELINE_FREQUENCY = 16,
    TIMELINE_STEPS = 32,
    TIMELINE_MARKS = 64,
    TIMELINE_DEVICE_MARKS = 128,
    TIMELINE_ALL = 255
};

struct show; /* inside */

struct export_options {
    const char *database;     /* path, for readers that run side by side with their own connection */
    const char *directory;    /* existing directory that the files go into: <capture>/summary or timeline */
    enum table_format format; /* summary only */
    enum column_set columns;  /* summary only */
    const char *timestamp;    /* "20250101120000", in names of the reports of CANN captures */
    int64_t iteration_id;     /* of CANN captures: the first iteration that is reported; 0: not given */
    int64_t iteration_count;  /* how many; 0: one */
    int64_t model_id;         /* of which model; -1: not given. New captures want both or none (everything); of those of
                                 the layout of 2022 it is the first that has iterations */
    bool trace_compat;        /* timeline of CANN captures: ts as a string, as the vendor's tool writes it */
    unsigned hidden_layers; /* enum timeline_layer: what the timeline of everything of a new CANN capture leaves out */
    /* Told once for every file that is complete under its name: "op_summary", its path. May be NULL. */
    void (*written)(void *arg, const char *report, const char *path);
    void *written_arg;
    const struct progress *progress; /* may be NULL */
    struct show *show;               /* TABLE_TERMINAL: where tables are printed instead of written into files */
};

struct export_result {
    uint64_t files, rows; /* rows of tables, or events of timelines */
};

/* Writes every timeline (or summary) that the database has data for; *ret counts also on failure. Files written before
 * a failure stay; the failing one does not appear. */
int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* The database that Ascend's viewers read; only of new CANN captures: others give no file. */
int export_database(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

struct show_options {
    const char *database; /* path, as in export_options */
    int width;            /* columns of the terminal; 0: no limit */
    bool color;           /* titles in cyan */
    int64_t top;          /* of tables with a row for each operator, task or message: at most this many, the longest */
};

/* Prints the capture's tables to stream; a write error is returned as -ERR_IO. */
int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err);

/* Prints the job table of a capture: a row for each of its devices and models; rows are counted in *ret. */
int query_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                  struct err *err);

#endif
