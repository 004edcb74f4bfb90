/* SPDX-License-Identifier: Apache-2.0 */
/* The capture's database with nothing but the steps that are asked for. */
#ifndef MSPROF_EXPORTERS_DATABASE_PART_H
#define MSPROF_EXPORTERS_DATABASE_PART_H

#include "exporters/reports/framework/analysis.h"

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
