/* SPDX-License-Identifier: Apache-2.0 */
/* The head of every record of the STARS scheduler, and what its kinds share. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_STARS_STARS_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_STARS_STARS_RECORD_H

#include "parsers/decode/decode.h"
#include "parsers/kinds/common/device_stream.h"
#include "parsers/kinds/common/sample.h"

/* The first columns of every such kind, in this order. */
enum stars_record_column {
    FILE_ID,
    FUNCTION_TYPE,
    COUNTER,
    TASK_TYPE,
    STREAM_WORD,
    TASK_WORD,
    STARS_RECORD_COLUMN_COUNT
};

extern const struct value_name stars_split_types[]; /* how a task is split */

#define STARS_RECORD_COLUMNS(functions, function_doc)                                                                  \
    [FILE_ID] = FILE_COLUMN,                                                                                           \
    [FUNCTION_TYPE] = COLUMN("function_type", "Function", NAMES(PLAIN, functions), function_doc),                      \
    [COUNTER] = COLUMN("counter", "Counter", NUMBER, "Counts records modulo 16; a gap means lost records."),           \
    [TASK_TYPE] =                                                                                                      \
        COLUMN("task_type", "Task type", NAMES(PLAIN, device_task_names), "Kind of entry of the submission queue."),   \
    [STREAM_WORD] = COLUMN("stream_word", "Stream word", NUMBER, "The stream, with bits of the task on some chips."),  \
    [TASK_WORD] = COLUMN("task_word", "Task word", NUMBER, "The task, with bits of the stream on some chips.")

#define STARS_RECORD_FIELDS                                                                                            \
    BITS_FIELD("function_type", 0, 2, 0, 6), BITS_FIELD("counter", 0, 2, 6, 4), BITS_FIELD("task_type", 0, 2, 10, 6),  \
        FIELD("stream_word", 4, 2), FIELD("task_word", 6, 2)

#define STARS_RECORD_MAGICS MAGICS(MAGIC(2, 2, 0x6bd3))

/* The columns of fusion tasks, which the task log of chips 15 and 16 has. */

#define FUSION_TASK_COLUMNS(MADE)                                                                                      \
    MADE(FUSION_TASK_DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device.")                                  \
    MADE(FUSION_TASK_TASK_ID, "task_id", "Task ID", MADE_NUMBER, "The number of the task, of 32 bits.")                \
    MADE(FUSION_TASK_ACCELERATOR_ID, "accelerator_id", "Accelerator", MADE_NUMBER, "The accelerator that ran it.")     \
    MADE(FUSION_TASK_TYPE, "type", "Type", NAMES(DERIVED, types),                                                      \
         "Engine that it ran on; 3 and 4 are the dies of the CCU.")                                                    \
    MADE(FUSION_TASK_MISSION_ID, "mission_id", "Mission", MADE_NUMBER, "The mission of a task on the CCU.")            \
    MADE(FUSION_TASK_START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                \
    MADE(FUSION_TASK_DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it ran.")
enum { FUSION_TASK_COLUMNS(COLUMN_NUMBER) };

extern const struct record_kind kind_fusion_task;

#endif
