/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of advice, the evidence beside a workload that they look at, and what they find. */
#ifndef MSPROF_ANALYSIS_FINDING_H
#define MSPROF_ANALYSIS_FINDING_H

#include "analysis/compare/workload.h"
#include "analysis/gap_calls.h"
#include "analysis/splits.h"

enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };
const char *advice_severity_name(enum severity severity);

#define LONGEST_GAPS 10
#define FINDING_ROWS 5

/* The host's part, as far as the capture says it. */
struct host_evidence {
    bool known;          /* there are calls */
    struct intern texts; /* the names below */
    struct gap_evidence {
        int64_t start_ns, end_ns;
        uint32_t before, after; /* executions */
        const char *call;       /* that covers most of it, a tenth at least; "" none */
        double covered;         /* share of it that the call covers */
        bool launched;          /* a launch began inside */
        enum gap_cause cause;
    } gaps[LONGEST_GAPS]; /* the longest first */
    size_t gap_count;
    /* Calls that allocate, free, or copy and wait, from the end of the first step to the end of what was recorded: when
     * at least one of them ran, and how long that stretch is. */
    int64_t memory_ns, memory_calls, memory_window_ns;
    int64_t first_memory_ns;
    /* Frequency of the cores, weighted by the time of tasks; 0: not measured. below_rated: percent of that time. */
    double mean_mhz, rated_mhz, below_rated;
    /* The stages of the framework's data pipeline that had nothing to take, the hungriest first. */
    struct stage_evidence {
        const char *name, *input; /* input: the stage that fills its queue */
        double empty;             /* percent of the samples */
    } stages[FINDING_ROWS];
    size_t stage_count;
    bool stages_known;
};
void host_evidence_release(struct host_evidence *evidence);

struct finding;
struct advice_look;

/* A rule, with the function that holds it against a capture. Each is a constant of a file of analysis/rules/. */
struct rule {
    const char *id;
    const char *rests_on; /* which records of a capture it is made of */
    const char *formula, *advice;
    int order;        /* in which findings of one weight are told */
    double threshold; /* percent; --threshold ID:PERCENT changes it */
    void (*check)(const struct advice_look *look, struct finding *finding);
    const char *told_by; /* NULL, or the id of the rule that tells the cause, where both found it */
    const void *of_tree; /* not NULL: of captures that are trees, whose folder of features/ holds it, by this; .check is
                            NULL, and .order behind that of all others */
    bool of_gaps;        /* it needs to know when each task ran */
    bool of_step;        /* its value is a share of a step: it is no more severe than that */
    bool shows_gaps;     /* its rows are gaps, not operators */
};
struct finding {
    const struct rule *rule;
    const char *not_checked; /* why; NULL: it was checked */
    bool fired;
    enum severity severity;
    double at_stake_ns, value, threshold; /* value and threshold in percent */
    double whole_ns;                      /* what the time at stake is of */
    bool told_elsewhere;           /* another finding that fired has the same cause; then this one did not fire */
    const struct rule *same_cause; /* of a finding that fired: the rule that told_elsewhere is true of; NULL: none */
    char sentence[512];
    int64_t time_ns; /* to jump to; INT64_MIN: none */
    struct finding_row {
        const char *name;
        const char *launcher;  /* the framework's operator and line that launched most of it; "": not known */
        double time_ns, share; /* share: percent of what the rule measures */
        int64_t count, at_ns;
    } rows[FINDING_ROWS];
    size_t row_count;
};

#endif
