/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: what each communication operator did with its time, over which
 * links, and between which ranks. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_FILES_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_FILES_H

#include "exporters/export.h"

/* Writes both for each device that has such operators: "communication_<timestamp>.json", of several devices
 * "communication_<device>_<timestamp>.json". Adds to *ret; rows are operators. */
int communication_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

#endif
