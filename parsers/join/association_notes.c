/* SPDX-License-Identifier: Apache-2.0 */
/* Rare records of the host: what copies move, fused operators, names of models. */
#include "parsers/join/association_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <string.h>

/* ---- records in ---- */

static const char *const fused_fields[] = {"op_name0_id", "op_name1_id", "op_name2_id", "op_name3_id",
                                           "op_name4_id", "op_name5_id", "op_name6_id", "op_name7_id"};

/* Puts the record in its place (NULL: there was no room), which is the last of count, and notes it for its thread. */
static int add_note(struct association *association, void *copy, const void *record, size_t size, size_t count,
                    uint32_t thread_id, int64_t time_ns, enum note_kind kind, struct err *err)
{
    if (copy == NULL)
        return err_status(err);
    memcpy(copy, record, size);
    struct note note = {time_ns, NO_INDEX, (uint32_t)(count - 1), kind};
    return association_add_record(association, thread_id, HOST_RECORD_NOTE, &note, sizeof note, err);
}

int association_add_copy(struct association *association, const struct host_copy *copy, struct err *err)
{
    void *place = ARRAY_NEXT(&association->copies, err);
    return add_note(association, place, copy, sizeof *copy, association->copies.count, copy->thread_id, copy->time_ns,
                    NOTE_COPY, err);
}

int association_add_fusion(struct association *association, const struct host_fusion *fusion, struct err *err)
{
    int status = association_expect_name(association, fusion->name_id, "fusion_name_id", err);
    for (uint32_t i = 0; i < fusion->op_count && status == 0; i++)
        status = association_expect_name(association, fusion->op_ids[i], fused_fields[i], err);
    if (status < 0)
        return status;
    void *place = ARRAY_NEXT(&association->fusions, err);
    return add_note(association, place, fusion, sizeof *fusion, association->fusions.count, fusion->thread_id,
                    fusion->time_ns, NOTE_FUSION, err);
}

int association_add_collective(struct association *association, const struct host_collective *collective,
                               struct err *err)
{
    if (association_expect_name(association, collective->algorithm_id, "alg_type_id", err) < 0 ||
        association_expect_name(association, collective->group_id, "group_name_id", err) < 0)
        return err_status(err);
    void *place = ARRAY_NEXT(&association->collectives, err);
    return add_note(association, place, collective, sizeof *collective, association->collectives.count,
                    collective->thread_id, collective->time_ns, NOTE_COLLECTIVE, err);
}

int association_add_transfer(struct association *association, const struct host_transfer *transfer, struct err *err)
{
    if (association_expect_name(association, transfer->item_id, "item_id", err) < 0 ||
        association_expect_name(association, transfer->group_id, "group_name_id", err) < 0)
        return err_status(err);
    large_pass(association->transfers.count);
    void *place = ARRAY_NEXT(&association->transfers, err);
    return add_note(association, place, transfer, sizeof *transfer, association->transfers.count, transfer->thread_id,
                    transfer->time_ns, NOTE_TRANSFER, err);
}

int association_add_model(struct association *association, uint32_t model_id, int64_t name_id, struct err *err)
{
    uint32_t name;
    int status = association_text(association, name_id, "model_name_id", &name, err);
    return status == 0 ? id_map_set(&association->model_names, model_id, name, err) : status;
}

/* ---- which call a record is about ---- */

void association_place_note(const struct thread *thread, struct note *note, uint32_t deepest_call)
{
    static const enum around levels[] = {
        [NOTE_FUSION] = AROUND_MODEL,
        [NOTE_COLLECTIVE] = AROUND_NODE,
        [NOTE_TRANSFER] = AROUND_COMMUNICATION,
    };
    note->call =
        note->kind == NOTE_COPY ? deepest_call : association_call_around(thread, deepest_call, levels[note->kind]);
}

/* The index of the next note of this kind about a call, from a place of the list on (0: the first); the count of
 * notes: there is none. */
static size_t association_next_note(const struct thread *thread, uint32_t call, enum note_kind kind, size_t from)
{
    const struct call *around = &thread->calls.items[call];
    if (from == 0) { /* the first after the call began */
        size_t high = thread->notes.count;
        while (from < high) {
            size_t middle = (from + high) / 2;
            if (thread->notes.items[middle].time_ns <= around->begin_ns)
                from = middle + 1;
            else
                high = middle;
        }
    }
    for (; from < thread->notes.count && thread->notes.items[from].time_ns <= around->end_ns; from++) {
        if (thread->notes.items[from].kind == kind && thread->notes.items[from].call == call)
            return from;
    }
    return thread->notes.count;
}

/* ---- copies ---- */

struct task_extra *association_extra(struct association *association, struct host_task *task, struct err *err)
{
    if (task->extra == NO_INDEX) {
        struct task_extra *extra = ARRAY_NEXT(&association->extras, err);
        if (extra == NULL)
            return NULL;
        *extra = (struct task_extra){.copy_bytes = -1,
                                     .collective_op = NO_INDEX,
                                     .transfer = NO_INDEX,
                                     .grid_dim = NO_INDEX,
                                     .block_dim = NO_INDEX,
                                     .outer_start_ns = INT64_MIN};
        task->extra = (uint32_t)(association->extras.count - 1);
    }
    return &association->extras.items[task->extra];
}

/* The copy of this call that still has something to move: the one that was reported with the task, else the first. */
static struct host_copy *copy_of_task(const struct association *association, const struct thread *thread,
                                      const struct track *track, uint32_t call)
{
    struct host_copy *first = NULL;
    for (size_t i = association_next_note(thread, call, NOTE_COPY, 0); i < thread->notes.count;
         i = association_next_note(thread, call, NOTE_COPY, i + 1)) {
        struct host_copy *copy = &association->copies.items[thread->notes.items[i].item];
        if (copy->bytes < 0)
            continue;
        if (copy->time_ns == track->time_ns)
            return copy;
        if (first == NULL)
            first = copy;
    }
    return first;
}

bool association_is_copying(const struct association *association, const struct track *track)
{
    return strcmp(association->texts.items[track->task_type].bytes, "MEMCPY_ASYNC") == 0;
}

int association_note_copy(struct association *association, const struct thread *thread, const struct track *track,
                          uint32_t call, struct host_task *task, struct err *err)
{
    if (call == NO_INDEX || thread->notes.count == 0 || !association_is_copying(association, track))
        return 0;
    struct host_copy *copy = copy_of_task(association, thread, track, call);
    if (copy == NULL)
        return 0;
    struct task_extra *extra = association_extra(association, task, err);
    if (extra == NULL)
        return err_status(err);
    bool last = copy->task_bytes <= 0 || copy->bytes <= copy->task_bytes;
    extra->copy_bytes = last ? copy->bytes : copy->task_bytes;
    extra->copy_direction = copy->direction;
    copy->bytes = last ? -1 : copy->bytes - copy->task_bytes;
    return 0;
}

/* ---- fused operators ---- */

int association_take_fusion(struct association *association, struct thread *thread, const struct note *note,
                            struct err *err)
{
    struct fused_op *fused = ARRAY_NEXT(&thread->fused, err);
    if (fused == NULL)
        return err_status(err);
    *fused = (struct fused_op){note->item, association_model_around(association, thread, note->call)};
    return 0;
}

static int emit_fusion(struct association *association, const struct fused_op *fused, struct err *err)
{
    const struct host_fusion *fusion = &association->fusions.items[fused->item];
    uint32_t text, model = fused->model_id;
    struct row row;
    if (decoder_emit(association->decoder, &kind_fusion_op, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FUSION_OP_MODEL_ID, model);
    if (id_map_get(&association->model_names, model, &text))
        row_set_integer(&row, FUSION_OP_MODEL_NAME_ID, text + INT64_C(1));
    if (association_text(association, fusion->name_id, NULL, &text, err) < 0)
        return err_status(err);
    row_set_integer(&row, FUSION_OP_NAME_ID, text + INT64_C(1));
    row_set_integer(&row, FUSION_OP_COUNT, fusion->op_count);
    row_set_integer(&row, FUSION_OP_INPUT_BYTES, fusion->input_bytes);
    row_set_integer(&row, FUSION_OP_OUTPUT_BYTES, fusion->output_bytes);
    row_set_integer(&row, FUSION_OP_WEIGHT_BYTES, fusion->weight_bytes);
    row_set_integer(&row, FUSION_OP_WORKSPACE_BYTES, fusion->workspace_bytes);
    row_set_integer(&row, FUSION_OP_TOTAL_BYTES, fusion->total_bytes);
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        if (association_text(association, fusion->op_ids[i], NULL, &text, err) < 0)
            return err_status(err);
        row_set_integer(&row, FUSION_OP_FIRST_ID + i, text + INT64_C(1));
    }
    return 0;
}

int association_emit_fusions(struct association *association, const struct thread *thread, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < thread->fused.count; i++)
        status = emit_fusion(association, &thread->fused.items[i], err);
    return status;
}
