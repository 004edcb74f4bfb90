/* SPDX-License-Identifier: Apache-2.0 */
/* AI CPU tasks: aicpu.* of SVP boards, one record a task execution. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, ORIGIN), "When the task began to run, system monotonic clock.")    \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "From start to end.")                           \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream that the task ran on.")                              \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "Index of the layer group within one inference.")                      \
    MADE(END_NS, "end_ns", "End", INTEGER(NS, TRANSIENT), "When the task was done, system monotonic clock.")           \
    MADE(DISPATCH_NS, "dispatch_ns", "Dispatch time", INTEGER(NS, PLAIN), "Time to hand the task to the AI CPU.")      \
    MADE(TOTAL_NS, "total_ns", "Total time", INTEGER(NS, PLAIN),                                                       \
         "Time from submission to completion, as the device counted it.")

MADE_COLUMNS;

static const struct field fields[] = {
    FIELD("stream_id", 4, 2),
    FIELD("task_id", 6, 2),
    FIELD("start_ns", 8, 8),
    FIELD("end_ns", 48, 8),
    {.column = "dispatch_ns", .offset = 108, .width = 4, .multiply = 1000},
    {.column = "total_ns", .offset = 112, .width = 4, .multiply = 1000},
};

static int derive_duration(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)state;
    (void)err;
    if (!row_has(row, START_NS) || !row_has(row, END_NS))
        return 0;
    int64_t start = row->cells[START_NS].integer, end = row->cells[END_NS].integer;
    *keep = decoder_check_span(decoder, "the task", start, end);
    if (*keep)
        row_set_integer(row, DURATION_NS, end - start);
    return 0;
}

const struct record_kind kind_aicpu_task = {
    .name = "aicpu_task",
    .table = "ai_cpu_task",
    .families = FAMILY_SVP,
    .title = "AI CPU task",
    .doc = "One layer that ran on the AI CPU in one sampled inference. The inference is named by the file "
           "(source_file.model_name and the columns after it).",
    .patterns =
        (const char *const[]){"aicpu.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
                              "aacpu.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
                              "AIcpu.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
                              "AAcpu.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
                              NULL},
    RECORDS_OF(columns, LAYOUT("svp-reference", 128, fields,
                               "CANN DATA_PREPROCESS.AICPU record: magic 0x5A5A, tag 60, 128 bytes, run times in ns, "
                               "dispatch and total time "
                               "in us (Ascend/msprof of 2022, ai_cpu_data.py)",
                               MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 60)))),
    HOOKS(.record = derive_duration),
};
