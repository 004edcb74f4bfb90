/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of collectives: HCCL runs a collective as a kernel on the AI CPU or on vector cores, whose name says so, or
 * as tasks of a stream of the AI CPU that mc2_comm_info names. They communicate; they do not compute. */
#include "parsers/join/association_data.h"

#include <string.h>

/* The node-level call of a communication operator. */
struct collective_call {
    struct call_key {
        int64_t start_ns;
        uint64_t thread_id;
    } key; /* first */
    uint32_t op;
};

int association_add_ai_cpu_stream(struct association *association, uint32_t stream_id, int64_t group_id,
                                  uint32_t rank_size, struct err *err)
{
    struct ai_cpu_group *group = ARRAY_NEXT(&association->ai_cpu_groups, err);
    if (group == NULL || association_expect_name(association, group_id, "group_hash", err) < 0)
        return err_status(err);
    *group = (struct ai_cpu_group){group_id, rank_size};
    return id_map_set(&association->ai_cpu_streams, stream_id, (uint32_t)(association->ai_cpu_groups.count - 1), err);
}

/* Tasks of a stream of the AI CPU that were captured into a graph run on streams of the graph. */
int association_capture_ai_cpu_streams(struct association *association, struct err *err)
{
    for (size_t i = 0; i < association->captures.count; i++) {
        const struct stream_capture *capture = &association->captures.items[i];
        const uint32_t stream = (uint32_t)(capture->stream & UINT32_MAX);
        uint32_t group, known;
        if (id_map_get(&association->ai_cpu_streams, capture->original_stream_id, &group) &&
            !id_map_get(&association->ai_cpu_streams, stream, &known) &&
            id_map_set(&association->ai_cpu_streams, stream, group, err) < 0)
            return err_status(err);
    }
    return 0;
}

static bool ends_with(const struct interned *text, const char *end)
{
    const size_t length = strlen(end);
    return text->length >= length && memcmp(text->bytes + text->length - length, end, length) == 0;
}

/* Whether HCCL calls kernels of collectives so. */
static bool is_kernel_name(const struct interned *name)
{
    return ends_with(name, "AicpuKernel") || ends_with(name, "AivKernel");
}

int association_note_collective(struct association *association, const struct thread *thread, uint32_t launch,
                                struct host_task *task, struct err *err)
{
    uint32_t group;
    if (task->op_name == NO_INDEX || (!is_kernel_name(&association->texts.items[task->op_name]) &&
                                      !id_map_get(&association->ai_cpu_streams, task->stream_id, &group)))
        return 0;
    struct task_extra *extra = association_extra(association, task, err);
    if (extra == NULL)
        return err_status(err);
    const uint32_t outer = launch != NO_INDEX
                               ? association_call_around(thread, thread->calls.items[launch].parent, AROUND_NODE)
                               : NO_INDEX;
    extra->of_collective = true;
    if (outer != NO_INDEX)
        extra->outer_start_ns = thread->calls.items[outer].begin_ns;
    return 0;
}

/* Operators are found by their calls once there are all. */
static int index_calls(struct association *association, struct err *err)
{
    if (association->collective_calls.item_size == 0)
        association->collective_calls = (struct map)MAP_OF(struct collective_call, key);
    for (; association->collective_call_count < association->collective_ops.count;
         association->collective_call_count++) {
        const struct collective_op *op = &association->collective_ops.items[association->collective_call_count];
        const struct call_key key = {op->host_start_ns, op->thread_id};
        bool added;
        struct collective_call *call =
            op->is_kernel ? NULL : map_add(&association->collective_calls, &key, &added, err);
        if (call == NULL && !op->is_kernel)
            return err_status(err);
        if (call != NULL && added)
            call->op = (uint32_t)association->collective_call_count;
    }
    return 0;
}

static bool is_on_ai_cpu(const struct association *association, const struct host_task *task)
{
    return strcmp(association->texts.items[task->task_type].bytes, "KERNEL_AICPU") == 0;
}

/* The operator that a kernel on the AI CPU is. */
static int find_kernel_op(struct association *association, const struct host_task *task, uint32_t *ret, struct err *err)
{
    const uint64_t launch = task->connection != 0 ? task_key(task->connection, task->task_id)
                                                  : task_key(task->stream_id, task->task_id) | UINT64_C(1) << 63;
    if (id_map_get(&association->kernel_ops, (int64_t)launch, ret))
        return 0;
    struct collective_op *op = ARRAY_NEXT(&association->collective_ops, err);
    if (op == NULL)
        return err_status(err);
    *op = (struct collective_op){
        .host_start_ns = task->time_ns,
        .name = task->op_name,
        .type = task->op_type,
        .thread_id = task->thread_id,
        .connection = task->connection,
        .model_id = task->model_id,
        .collective = NO_INDEX,
        .group_id = COLLECTIVE_NO_GROUP,
        .is_kernel = true,
    };
    *ret = (uint32_t)(association->collective_ops.count - 1);
    return id_map_set(&association->kernel_ops, (int64_t)launch, *ret, err);
}

int association_collective_of(struct association *association, const struct ran_task *ran, const struct host_task *task,
                              struct collective_kernel *ret, struct err *err)
{
    const struct task_extra *extra = task->extra != NO_INDEX ? &association->extras.items[task->extra] : NULL;
    const bool noted = extra != NULL && extra->of_collective;
    *ret = (struct collective_kernel){COLLECTIVE_NONE, NO_INDEX};
    if (task->op_name == NO_INDEX || (!noted && !ran->of_expansion))
        return 0;
    if (noted) {
        if (index_calls(association, err) < 0)
            return err_status(err);
        const struct call_key key = {extra->outer_start_ns, task->thread_id};
        const struct collective_call *call = map_get(&association->collective_calls, &key);
        ret->op = call != NULL ? call->op : NO_INDEX;
    }
    const bool found = ret->op != NO_INDEX, on_ai_cpu = is_on_ai_cpu(association, task);
    ret->part = found || on_ai_cpu ? COLLECTIVE_IN_OPERATOR : COLLECTIVE_ITSELF;
    return !found && on_ai_cpu ? find_kernel_op(association, task, &ret->op, err) : 0;
}
