/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts of the vector unit over all blocks. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    CORE_SHOWN,
    {"Conflict", "conflict", .doc = "The kind of conflict."},
    {"Blocks", "blocks", .doc = "Rows that have a value of it.", .flags = REPORT_NUMBER},
    {"Mean Ratio(%)", "mean", FORM_SHORTEST, 4, .doc = "Mean of the ratio in the file."},
    {"Largest Ratio(%)", "ratio", FORM_SCALED, 4, .doc = "Largest of these ratios."},
    {"Block", "block_id", .doc = "A block that has it.", .flags = REPORT_NUMBER},
    {.title = NULL},
};

const struct report report_opprof_conflicts = {
    .name = "conflicts",
    .title = "Conflicts",
    .doc = "Time that the vector unit lost by conflicts in the unified buffer, over all blocks.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "ResourceConflictRatio.csv: --aic-metrics=ResourceConflictRatio",
    .show_order = 5,
    .query = {.from = "opprof_conflict_row", .order_by = "launch_id, core, n"},
    .columns = columns,
};
