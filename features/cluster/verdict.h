/* SPDX-License-Identifier: Apache-2.0 */
/* Who keeps the others waiting. The premise: the ranks of a collective leave it together, so the one that was in it for
 * the shortest time came last, and each other waited for as long as its own time is longer. It needs no clock, which
 * hosts do not share well enough. Sources: docs/formats/cluster.md 4. */
#ifndef MSPROF_FEATURES_CLUSTER_VERDICT_H
#define MSPROF_FEATURES_CLUSTER_VERDICT_H

#include "features/cluster/block.h"
#include "features/cluster/team.h"

/* One rank over all collectives that all ranks of their group took part in; sends and receives are left out. */
struct rank_verdict {
    int64_t collectives; /* that it was in, of two ranks and more */
    int64_t last, first; /* how often it came last, first; nobody did where all took the same time */
    int64_t wait_ns;     /* that it waited for others */
    int64_t caused_ns;   /* that others waited for it */
    int64_t votes;       /* how often it stood out by a test */
};

/* Whether it is the rank that the others wait for, not just the one that they waited for longest. */
bool verdict_stands_out(const struct rank_verdict *verdict);

/* A collective that kept its ranks waiting for long. */
struct late_collective {
    uint32_t group, step; /* of the plan */
    struct merged_collective merged;
    int64_t wait_ns; /* of all ranks together */
};

#define CLUSTER_WORST_TEXT 200
#define LATE_COLLECTIVES 1000 /* that are kept, the worst */

struct verdicts {
    struct rank_verdict *ranks; /* as in the plan */
    size_t rank_count;
    struct late_collective *late; /* the worst, and until verdicts_sort others behind them */
    size_t late_count;
    bool cut;            /* as many as are kept stand there in order */
    int64_t collectives; /* that were judged, and those left out because ranks of their group are not in them */
    int64_t incomplete;
};

int verdicts_init(struct verdicts *verdicts, size_t rank_count, struct err *err);
void verdicts_release(struct verdicts *verdicts);

/* Takes in a group and step, merged over all ranks: judges the collectives (each process alike), counts the ranks' own
 * times for entries of this process (mine returns true), and keeps the worst. */
int verdicts_add(struct verdicts *verdicts, const struct plan *plan, const struct merged_block *block,
                 const struct plan_entry *entries, size_t entry_count, bool (*mine)(void *arg, size_t rank), void *arg,
                 struct err *err);

/* Adds up over the team; afterwards process 0 has the sums. */
int verdicts_reduce(struct verdicts *verdicts, struct team *team, struct err *err);

/* The late ones by wait, the longest first; of equal ones by group, step and name's hash. */
void verdicts_sort(struct verdicts *verdicts);

/* The bound below which a collective's times stand out as too short, so that their rank is the one that the others
 * wait for; INT64_MIN: none. */
int64_t verdict_outlier_below(const struct merged_collective *collective);

/* How long ranks waited in a step for one of them. */
struct step_wait {
    char step[CLUSTER_WORST_TEXT];
    int64_t rank;
    double us;
};

/* The first rows of slow_ranks.csv and slow_links.csv, and what late_collectives.csv says of steps. */
struct cluster_worst {
    size_t ranks, links, late; /* rows of each file */
    size_t judged_links;       /* those that moved enough for a bandwidth */
    int64_t groups_of_two;     /* that send and receive: they are not judged */
    int64_t rank;
    struct rank_verdict verdict;
    struct {
        int64_t source, target;
        char transport[CLUSTER_WORST_TEXT];
        double bandwidth, median, below; /* GB/s, % */
        bool slow;
    } link;
    struct cluster_computing {
        size_t known; /* ranks, or stages, whose computing is known */
        int64_t index;
        double ms, others_ms; /* a step, the median: of the slowest, of those that it is compared with */
        bool slow;
    } computing, stage;                      /* the first rows of slow_computing.csv */
    struct cluster_computing free;           /* the rank that is free for longest beside the others */
    struct cluster_computing bubble;         /* the rank with the largest bubble; others_ms: its step */
    struct ARRAY_OF(struct step_wait) waits; /* each step and rank once */
    bool unstepped; /* nothing divides the ranks' time into steps: times of computing are of all of it */
};

/* The names of the operators that verdicts keep, which merging does not need. */

struct late_names {
    char **items; /* of each late collective of process 0; NULL: not known */
    size_t count;
};

/* All processes together, each in the aggregates that it has opened: process 0 has the names afterwards. lost is called
 * for a rank that cannot be read any more, whose names stay unknown. Release them also after a failure. */
int late_names_find(struct late_names *names, const struct plan *plan, const struct verdicts *verdicts,
                    struct team *team, int (*lost)(void *arg, const struct aggregate *rank, struct err *err), void *arg,
                    struct err *err);
void late_names_release(struct late_names *names);

#endif
