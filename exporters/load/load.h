/* SPDX-License-Identifier: Apache-2.0 */
/* From a database to what analysis/ works on. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_H
#define MSPROF_EXPORTERS_LOAD_LOAD_H

#include "analysis/compare/profile.h"
#include "analysis/compare/workload.h"
#include "analysis/memory_curve.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "db/query/query.h"

#include <sqlite3.h>

/* Whether the sums of units, blocks and bytes of operators are wanted too: they are more than all the rest. */
enum load_counters { WITHOUT_COUNTERS, WITH_COUNTERS };

/* Adds the steps of a framework, of each device that ran something, where framework_attach has told the connection. */
int workload_load_framework_steps(sqlite3 *db, struct workload *workload, struct err *err);

/* Adds the ranges that step_range_choose chose, as steps. -ERR_NOT_FOUND when there are none. */
int workload_load_chosen_ranges(sqlite3 *db, struct workload *workload, struct err *err);

/* Reads what ran on the devices of a capture of any family: operators, communication operators, copies, steps. ret is
 * empty before; workload_release() it when this succeeds. */
int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err);

/* Operators alone with the sums of their counters: no executions are kept, so memory does not grow with them. */
int workload_load_sums(sqlite3 *db, struct workload *ret, struct err *err);

/* Appends what the operator of a task of an SVP board is called, the names of its layers, or their types: as they stand
 * in every answer. false: no layer is known, then it is "task 7", or "N/A". */
bool svp_layers_join(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, bool types, struct strbuf *ret);

/* Takes the number off a communication operator's name: "hcom_allReduce__010_7_1" is the seventh of its group 010,
 * without the number it is one in every step. The result is the name itself, or in the buffer. */
#define OPERATOR_NAME_SIZE 1024 /* longer ones are left as they are */
const char *operator_unnumbered(const char *name, char buffer[OPERATOR_NAME_SIZE]);

/* Adds the calls of the host, by name, to a profile of the same database. */
int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err);

/* Adds what devices ran by the framework's operator and line that launched it, where framework_attach
 * (exporters/reports/framework/host_side.h) has told the connection of them; else nothing. */
int workload_load_lines(sqlite3 *db, struct profile *profile, struct err *err);

/* Device memory that operators got and gave back. */

/* Reads every piece; its owner is a number of owners, which is added to ("": not known). Those of a framework are known
 * where framework_attach has told the connection. A release belongs to the allocation before of the same operator,
 * address and device; one that has none was got before the recording, and is no piece. */
int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err);

/* The limit of each operator, for slices: as the table `bound` has it, of all executions of its name. */

/* All zero: of nothing. */
struct operator_bounds {
    struct intern names;
    bool borrowed;      /* the names are another's */
    const char **words; /* of each name; NULL: it is no operator, or the capture has no counters */
};
/* Reads the tasks once, by the counters of their units. Release it also after a failure. */
int operator_bounds_load(sqlite3 *db, struct operator_bounds *ret, struct err *err);
void operator_bounds_release(struct operator_bounds *bounds);
/* Takes them of a workload that has counters, which must outlive them. */
int operator_bounds_of(const struct workload *workload, struct operator_bounds *ret, struct err *err);
/* "memory" and so on, a literal of the program; NULL: nothing is known of this name. */
const char *operator_bounds_find(const struct operator_bounds *bounds, const char *name, size_t length);

#endif
