/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of ASCEND_PROFILER_OUTPUT. */
#ifndef MSPROF_EXPORTERS_DATABASE_DATABASES_H
#define MSPROF_EXPORTERS_DATABASE_DATABASES_H

#include "exporters/reports/framework/analysis.h"

/* ascend_mindspore_profiler_<rank>.db or ascend_pytorch_profiler_<rank>.db: what the capture's database for viewers has
 * and, of PyTorch, the framework's tables. */
int framework_write_database(struct framework_analysis *analysis, struct err *err);

/* communication_analyzer.db of MindSpore, analysis.db of PyTorch: communication, and PyTorch's steps. */
int framework_write_communication_database(struct framework_analysis *analysis, struct err *err);

/* Inside: adds PyTorch's tables to a database. */
int pytorch_add_tables(struct framework_analysis *analysis, sqlite3 *db, struct err *err);

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
