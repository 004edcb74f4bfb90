/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/spool.h"
#include "base/progress.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>
#include <string.h>

/* Rows out. */

static void set_tick(struct row *row, size_t column, int64_t tick)
{
    if (tick != NO_TICK)
        row_set_integer(row, column, tick);
}

/* ---- tasks ---- */

/* JOB: what is known of operators of this name. */
static const struct operator_of_name *find_operator(const struct executions *executions,
                                                    const struct described *operator_)
{
    struct operator_of_name *named = map_get(&executions->operators, &operator_->name);
    if (named != NULL)
        named->used = true;
    return named;
}

static void set_operator(const struct executions *executions, struct row *row, const struct described *operator_)
{
    const struct operator_of_name *named = find_operator(executions, operator_);
    row_set_text(row, DEVICE_TASK_OP_NAME_ID, operator_->name);
    row_set_text(row, DEVICE_TASK_OP_TYPE_ID, named != NULL ? named->type : operator_->type);
    row_set_text(row, DEVICE_TASK_TENSOR_SET_ID, named != NULL ? named->texts : operator_->tensor_set);
    row_set_integer(row, DEVICE_TASK_OP_TASK_TYPE, operator_->task_type);
    row_set_integer(row, DEVICE_TASK_OP_STATE, operator_->op_state);
    row_set_integer(row, DEVICE_TASK_BLOCK_NUM, operator_->block_num);
    if (operator_->model_id != NO_MODEL)
        row_set_integer(row, DEVICE_TASK_MODEL_ID, operator_->model_id);
}

static void set_counters(struct row *row, const struct counters *counters)
{
    size_t first = counters->of_vector_core ? DEVICE_TASK_AIV_TOTAL_CYCLE : DEVICE_TASK_AIC_TOTAL_CYCLE;
    row_set_integer(row, first, counters->total_cycle);
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        row_set_integer(row, first + 1 + i, counters->values[i]);
    if (counters->block_num >= 0)
        row_set_integer(row, DEVICE_TASK_COUNTED_BLOCKS, counters->block_num);
}

static void set_numbers(struct row *row, const struct joined_task *task)
{
    if (task->of.device_id != NO_DEVICE)
        row_set_integer(row, DEVICE_TASK_DEVICE_ID, task->of.device_id);
    row_set_integer(row, DEVICE_TASK_STREAM_ID, task->of.stream_id);
    row_set_integer(row, DEVICE_TASK_TASK_ID, task->of.task_id);
    if (task->of.part > 0)
        row_set_integer(row, DEVICE_TASK_CONTEXT_ID, task->of.part - INT64_C(1));
    if (task->run.accelerator_id != NO_ACCELERATOR)
        row_set_integer(row, DEVICE_TASK_ACCELERATOR_ID, task->run.accelerator_id);
    row_set_integer(row, DEVICE_TASK_TYPE, task->run.type);
    row_set_integer(row, DEVICE_TASK_START_NS, task->run.start_ns);
    row_set_integer(row, DEVICE_TASK_DURATION_NS, task->run.end_ns - task->run.start_ns);
    row_set_integer(row, DEVICE_TASK_ORIGIN_NS, task->run.start_ns);
    set_tick(row, DEVICE_TASK_WAIT_TICK, task->run.wait_tick);
    set_tick(row, DEVICE_TASK_PENDING_TICK, task->run.pending_tick);
    row_set_integer(row, DEVICE_TASK_START_TICK, task->run.start_tick);
    row_set_integer(row, DEVICE_TASK_END_TICK, task->run.end_tick);
}

static int emit_task(struct executions *executions, const struct joined_task *task, struct err *err)
{
    struct row row;
    if (decoder_emit(executions->association->decoder, &kind_device_task, &row, err) < 0)
        return err_status(err);
    set_numbers(&row, task);
    if (task->described) {
        set_operator(executions, &row, &task->operator_);
        row_set_integer(&row, DEVICE_TASK_BATCH_ID, task->operator_.batch_id);
    }
    if (task->launched) {
        row_set_integer(&row, DEVICE_TASK_CONNECTION_ID, task->launch.connection);
        row_set_integer(&row, DEVICE_TASK_THREAD_ID, task->launch.thread_id);
        row_set_text(&row, DEVICE_TASK_LAUNCH_NAME_ID, task->launch.function);
    }
    if (task->counted)
        set_counters(&row, &task->counters);
    return 0;
}

static int emit_tasks(struct executions *executions, struct err *err)
{
    struct spool_item item;
    uint64_t tasks = 0;
    int status = spool_finish(executions->joined, err);
    while (status == 0 && (status = spool_next(executions->joined, &item, err)) > 0) {
        status = ++tasks % 4096 == 0 && interrupted() ? interrupt_error(err) : emit_task(executions, item.record, err);
    }
    return status;
}

/* ---- the AI CPU ---- */

static int emit_ai_cpu(struct executions *executions, struct err *err)
{
    size_t operator_column = (size_t)record_kind_column(&kind_aicpu_node, "op_name_id");
    size_t file_column = (size_t)record_kind_column(&kind_aicpu_node, "file_id");
    struct spool_item item;
    struct row row = {.cells = NULL}; /* the last one */
    int status = spool_finish(executions->ai_cpu, err);
    while (status == 0 && (status = spool_next(executions->ai_cpu, &item, err)) > 0) {
        status = 0;
        if (item.key.minor == AI_CPU_OPERATOR) {
            uint32_t name;
            memcpy(&name, item.record, sizeof name);
            if (row.cells != NULL)
                row_set_text(&row, operator_column, name);
            continue;
        }
        const struct ai_cpu_cells *cells = item.record;
        status = decoder_emit(executions->association->decoder, &kind_aicpu_node, &row, err);
        if (status < 0)
            break;
        memcpy(row.cells, cells->cells, kind_aicpu_node.column_count * sizeof *row.cells);
        *row.present = cells->present;
        decoder_store_after_all(executions->association->decoder, row.cells[file_column].integer);
    }
    return status;
}

/* ---- JOB: texts of tensors ---- */

static int emit_operator_texts(struct executions *executions, size_t set, struct err *err)
{
    struct decoder *decoder = executions->association->decoder;
    const struct interned *all = &executions->operator_texts.items[set];
    struct row row;
    if (decoder_emit(decoder, &kind_tensor_set, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, TENSOR_SET_ID, (int64_t)set + 1);
    const char *text = all->bytes;
    for (size_t i = 0; i < OPERATOR_TEXTS; i++, text += strlen(text) + 1) {
        if (*text != '\1')
            decoder_set_text(decoder, &kind_tensor_set, &row, TENSOR_SET_INPUT_SHAPES + i, text, strlen(text));
    }
    return 0;
}

/* Emits the other rows. */
static int executions_emit(struct executions *executions, struct err *err)
{
    int status = emit_tasks(executions, err);
    if (status == 0)
        status = emit_ai_cpu(executions, err);
    for (size_t i = 0; i < executions->operator_texts.count && status == 0; i++)
        status = emit_operator_texts(executions, i, err);
    return status == 0 ? association_emit_texts(executions->association, err) : status;
}

/* JOB: what describes tasks that did not run, or operators of no task. */
static void report_unused(const struct executions *executions)
{
    struct diagnostics *diag = decoder_diag(executions->association->decoder);
    const struct place place = {NULL, -1, -1, NULL};
    uint64_t tasks = 0, operators = 0;
    for (const struct operator_of_task *item = map_next(&executions->task_operators, NULL); item != NULL;
         item = map_next(&executions->task_operators, item))
        tasks += !item->used;
    for (const struct operator_of_name *item = map_next(&executions->operators, NULL); item != NULL;
         item = map_next(&executions->operators, item))
        operators += !item->used;
    if (tasks > 0 && !association_misses_device(executions->association))
        diag_report(diag, DIAG_TASK_NOT_RUN, &place, "%llu descriptions of tasks without an execution",
                    (unsigned long long)tasks);
    if (operators > 0 && !association_misses_device(executions->association))
        diag_report(diag, DIAG_TASK_NOT_RUN, &place, "%llu descriptions of operators that no task runs",
                    (unsigned long long)operators);
}

int executions_join(struct executions *executions, struct err *err)
{
    int status = association_join_host(executions->association, err);
    if (status == 0)
        status = executions_match(executions, err);
    if (status == 0 && executions->tensors_unused > 0)
        association_drop_joined(executions->association, ANY_PART, record_kind_find("framework_tensor"),
                                association_misses_device(executions->association) ? DIAG_HALF_MISSING
                                                                                   : DIAG_TASK_NOT_RUN,
                                executions->tensors_unused);
    if (status == 0)
        status = executions_emit(executions, err);
    if (status == 0 && executions->of_job)
        report_unused(executions);
    return status;
}
