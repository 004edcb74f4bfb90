/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the time of a communication operator, and lists its links: arithmetic alone, exact in ticks and
 * bytes, and as the frameworks' analyses sum up. The times are those of the main plane; links and pairs are of all
 * planes. */
#ifndef MSPROF_FEATURES_COMMUNICATION_COLLECTIVE_H
#define MSPROF_FEATURES_COMMUNICATION_COLLECTIVE_H

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "base/ticks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLLECTIVE_NO_RANK INT64_MIN /* as queries give an SQL NULL */

/* Kinds of an operator's tasks. */
enum collective_task_kind {
    COLLECTIVE_OTHER,
    COLLECTIVE_WAIT,   /* Notify_Wait */
    COLLECTIVE_COPY,   /* by SDMA: it moves data */
    COLLECTIVE_PAYLOAD /* RDMA_SEND_PAYLOAD: a run of these moves data until what confirms it has ended */
};

#define COLLECTIVE_NO_BYTES (-1)

struct collective_task {
    enum collective_task_kind kind;
    bool master; /* of the operator's main stream */
    int64_t plane, start_ns, duration_ns;
    int64_t bytes;                   /* COLLECTIVE_NO_BYTES: not known */
    int64_t hz;                      /* rate (base/ticks.h) of the clock of its times; 0: nanoseconds */
    int64_t link;                    /* enum collective_medium */
    int64_t local_rank, remote_rank; /* COLLECTIVE_NO_RANK: none */
};

/* How data go. */
enum collective_medium {
    MEDIUM_RDMA,
    MEDIUM_HCCS,
    MEDIUM_PCIE,
    MEDIUM_SDMA, /* of an operator's media: the three by SDMA that have names, and those that have none */
    MEDIUM_SIO,
    MEDIUM_LOCAL, /* on the chip: no medium between ranks, of pairs alone */
    MEDIUM_COUNT
};
extern const char *const collective_media[MEDIUM_COUNT];

/* One run of an operator. */
struct collective_tasks ARRAY_OF(struct collective_task); /* in the order in which their steps are taken */
enum collective_order {
    PLANES_BY_NUMBER,
    PLANES_BY_APPEARANCE, /* as the frameworks' analyses, which sum up in doubles, go through them */
};

/* Lengths here and below are ticks of the tasks' clock: collective_ns() rounds them once, when they are printed. */
struct collective_times {
    int64_t start_ns, elapse_ticks, transit_ticks, wait_ticks;
    int64_t synchronization_ticks; /* of wait_ticks, what was before the first data */
    /* As the frameworks' analyses sum it up, in doubles and step by step, so that every number is theirs to the last
     * bit: so are all that are ms and mb below. From the first task of the main stream. */
    struct {
        double elapse, transit, wait, synchronization, idle;
    } ms;
};
/* Time in which the main plane neither moved data nor waited; below 0 where tasks overlap. */
int64_t collective_idle_ticks(const struct collective_times *times);

struct collective_packets {
    int64_t bytes, count, ticks; /* of one size */
    double ms;
};

/* Between two ranks. */
struct collective_pair {
    int64_t from, to, bytes, ticks;
    double mb, ms;
    enum collective_medium medium;
};

struct collective {
    int64_t hz; /* rate of the clock of all tasks; 0: nanoseconds */
    struct collective_times times;
    struct collective_traffic {
        int64_t bytes, ticks;
        double mb, ms;
        int64_t packets, large;   /* of all, those over 32 MB; by RDMA over 0.5 MB; of links unknown none */
        struct collective_sizes { /* in the order in which they were seen first */
            struct collective_packets *items;
            size_t count, capacity;
        } sizes;
    } media[MEDIUM_LOCAL];
    struct collective_pairs { /* the same */
        struct collective_pair *items;
        size_t count, capacity;
    } pairs;
    struct collective_runs { /* of each payload of a run that was confirmed: what the whole run moved, and in what time
                              */
        struct collective_run {
            size_t task; /* its place among the tasks */
            int64_t bytes, ticks;
        } * items;
        size_t count, capacity;
    } runs;
    struct map places; /* of sizes and pairs in their lists */
};

void collective_init(struct collective *collective);
/* The nearest nanosecond. */
static inline int64_t collective_ns(const struct collective *collective, int64_t ticks)
{
    return ticks_ns(collective->hz > 0 ? collective->hz : TICKS_OF_NS, ticks);
}
/* Takes the steps of one plane after the other: tasks stand in the order of their start. The main plane is that of the
 * first master task, when it moves data between ranks; else the lowest plane that does; else the master's, and without
 * one the first task's. point_to_point: it sends or receives, which RDMA confirms with fewer tasks. Adds to *ret, which
 * is initialized; it needs collective_release whatever the result. */
int collective_analyse(const struct collective_tasks *tasks, bool point_to_point, enum collective_order order,
                       struct collective *ret, struct err *err);
/* Adds what one operator did to the sum of several. */
int collective_add(struct collective *sum, const struct collective *one, struct err *err);
void collective_release(struct collective *collective);

/* Whether an operator that HCCL calls so sends or receives between two ranks: nobody waits for the last one there. */
bool collective_is_of_two(const char *name);

/* The kind of operator that a name is of, as the frameworks' matrices call it: "allreduce". */
#define COLLECTIVE_TYPE_MAX 512
void collective_type_of(const char *name, bool pytorch, bool point_to_point, char ret[COLLECTIVE_TYPE_MAX]);

#endif
