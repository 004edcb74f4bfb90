/* SPDX-License-Identifier: Apache-2.0 */
/* Why a capture has nothing for a table: what would have had to be switched on. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_ABSENCE_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_ABSENCE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>

/* Appends "l2_cache: no data; it needs l2 = on, which this capture had off", or less when less is known: at least
 * "l2_cache: no data". */
int absence_tell(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err);

#endif
