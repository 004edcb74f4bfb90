/* SPDX-License-Identifier: Apache-2.0 */
/* The head of every record of the STARS scheduler, and what its kinds share. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_STARS_STARS_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_STARS_STARS_RECORD_H

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
    [FILE_ID] =                                                                                                        \
        {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL, "The file it came from (source_file.id)."},  \
    [FUNCTION_TYPE] = {"function_type", "Function", COLUMN_INTEGER, UNIT_NONE, 0, functions, function_doc},            \
    [COUNTER] = {"counter",                                                                                            \
                 "Counter",                                                                                            \
                 COLUMN_INTEGER,                                                                                       \
                 UNIT_NONE,                                                                                            \
                 0,                                                                                                    \
                 NULL,                                                                                                 \
                 "Counts records modulo 16; a gap means lost records."},                                               \
    [TASK_TYPE] = {"task_type",                                                                                        \
                   "Task type",                                                                                        \
                   COLUMN_INTEGER,                                                                                     \
                   UNIT_NONE,                                                                                          \
                   0,                                                                                                  \
                   device_task_names,                                                                                  \
                   "Kind of entry of the submission queue."},                                                          \
    [STREAM_WORD] = {"stream_word",                                                                                    \
                     "Stream word",                                                                                    \
                     COLUMN_INTEGER,                                                                                   \
                     UNIT_NONE,                                                                                        \
                     0,                                                                                                \
                     NULL,                                                                                             \
                     "The stream, with bits of the task on some chips."},                                              \
    [TASK_WORD] = {"task_word",                                                                                        \
                   "Task word",                                                                                        \
                   COLUMN_INTEGER,                                                                                     \
                   UNIT_NONE,                                                                                          \
                   0,                                                                                                  \
                   NULL,                                                                                               \
                   "The task, with bits of the stream on some chips."}

#define STARS_RECORD_FIELDS                                                                                            \
    {.column = "function_type", .offset = 0, .width = 2, .first_bit = 0, .bit_count = 6},                              \
        {.column = "counter", .offset = 0, .width = 2, .first_bit = 6, .bit_count = 4},                                \
        {.column = "task_type", .offset = 0, .width = 2, .first_bit = 10, .bit_count = 6},                             \
        {.column = "stream_word", .offset = 4, .width = 2},                                                            \
    {                                                                                                                  \
        .column = "task_word", .offset = 6, .width = 2                                                                 \
    }

#define STARS_RECORD_MAGICS                                                                                            \
    {                                                                                                                  \
        {                                                                                                              \
            .offset = 2, .width = 2, .value = 0x6bd3                                                                   \
        }                                                                                                              \
    }

/* The columns of fusion tasks, which the task log of chips 15 and 16 has. */

enum {
    FUSION_TASK_DEVICE_ID,
    FUSION_TASK_TASK_ID,
    FUSION_TASK_ACCELERATOR_ID,
    FUSION_TASK_TYPE,
    FUSION_TASK_MISSION_ID,
    FUSION_TASK_START_NS,
    FUSION_TASK_DURATION_NS
};

extern const struct record_kind kind_fusion_task;

#endif
