/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of advice about an OPPROF directory. A rule is a query; the build finds it like every rule of advice.
 *
 * The query's first row is the finding, its first five rows are the evidence. Columns: value in percent, picoseconds at
 * stake, the picoseconds that they are of, the sentence, and of the row name, picoseconds, percent, count. Rows come by
 * value, the largest first; without a row, or with a value of at most the limit, the rule did not find anything.
 */
#ifndef MSPROF_FEATURES_OPPROF_RULES_OPPROF_RULE_H
#define MSPROF_FEATURES_OPPROF_RULES_OPPROF_RULE_H

#include "features/answers/analysis/finding.h"

struct opprof_rule {
    const char *tables[2];     /* that must have rows; NULL: there are no more */
    const char *metrics[2];    /* what --aic-metrics of 'msprof op' brings each; NULL: it always comes */
    const char *known, *lacks; /* a query that has a row unless values are missing, and what is missing; NULL */
    const char *sql;
};

/* A rule with its query. */
#define OPPROF_RULE(...)                                                                                               \
    .of_tree = &(const struct opprof_rule)                                                                             \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* In front of "cores". */
#define RULE_CORE "CASE core WHEN 0 THEN 'cube' WHEN 1 THEN 'vector' ELSE 'AI' END"
#define RULE_US(ps) "round((" ps ") / 1e6, 3) || ' us'"
#define RULE_PERCENT(value) "round(" value ", 1) || ' %'"
/* Behind a name: the launch, where there are several. */
#define RULE_LAUNCH                                                                                                    \
    "CASE WHEN (SELECT count(*) FROM capture_part) > 1 THEN ' of ' || (SELECT directory FROM capture_part p WHERE"     \
    " p.id = launch_id) ELSE '' END"
/* The time that a share is of: the task's, or the longest core's where no file has it. */
#define RULE_WHOLE                                                                                                     \
    "coalesce((SELECT duration_ps FROM opprof_operator o WHERE o.launch_id = x.launch_id), (SELECT max(time_ps) FROM"  \
    " opprof_block b WHERE b.launch_id = x.launch_id))"
/* Means of each launch and kind of core, by the pipes: x(launch_id, core, core_ps, mte2_ps, vec_ps, ...). */
#define RULE_PIPES "WITH x AS (SELECT * FROM opprof_core_mean)"

#endif
