/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/spool.h"
#include "base/progress.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>
#include <string.h>

/* Calls into trees, one thread after the other. A call's row is known when its thread has left the outermost call
 * around it. */

/* ---- in ---- */

static int call_kind(struct association *association, const struct plain_call *call, uint16_t *ret, struct err *err)
{
    uint32_t name, index;
    int status = intern_add(&association->texts, call->name, call->name_length, &name, err);
    if (status < 0)
        return status;
    int64_t key = (int64_t)((uint64_t)call->level << 48 | (uint64_t)(call->type & 0xff) << 40 | name);
    if (!id_map_get(&association->call_kind_ids, key, &index)) {
        if (association->call_kind_count > UINT16_MAX)
            return err_set(err, ERR_LIMIT, "more than 65536 different functions");
        struct call_kind *kind =
            ARRAY_NEXT(association->call_kinds, association->call_kind_count, association->call_kind_capacity, err);
        if (kind == NULL)
            return -(int)err->code;
        *kind = (struct call_kind){.type = call->type, .level = call->level, .name = name};
        index = (uint32_t)(association->call_kind_count - 1);
        status = id_map_set(&association->call_kind_ids, key, index, err);
    }
    *ret = (uint16_t)index;
    return status;
}

int executions_add_call(struct executions *executions, const struct plain_call *call, struct err *err)
{
    const struct task_numbers *task = &call->launched;
    struct spooled_call record = {
        .end_ns = call->end_ns,
        .level = call->level,
        .launches = call->task_count < UINT16_MAX ? (uint16_t)call->task_count : UINT16_MAX,
        .launched = {task->device_id >= 0 ? (uint32_t)task->device_id : NO_DEVICE, task->stream_id, task->task_id, 0},
    };
    int status = join_expect_span(call->begin_ns, call->end_ns, err);
    if (status == 0)
        status = call_kind(executions->association, call, &record.kind, err);
    if (status < 0)
        return status;
    if (record.launches > 0)
        record.launch_order = executions->launches++;
    uint64_t begin = spool_key_part(call->begin_ns);
    const struct spool_key key = {(uint64_t)call->thread_id << 32 | begin >> 32, begin << 32};
    return spool_add(executions->calls, &key, &record, sizeof record, err);
}

/* ---- trees ---- */

/* The calls since the thread was last outside of all. */
struct tree {
    struct executions *executions;
    struct {
        struct call *items; /* parents are indexes here */
        size_t count, capacity;
    } calls;
    uint32_t thread_id;
    int64_t first_row; /* of host_call, of the first of the calls */
};

static int emit_tree(struct tree *tree, struct err *err)
{
    struct association *association = tree->executions->association;
    int status = interrupted() ? interrupt_error(err) : 0;
    for (size_t i = 0; i < tree->calls.count && status == 0; i++) {
        struct row row;
        status = decoder_emit(association->decoder, &kind_host_call, &row, err);
        if (status == 0)
            call_put_row(association->call_kinds, tree->first_row, tree->thread_id, &tree->calls.items[i], &row);
    }
    tree->first_row += (int64_t)tree->calls.count;
    tree->calls.count = 0;
    return status;
}

/* The innermost call that holds one that begins later. Calls that overlap without one containing the other are
 * siblings. */
static uint32_t parent_of(const struct tree *tree, int64_t end_ns)
{
    const struct call *calls = tree->calls.items;
    uint32_t parent = tree->calls.count > 0 ? (uint32_t)tree->calls.count - 1 : NO_INDEX;
    while (parent != NO_INDEX && calls[parent].end_ns < end_ns)
        parent = calls[parent].parent;
    return parent;
}

/* A call that launches has a connection, and so have those around it that have none yet. */
static int connect(struct tree *tree, struct call *call, const struct spooled_call *record, struct err *err)
{
    struct call *calls = tree->calls.items;
    struct association *association = tree->executions->association;
    call->connection = ++association->connections;
    for (uint32_t i = call->parent; i != NO_INDEX && calls[i].connection == 0; i = calls[i].parent)
        calls[i].connection = call->connection;
    const struct launch launch = {record->launch_order, call->connection, tree->thread_id,
                                  association->call_kinds[record->kind].name};
    return executions_add_record(tree->executions, &record->launched, RECORD_LAUNCH, &launch, sizeof launch, err);
}

static int add_call(struct tree *tree, const struct spool_item *item, struct err *err)
{
    const struct spooled_call *record = item->record;
    uint32_t thread_id = (uint32_t)(item->key.major >> 32);
    uint32_t parent = thread_id == tree->thread_id ? parent_of(tree, record->end_ns) : NO_INDEX;
    if (parent == NO_INDEX && emit_tree(tree, err) < 0)
        return -(int)err->code;
    tree->thread_id = thread_id;
    if (tree->calls.count >= NO_INDEX - 1)
        return err_set(err, ERR_LIMIT, "more than 2^32 calls of thread %u inside of one", thread_id);
    if (array_reserve(&tree->calls, 1, err) < 0)
        return -(int)err->code;
    struct call *call = &tree->calls.items[tree->calls.count++];
    *call = (struct call){
        .begin_ns = spool_key_value(item->key.major << 32 | item->key.minor >> 32),
        .end_ns = record->end_ns,
        .item = NO_INDEX,
        .parent = parent,
        .kind = record->kind,
        .launches = record->launches,
    };
    return record->launches > 0 ? connect(tree, call, record, err) : 0;
}

/* Builds the trees of all threads' calls, emits them and adds their launches to the records of tasks. */
static int executions_join_calls(struct executions *executions, struct err *err)
{
    struct tree tree = {.executions = executions, .first_row = 1};
    struct spool_item item;
    int status = spool_finish(executions->calls, err);
    while (status == 0 && (status = spool_next(executions->calls, &item, err)) > 0)
        status = add_call(&tree, &item, err);
    if (status == 0)
        status = emit_tree(&tree, err);
    free(tree.calls.items);
    spool_free(executions->calls);
    executions->calls = NULL;
    return status;
}

/* Rows out. */

static void set_text(struct row *row, size_t column, uint32_t text)
{
    if (text != NO_INDEX)
        row_set_integer(row, column, text + INT64_C(1));
}

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
    set_text(row, DEVICE_TASK_OP_NAME_ID, operator_->name);
    set_text(row, DEVICE_TASK_OP_TYPE_ID, named != NULL ? named->type : operator_->type);
    set_text(row, DEVICE_TASK_TENSOR_SET_ID, named != NULL ? named->texts : operator_->tensor_set);
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
    int status = decoder_emit(executions->association->decoder, &kind_device_task, &row, err);
    if (status < 0)
        return status;
    set_numbers(&row, task);
    if (task->described) {
        set_operator(executions, &row, &task->operator_);
        row_set_integer(&row, DEVICE_TASK_BATCH_ID, task->operator_.batch_id);
    }
    if (task->launched) {
        row_set_integer(&row, DEVICE_TASK_CONNECTION_ID, task->launch.connection);
        row_set_integer(&row, DEVICE_TASK_THREAD_ID, task->launch.thread_id);
        set_text(&row, DEVICE_TASK_LAUNCH_NAME_ID, task->launch.function);
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
                set_text(&row, operator_column, name);
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
    int status = decoder_emit(decoder, &kind_tensor_set, &row, err);
    if (status < 0)
        return status;
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
    if (tasks > 0)
        diag_report(diag, DIAG_TASK_NOT_RUN, &place, "%llu descriptions of tasks without an execution",
                    (unsigned long long)tasks);
    if (operators > 0)
        diag_report(diag, DIAG_TASK_NOT_RUN, &place, "%llu descriptions of operators that no task runs",
                    (unsigned long long)operators);
}

int executions_join(struct executions *executions, struct err *err)
{
    int status = executions_join_calls(executions, err);
    if (status == 0)
        status = executions_match(executions, err);
    if (status == 0 && executions->tensors_unused > 0)
        association_drop_joined(executions->association, ANY_PART, record_kind_find("framework_tensor"),
                                DIAG_TASK_NOT_RUN, executions->tensors_unused);
    if (status == 0)
        status = executions_emit(executions, err);
    if (status == 0 && executions->of_job)
        report_unused(executions);
    return status;
}
