/* SPDX-License-Identifier: Apache-2.0 */
/* How a stretch of a device's time divides, and the steps that divide it: what analysis/splits.h makes. */
#ifndef MSPROF_ANALYSIS_SPLIT_H
#define MSPROF_ANALYSIS_SPLIT_H

#include "analysis/compare/workload.h"

/* A stretch of a device's time. No nanosecond counts twice: every part is a union. */
struct division {
    int64_t time_ns;
    int64_t computing_ns;     /* at least one operator ran */
    int64_t communication_ns; /* at least one communication operator ran */
    int64_t exposed_ns;       /* of that, while nothing computed */
    int64_t copy_ns;          /* at least one copy ran */
    int64_t busy_ns;          /* any of them */
    int64_t free_ns;          /* none of them, as far as it was recorded */
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
    bool cut;     /* a part of it was not recorded (analysis/cut_steps.h): only how long it took counts */
};

/* Executions that follow each other. */
struct execution_run {
    size_t first, count;
};
/* Those that a step is made of: they begin in its period, or, where that is not known, in the step itself and while the
 * AI CPU works for it. Devices run behind the host: the last of its ranges has all that begins after it. */
struct execution_run split_executions(const struct workload *workload, const struct split *split);

/* Steps that may be compared: of one family, model and batch, on one device. */
struct split_group {
    uint16_t device, source;
    int64_t model_id, batch;
    uint32_t model;       /* text */
    size_t count, counts; /* steps; those that count in statistics of what the device did */
    size_t periods;       /* of those, with a period */
    size_t last;          /* split */
};

/* One for each step; when there are no steps, one for each device, from its first execution to the end of its last. */
struct splits {
    struct split *items; /* by device, then start */
    size_t count, capacity;
    struct {
        struct split_group *items; /* by device, family, model and batch */
        size_t count, capacity;
    } groups;
    struct division *devices; /* the time of each: from its first execution to the end of its last, without what was not
                                 recorded */
    struct division all;      /* of all devices together */
    enum step_source source;  /* the leading family */
    struct cut_steps *cuts;   /* steps of which a part was not recorded; never NULL after splits_make */
    bool whole;               /* there are no steps */
    size_t warmup, inside;    /* steps of the leading family that are warm-up; that are not outside */
    size_t steps;             /* of the leading family */
};

#endif
