/* SPDX-License-Identifier: Apache-2.0 */
/* Captures for answers: with what a framework's directory around them tells. */
#ifndef MSPROF_CLI_ANSWERS_HOST_SIDE_H
#define MSPROF_CLI_ANSWERS_HOST_SIDE_H

#include "cli/capture/captures.h"

/* As visit_open_database, with the steps that --step-range chooses. What of the framework's part cannot be read is
 * told, and the status is STATUS_DATA_PROBLEMS.
 */
int host_side_open(struct capture_visit *visit, sqlite3 **ret);

#endif
