/* SPDX-License-Identifier: Apache-2.0 */
/* Which operator of the framework launched what a device ran. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_RELATION_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_RELATION_H

#include "db/query/query_cann.h"
#include "parsers/frameworks/framework.h"

/* All zero: nothing is known. */
struct relation {
    uint32_t *launches; /* by connection: which launch of the framework, counted from 1; 0: none */
    size_t count;
};

/* Relates connections of the capture to launches: the one around the time at which CANN launched. */
int relation_make(struct relation *relation, const struct framework *framework, sqlite3 *db, struct err *err);
/* Of MindSpore: sets when devices were done with what each step launched. */
int relation_set_ends(const struct relation *relation, struct framework *framework, sqlite3 *db, struct err *err);
void relation_release(struct relation *relation);

/* The launch of a connection (DB_NULL: of none); NULL: not known. */
static inline const struct framework_launch *relation_launch(const struct relation *relation,
                                                             const struct framework *framework, int64_t connection_id)
{
    return connection_id >= 0 && (uint64_t)connection_id < relation->count && relation->launches[connection_id] > 0
               ? &framework->launches[relation->launches[connection_id] - 1]
               : NULL;
}

#endif
