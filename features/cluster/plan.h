/* SPDX-License-Identifier: Apache-2.0 */
/* All that there is to merge: all ranks' aggregates, the communication groups with the ranks seen in them, and for each
 * group and step the blocks of its ranks, in one order that every process of a cluster's analysis finds alike. */
#ifndef MSPROF_FEATURES_CLUSTER_PLAN_H
#define MSPROF_FEATURES_CLUSTER_PLAN_H

#include "base/diag.h"
#include "features/cluster/rank/aggregate.h"

struct plan_group {
    const char *number;    /* text of an aggregate */
    const char *name, *id; /* "dp"; the name behind the number; NULL: not known */
    bool p2p;
    size_t first_member, member_count; /* in members: the ranks seen, ascending */
    size_t first_known, known_count;   /* in known: the ranks that metadata list, ascending; none: nobody lists them */
    size_t first_number, number_count; /* in numbers, ascending */
    size_t size;                       /* how many ranks it must have, as far as it is known */
    size_t contradictions;             /* of ranks about their numbers */
};

/* Which rank has which number in a group. */
struct plan_number {
    int64_t number, rank;
};

/* One rank's part of a group and step. */
struct plan_entry {
    uint32_t group, step; /* indexes */
    uint32_t rank, block; /* indexes: of the aggregate, and in it */
};

/* Which steps are analysed, by the number at the end of their names. */
struct step_filter {
    bool (*wants)(const void *arg, int64_t number);
    const void *arg;
};

struct plan {
    const struct aggregate *ranks; /* ascending by rank */
    size_t rank_count;
    struct ARRAY_OF(struct plan_group) groups; /* by their members, then number; collective before p2p */
    struct ARRAY_OF(int64_t) members;
    struct ARRAY_OF(int64_t) known;
    struct ARRAY_OF(struct plan_number) numbers;
    struct ARRAY_OF(const char *) steps; /* in the order of their numbers */
    struct ARRAY_OF(struct plan_entry) entries;
    const struct step_filter *steps_wanted; /* NULL: all */
};

/* ranks must stay. The numbers in groups are left to numbers_find. The plan must be released also after a
 * failure. */
int plan_make(struct plan *plan, const struct aggregate *ranks, size_t rank_count, const struct step_filter *steps,
              struct err *err);
void plan_release(struct plan *plan);

/* NULL: no such rank. */
const struct aggregate *plan_rank(const struct plan *plan, int64_t rank);

/* Whether the same ranks were seen in two groups. */
bool plan_same_members(const struct plan *plan, const struct plan_group *a, const struct plan_group *b);

/* The number at the end of a step's name; false: it has none. */
bool plan_step_number(const char *step, int64_t *ret);
/* Whether a step is among those that are analysed; one without a number always is. */
bool plan_wants_step(const struct plan *plan, const char *step);

/* "step10" stands behind "step9": by the texts around numbers, then the numbers. For array_sort of texts. */
int plan_compare_steps(const void *left, const void *right);

/* Ranks that others name and that are not here, and things that some lack and others have. */

/* Reports ranks that metadata list and that are missing, ranks without steps or communication that others have, and
 * groups whose ranks contradict each other. */
int cluster_missing_tell(const struct plan *plan, struct diagnostics *diag, struct err *err);

#endif
