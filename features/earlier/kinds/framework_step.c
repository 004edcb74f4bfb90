/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends of iterations, before 2023: Framework.step_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

static const struct value_name marks[] = {{0, "begin"}, {1, "end"}, {0, NULL}};

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.", AT(4, 4))                                           \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(8, 4))                                       \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.", AT(12, 2))                                \
    STORED(BATCH_ID, "batch_id", "Batch ID", NUMBER, "How often the task numbers of the stream had begun again.",      \
           AT(14, 2))                                                                                                  \
    STORED(TIME_NS, "time_ns", "Time", INTEGER(NS, PLAIN), "When, monotonic clock of the host.", AT(16, 8))            \
    STORED(ITERATION, "iteration", "Iteration", NUMBER, "The iteration.", AT(24, 8))                                   \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The reporting thread.", AT(32, 4))                            \
    STORED(MARK, "mark", "Mark", NAMES(PLAIN, marks), "Kind of event.", AT(36, 1))

COLUMN_TABLES;

const struct record_kind kind_framework_step = {
    OWN_TABLE("framework_step"),
    .families = FAMILY_2022,
    .title = "Iteration mark",
    .doc = "The begin or end of an iteration of a model.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.step_info"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-step", "Framework.step_info", 64)),
};
