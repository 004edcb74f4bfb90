/* SPDX-License-Identifier: Apache-2.0 */
/* Tables about the ranks of a job: --table of cluster. */
#ifndef MSPROF_FEATURES_CLUSTER_COMMANDS_CLUSTER_TABLES_H
#define MSPROF_FEATURES_CLUSTER_COMMANDS_CLUSTER_TABLES_H

#include "cli/options/options.h"
#include "features/cluster/rank/load.h"

#include <stdbool.h>

/* Whether the options of tables fit together, and the tables exist; reports it if not. An exit status. */
int cluster_tables_check(const struct settings *settings);
/* Whether --table list was given: then it is printed. */
bool cluster_tables_listed(const struct settings *settings, int *ret_status);

/* Prints the tables that were asked for, of the ranks that are loaded. An exit status. */
int cluster_tables(const struct settings *settings, const struct cluster_sources *sources,
                   const struct loaded_ranks *ranks);

#endif
