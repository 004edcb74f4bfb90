/* SPDX-License-Identifier: Apache-2.0 */
/* Long messages of msproftx: their records hold a piece each. */
#ifndef MSPROF_DB_MESSAGES_H
#define MSPROF_DB_MESSAGES_H

#include "base/diag.h"
#include "base/err.h"

#include <sqlite3.h>

/* Joins the rows of table msproftx that are pieces of one message, those of one process, thread and mark, to one row in
 * the order of the pieces; at most 16384 characters are kept. Missing pieces are reported. The tables of the import are
 * filled. Returns 0 or -code with err set. */
int db_join_messages(sqlite3 *db, struct diagnostics *diag, struct err *err);

#endif
