/* SPDX-License-Identifier: Apache-2.0 */
/* Why a capture holds nothing at all. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_EMPTINESS_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_EMPTINESS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>

/* Appends "nothing was recorded, because ..." when no record came with the capture and no file of it is foreign;
 * nothing otherwise. */
int emptiness_tell(sqlite3 *db, struct strbuf *ret, struct err *err);

#endif
