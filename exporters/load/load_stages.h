/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of loading evidence: the stages of a framework's data pipeline. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_STAGES_H
#define MSPROF_EXPORTERS_LOAD_LOAD_STAGES_H

#include "analysis/advice.h"

#include <sqlite3.h>

int evidence_load_stages(sqlite3 *db, struct host_evidence *evidence, struct err *err);

#endif
