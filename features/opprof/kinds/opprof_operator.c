/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of operators: OpBasicInfo.csv. */
#include "base/words.h"
#include "features/opprof/kinds/common/opprof_tree.h"
#include "features/opprof/kinds/common/plain_csv.h"

#include <string.h>

extern const struct record_kind kind_opprof_operator;

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(LAUNCH, "launch_id", "Launch", MADE_NUMBER, "The launch (capture_part.id).")                                  \
    MADE(NAME, "op_name", "Operator", TEXT(PLAIN), "Name of the kernel.")                                              \
    MADE(TYPE, "op_type", "Kind", TEXT(PLAIN), "Cores that it runs on: vector, cube or mix.")                          \
    MADE(DURATION, "duration_ps", "Duration", NUMBER, "Duration of the task, in picoseconds.")                         \
    MADE(BLOCKS, "block_dim", "Blocks", NUMBER, "Blocks; for a mixed kernel the blocks on cube cores.")                \
    MADE(MIX_BLOCKS, "mix_block_dim", "Vector blocks", NUMBER, "Blocks of vector cores of a mixed kernel.")            \
    MADE(DEVICE, "device_id", "Device", NUMBER, "The device.")                                                         \
    MADE(PID, "process_id", "Process", NUMBER, "The process.")                                                         \
    MADE(FREQUENCY, "current_mhz", "Frequency", NUMBER, "Frequency of the cores while it ran, in MHz.")                \
    MADE(RATED, "rated_mhz", "Rated frequency", NUMBER, "Frequency that the cores are rated for, in MHz.")

MADE_COLUMNS;

static const struct plain_column map[] = {
    {"Op Name", NAME, WHOLE},
    {"Op Type", TYPE, WHOLE},
    {"Task Duration(us)", DURATION, MILLIONTHS},
    {"Block Dim", BLOCKS, WHOLE},
    {"Mix Block Dim", MIX_BLOCKS, WHOLE},
    {"Device Id", DEVICE, WHOLE},
    {"Pid", PID, WHOLE},
    {"Current Freq", FREQUENCY, WHOLE},
    {"Rated Freq", RATED, WHOLE},
    {NULL, 0, WHOLE},
};

static bool is_type(const struct row *row, const char *type)
{
    const struct cell *cell = &row->cells[TYPE];
    return row_has(row, TYPE) && cell->length == strlen(type) && memcmp(cell->text, type, cell->length) == 0;
}

/* Remembers how many rows the other files of the launch have. */
static int note_blocks(struct decoder *decoder, const struct capture_file *file, struct row *row, struct err *err)
{
    struct opprof_launch *launch = opprof_launch_of(decoder_capture(decoder), file->part, err);
    if (launch == NULL)
        return err_status(err);
    const int64_t blocks = row_has(row, BLOCKS) ? row->cells[BLOCKS].integer : -1;
    const bool mix = is_type(row, "mix");
    launch->described = true;
    launch->cube_blocks = mix || is_type(row, "cube") ? blocks : -1;
    launch->vector_blocks = mix && row_has(row, MIX_BLOCKS) ? row->cells[MIX_BLOCKS].integer
                            : is_type(row, "vector")        ? blocks
                                                            : -1;
    return 0;
}

PLAIN_KIND(opprof_operator, "Operator under msprof op",
           "A launch of an operator that msprof op measured: its duration, blocks and frequency.", 0,
           ((const char *const[]){"OpBasicInfo.csv", "OpBasicInfo_{process_id}.csv", NULL}), note_blocks);
