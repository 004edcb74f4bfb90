/* SPDX-License-Identifier: Apache-2.0 */
/* Advice: rules over a workload, each with a formula, a threshold and what to do. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_ADVICE_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_ADVICE_H

#include "features/answers/analysis/finding.h"

#define ADVICE_MOST_RULES 64
extern const struct rule *const advice_rules[]; /* by their order: those with of_tree are the last */
extern const size_t advice_rule_count;

#define ADVICE_PROBLEMS_SIZE 640

struct advice {
    size_t rule_count;                          /* of the rules that are about captures of this kind */
    struct finding findings[ADVICE_MOST_RULES]; /* a rule each; that fired first, by severity, then by time at stake */
    double elapsed_ns, busy_ns;                 /* of all devices, as far as it was recorded */
    char problems[ADVICE_PROBLEMS_SIZE];        /* of the import: what is missing; "": nothing. The caller's to set */
    char recorded[RECORDED_SIZE];               /* "1 of 5 inferences recorded"; "": all were */
    char cut_steps[CUT_STEPS_TEXT_SIZE];        /* steps of which a part was not recorded; "": none */
    int64_t origin_ns;   /* where the timeline begins; INT64_MIN: not known. The caller's to set */
    struct intern texts; /* of the rows */
};

/* thresholds: of each rule, in percent; NULL: its own. *ret needs advice_release whatever the result. */
int advice_make(const struct workload *workload, const struct host_evidence *host, const double *thresholds,
                struct advice *ret, struct err *err);
void advice_release(struct advice *advice);
/* Rates the findings by what is at stake, and sorts them: for who made them. */
void advice_sort(struct advice *advice);

#endif
