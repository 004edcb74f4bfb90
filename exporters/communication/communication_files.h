/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: what each communication operator did with its time, over which
 * links, and between which ranks. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_FILES_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_FILES_H

#include "exporters/export.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes both for each device that has such operators: "communication_<timestamp>.json", of several devices
 * "communication_<device>_<timestamp>.json". Adds to *ret; rows are operators. */
int communication_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* The names of the files of communication. */

#define COMMUNICATION_NAME_MAX 64

/* "communication", of several devices "communication_<device>". */
static inline void communication_name(char name[COMMUNICATION_NAME_MAX], const char *file, bool several_devices,
                                      int64_t device_id)
{
    if (several_devices)
        snprintf(name, COMMUNICATION_NAME_MAX, "%s_%" PRId64, file, device_id);
    else
        snprintf(name, COMMUNICATION_NAME_MAX, "%s", file);
}

/* communication_analyzer.db: what communication.json and communication_matrix.json tell, as tables for viewers. */

/* Writes "communication_analyzer_<timestamp>.db", of several devices "communication_analyzer_<device>_<timestamp>.db";
 * without such operators nothing. Adds to *ret. */
int communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                           struct err *err);

#endif
