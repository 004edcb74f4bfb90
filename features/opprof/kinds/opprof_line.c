/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source that the simulator ran on a core: core<N>.<core>_code_exe.csv. */
#include "features/opprof/kinds/common/plain_csv.h"

extern const struct record_kind kind_opprof_line;

enum { CODE = PLAIN_OF_CORE, CALLS, CYCLES, TIME };

static const struct column columns[] = {
    FILE_COLUMN,
    LAUNCH_COLUMN,
    PLAIN_CORE_COLUMNS,
    TEXT_COLUMN_OF("code", "Line", "File and line of the source."),
    NUMBER_COLUMN("calls", "Calls", "Number of executions of its instructions."),
    NUMBER_COLUMN("cycles", "Cycles", "Sum of the cycles of its instructions; overlapping ones count twice."),
    NUMBER_COLUMN("time_ps", "Time", "Time in which any of them ran, in picoseconds."),
};

static const struct plain_column map[] = {{"code", CODE, WHOLE},
                                          {"call_count", CALLS, WHOLE},
                                          {"cycles", CYCLES, WHOLE},
                                          {"running_time(us)", TIME, MILLIONTHS},
                                          {NULL, 0, WHOLE}};

PLAIN_KIND(opprof_line, "Line of source on a simulated core",
           "A line of the kernel's source with its calls and cycles, on one core of the simulator.", 1,
           PLAIN_CORE_FILES("code_exe"), plain_put_core);
