/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a cluster ran. */
#ifndef MSPROF_CLI_CLUSTER_RANK_HOSTS_H
#define MSPROF_CLI_CLUSTER_RANK_HOSTS_H

#include "exporters/cluster/cluster_database.h"
#include "exporters/cluster/rank/find.h"

/* What the device's capture of a rank says of its host; empty, and no device, where there is none any more. */
struct cluster_database_rank rank_host_of(const struct cluster_source *source);

#endif
