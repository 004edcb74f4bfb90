/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of SQL that queries of reports use beside SQLite's own; what they do stands in parsers/series.h. */
#ifndef MSPROF_EXPORTERS_TABLE_FUNCTIONS_H
#define MSPROF_EXPORTERS_TABLE_FUNCTIONS_H

#include "base/err.h"

#include <sqlite3.h>

/* Makes them known to a connection. */
int report_functions_register(sqlite3 *db, int cann_version, struct err *err);

#endif
