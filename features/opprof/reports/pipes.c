/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes of cores over all blocks. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    CORE_SHOWN,
    {"Pipe", "pipe", .doc = "The pipe, or the reason of a stall of the scalar unit."},
    {"State", "state", .doc = "busy, wait or stall."},
    {"Blocks", "blocks", .doc = "Rows that have a value of it.", .flags = REPORT_NUMBER},
    {"Mean(us)", "mean_us", FORM_SHORTEST, 6, .doc = "Mean of its time."},
    {"Longest(us)", "longest_ps", FORM_SCALED, 6, .doc = "Longest time of a block."},
    {"Mean Ratio(%)", "mean_ratio", FORM_SHORTEST, 4,
     .doc = "Mean of the ratio in the files; for a mixed kernel it refers to the whole task."},
    {"Largest Ratio(%)", "ratio", FORM_SCALED, 4, .doc = "Largest of these ratios."},
    {"Of Core(%)", "100.0 * time_ps / nullif(core_ps, 0)", FORM_SHORTEST, 4,
     .doc = "Its time by that of the cores. Pipes overlap."},
    {"When Active(GB/s)", "bandwidth", FORM_SHORTEST, 6,
     .doc = "Mean of its bandwidths while it was busy, in 2^30 bytes a second.", .id = "when_active"},
    {.title = NULL},
};

const struct report report_opprof_pipes = {
    .name = "pipes",
    .title = "Pipes",
    .doc = "Busy, waiting and stalled time of each pipe of the cores over all blocks.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "PipeUtilization.csv or ResourceConflictRatio.csv: --aic-metrics=PipeUtilization,ResourceConflictRatio",
    .show_order = 2,
    .query = {.from = "opprof_pipe_row", .order_by = "launch_id, core, n"},
    .columns = columns,
};
