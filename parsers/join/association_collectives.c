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
};

int association_add_ai_cpu_stream(struct association *association, uint32_t stream_id, int64_t group_id,
                                  struct err *err)
{
    uint32_t text;
    return association_text(association, group_id, "group_hash", &text, err) < 0
               ? err_status(err)
               : id_map_set(&association->ai_cpu_streams, stream_id, text, err);
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
        if (map_add(&association->collective_calls, &key, NULL, err) == NULL)
            return err_status(err);
    }
    return 0;
}

int association_add_expanding_kernel(struct association *association, uint32_t stream_id, uint32_t task_id,
                                     struct err *err)
{
    const uint32_t stream = association->unique_tasks ? 0 : stream_id; /* the numbers alone tell tasks apart */
    return id_map_set(&association->expanding, (int64_t)task_key(stream, task_id), 1, err);
}

/* Whether the AI CPU says of the kernel that it expands a collective. */
static bool is_expanding(const struct association *association, const struct ran_task *ran)
{
    uint32_t any;
    return id_map_get(&association->expanding,
                      (int64_t)task_key(association->unique_tasks ? 0 : ran->stream_id, ran->task_id), &any);
}

int association_collective_of(struct association *association, const struct ran_task *ran, const struct host_task *task,
                              uint32_t *ret, struct err *err)
{
    enum { NONE, ITSELF, IN_OPERATOR };
    const struct task_extra *extra = task->extra != NO_INDEX ? &association->extras.items[task->extra] : NULL;
    const bool noted = extra != NULL && extra->of_collective;
    *ret = !noted && is_expanding(association, ran) && task->op_name != NO_INDEX ? ITSELF : NONE;
    if (!noted)
        return 0;
    if (index_calls(association, err) < 0)
        return err_status(err);
    const struct call_key key = {extra->outer_start_ns, task->thread_id};
    *ret = map_get(&association->collective_calls, &key) != NULL ? IN_OPERATOR : ITSELF;
    return 0;
}
