/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over all tasks and calls of a CANN capture, for the statistic tables. */
#ifndef MSPROF_EXPORTERS_TABLE_GROUPS_H
#define MSPROF_EXPORTERS_TABLE_GROUPS_H

#include "base/err.h"
#include "db/query/query_cann.h"
#include "exporters/table/session.h"

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

/* Things that are counted together: operators of a type on a core type of a device, or calls of a name at a level. */
struct group {
    struct group_key {
        int64_t major, name_id, minor; /* device, type and core type; or level, name, 0 */
        int64_t communicates;          /* kernels of collectives, which compute nothing */
    } key;
    int64_t count, total_ns, min_ns, max_ns;
    /* All of it in ticks of the clock that measured it, of which nanoseconds are made once (base/ticks.h). */
    int64_t hz, total_ticks, min_ticks, max_ticks;
    uint128 squares; /* of ticks */
};

/* In order. All zero: none. */
struct groups {
    struct group *items;
    size_t count;
};

void groups_release(struct groups *groups);
/* By the texts of their names; without one of the two they are equal. */
int group_compare_names(const struct group *a, const struct group *b, const struct cann_texts *names);

/* Counts all operators, or all calls, of a report's database with every CPU. groups_release() them. */
enum groups_subject { GROUPS_OF_OPERATORS, GROUPS_OF_CALLS };
int groups_load(struct report_session *session, enum groups_subject subject,
                int (*compare)(const struct group *a, const struct group *b, const struct cann_texts *names),
                struct groups *ret, struct err *err);

#endif
