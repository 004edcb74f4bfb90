/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into trees, one thread after the other. A call's row is known when its thread has left the outermost call
 * around it. */
#include "base/array.h"
#include "base/file/spool.h"
#include "base/interrupt.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>

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
    const struct launch launch = {tree->first_row + (call - calls), record->launch_order, call->connection,
                                  tree->thread_id};
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

int executions_join_calls(struct executions *executions, struct err *err)
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
