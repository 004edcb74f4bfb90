/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/join/association.h"

#include "base/number.h"
#include "base/progress.h"
#include "parsers/decode/decoder.h"
#include "parsers/join/association_data.h"
#include "parsers/join/execution.h"

#include <stdlib.h>
#include <string.h>

struct association *decoder_association(struct decoder *decoder)
{
    return decoder->association != NULL && decoder->association->executions == NULL ? decoder->association : NULL;
}

struct association *decoder_join(struct decoder *decoder)
{
    return decoder->association;
}

struct association *association_new(struct decoder *decoder, struct err *err)
{
    struct association *association = calloc(1, sizeof *association);
    if (association == NULL) {
        err_no_memory(err);
        return NULL;
    }
    association->decoder = decoder;
    if (decoder->capture->family != CAPTURE_CANN &&
        (association->executions = executions_new(association, err)) == NULL) {
        association_free(association);
        return NULL;
    }
    return association;
}

static void release_device(struct association *association)
{
    join_spool_release(&association->ran_unbatched);
    join_spool_release(&association->ran);
    join_spool_release(&association->pmu);
    join_spool_release(&association->joined);
    flip_list_release(&association->flips);
    expansion_release(&association->expansion);
    association->ran_count = association->pmu_count = 0;
}

static void release_notes(struct association *association)
{
    large_free(association->copies.items);
    large_free(association->fusions.items);
    large_free(association->collectives.items);
    large_free(association->transfers.items);
    large_free(association->extras.items);
    large_free(association->collective_ops.items);
    id_map_release(&association->kernel_ops);
    large_free(association->ai_cpu_groups.items);
    id_map_release(&association->model_names);
    id_map_release(&association->collective_records);
    id_map_release(&association->transfer_records);
    id_map_release(&association->communication_contexts);
}

void association_free(struct association *association)
{
    if (association == NULL)
        return;
    executions_free(association->executions);
    join_spool_release(&association->records);
    join_spool_release(&association->calls);
    release_device(association);
    release_notes(association);
    intern_release(&association->texts);
    tensor_pool_release(&association->tensor_sets);
    id_map_release(&association->logic_streams);
    id_map_release(&association->ai_cpu_streams);
    map_release(&association->collective_calls);
    id_map_release(&association->name_ids);
    id_map_release(&association->type_ids);
    id_map_release(&association->unnamed_ids);
    id_map_release(&association->call_kind_ids);
    large_free(association->call_kinds.items);
    large_free(association->halves.items);
    id_map_release(&association->half_numbers);
    join_spool_release(&association->host_unbatched);
    join_spool_release(&association->host_tasks);
    id_map_release(&association->lowest_batches);
    id_map_release(&association->highest_batches);
    join_spool_release(&association->described);
    large_free(association->ran_launches.items);
    large_free(association->captures.items);
    map_release(&association->captured_ops);
    flip_list_release(&association->host_flips);
    free(association);
}

/* ---- texts ---- */

int association_add_name(struct association *association, int64_t id, const char *text, size_t length, struct err *err)
{
    uint32_t number;
    int status = intern_add(&association->texts, text, length, &number, err);
    return status == 0 ? association_set_name(association, id, number, err) : status;
}

int association_add_type(struct association *association, uint32_t level, uint32_t type, const char *text,
                         size_t length, struct err *err)
{
    uint32_t number;
    int status = intern_add(&association->texts, text, length, &number, err);
    return status == 0 ? id_map_set(&association->type_ids, association_type_key(level, type), number, err) : status;
}

int association_find_name(struct association *association, int64_t id, const char *field, int64_t *ret_name_id,
                          struct err *err)
{
    uint32_t number;
    int status = association_text(association, id, field, &number, err);
    if (status == 0)
        *ret_name_id = number + INT64_C(1);
    return status;
}

/* The name of a task type: a hash, or (older records) a type number of the runtime level. */
static int task_type_text(struct association *association, int64_t id, uint32_t *ret, struct err *err)
{
    if (id >= 0 && id <= UINT32_MAX &&
        id_map_get(&association->type_ids, association_type_key(HOST_LEVEL_RUNTIME, (uint32_t)id), ret))
        return 0;
    return association_text(association, id, "task_type_id", ret, err);
}

/* ---- the host's records ---- */

static int find_call_kind(struct association *association, uint16_t level, uint32_t type, uint16_t *ret,
                          struct err *err)
{
    uint16_t *recent =
        &association->recent_call_kinds[((type ^ (uint32_t)level << 16) * 0x9e3779b1u) >> (32 - RECENT_KIND_BITS)];
    uint32_t index = 0;
    if (*recent < association->call_kinds.count) {
        const struct call_kind *known = &association->call_kinds.items[*recent];
        if (known->type == type && known->level == level) {
            *ret = *recent;
            return 0;
        }
    }
    *ret = 0;
    if (id_map_get(&association->call_kind_ids, association_type_key(level, type), &index)) {
        *ret = (uint16_t)index;
    } else {
        struct call_kind kind = {.type = type, .level = level};
        kind.named = id_map_get(&association->type_ids, association_type_key(level, type), &kind.name);
        if ((!kind.named && association_number_text(association, type, &kind.name, err) < 0) ||
            association_add_call_kind(association, association_type_key(level, type), &kind, ret, err) < 0)
            return err_status(err);
    }
    *recent = *ret;
    return 0;
}

int association_add_call(struct association *association, const struct host_call *call, struct err *err)
{
    uint16_t kind = 0;
    uint32_t item;
    int status = join_expect_span(call->begin_ns, call->end_ns, err);
    if (status == 0)
        status = find_call_kind(association, call->level, call->type, &kind, err);
    if (status == 0 && call->level == HOST_LEVEL_MODEL) { /* the number of a model, whatever has it for a hash */
        association->has_models = true;
        status = association_number_text(association, (uint64_t)call->item_id, &item, err);
    } else if (status == 0) {
        status = association_text(association, call->item_id, "item_id", &item, err);
    }
    if (status < 0)
        return status;
    const struct waiting_call waiting = {call->end_ns, item, kind, call->level};
    return association_add_thread_call(association, call->thread_id, call->begin_ns, &waiting, sizeof waiting, err);
}

static int intern_node(struct association *association, const struct host_node *node, struct node *ret, struct err *err)
{
    uint32_t name, type;
    if (association_text(association, node->name_id, "op_name_id", &name, err) < 0 ||
        association_text(association, node->type_id, "op_type_id", &type, err) < 0)
        return err_status(err);
    *ret = (struct node){
        .time_ns = node->time_ns,
        .name = name,
        .type = type,
        .launch = NO_INDEX,
        .block_num = node->block_num,
        .op_flag = node->op_flag,
        .mix_ratio = (uint16_t)node->mix_ratio,
        .task_type = node->task_type < UINT8_MAX ? (uint8_t)node->task_type : UINT8_MAX,
        .op_state = node->op_state < UINT8_MAX ? (uint8_t)node->op_state : UINT8_MAX,
    };
    return 0;
}

int association_add_node(struct association *association, const struct host_node *node, struct err *err)
{
    struct node interned;
    int status = intern_node(association, node, &interned, err);
    return status == 0
               ? association_add_record(association, node->thread_id, HOST_RECORD_NODE, &interned, sizeof interned, err)
               : status;
}

int association_add_captured_op(struct association *association, const struct host_captured_op *op, struct err *err)
{
    const struct captured_key key = {op->device_id, op->stream_id, op->task_id};
    struct captured_op interned = {.key = key, .tensor_set = NO_INDEX, .attribute = NO_INDEX};
    int status = intern_node(association, &op->node, &interned.node, err);
    if (status == 0 && op->attribute_id != 0)
        status = association_text(association, op->attribute_id, "attribute_hash", &interned.attribute, err);
    if (status == 0 && op->tensor_count > 0)
        status = tensor_pool_add(&association->tensor_sets, op->tensors, op->tensor_count, &interned.tensor_set, err);
    if (association->captured_ops.item_size == 0)
        association->captured_ops = (struct map)MAP_OF(struct captured_op, key);
    struct captured_op *copy = status == 0 ? map_add(&association->captured_ops, &key, NULL, err) : NULL;
    if (copy == NULL)
        return err_status(err);
    *copy = interned;
    return 0;
}

int association_add_attribute(struct association *association, const struct host_attribute *attribute, struct err *err)
{
    uint32_t name, value;
    if (association_text(association, attribute->name_id, "op_name_id", &name, err) < 0 ||
        association_text(association, attribute->value_id, "attribute_id", &value, err) < 0)
        return err_status(err);
    struct attribute_use copy = {attribute->time_ns, name, value, NO_INDEX};
    return association_add_record(association, attribute->thread_id, HOST_RECORD_ATTRIBUTE, &copy, sizeof copy, err);
}

int association_add_tensors(struct association *association, const struct host_tensors *tensors, struct err *err)
{
    uint32_t name, set;
    if (association_text(association, tensors->name_id, "op_name_id", &name, err) < 0 ||
        tensor_pool_add(&association->tensor_sets, tensors->tensors, tensors->count, &set, err) < 0)
        return err_status(err);
    struct tensor_use copy = {.time_ns = tensors->time_ns, .name = name, .set = set, .launch = NO_INDEX};
    return association_add_record(association, tensors->thread_id, HOST_RECORD_TENSORS, &copy, sizeof copy, err);
}

int association_add_contexts(struct association *association, const struct host_contexts *contexts, struct err *err)
{
    uint32_t name;
    if (association_text(association, contexts->name_id, "op_name_id", &name, err) < 0)
        return err_status(err);
    struct {
        struct context_use use;
        uint32_t ids[CONTEXTS_PER_RECORD];
    } record = {.use = {.time_ns = contexts->time_ns,
                        .name = name,
                        .launch = NO_INDEX,
                        .count = contexts->count,
                        .communication = NO_INDEX,
                        .next = NO_INDEX}};
    memcpy(record.ids, contexts->ids, contexts->count * sizeof *record.ids);
    return association_add_record(association, contexts->thread_id, HOST_RECORD_CONTEXTS, &record,
                                  sizeof record.use + contexts->count * sizeof *record.ids, err);
}

int association_add_capture(struct association *association, const struct host_capture *capture, struct err *err)
{
    struct stream_capture *copy = ARRAY_NEXT(&association->captures, err);
    if (copy == NULL)
        return err_status(err);
    *copy = (struct stream_capture){task_key(capture->device_id, capture->stream_id), capture->time_ns,
                                    capture->model_id, capture->original_stream_id, capture->ends};
    return 0;
}

void association_expand_streams(struct association *association, bool expanded)
{
    if (!association->expands_known)
        association->expanded_streams = expanded;
    association->expands_known = true;
}

bool association_has_expanded_streams(const struct association *association)
{
    return association != NULL && association->expanded_streams;
}

int association_add_logic_stream(struct association *association, uint32_t physical, uint32_t logic, struct err *err)
{
    return id_map_set(&association->logic_streams, physical, logic, err);
}

int association_add_host_flip(struct association *association, const struct task_flip *flip, struct err *err)
{
    const struct flip copy = {task_key(flip->device_id, flip->stream_id), flip->time_ns, flip->task_id, flip->number,
                              flip->destroys};
    return flip_list_add(&association->host_flips, &copy, err);
}

/* "4,2,1" */
static int dimension_text(struct association *association, const uint32_t dims[3], uint32_t *ret, struct err *err)
{
    char text[3 * (NUMBER_MAX + 1)], *p = text;
    for (size_t i = 0; i < 3; i++) {
        if (i > 0)
            *p++ = ',';
        p = number_put_unsigned(p, dims[i]);
    }
    return intern_add(&association->texts, text, (size_t)(p - text), ret, err);
}

static int add_dimensions(struct association *association, const struct host_track *track, struct track *copy,
                          struct err *err)
{
    const char *type = association->texts.items[copy->task_type].bytes;
    if (track->block_num >= 0 && strncmp(type, "KERNEL_MIX_", 11) == 0)
        copy->mix_ratio = track->dims[KERNEL_MIX_RATIO] & 0xff;
    if (track->block_num < 0 || strcmp(type, "KERNEL_SIMT") != 0)
        return 0;
    return dimension_text(association, track->dims, &copy->grid_dim, err) < 0 ||
                   dimension_text(association, track->dims + 3, &copy->block_dim, err) < 0
               ? err_status(err)
               : 0;
}

/* Whether no dictionary has a task type whose text was asked for; 0 is no hash. */
static bool is_untyped(const struct association *association, int64_t id)
{
    uint32_t text;
    if (id == 0)
        return !id_map_get(&association->type_ids, association_type_key(HOST_LEVEL_RUNTIME, 0), &text);
    return id_map_get(&association->unnamed_ids, id, &text);
}

int association_add_track(struct association *association, const struct host_track *track, struct err *err)
{
    uint32_t task_type, kernel = NO_INDEX;
    if (task_type_text(association, track->task_type_id, &task_type, err) < 0 ||
        (track->kernel_id != 0 && association_text(association, track->kernel_id, "kernel_name_id", &kernel, err) < 0))
        return err_status(err);
    struct track copy = {
        .time_ns = track->time_ns,
        .task_type = task_type,
        .kernel = kernel,
        .grid_dim = NO_INDEX,
        .block_dim = NO_INDEX,
        .stream_id = track->stream_id,
        .task_id = track->task_id,
        .batch_id = track->batch_id,
        .block_num = track->block_num >= 0 && track->block_num <= INT32_MAX ? (int32_t)track->block_num : -1,
        .device_id = (uint16_t)track->device_id,
    };
    struct device_half *half = association_half(association, track->device_id, err);
    if (half == NULL)
        return err_status(err);
    half->launched++;
    half->untyped += is_untyped(association, track->task_type_id);
    if (add_dimensions(association, track, &copy, err) < 0)
        return err_status(err);
    association->has_batches |= track->batch_id != 0;
    return association_add_record(association, track->thread_id, HOST_RECORD_TRACK, &copy, offsetof(struct track, leaf),
                                  err);
}

/* ---- parts ---- */

int association_begin_part(struct association *association, size_t part, struct err *err)
{
    (void)err;
    int64_t chip = decoder_capture(association->decoder)->parts[part].chip;
    association->part = part;
    association->unique_tasks = part_has_unique_tasks(chip);
    return 0;
}

int association_end_part(struct association *association, struct err *err)
{
    if (association->executions != NULL) /* the host's records may stand in any part */
        return 0;
    int status = association_join_host(association, err);
    status = status < 0 ? status : association_join_device(association, err);
    status = status < 0 ? status : association_emit_tasks(association, err);
    release_device(association);
    status = status < 0 ? status : association_emit_texts(association, err);
    return status < 0 || !interrupted() ? status : interrupt_error(err);
}

int association_finish(struct association *association, struct err *err)
{
    if (association->executions != NULL)
        return executions_join(association->executions, err);
    if (association_end_part(association, err) < 0 || association_report_not_run(association, err) < 0)
        return err_status(err);
    association_report_halves(association);
    return 0;
}
