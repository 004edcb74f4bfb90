/* How each step of a device divides: computing, communicating, copying, and doing nothing. */
#ifndef MSPROF_ANALYSIS_SPLITS_H
#define MSPROF_ANALYSIS_SPLITS_H

#include "analysis/diff/workload.h"

struct split {
    int64_t start_ns, end_ns, model_id;
    uint16_t device;
    int64_t time_ns;          /* end - start */
    int64_t computing_ns;     /* at least one operator ran */
    int64_t communication_ns; /* at least one communication operator ran */
    int64_t exposed_ns;       /* of that, while nothing computed */
    int64_t copy_ns;          /* at least one copy ran */
    int64_t busy_ns;          /* any of them */
    int64_t free_ns;          /* time - busy */
    bool outside;             /* before the first execution of its device, or behind the last: see splits_is_outside */
};

/* One for each step; when there are no steps, one for each device, from its first execution to the end of its last. */
struct splits {
    struct split *items;
    size_t count, capacity;
    bool whole;    /* there are no steps */
    size_t warmup; /* so many of the first steps of their devices are warm-up: see splits_is_warmup */
    size_t inside; /* steps that are not outside */
};
int splits_make(const struct workload *workload, struct splits *ret, struct err *err);
void splits_release(struct splits *splits);

/* Whether split i is one of the first of its device, all of which take longer than the median and five times the
 * scatter of all of them: then it is warm-up and counts in no statistic. */
bool splits_is_warmup(const struct splits *splits, size_t i);
/* Whether split i lies where nothing was recorded of its device any more, or not yet: marks of steps can go on for long
 * when the log of tasks is full. How long it took is known, and nothing else. Never true of all of them. */
bool splits_is_outside(const struct splits *splits, size_t i);
/* Whether it counts in statistics of what the device did: neither warm-up nor outside. */
bool splits_counts(const struct splits *splits, size_t i);

/* A stretch in which a device does nothing, between two executions: the one that ends last before it, and the first
 * behind it. There may be as many as executions. */
struct gap {
    uint32_t before, after; /* executions */
};
static inline int64_t gap_start_ns(const struct workload *workload, const struct gap *gap)
{
    const struct execution *before = &workload->executions[gap->before];

    return before->start_ns + before->duration_ns;
}
static inline int64_t gap_end_ns(const struct workload *workload, const struct gap *gap)
{
    return workload->executions[gap->after].start_ns;
}
static inline int64_t gap_length_ns(const struct workload *workload, const struct gap *gap)
{
    return interval_length(gap_start_ns(workload, gap), gap_end_ns(workload, gap));
}
/* The name of the operator of an execution. */
static inline const char *execution_name(const struct workload *workload, uint32_t execution)
{
    return workload_text(workload, workload->operators[workload->executions[execution].op].key.name);
}
struct gaps {
    struct gap *items; /* by device and start */
    size_t count, capacity;
};
int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err);
void gaps_release(struct gaps *gaps);

#endif
