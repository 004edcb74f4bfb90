/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of the simulator, hot first. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    {"Instruction", "instruction", .doc = "Name of the instruction."},
    {"Pipe", "pipe", .doc = "The pipe that ran it."},
    {"Calls", "calls", .doc = "Number of executions.", .flags = REPORT_NUMBER},
    {"Cycles", "cycles", .doc = "Cycles of all calls; overlapping calls count twice.", .flags = REPORT_NUMBER},
    {"Of Core(%)", "100.0 * cycles / sum(cycles) OVER (PARTITION BY launch_id, core_id, core, sub_core)", FORM_SHORTEST,
     4, .doc = "Share of the cycles of all instructions of the core."},
    {"Time(us)", "time_ps", FORM_SCALED, 6, .doc = "Time with at least one call."},
    {"Core", "'core' || core_id || CASE core WHEN 0 THEN '.cubecore' ELSE '.veccore' END || sub_core",
     .doc = "The simulated core."},
    {"Address", "\"printf\"('0x%x', address)", .doc = "Address of the instruction."},
    {"Operands", "detail", .doc = "Its operands.", .flags = REPORT_NO_TERMINAL},
    {.title = NULL},
};

const struct report report_opprof_instructions = {
    .name = "instructions",
    .title = "Instructions",
    .doc = "Instructions of the simulator run, the most cycles first.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .show_order = 7,
    .show_if = "EXISTS (SELECT 1 FROM opprof_instruction)",
    .needs = "core*_instr_exe.csv, which the simulator writes: msprof op simulator",
    .query = {.from = "opprof_instruction", .order_by = "cycles DESC, id"},
    .columns = columns,
};
