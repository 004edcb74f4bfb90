/* SPDX-License-Identifier: Apache-2.0 */
/* Task descriptions of MindSpore: Framework.host.vm.task_desc_info.*, a line "<operator> <block dim> <task id> <stream
 * id>". */
#include "base/number.h"
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"

#include <string.h>

/* Lower numbers are those of several tasks, on different streams. */
#define UNIQUE_TASK_IDS 25000

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    MADE(NAME, "name", "Operator", TEXT(PLAIN), "The operator's full name.")                                           \
    MADE(BLOCK_DIM, "block_dim", "Block dim", NUMBER, "How many blocks the task is split into.")                       \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The task that runs the operator.")                                    \
    MADE(STREAM_ID, "stream_id", "Logical stream ID", NUMBER, "The framework's logical stream, not the device's.")

MADE_COLUMNS;

extern const struct record_kind kind_task_desc;

/* Cuts the last blank-separated word off a line; NULL when there is none before it. */
static const char *last_word(const char *line, size_t *length, size_t *ret_word_length)
{
    size_t end = *length;
    while (end > 0 && line[end - 1] != ' ')
        end--;
    if (end == 0 || end == *length)
        return NULL;
    *ret_word_length = *length - end;
    *length = end - 1;
    return line + end;
}

static bool last_number(const char *line, size_t *length, int64_t *ret)
{
    size_t word_length;
    const char *word = last_word(line, length, &word_length);
    return word != NULL && number_parse_integer(word, word_length, ret) == 0;
}

static int take_line(struct decoder *decoder, const struct capture_file *file, const char *line, size_t length,
                     const struct place *place, struct err *err)
{
    int64_t stream_id, task_id, block_dim;
    size_t rest = length;
    if (!last_number(line, &rest, &stream_id) || !last_number(line, &rest, &task_id) ||
        !last_number(line, &rest, &block_dim) || rest == 0) {
        diag_report(decoder_diag(decoder), DIAG_TEXT_LINE, place,
                    "'%.*s'; expected <operator> <block dim> <task id> <stream id>", (int)(length < 80 ? length : 80),
                    line);
        return 0;
    }
    struct row row;
    if (decoder_emit(decoder, &kind_task_desc, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, file->id);
    row_set_integer(&row, DEVICE_ID, file->identity.device_id);
    decoder_set_text(decoder, &kind_task_desc, &row, NAME, line, rest);
    row_set_integer(&row, BLOCK_DIM, block_dim);
    row_set_integer(&row, TASK_ID, task_id);
    row_set_integer(&row, STREAM_ID, stream_id);
    const struct task_description description = {
        .task = {file->identity.device_id, 0, (uint32_t)task_id},
        .name = line,
        .name_length = rest,
        .model_id = UINT32_MAX,
        .block_num = (uint32_t)block_dim,
    };
    struct executions *executions = decoder_executions(decoder);
    return executions != NULL && task_id >= UNIQUE_TASK_IDS && task_id <= UINT32_MAX
               ? executions_add_operator_of_task(executions, &description, err)
               : 0;
}

static int take_text(struct decoder *decoder, void *state, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    (void)state;
    return decoder_each_line(decoder, file, data, length, take_line, err);
}

const struct record_kind kind_task_desc = {
    .name = "task_desc",
    .table = "task_description",
    .families = FAMILY_JOB,
    .title = "Task description",
    .doc = "Which operator a task runs. Text lines \"<operator> <block dim> <task id> <stream id>\". A description "
           "names the tasks of its id when the id is 25000 or more: those are unique over all streams.",
    .patterns = (const char *const[]){"Framework.host.vm.task_desc_info.{device_id}.slice_{slice}",
                                      "Framework.host.task_desc_info.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.text = take_text),
};
