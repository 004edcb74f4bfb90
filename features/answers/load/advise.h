/* SPDX-License-Identifier: Apache-2.0 */
/* What advise answers about a database:
 *     SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
 *     if (advise(db, NULL, &advice, &executions, err) < 0) ...
 *     if (executions > 0) advice_print(&advice, ...);
 *     else advise_program(db, name, &told, err), advice_print_program(&told.answer, ...); */
#ifndef MSPROF_FEATURES_ANSWERS_LOAD_ADVISE_H
#define MSPROF_FEATURES_ANSWERS_LOAD_ADVISE_H

#include "features/answers/load/load.h"
#include "features/diff/diff_output.h"

/* thresholds: of each rule, in percent; NULL: their own. *ret needs advice_release whatever the result.
 * *ret_executions: of operators; 0: none, and there is no advice. */
int advise(sqlite3 *db, const double *thresholds, struct advice *ret, int64_t *ret_executions, struct err *err);

/* Likewise of a workload with its counters, and its launches, for who has them for more than this. */
int advise_workload(sqlite3 *db, const struct workload *workload, const struct launches *launches,
                    const double *thresholds, struct advice *ret, struct err *err);

/* Of a capture without operators: what is wrong with it, and what the program did. */
struct program_told {
    struct program_answer answer; /* it points to what follows */
    struct named_times ranges, calls;
    char problems[PROBLEMS_TEXT_SIZE];
};
/* *ret needs program_told_release whatever the result, and stays where it is. */
int advise_program(sqlite3 *db, const char *name, struct program_told *ret, struct err *err);
void program_told_release(struct program_told *told);

#endif
