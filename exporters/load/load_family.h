/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of loading: what each family adds to a workload whose common facts are there. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_FAMILY_H
#define MSPROF_EXPORTERS_LOAD_LOAD_FAMILY_H

#include "analysis/compare/workload.h"
#include "base/err.h"

#include <sqlite3.h>

/* Whether the sums of units, blocks and bytes of operators are wanted too: they are more than all the rest. */
enum load_counters { WITHOUT_COUNTERS, WITH_COUNTERS };

int workload_load_svp(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err);
int workload_load_ascend(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err);

/* Adds the steps of a framework, of each device that ran something, where framework_attach has told the connection. */
int workload_load_framework_steps(sqlite3 *db, struct workload *workload, struct err *err);

/* Adds the ranges that step_range_choose chose, as steps. -ERR_NOT_FOUND when there are none. */
int workload_load_chosen_ranges(sqlite3 *db, struct workload *workload, struct err *err);

/* Appends a word to a list in a fact, separated by ", ", each once; cut where it does not fit. */
void facts_append(char *list, size_t size, const char *word);

#endif
