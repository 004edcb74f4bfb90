/* SPDX-License-Identifier: Apache-2.0 */
/* Paths between memories over all blocks. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    CORE_SHOWN,
    {"Path", "path", .doc = "The path, or the side of a buffer. GM is the main memory, UB the unified buffer."},
    {"Blocks", "blocks", .doc = "Rows that have a value of it.", .flags = REPORT_NUMBER},
    {"Bytes", "bytes", .doc = "Bytes of all blocks.", .flags = REPORT_NUMBER, .unit = UNIT_BYTE},
    {"Bandwidth(GB/s)", "whole", FORM_SHORTEST, 6,
     .doc = "The bytes by the duration of the task, in 2^30 bytes a second."},
    {"Core Mean(GB/s)", "mean", FORM_SHORTEST, 6,
     .doc = "Mean of the cores' bandwidths: by the task of a mixed kernel, else by the core's own time."},
    {"Mean Usage(%)", "mean_usage", FORM_SHORTEST, 4, .doc = "Mean of the share of the peak in the files."},
    {"Largest Usage(%)", "usage", FORM_SCALED, 6, .doc = "Largest of these shares."},
    {"Core Peak(GB/s)", "peak", FORM_SHORTEST, 1,
     .doc = "The peak of a core that the shares refer to, from the tool that wrote the files; it may be that of "
            "another chip."},
    {.title = NULL},
};

const struct report report_opprof_memory = {
    .name = "memory",
    .title = "Memory",
    .doc = "Bytes and bandwidth of each path between memories, over all blocks.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "Memory.csv, MemoryL0.csv or MemoryUB.csv: --aic-metrics=Memory,MemoryL0,MemoryUB",
    .show_order = 3,
    .query = {.from = "opprof_path_row", .order_by = "launch_id, core, n"},
    .columns = columns,
};
