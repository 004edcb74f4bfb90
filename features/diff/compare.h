/* SPDX-License-Identifier: Apache-2.0 */
/* Two sides, each of one or more profiles: what changed, by how much, and whether that is more than noise. */
#ifndef MSPROF_FEATURES_DIFF_COMPARE_H
#define MSPROF_FEATURES_DIFF_COMPARE_H

#include "features/answers/analysis/match.h"
#include "features/answers/analysis/profile.h"
#include "features/diff/gate.h"
#include "features/diff/noise.h"

struct compare_options {
    enum subject by;
    double least_change; /* of a row, as a share of it: 0.01 */
    double least_share;  /* of the step, of the change of a total: 0.0001 */
    double alpha;        /* 0.01 */
    double drift;        /* assumed of single captures: 0.01 */
    double comparable;   /* least score: 0.5 */
};

#define COMPARE_DEFAULTS                                                                                               \
    {                                                                                                                  \
        .by = BY_OP, .least_change = 0.01, .least_share = 0.0001, .alpha = 0.01, .drift = 0.01, .comparable = 0.5      \
    }

enum row_verdict { ROW_UNCHANGED, ROW_NOISE, ROW_IMPROVEMENT, ROW_REGRESSION };

const char *compare_row_verdict_name(enum row_verdict verdict);

enum verdict { VERDICT_OK, VERDICT_REGRESSION, VERDICT_INCONCLUSIVE };

const char *compare_verdict_name(enum verdict verdict);

struct compare_row {
    const char *key;                /* of the new side where it has it; lives as long as the profiles */
    const char *base_key, *new_key; /* NULL: not on this side */
    enum match_kind match;
    int64_t n_base, n_new;
    double median_base, median_new; /* ns */
    double p, q, cliff;
    double effect;                /* ln of the change that the verdict is about */
    double own;                   /* the change without what all rows share: 0.1 is 10 % more */
    double smallest;              /* the smallest change that would be found; negative: not tested */
    size_t needed;                /* of noise: so many captures a side would detect the change; 0: too many */
    double total_base, total_new; /* ns a step */
    enum row_verdict verdict;
};

struct compare_rows {
    struct compare_row *items; /* the largest change of the total first; as base/file/large.h has them */
    size_t count;
    struct noise noise; /* that they were judged by */
    bool steps_differ;  /* of captures whose steps do not run the same, so that a number of executions is no fact */
};

/* Room for a side of a check; of longer texts the part that differs is shown. */
#define CHECK_SIZE 256

/* A fact of both sides. */
struct compare_check {
    const char *name;
    char base[CHECK_SIZE], new_side[CHECK_SIZE];
    bool same;
    double factor; /* what the score is multiplied with */
};

#define CHECKS_MAX 14

struct compare_gate {
    const struct gate *gate;
    double base, new_value; /* the worst, of a pattern; NAN: not known */
    const char *worst;      /* its key, or that of the group of steps; NULL: there is one alone */
    bool passed, known;     /* known false: neither side has such a thing */
    char why[192];          /* why the value is unknown although there are steps; "": it is known */
};

struct side {
    const struct profile *const *profiles;
    size_t count;
};

/* Parts of a step that the verdict is over. */
enum verdict_cause {
    CAUSE_STEP_TIME,
    CAUSE_PERIOD,
    CAUSE_OPERATORS, /* rows of options.by, or what all operators share */
    CAUSE_GAPS,
    CAUSE_CALLS, /* of the host */
    CAUSE_GATES, /* one failed */
    VERDICT_CAUSES
};

const char *compare_cause_name(enum verdict_cause cause); /* "step_time" and so on */

#define REST_TEXT_SIZE 640

struct comparison {
    struct compare_options options;
    struct compare_check checks[CHECKS_MAX];
    size_t check_count;
    double score;
    bool comparable, run_to_run;     /* run_to_run: both sides have several captures */
    struct noise noise;              /* of the operators */
    bool steps_differ;               /* in what they run */
    bool shared_told;                /* what all operators share has changed, by more than drift does */
    double shared_smallest;          /* the smallest change of it that would be found */
    size_t shared_needed;            /* so many captures a side would detect it; 0: too many */
    double smallest;                 /* median of those of the rows; negative: none was tested */
    double step_base, step_new;      /* median time of a step, ns */
    struct compare_rows rows;        /* of options.by */
    double rest_base, rest_new;      /* of the steps' times, what the rows do not explain */
    char rest_cause[REST_TEXT_SIZE]; /* what made the rest another one; "": it changed by less than least_change */
    struct compare_rows gaps;
    struct compare_rows steps, periods; /* a row for each group of steps */
    struct compare_rows calls;          /* of the host; none where a side has no calls */
    enum verdict verdict;
    bool causes[VERDICT_CAUSES]; /* why it is a regression */
    struct compare_gate *gates;
    size_t gate_count;
};

/* SUBJECT_BIT of each table of the profiles that such a comparison reads. */
unsigned comparison_subjects(const struct compare_options *options, const struct gate *gates, size_t gate_count);
/* The comparison points into the profiles and the gates. -ERR_NOT_FOUND when a side has no operator. */
int comparison_make(const struct side *base, const struct side *new_side, const struct compare_options *options,
                    const struct gate *gates, size_t gate_count, struct comparison *ret, struct err *err);
void comparison_release(struct comparison *comparison);
/* Inside: holds the facts of both sides against each other; ops: their operators. */
void comparison_check_facts(struct comparison *comparison, const struct side *base, const struct side *other,
                            const struct compare_rows *ops);
/* Inside: the rest, what made it another one, and the verdict, of rows and gates. */
void comparison_judge(struct comparison *comparison);
/* Inside: holds steps against a gate on one of their measures, group by group; the worst stands for all. */
/* Inside: holds a value of each side against the limit; the worst of several stands for all, with its key. */
void step_gates_take(struct compare_gate *result, const char *key, double base, double other, double step_new);
void step_gates_hold(struct compare_gate *result, const struct side *base, const struct side *new_side,
                     double step_new);
/* The median over a side's profiles. */
double comparison_side_measure(const struct side *side, enum measure measure);

#endif
