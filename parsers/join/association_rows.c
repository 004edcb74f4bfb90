/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the association, as rows. */
#include "base/number.h"
#include "base/utf8.h"
#include "parsers/join/association_data.h"
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/text/tensor_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls ---- */

/* The calls of all threads, one after the other. */
struct call_rows {
    struct row_source source; /* first */
    struct call_kind *kinds;
    struct spool *calls; /* struct left_call */
};

void call_put_row(const struct call_kind *kinds, int64_t first_row, uint32_t thread_id, const struct call *call,
                  struct row *row)
{
    const struct call_kind *kind = &kinds[call->kind];
    row_set_integer(row, HOST_CALL_THREAD_ID, thread_id);
    row_set_integer(row, HOST_CALL_LEVEL, kind->level);
    row_set_integer(row, HOST_CALL_TYPE, kind->type);
    row_set_integer(row, HOST_CALL_NAME_ID, kind->name + INT64_C(1));
    if (call->item != NO_INDEX)
        row_set_integer(row, HOST_CALL_ITEM_ID, call->item + INT64_C(1));
    row_set_integer(row, HOST_CALL_START_NS, call->begin_ns);
    row_set_integer(row, HOST_CALL_DURATION_NS, call->end_ns - call->begin_ns);
    if (call->parent != NO_INDEX)
        row_set_integer(row, HOST_CALL_PARENT_ID, first_row + call->parent);
    if (call->connection != 0)
        row_set_integer(row, HOST_CALL_CONNECTION_ID, call->connection);
    if (call->launches != 0)
        row_set_integer(row, HOST_CALL_LAUNCHES, call->launches);
}

static int fill_calls(struct row_source *source, struct row_batch *batch, struct err *err)
{
    struct call_rows *rows = (struct call_rows *)source;
    struct spool_item item;
    int any = 1;
    while (batch->rows < batch->capacity && (any = spool_next(rows->calls, &item, err)) > 0) {
        const struct left_call *left = item.record;
        struct row row = {batch->cells + batch->rows * batch->kind->column_count, &batch->present[batch->rows]};
        *row.present = 0;
        call_put_row(rows->kinds, (int64_t)item.key.major, left->thread_id, &left->call, &row);
        batch->rows++;
    }
    return any < 0 ? any : 0;
}

static void release_calls(struct row_source *source)
{
    struct call_rows *rows = (struct call_rows *)source;
    spool_free(rows->calls);
    free(rows->kinds);
    free(rows);
}

int association_emit_calls(struct association *association, struct err *err)
{
    struct call_rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL)
        return err_no_memory(err);
    *rows = (struct call_rows){.source = {&kind_host_call, fill_calls, release_calls}, .calls = association->calls};
    association->calls = NULL;
    /* A copy: another part of the capture may add kinds while the rows are taken. */
    rows->kinds = calloc(association->call_kinds.count + 1, sizeof *rows->kinds);
    if (rows->kinds == NULL || spool_finish(rows->calls, err) < 0) {
        int status = rows->kinds == NULL ? err_no_memory(err) : err_status(err);
        release_calls(&rows->source);
        return status;
    }
    for (size_t i = 0; i < association->call_kinds.count; i++)
        rows->kinds[i] = association->call_kinds.items[i];
    return decoder_emit_source(association->decoder, &rows->source, err);
}

/* ---- tasks ---- */

/* The whole of a mixed kernel has the type of the operator, which its part is. */
static void set_host(struct row *row, const struct host_task *host, enum task_split split)
{
    if (host->connection != 0)
        row_set_integer(row, DEVICE_TASK_CONNECTION_ID, host->connection);
    row_set_integer(row, DEVICE_TASK_THREAD_ID, host->thread_id);
    row_set_text(row, DEVICE_TASK_HOST_TYPE_ID, host->task_type);
    row_set_text(row, DEVICE_TASK_KERNEL_NAME_ID, host->kernel);
    if (host->has_block_num)
        row_set_integer(row, DEVICE_TASK_BLOCK_NUM, host->block_num);
    if (host->model_id != NO_MODEL)
        row_set_integer(row, DEVICE_TASK_MODEL_ID, host->model_id);
    if (host->op_name != NO_INDEX || split == SPLIT_MIXED_WHOLE) {
        row_set_text(row, DEVICE_TASK_OP_TYPE_ID, host->op_type);
        row_set_integer(row, DEVICE_TASK_OP_TASK_TYPE, host->op_task_type);
    }
    if (host->op_name == NO_INDEX)
        return;
    row_set_text(row, DEVICE_TASK_OP_NAME_ID, host->op_name);
    row_set_text(row, DEVICE_TASK_TENSOR_SET_ID, host->tensor_set);
    row_set_text(row, DEVICE_TASK_ATTRIBUTE_ID, host->attribute);
    if (host->described || host->mix_block_num > 0)
        row_set_integer(row, DEVICE_TASK_MIX_BLOCK_NUM, host->mix_block_num);
    if (!host->described)
        return;
    row_set_integer(row, DEVICE_TASK_OP_STATE, host->op_state);
    row_set_integer(row, DEVICE_TASK_OP_FLAG, host->op_flag);
}

static void set_dimensions(struct row *row, const struct task_extra *extra)
{
    row_set_text(row, DEVICE_TASK_GRID_DIM_ID, extra->grid_dim);
    row_set_text(row, DEVICE_TASK_BLOCK_DIM_ID, extra->block_dim);
}

static void set_copy(struct row *row, const struct task_extra *extra)
{
    if (extra->copy_bytes < 0)
        return;
    row_set_integer(row, DEVICE_TASK_COPY_BYTES, extra->copy_bytes);
    row_set_integer(row, DEVICE_TASK_COPY_DIRECTION, extra->copy_direction);
}

static void set_counters(struct row *row, size_t first_column, const struct pmu_sum *sum)
{
    row_set_integer(row, first_column, sum->total_cycle);
    for (size_t i = 0; i < sum->counter_count; i++)
        row_set_integer(row, first_column + 1 + i, sum->counters[i]);
}

/* A task as a spool has it. */
struct task_view {
    const struct matched_task *task; /* up to its launch */
    const struct host_task *host;    /* NULL: it has none */
    const struct pmu_sum *pmu[2];    /* likewise; with as many counters as there are */
};

/* A task of the scheduler is of none of the types of devices: its name is that of the host's dictionary. */
static void set_type(const struct association *association, struct row *row, const struct ran_task *ran)
{
    enum { NO_ENGINE = 255 };
    uint32_t text;
    row_set_integer(row, DEVICE_TASK_TYPE, ran->of_scheduler ? NO_ENGINE : ran->type);
    if (ran->of_scheduler && association_type_text(association, HOST_LEVEL_RUNTIME, ran->type, &text))
        row_set_text(row, DEVICE_TASK_HOST_TYPE_ID, text);
}

static int set_collective(struct association *association, struct row *row, const struct task_view *view,
                          struct collective_kernel *ret, struct err *err)
{
    if (association_collective_of(association, &view->task->ran, view->host, ret, err) < 0)
        return err_status(err);
    if (ret->part != COLLECTIVE_NONE)
        row_set_integer(row, DEVICE_TASK_COLLECTIVE, ret->part);
    return 0;
}

static int emit_task(struct association *association, int64_t device_id, const struct task_view *view,
                     struct collective_kernel *ret, struct err *err)
{
    static const size_t counters[] = {
        [PMU_CORE_AIC] = DEVICE_TASK_AIC_TOTAL_CYCLE, [PMU_CORE_AIV] = DEVICE_TASK_AIV_TOTAL_CYCLE};
    static const size_t times[] = {[PMU_CORE_AIC] = DEVICE_TASK_AIC_TIME_NS, [PMU_CORE_AIV] = DEVICE_TASK_AIV_TIME_NS};
    const struct ran_task *ran = &view->task->ran;
    struct row row;
    if (decoder_emit(association->decoder, &kind_device_task, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, DEVICE_TASK_DEVICE_ID, device_id);
    uint32_t stream_id = view->task->stream_id;
    id_map_get(&association->logic_streams, stream_id, &stream_id);
    row_set_integer(&row, DEVICE_TASK_STREAM_ID, stream_id);
    row_set_integer(&row, DEVICE_TASK_TASK_ID, ran->task_id);
    if (ran->batch_id < BATCHES_MAX) /* else it is of before the host's first */
        row_set_integer(&row, DEVICE_TASK_BATCH_ID, ran->batch_id);
    if (ran->context_id != (uint32_t)NO_CONTEXT)
        row_set_integer(&row, DEVICE_TASK_CONTEXT_ID, ran->context_id);
    set_type(association, &row, ran);
    row_set_integer(&row, DEVICE_TASK_START_NS, ran->start_ns);
    row_set_integer(&row, DEVICE_TASK_DURATION_NS, ran->end_ns - ran->start_ns);
    if (ran->has_accelerator)
        row_set_integer(&row, DEVICE_TASK_ACCELERATOR_ID, ran->accelerator_id);
    if (view->task->split != SPLIT_NONE)
        row_set_integer(&row, DEVICE_TASK_SPLIT, view->task->split);
    if (view->host != NULL)
        set_host(&row, view->host, view->task->split);
    if (view->host != NULL && view->host->extra != NO_INDEX) {
        set_copy(&row, &association->extras.items[view->host->extra]);
        set_dimensions(&row, &association->extras.items[view->host->extra]);
    }
    for (size_t core = 0; core < 2; core++) {
        const struct pmu_sum *sum = view->pmu[core];
        if (sum != NULL)
            set_counters(&row, counters[core], sum);
        if (sum != NULL && sum->duration_ns != NO_DURATION)
            row_set_integer(&row, times[core], sum->duration_ns);
    }
    return view->host != NULL ? set_collective(association, &row, view, ret, err) : 0;
}

_Static_assert(offsetof(struct matched_task, host) % 8 == 0 && sizeof(struct host_task) % 8 == 0 &&
                   offsetof(struct pmu_sum, counters) % 8 == 0,
               "parts of a record are aligned as it is");

static struct task_view view_task(const void *record)
{
    struct task_view view = {.task = record};
    const char *at = (const char *)record + offsetof(struct matched_task, host);
    if (view.task->launched) {
        view.host = (const void *)at;
        at += sizeof *view.host;
    }
    for (size_t core = 0; core < 2; core++) {
        if (!view.task->counted[core])
            continue;
        view.pmu[core] = (const void *)at;
        at += offsetof(struct pmu_sum, counters) + view.pmu[core]->counter_count * sizeof(int64_t);
    }
    return view;
}

int association_emit_tasks(struct association *association, struct err *err)
{
    const struct capture_part *part = &decoder_capture(association->decoder)->parts[association->part];
    int64_t device_id = part->device_id >= 0 ? part->device_id : 0;
    int64_t first_row = decoder_row_count(association->decoder, &kind_device_task) + 1;
    SCOPED(collective_runs_release) struct collective_runs runs = {.items = NULL};
    struct spool_item item;
    int status = association->joined != NULL ? spool_finish(association->joined, err) : 0;
    for (uint32_t i = 0; association->joined != NULL && status == 0; large_pass(i++)) {
        int any = spool_next(association->joined, &item, err);
        if (any <= 0) {
            status = any;
            break;
        }
        const struct task_view view = view_task(item.record);
        struct collective_kernel kernel = {COLLECTIVE_NONE, NO_INDEX};
        status = emit_task(association, device_id, &view, &kernel, err);
        if (status == 0 && view.host != NULL && view.host->extra != NO_INDEX)
            status = association_take_collective(association, &runs, i, &view.task->ran, view.host->extra, err);
        if (status == 0)
            status = association_take_expanded(association, &runs, i, &view.task->ran, view.host, &kernel, err);
    }
    return status < 0 || association_join_expanded(association, &runs, err) < 0
               ? err_status(err)
               : association_emit_collectives(association, &runs, device_id, first_row, err);
}

/* ---- texts ---- */

/* A name that is too long ends with its number: names that differ behind the cut are not to be one. */
static int set_cut_name(struct association *association, struct row *row, size_t number, struct err *err)
{
    const struct interned *text = &association->texts.items[number];
    char end[NUMBER_MAX + sizeof "... ()"];
    const size_t end_length = (size_t)snprintf(end, sizeof end, "... (%zu)", number + 1);
    SCOPED_FREE char *name = scoped_memory(DECODED_TEXT_MAX, 1);
    if (name == NULL)
        return err_no_memory(err);
    const size_t kept = utf8_cut(text->bytes, DECODED_TEXT_MAX - end_length);
    memcpy(name, text->bytes, kept);
    memcpy(name + kept, end, end_length);
    decoder_report_cut(association->decoder, NULL, &kind_name, NAME_TEXT, text->length, kept);
    decoder_set_text(association->decoder, &kind_name, row, NAME_TEXT, name, kept + end_length);
    return 0;
}

static int emit_name(struct association *association, size_t number, struct err *err)
{
    const struct interned *text = &association->texts.items[number];
    struct row row;
    if (decoder_emit(association->decoder, &kind_name, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, NAME_ID, (int64_t)number + 1);
    if (text->length > DECODED_TEXT_MAX)
        return set_cut_name(association, &row, number, err);
    decoder_set_text(association->decoder, &kind_name, &row, NAME_TEXT, text->bytes, text->length);
    return 0;
}

static char *put_type(char *p, const struct host_tensor *tensor, enum tensor_era era)
{
    return tensor_type_put(p, tensor->data_type, era);
}

static char *put_format(char *p, const struct host_tensor *tensor, enum tensor_era era)
{
    return tensor_format_put(p, tensor->format, era);
}

static char *put_shape(char *p, const struct host_tensor *tensor, enum tensor_era era)
{
    (void)era;
    return tensor_shape_put(p, tensor->shape, sizeof tensor->shape / sizeof *tensor->shape);
}

#define TENSOR_TEXT_MAX (TENSOR_NAME_MAX > TENSOR_SHAPE_MAX ? TENSOR_NAME_MAX : TENSOR_SHAPE_MAX)

/* One column of a tensor set: what put says of each tensor of one kind, joined by ';'. */
static int set_tensor_text(struct association *association, struct row *row, size_t column, size_t set, uint32_t kind,
                           char *(*put)(char *p, const struct host_tensor *tensor, enum tensor_era era),
                           struct err *err)
{
    size_t count;
    const struct host_tensor *tensors = tensor_pool_get(&association->tensor_sets, (uint32_t)set, &count);
    SCOPED_FREE char *text = scoped_memory(count * (TENSOR_TEXT_MAX + 1) + 1, 1);
    if (text == NULL)
        return err_no_memory(err);
    char *p = text;
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        if (tensors[i].kind != kind)
            continue;
        if (!first)
            *p++ = ';';
        first = false;
        p = put(p, &tensors[i], association->executions != NULL ? TENSOR_ERA_2022 : TENSOR_ERA_NOW);
    }
    size_t length = (size_t)(p - text);
    if (length > DECODED_TEXT_MAX) {
        size_t kept = decode_cut_list(text);
        decoder_report_cut(association->decoder, NULL, &kind_tensor_set, column, length, kept);
        length = kept;
    }
    if (!first)
        decoder_set_text(association->decoder, &kind_tensor_set, row, column, text, length);
    return 0;
}

static int emit_tensor_set(struct association *association, size_t set, struct err *err)
{
    static const struct {
        size_t column;
        uint32_t kind;
        char *(*put)(char *p, const struct host_tensor *tensor, enum tensor_era era);
    } columns[] = {
        {TENSOR_SET_INPUT_SHAPES, 0, put_shape},     {TENSOR_SET_INPUT_DATA_TYPES, 0, put_type},
        {TENSOR_SET_INPUT_FORMATS, 0, put_format},   {TENSOR_SET_OUTPUT_SHAPES, 1, put_shape},
        {TENSOR_SET_OUTPUT_DATA_TYPES, 1, put_type}, {TENSOR_SET_OUTPUT_FORMATS, 1, put_format},
    };
    struct row row;
    int status = decoder_emit(association->decoder, &kind_tensor_set, &row, err);
    if (status == 0)
        row_set_integer(&row, TENSOR_SET_ID, (int64_t)set + 1);
    for (size_t i = 0; status == 0 && i < sizeof columns / sizeof *columns; i++)
        status = set_tensor_text(association, &row, columns[i].column, set, columns[i].kind, columns[i].put, err);
    return status;
}

int association_emit_texts(struct association *association, struct err *err)
{
    int status = 0;
    for (; status == 0 && association->text_rows < association->texts.count; association->text_rows++)
        status = emit_name(association, association->text_rows, err);
    for (; status == 0 && association->tensor_rows < association->tensor_sets.sets.count; association->tensor_rows++)
        status = emit_tensor_set(association, association->tensor_rows, err);
    return status;
}
