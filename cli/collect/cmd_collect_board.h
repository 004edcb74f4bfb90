/* SPDX-License-Identifier: Apache-2.0 */
/* The whole way over one board. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_BOARD_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_BOARD_H

#include "cli/collect/cmd_collect_plan.h"

/* Connects, uploads, runs, fetches, tidies up; tells everything. The plan must have been made. With --fetch-only it
 * connects and fetches. */
struct collect_outcome collect_from_board(struct collect_plan *plan);

#endif
