/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did while devices waited: the evidence of advice. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_EVIDENCE_H
#define MSPROF_EXPORTERS_LOAD_LOAD_EVIDENCE_H

#include "analysis/advice.h"

#include <sqlite3.h>

/* Finds the longest gaps of the workload, and what covers them in its database. */
int evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err);

/* Tells in the rows of findings who launched them, where framework_attach has told the connection. */
int evidence_name_launchers(sqlite3 *db, struct advice *advice, struct err *err);

#endif
