/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, whose rows come from a thread that makes them, a block ahead. */
#ifndef MSPROF_API_TABLE_H
#define MSPROF_API_TABLE_H

#include "api/block.h"

/* The next block, which is the caller's: 1; 0: there are no more; else -code. */
int table_take(struct msprof_table *table, struct block **ret, struct err *err);
/* A block of no rows, for the columns; it lives as long as the table. */
const struct block *table_columns(const struct msprof_table *table);
/* The interrupt flag of its capture. */
atomic_int *table_interrupt(const struct msprof_table *table);

#endif
