/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the terminal without frames: what answers are printed as. */
#ifndef MSPROF_EXPORTERS_TABLE_PLAIN_H
#define MSPROF_EXPORTERS_TABLE_PLAIN_H

#include "exporters/table/grid.h"
#include "exporters/table/plan.h"
#include "exporters/table/show_block.h"

/* Keeps a row of report_plan_put. */
int plain_row(struct grid *grid, const struct report_plan *plan, const char *row, const char *end, struct err *err);
/* Prints the rows. left: how many others there are that were not wanted; more: and even more, nobody knows how many. */
int plain_print(struct grid *grid, const struct report_plan *plan, struct show *show, uint64_t left, bool more,
                struct err *err);

#endif
