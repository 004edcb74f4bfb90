/* SPDX-License-Identifier: Apache-2.0 */
/* Views with stable names and columns for queries of users: op, task, call, step, communication, memory and counter
 * hold rows of every family of captures. Times and lengths are integers in nanoseconds; source and id name a row of a
 * table of records. msprof-schema(5) promises them, so a column is added at most, and none goes. */
#ifndef MSPROF_DB_STABLE_VIEWS_H
#define MSPROF_DB_STABLE_VIEWS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/query/clocks.h"

#include <sqlite3.h>

/* Appends the statements that make them, each ended by a semicolon, of which the texts in them have none. */
void stable_views_add(struct strbuf *sql);

/* Makes them once more on a connection whose rows of warm-up are hidden (db/warm_up.h), so that they hide these, too.
 */
int stable_views_hide(sqlite3 *db, struct err *err);

/* The length of a row in ns as a real, in SQL: the nearest number of ticks of the clock that measured it, as
 * base/ticks.h counts, which a view does without functions of the program. p is the part of the capture. */
#define VIEW_LENGTH_NS(start, ns, clock, of)                                                                           \
    "coalesce((SELECT round(" VIEW_TICKS("", start, ns, clock) " * 1e9 / p." clock ") FROM capture_part p WHERE " of   \
                                                               " AND p." clock                                         \
                                                               " BETWEEN 1 AND 999999999 AND 1000000000 % p." clock    \
                                                               " <> 0 LIMIT 1), " ns ")"
#define VIEW_DEVICE_LENGTH_NS(row)                                                                                     \
    VIEW_LENGTH_NS(row ".start_ns", row ".duration_ns", "device_hz",                                                   \
                   "NOT p.is_host AND coalesce(p.device_id = " row ".device_id, 1)")
/* The ticks in it, NULL where they are not known; schema: of the capture, with its point, or "". */
#define VIEW_TICKS(schema, start, ns, clock)                                                                           \
    "iif(p." clock " < 500000000, round(" ns " * p." clock " / 1e9), (SELECT round((s + " ns ") * p." clock            \
    " / 1e9) - round(s * p." clock " / 1e9) FROM (SELECT (" start " - value) % 1000000000 AS s FROM " schema           \
    "meta WHERE key = '" CLOCK_ORIGIN "' || p.id)))"

#endif
