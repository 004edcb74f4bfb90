/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that rules of advice are made of: for the files of features/answers/rules/ alone. A rule is a "const struct
 * rule rule_NAME" in one of these files; the build finds it, and its .order says where it stands. docs/adding-a-rule.md
 * adds one. */
#ifndef MSPROF_FEATURES_ANSWERS_RULES_RULE_H
#define MSPROF_FEATURES_ANSWERS_RULES_RULE_H

#include "base/file/large.h"
#include "base/quantity.h"
#include "features/answers/analysis/finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The facts that every rule looks at. */
struct advice_look {
    const struct workload *workload;
    const struct host_evidence *host;
    const struct splits *splits;
    const struct gaps *gaps;
    double *cut;          /* the most of each operator's time that could be saved, as a share: all 0 before a rule */
    struct intern *texts; /* for names of rows that are made */
    double elapsed_ns, busy_ns; /* of all devices, as far as it was recorded */
    double *united_ns;          /* of each operator: when at least one of its executions ran */
    bool *wanted;               /* room for a choice of operators */
};

static inline double rule_percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* Says of a finding what was measured, in percent, and which time that is. */
static inline void rule_measured(struct finding *finding, double value, double at_stake_ns, bool fired)
{
    finding->value = value;
    finding->at_stake_ns = at_stake_ns;
    finding->fired = fired;
}

/* A time of a sentence, in the unit of its size. */
#define RULE_TIME(ns) quantity_time(ns, (char[QUANTITY_MAX]){0})
__attribute__((format(printf, 2, 3))) void rule_say(struct finding *finding, const char *format, ...);

/* When at least one operator that look->wanted has ran, on each device by itself. */
double rule_united_ns(const struct advice_look *look);

/* Share of an operator in the time in which devices were busy. */
double rule_share_of_busy(const struct advice_look *look, size_t op);

/* The sum of gaps, each without the QUEUE_GAP_NS that stay between tasks that wait in a queue. */
double rule_long_gaps_ns(const struct advice_look *look);
/* The sum of whole gaps. */
double rule_gaps_ns(const struct advice_look *look);

/* How long a unit was busy; 0 where it was not counted. */
static inline double rule_unit_ns(const struct workload_operator *op, enum unit unit)
{
    return op->units[unit] > 0 ? op->units[unit] : 0;
}

/* Sets united_ns and wanted, to be freed whatever the result. */
int advice_look_at_operators(struct advice_look *look, struct err *err);

/* Makes an operator a row; those with most time are kept. */
void rule_add_operator(struct finding *finding, const struct workload *workload, const struct workload_operator *op,
                       double time_ns, double share);

/* Says what faster communication could save, at most what the steps would be shorter without any; negative: not known.
 */
void rule_saves_communication(const struct advice_look *look, struct finding *finding, double saves_ns);

/* Takes the operators that are wanted as rows: the rule fires when they take more of the busy time than its limit.
 * Returns that time in nanoseconds. */
double rule_take_operators(const struct advice_look *look, struct finding *finding,
                           bool (*wanted)(const struct workload *, const struct workload_operator *));

#endif
