/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of ASCEND_PROFILER_OUTPUT. */
#ifndef MSPROF_EXPORTERS_DATABASE_DATABASES_H
#define MSPROF_EXPORTERS_DATABASE_DATABASES_H

#include "exporters/database/unified.h"
#include "exporters/export.h"
#include "exporters/reports/framework/analysis.h"

/* The database that Ascend's viewers read, as a file of any name and with tables that others add. */

/* Tables of samples in the database for viewers. */

/* Adds tables and rows before the file is complete. */
typedef int cann_db_adder(void *arg, struct unified *unified, struct err *err);

/* Writes the database of a capture to path. options->database NULL: there is no capture, and only what add (which may
 * be NULL) adds is in it. Counts the file and its rows in *result. */
int database_write_cann(sqlite3 *db, const struct export_options *options, const char *path, cann_db_adder *add,
                        void *arg, struct export_result *result, struct err *err);

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
