/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the terminal that other commands print, too. */
#ifndef MSPROF_CLI_CMD_SHOW_H
#define MSPROF_CLI_CMD_SHOW_H

#include "cli/options/options.h"

#include <sqlite3.h>

/* Prints the rows of settings->show.sql, a query over the captures of a connection (db/joint.h), in the format that the
 * settings say. Returns the exit status. */
int show_joint(const struct settings *settings, sqlite3 *db);

#endif
