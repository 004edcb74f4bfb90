/* SPDX-License-Identifier: Apache-2.0 */
/* msprof cluster: the ranks of a job together. */
#include "base/file/fsutil.h"
#include "cli/clock.h"
#include "cli/cluster/cluster_run.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/status.h"

static int run_cluster(const struct settings *settings)
{
    struct team team;
    team_alone(&team);
    return cluster_run(settings, &team);
}

static const struct example examples[] = {
    {"what the ranks of a job did, into RUN/cluster_analysis_output/", "msprof cluster RUN"},
    {"of the first 64 ranks, results elsewhere", "msprof cluster RUN --ranks 0-63 --output results"},
    {NULL, NULL},
};

const struct command command_cluster = {
    .path = "cluster",
    .parent = COMMAND_ROOT,
    .summary = "analyse the ranks of a job together",
    .description = "Finds the captures of all ranks in a directory (*_ascend_pt, *_ascend_ms, PROF_*), and writes\n"
                   "who waited for whom, slow ranks and slow links, steps and communication of all ranks.\n",
    .operands = "DIR",
    .most_operands = 1,
    .examples = examples,
    .run = run_cluster,
};
