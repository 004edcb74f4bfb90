/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in another order than they come: kept in a temporary database, so that memory does not grow with them. */
#ifndef MSPROF_EXPORTERS_TABLE_SORTER_H
#define MSPROF_EXPORTERS_TABLE_SORTER_H

#include "base/err.h"
#include "exporters/table/choice.h"

struct sorter; /* opaque */

/* top: only so many rows are wanted; 0: all. NULL with err set. */
struct sorter *sorter_new(bool descending, uint64_t top, struct err *err);
void sorter_free(struct sorter *sorter); /* NULL is fine */

/* Whether a row with this key can still be among the first `top`. */
bool sorter_wants(const struct sorter *sorter, const struct sort_key *key);
int sorter_put(struct sorter *sorter, const struct sort_key *key, const char *row, size_t length, struct err *err);
/* Gives the rows in order; of equal keys the one that came first. Rows without a key come last. */
int sorter_each(struct sorter *sorter, int (*each)(void *arg, const char *row, size_t length, struct err *err),
                void *arg, struct err *err);

#endif
