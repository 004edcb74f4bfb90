/* Sums over all tasks and calls of a CANN capture, for the statistic tables. */
#ifndef MSPROF_EXPORTERS_REPORT_GROUPS_H
#define MSPROF_EXPORTERS_REPORT_GROUPS_H

#include "base/err.h"
#include "db/query/query_cann.h"
#include "exporters/report/session.h"

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

/* What is counted together: operators of a type on a core type of a device, or calls of a name at a level. */
struct group {
    int64_t major, name_id, minor; /* device, type and core type; or level, name, 0 */
    int64_t count, total_ns, min_ns, max_ns;
    uint128 squares; /* of ns */
};

/* All zero: empty. */
struct groups {
    struct group *items; /* open addressing; count 0: empty */
    size_t capacity, used;
};

/* Counts one duration in the group of key's first three members. */
int count_in(struct groups *groups, const struct group *key, int64_t duration_ns, struct err *err);
void groups_release(struct groups *groups);
/* Moves the groups to the front (items[0] to items[used - 1]), in order: nothing may be counted afterwards. */
void groups_sort(struct groups *groups, const struct cann_texts *names,
                 int (*compare)(const struct group *a, const struct group *b, const struct cann_texts *names));
/* By the texts of their names; without one of the two they are equal. */
int group_compare_names(const struct group *a, const struct group *b, const struct cann_texts *names);

/* Counts all operators, or all calls, of a report's database with every CPU, sorted as groups_sort() does. ret must be
 * empty; groups_release() it. */
enum groups_subject { GROUPS_OF_OPERATORS, GROUPS_OF_CALLS };
int groups_load(struct report_session *session, enum groups_subject subject,
                int (*compare)(const struct group *a, const struct group *b, const struct cann_texts *names),
                struct groups *ret, struct err *err);

#endif
