/* SPDX-License-Identifier: Apache-2.0 */
/* communication_analyzer.db: what communication.json and communication_matrix.json tell, as tables for viewers. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_DATABASE_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_DATABASE_H

#include "exporters/export.h"

/* Writes "communication_analyzer_<timestamp>.db", of several devices "communication_analyzer_<device>_<timestamp>.db";
 * without such operators nothing. Adds to *ret. */
int communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                           struct err *err);

#endif
