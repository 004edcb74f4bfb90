/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that nothing has been made of yet: msprof cluster analyses them itself. */
#ifndef MSPROF_CLI_CLUSTER_RAW_RANKS_H
#define MSPROF_CLI_CLUSTER_RAW_RANKS_H

#include "cli/options/options.h"
#include "exporters/cluster/rank/load.h"

#include <sys/types.h>

struct raw_ranks {
    const struct settings *settings;
    const char *kept; /* existing directory, in which the results are until they are read */
    int jobs;
    struct raw_rank {
        const struct cluster_source *source;
        pid_t child; /* 0: none, or ended */
        int state;   /* of the child that has ended: as waitpid() says */
    } * items;       /* of raw_ranks_prepare */
    size_t count, running;
    unsigned asked; /* how often they were asked to end */
};
void raw_ranks_release(struct raw_ranks *ranks);

/* As struct cluster_load has them; arg: struct raw_ranks. Each directory is analysed in a process of its own. */
int raw_ranks_prepare(void *arg, const struct cluster_source *const *sources, size_t count, struct diagnostics *diag,
                      struct err *err);
int raw_ranks_analyse(void *arg, const struct cluster_source *source, struct rank_data *rank, struct diagnostics *diag,
                      struct err *err);

#endif
