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

enum table_format { TABLE_CSV, TABLE_JSON };
enum column_set { COLUMNS_GUIDE, COLUMNS_VENDOR };

struct export_options {
    const char *database;     /* path, for readers that run side by side with their own connection */
    const char *directory;    /* existing directory that the files go into: <capture>/summary or timeline */
    enum table_format format; /* summary only */
    enum column_set columns;  /* summary only */
    /* Told once for every file that is complete under its name: "op_summary", its path. May be NULL. */
    void (*written)(void *arg, const char *report, const char *path);
    void *written_arg;
    const struct progress *progress; /* may be NULL */
};

struct export_result {
    uint64_t files, rows; /* rows of tables, or events of timelines */
};

/* Writes every timeline (or summary) that the database has data for; *ret counts also on failure. Files written before
 * a failure stay; the failing one does not appear. */
int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

struct show_options {
    int width;  /* columns of the terminal; 0: no limit */
    bool color; /* titles in cyan */
};

/* Prints the capture's tables to stream; a write error is returned as -ERR_IO. */
int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err);

#endif
