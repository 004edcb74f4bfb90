/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own reports: text files with a query and what its columns are. msprof-report(5) describes them. */
#ifndef MSPROF_EXPORTERS_TABLE_USER_REPORT_FILE_H
#define MSPROF_EXPORTERS_TABLE_USER_REPORT_FILE_H

#include "exporters/table/report.h"

#define REPORT_FILE_SUFFIX ".report"
#define REPORT_FILE_LIMIT ((size_t)1024 * 1024) /* bytes */

/* All zero: empty. */
struct report_files {
    struct report_file *items; /* inside */
    size_t count, capacity;
    int64_t seconds; /* that each query may take; 0: as many as it takes */
};

/* Adds the report of a text; what the messages call it is name. -ERR_FORMAT tells line and column of a mistake; a
 * report whose name is taken, by one of msprof's or by one of another text, is a mistake too. */
int report_files_parse(struct report_files *files, const char *name, const char *text, size_t length, struct err *err);
/* Adds the report of a file likewise. */
int report_files_load(struct report_files *files, const char *path, struct err *err);
/* Adds all files of a directory whose names end in REPORT_FILE_SUFFIX, by name; one that does not exist is empty. */
int report_files_load_directory(struct report_files *files, const char *path, struct err *err);
void report_files_release(struct report_files *files);

/* The i-th report. Its query can only read: what would attach, write or set anything is refused when it is prepared,
 * and the error tells line and column. */
const struct report *report_files_get(const struct report_files *files, size_t i);

#endif
