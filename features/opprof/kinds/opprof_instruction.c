/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that the simulator ran on a core: core<N>.<core>_instr_exe.csv. */
#include "features/opprof/kinds/common/plain_csv.h"

extern const struct record_kind kind_opprof_instruction;

enum { INSTRUCTION = PLAIN_OF_CORE, ADDRESS, PIPE, CALLS, CYCLES, TIME, DETAIL };

static const struct column columns[] = {
    FILE_COLUMN,
    LAUNCH_COLUMN,
    PLAIN_CORE_COLUMNS,
    TEXT_COLUMN_OF("instruction", "Instruction", "Name of the instruction."),
    NUMBER_COLUMN("address", "Address", "Address of the instruction."),
    TEXT_COLUMN_OF("pipe", "Pipe", "The pipe that ran it."),
    NUMBER_COLUMN("calls", "Calls", "Number of executions."),
    NUMBER_COLUMN("cycles", "Cycles", "Sum of the cycles of all calls; overlapping ones count twice."),
    NUMBER_COLUMN("time_ps", "Time", "Time in which any call ran, in picoseconds."),
    TEXT_COLUMN_OF("detail", "Operands", "Its operands."),
};

static const struct plain_column map[] = {
    {"instr", INSTRUCTION, WHOLE}, {"addr", ADDRESS, WHOLE},  {"pipe", PIPE, WHOLE},
    {"call_count", CALLS, WHOLE},  {"cycles", CYCLES, WHOLE}, {"running_time(us)", TIME, MILLIONTHS},
    {"detail", DETAIL, WHOLE},     {NULL, 0, WHOLE},
};

PLAIN_KIND(opprof_instruction, "Instruction on a simulated core",
           "An instruction of the kernel with its calls and cycles, on one core of the simulator.", 1,
           PLAIN_CORE_FILES("instr_exe"), plain_put_core);
