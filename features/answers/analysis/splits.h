/* SPDX-License-Identifier: Apache-2.0 */
/* How each step of a device divides: computing, communicating, copying, and doing nothing. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_SPLITS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_SPLITS_H

#include "base/array.h"
#include "base/statistics.h"
#include "base/ticks.h"
#include "features/answers/analysis/workload.h"

/* Which steps follow each other, and what lies between inferences that do not: boards can record one of several. */

/* After workload_finish: sets the period of steps whose neighbour was recorded, the parts of each device's time that
 * were not, and how many inferences were. They follow from the numbers of pictures, and from the calls that start
 * inferences. */
int splits_relate_steps(struct workload *workload, struct err *err);

/* A stretch of a device's time. No nanosecond counts twice: computing, exposed, copies, other tasks and free are the
 * whole of it, as far as it was recorded. Each is a sum of ticks, rounded once (base/ticks.h): of a clock whose ticks
 * are no whole nanoseconds they may differ from the whole by the last digit. */
struct division {
    int64_t time_ns;
    int64_t computing_ns;     /* at least one operator ran */
    int64_t communication_ns; /* at least one communication operator ran */
    int64_t exposed_ns;       /* of that, while nothing computed */
    int64_t copy_ns;          /* at least one copy ran, and nothing of the above */
    int64_t other_ns;         /* other tasks alone ran */
    int64_t busy_ns;          /* any of them, or another task */
    int64_t free_ns;          /* none of them, as far as it was recorded */
    bool partly;              /* a part of it was not recorded */
};

struct split {
    const struct workload_step *step; /* NULL: it is the time of a device without steps */
    int64_t start_ns, end_ns;
    uint16_t device;
    size_t group;        /* of the splits */
    struct division own; /* from its start to its end */
    struct division
        period;   /* from its start to that of its neighbour; its time is NO_PERIOD when that was not recorded */
    bool warmup;  /* see splits_is_warmup */
    bool outside; /* see splits_is_outside */
    bool cut;     /* a part of it was not recorded (see struct cut_steps): only how long it took counts */
};

/* Executions that follow each other. */
struct execution_run {
    size_t first, count;
};

/* Those that a step is made of: they begin in its period, or, where that is not known, in the step itself and while the
 * AI CPU works for it. Devices run behind the host: the last of its ranges has all that begins after it. */
int64_t split_end_ns(const struct split *split);    /* where that ends; INT64_MAX: with the last that ran */
bool split_is_of_device(const struct split *split); /* both ends are ticks of the device's clock */
/* The rate of the clock of all its lengths (base/ticks.h). */
int64_t split_rate(const struct workload *workload, const struct split *split);
struct execution_run split_executions(const struct workload *workload, const struct split *split);

/* Completed steps, from the begin of the first to the end of the last. */
struct throughput {
    int64_t start_ns, end_ns;
    int64_t steps, pieces; /* pieces: pictures of inferences, as many as a batch has; else steps */
    bool lost;             /* others between them were not recorded */
};

/* The frequency of the clock of the lengths of a group, which are of one device and family. */
int64_t splits_hz(const struct workload *workload, const struct splits *splits, size_t group);

/* Pieces a second; negative: not known. */
double splits_fps(const struct throughput *throughput);

/* Steps that may be compared: of one family, model and batch, on one device. */
struct split_group {
    uint16_t device, source;
    int64_t model_id, batch;
    uint32_t model;               /* text */
    uint8_t kind;                 /* of the workload's kinds, from 1; 0: there is one */
    size_t count, counts;         /* steps; those that count in statistics of what the device did */
    size_t first;                 /* of the splits' members: they are `count` from there on */
    size_t periods;               /* of those, with a period */
    struct throughput throughput; /* of those that count */
};

/* One for each step; when there are no steps, one for each device: the time that `devices` divides. */
struct splits {
    struct split *items; /* by device, then start */
    size_t count, capacity;
    struct ARRAY_OF(struct split_group) groups; /* by device, family, model and batch */
    size_t *members;          /* the steps of each group, ascending, one group after the other: splits_member */
    struct division *devices; /* the time of each: from the first to the last that programs launched, without what was
                                 not recorded */
    struct division all;      /* of all devices together */
    enum step_source source;  /* the leading family */
    struct cut_steps *cuts;   /* steps of which a part was not recorded; never NULL after splits_make */
    bool whole;               /* there are no steps */
    bool borrowed;            /* they are the workload's: splits_release leaves them alone */
    bool warm_counts;         /* none is taken for warm-up */
    size_t warmup, inside;    /* steps of the leading family that are warm-up; that are not outside */
    size_t steps;             /* of the leading family */
};

/* Those of workload->splits where it has them. */
int splits_make(const struct workload *workload, struct splits *ret, struct err *err);
void splits_release(struct splits *splits);

/* Step k of a group, of groups.items[group].count: its place in items. A pass over all steps for each group would take
 * groups times steps. */
static inline size_t splits_member(const struct splits *splits, size_t group, size_t k)
{
    return splits->members[splits->groups.items[group].first + k];
}

/* Whether split i is one of the first of its group, all of which take longer than the median and five times the
 * scatter of all of them: then it is warm-up and counts in no statistic. */
bool splits_is_warmup(const struct splits *splits, size_t i);
/* Whether split i lies where nothing was recorded of its device any more, or not yet: marks of steps can go on for long
 * when the log of tasks is full. How long it took is known, and nothing else. Never true of all of them. */
bool splits_is_outside(const struct splits *splits, size_t i);
/* Its number in table overlap. */
static inline size_t splits_place(const struct splits *splits, size_t i)
{
    return splits->items[i].step != NULL && splits->items[i].step->place > 0 ? splits->items[i].step->place : i + 1;
}
/* Whether it counts in statistics of what the device did: neither warm-up, outside nor cut. */
bool splits_counts(const struct splits *splits, size_t i);
/* Whether all of a division of split i, its own or that of its period, was recorded: else its free time is not known.
 */
bool splits_is_recorded(const struct splits *splits, size_t i, const struct division *division);
/* The stretch that busy, free and exposed of a step divide: its period. Where no step of its group has one, the step
 * itself; for an inference then NULL, because between inferences nothing is known. NULL too of one without a period
 * among others, and where a part of the stretch was not recorded. */
const struct division *splits_stretch(const struct splits *splits, size_t i);
/* One number a step. Period, busy, free and exposed are of what splits_stretch gives: from begin to begin of
 * neighbours, where none was recorded of the step itself; of inferences then nothing is known of period, busy and free.
 */
enum measure {
    MEASURE_STEP,        /* from its begin to its end */
    MEASURE_DEVICE_BUSY, /* of that, when the device did anything */
    MEASURE_PERIOD,
    MEASURE_BUSY,
    MEASURE_FREE,
    MEASURE_EXPOSED,
    MEASURES
};

/* The values of the steps of a group that have one, sorted; values is room for one of each split. */
int splits_series(const struct workload *workload, const struct splits *splits, size_t group, enum measure measure,
                  int64_t *values, struct series *ret, struct err *err);

/* All groups of the leading family together. */
struct throughput splits_throughput(const struct splits *splits);

/* The group of the leading family whose steps took most time; SIZE_MAX: there is none. */
size_t splits_longest_group(const struct splits *splits);
/* How long a step of a group takes in the mean: from begin to begin where the group has that, else from begin to end.
 */
double splits_step_ns(const struct splits *splits, size_t group);

/* "inferences of model 3 (detector), batch 4, device 1": what is the same of all groups is left out. */
#define GROUP_NAME_SIZE 320

void splits_group_name(const struct workload *workload, const struct splits *splits, size_t group,
                       char text[GROUP_NAME_SIZE]);

/* A stretch in which a device does nothing, between two executions: the one that ends last before it, and the first
 * behind it. There may be as many as executions. */
struct gap {
    int64_t start_ns, end_ns;
    uint32_t before, after; /* executions */
};

static inline int64_t gap_length_ns(const struct gap *gap)
{
    return interval_length(gap->start_ns, gap->end_ns);
}

/* Of whole ticks of the device's clock, rounded once: what is printed. */
static inline int64_t gap_rate(const struct workload *workload, const struct gap *gap)
{
    return workload->devices[workload->executions[gap->after].device].hz;
}
static inline int64_t gap_exact_ns(const struct workload *workload, const struct gap *gap)
{
    return ticks_span_ns(gap_rate(workload, gap), gap->start_ns, gap_length_ns(gap));
}

/* Not rounded, to be summed. */
static inline double gap_whole_ns(const struct workload *workload, const struct gap *gap)
{
    return ticks_exact_ns(gap_rate(workload, gap), gap->start_ns, gap_length_ns(gap));
}

/* The name of the operator of an execution, as the number of a text, and the text. */
static inline uint32_t execution_name_id(const struct workload *workload, uint32_t execution)
{
    return workload->operators[workload->executions[execution].op].key.name;
}
static inline const char *execution_name(const struct workload *workload, uint32_t execution)
{
    return workload_text(workload, execution_name_id(workload, execution));
}

struct gaps ARRAY_OF(struct gap); /* by device and start */

/* Nothing that was not recorded is a part of one. */
int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err);
void gaps_release(struct gaps *gaps);

/* Steps that a mark says were begun, and of which a part was not recorded: a log can begin late, or be full. */

enum cut_part { CUT_HEAD, CUT_TAIL, CUT_END }; /* CUT_END: its end is not marked */

struct cut_step {
    uint16_t device; /* index */
    uint8_t source;
    int64_t number, start_ns; /* number: its place among the steps, as they are chosen; of CUT_END that of the mark */
    enum cut_part part;
    size_t expected, seen; /* operators, communication operators and copies: of most steps, of this one */
    size_t split;          /* SIZE_MAX: it is among those that were begun */
};
struct cut_steps ARRAY_OF(struct cut_step);

/* Inside of splits_make: finds them, and marks the splits that they are of. */
int splits_find_cuts(const struct workload *workload, struct splits *splits, struct err *err);

/* "step 7 (marked): its head was not recorded, 3 of 6 operators seen" */
#define CUT_TEXT_SIZE 160

void cut_step_text(const struct cut_step *cut, char text[CUT_TEXT_SIZE]);

/* All of them in one text, as cut_step_text has each, apart by "; ", the first five and how many more; "" without any.
 */
#define CUT_STEPS_TEXT_SIZE (6 * CUT_TEXT_SIZE)

void cut_steps_text(const struct cut_steps *cuts, char text[CUT_STEPS_TEXT_SIZE]);

#endif
