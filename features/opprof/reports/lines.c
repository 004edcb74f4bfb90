/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source of the simulator, hot first. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    {"Line", "code", .doc = "File and line."},
    {"Calls", "calls", .doc = "Number of executions of its instructions.", .flags = REPORT_NUMBER},
    {"Cycles", "cycles", .doc = "Cycles of its instructions; overlapping ones count twice.", .flags = REPORT_NUMBER},
    {"Of Core(%)", "100.0 * cycles / sum(cycles) OVER (PARTITION BY launch_id, core_id, core, sub_core)", FORM_SHORTEST,
     4, .doc = "Share of the cycles of all lines of the core."},
    {"Time(us)", "time_ps", FORM_SCALED, 6, .doc = "Time with at least one of them."},
    {"Core", "'core' || core_id || CASE core WHEN 0 THEN '.cubecore' ELSE '.veccore' END || sub_core",
     .doc = "The simulated core."},
    {.title = NULL},
};

const struct report report_opprof_lines = {
    .name = "lines",
    .title = "Lines",
    .doc = "Source lines of the simulator run, the most cycles first.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .show_order = 6,
    .show_if = "EXISTS (SELECT 1 FROM opprof_line)",
    .needs = "core*_code_exe.csv with lines, which the simulator writes for a kernel compiled with -g",
    .query = {.from = "opprof_line", .order_by = "cycles DESC, id"},
    .columns = columns,
};
