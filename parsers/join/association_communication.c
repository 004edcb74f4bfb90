/* SPDX-License-Identifier: Apache-2.0 */
/* Communication operators: what a node-level call with communication calls in it launched. */
#include "base/array.h"
#include "base/number.h"
#include "parsers/join/association_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_LIMIT 65536          /* contexts of one call: the device has 16 bits for them */
#define ALL_CONTEXTS_LIMIT (1 << 22) /* of all calls: more are damage */

/* ---- the host ---- */

static int64_t context_key(uint32_t call, uint32_t context_id)
{
    return (int64_t)((uint64_t)call << 32 | context_id);
}

/* The first record counts. */
static int map_first(struct id_map *map, int64_t key, uint32_t value, struct err *err)
{
    uint32_t known;
    return id_map_get(map, key, &known) ? 0 : id_map_set(map, key, value, err);
}

/* Chains the context records of each communication call. */
static int chain_contexts(struct association *association, struct thread *thread, struct err *err)
{
    int status = 0;
    id_map_release(&association->communication_contexts);
    for (size_t i = thread->contexts.count; status == 0 && i-- > 0;) {
        struct context_use *use = &thread->contexts.items[i];
        use->next = NO_INDEX;
        if (use->communication == NO_INDEX)
            continue;
        id_map_get(&association->communication_contexts, use->communication, &use->next);
        status = id_map_set(&association->communication_contexts, use->communication, (uint32_t)i, err);
    }
    return status;
}

int association_index_collectives(struct association *association, struct thread *thread, struct err *err)
{
    int status = 0;
    id_map_release(&association->collective_records);
    id_map_release(&association->transfer_records);
    for (size_t i = 0; status == 0 && i < thread->notes.count; i++) {
        const struct note *note = &thread->notes.items[i];
        if (note->call == NO_INDEX)
            continue;
        if (note->kind == NOTE_COLLECTIVE)
            status = map_first(&association->collective_records, note->call, note->item, err);
        if (note->kind != NOTE_TRANSFER)
            continue;
        status =
            map_first(&association->transfer_records,
                      context_key(note->call, association->transfers.items[note->item].context_id), note->item, err);
        if (status == 0) /* also for a task whose context no record names */
            status = map_first(&association->transfer_records, context_key(note->call, (uint32_t)NO_CONTEXT),
                               note->item, err);
    }
    return status == 0 ? chain_contexts(association, thread, err) : status;
}

/* The operator that the node-level call is. */
static int find_collective_op(struct association *association, struct thread *thread, uint32_t node_call,
                              const struct node *node, const struct host_task *task, uint32_t *ret, struct err *err)
{
    const struct call *call = &thread->calls.items[node_call];
    uint32_t record = NO_INDEX;
    *ret = thread->states.items[node_call].collective_op;
    if (*ret != NO_INDEX)
        return 0;
    id_map_get(&association->collective_records, node_call, &record);
    struct collective_op *op = ARRAY_NEXT(&association->collective_ops, err);
    if (op == NULL)
        return err_status(err);
    *op = (struct collective_op){
        .host_start_ns = call->begin_ns,
        .name = call->item,
        .type = node != NULL ? node->type : NO_INDEX,
        .thread_id = thread->id,
        .connection = task->connection,
        .model_id = task->model_id,
        .collective = record,
        .group_id = COLLECTIVE_NO_GROUP,
    };
    *ret = (uint32_t)(association->collective_ops.count - 1);
    thread->states.items[node_call].collective_op = *ret;
    return 0;
}

/* A task's place in an operator. */
struct membership {
    uint32_t op, call; /* call: of communication, around the task */
    bool master, spans, has_parts;
};

static int set_collective(struct association *association, struct host_task *task, const struct membership *membership,
                          struct err *err)
{
    struct task_extra *extra = association_extra(association, task, err);
    if (extra == NULL)
        return err_status(err);
    extra->collective_op = membership->op;
    extra->master = membership->master;
    extra->spans = membership->spans;
    extra->has_parts = membership->has_parts;
    id_map_get(&association->transfer_records, context_key(membership->call, task->context_id), &extra->transfer);
    return 0;
}

/* A kernel that communicates is named after its communication call. */
static void name_kernel(const struct association *association, const struct thread *thread, uint32_t call,
                        const struct node *node, struct host_task *task)
{
    enum { HCCL = 9, HCCL_AI_CPU = 12 };
    const char *type = association->texts.items[task->task_type].bytes;
    if (strncmp(type, "KERNEL_", 7) != 0)
        return;
    task->op_name = thread->calls.items[call].item;
    task->op_type = node != NULL ? node->type : task->op_name;
    task->op_task_type = strcmp(type, "KERNEL_AICPU") == 0 ? HCCL_AI_CPU : HCCL;
}

/* One part for each context; false in *ret_room: there are more than any capture has. */
static int add_parts(struct association *association, const struct thread *thread, const struct context_use *use,
                     const struct host_task *whole, const struct membership *membership, bool *ret_room,
                     struct err *err)
{
    const uint32_t *ids = use->count > 0 ? thread->context_ids.items + use->first : NULL;
    bool range = use->count == 2 && ids[1] >= ids[0] && ids[1] - ids[0] < CONTEXT_LIMIT; /* the first and the last */
    uint32_t count = range ? ids[1] - ids[0] + 1 : use->count;
    *ret_room = association->communication_parts <= ALL_CONTEXTS_LIMIT - count;
    association->communication_parts += *ret_room ? count : 0;
    for (uint32_t i = 0; *ret_room && i < count; i++) {
        struct host_task part = *whole;
        part.context_id = range ? ids[0] + i : ids[i];
        part.extra = NO_INDEX;
        part.task_type = NO_INDEX; /* the host has that of the whole */
        if (set_collective(association, &part, membership, err) < 0 ||
            association_add_host_task(association, &part, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* The parts of a call belong to its first task. */
static int add_all_parts(struct association *association, struct thread *thread, const struct host_task *whole,
                         const struct membership *membership, uint32_t next, struct err *err)
{
    bool room = true;
    int status = 0;
    thread->states.items[membership->call].parts_added = true;
    while (status == 0 && room && next != NO_INDEX) {
        const struct context_use *use = &thread->contexts.items[next];
        status = add_parts(association, thread, use, whole, membership, &room, err);
        next = use->next;
    }
    struct place place = {decoder_capture(association->decoder)->parts[association->part].directory, -1, -1, NULL};
    if (!room)
        diag_report(decoder_diag(association->decoder), DIAG_RECORD_VALUE, &place,
                    "communication calls with more than %d contexts; the others are dropped", ALL_CONTEXTS_LIMIT);
    return status;
}

int association_join_collective(struct association *association, struct thread *thread, uint32_t call,
                                uint32_t node_call, const struct node *node, struct host_task *task, struct err *err)
{
    const struct call_kind *kind = &association->call_kinds.items[thread->calls.items[call].kind];
    bool master = strcmp(association->texts.items[kind->name].bytes, "master") == 0;
    struct membership membership = {.call = call, .master = master, .spans = master || !kind->named};
    uint32_t contexts = NO_INDEX;
    bool has_parts =
        !thread->states.items[call].parts_added && id_map_get(&association->communication_contexts, call, &contexts);
    if (find_collective_op(association, thread, node_call, node, task, &membership.op, err) < 0)
        return err_status(err);
    name_kernel(association, thread, call, node, task);
    if (has_parts && add_all_parts(association, thread, task, &membership, contexts, err) < 0)
        return err_status(err);
    membership.has_parts = has_parts;
    return set_collective(association, task, &membership, err);
}

/* ---- the device ---- */

/* Whether it began before the collection started: numbers count from the first after it. */
static bool is_warm_up(const struct association *association, const struct collective_run *run)
{
    const struct run_span *span = run->own.known ? &run->own : &run->all;
    return part_is_warm_up(&decoder_capture(association->decoder)->parts[association->part], span->start_ns);
}

int association_take_collective(struct association *association, struct collective_runs *runs, uint32_t index,
                                const struct ran_task *ran, uint32_t known, struct err *err)
{
    struct task_extra *extra = &association->extras.items[known];
    uint32_t number;
    if (extra->collective_op == NO_INDEX)
        return 0;
    struct collective_run *run = collective_runs_find(runs, extra->collective_op, ++extra->runs, &number, err);
    struct run_task *task = run != NULL ? ARRAY_NEXT(&runs->tasks, err) : NULL;
    if (task == NULL)
        return err_status(err);
    *task = (struct run_task){index, number, known};
    run->has_parts |= ran->context_id != (uint32_t)NO_CONTEXT;
    run_span_extend(extra->has_parts ? &run->all_of_wholes : &run->all, ran->start_ns, ran->end_ns);
    if (extra->spans)
        run_span_extend(extra->has_parts ? &run->own_of_wholes : &run->own, ran->start_ns, ran->end_ns);
    if (run->transfer == NO_INDEX)
        run->transfer = extra->transfer;
    return 0;
}

static void take_wholes(struct collective_run *run)
{
    if (run->has_parts)
        return;
    if (run->own_of_wholes.known)
        run_span_extend(&run->own, run->own_of_wholes.start_ns, run->own_of_wholes.end_ns);
    if (run->all_of_wholes.known)
        run_span_extend(&run->all, run->all_of_wholes.start_ns, run->all_of_wholes.end_ns);
}

static int compare_run_start(const void *a, const void *b)
{
    const struct collective_run *x = *(struct collective_run *const *)a, *y = *(struct collective_run *const *)b;
    if (x->own.start_ns != y->own.start_ns)
        return array_order(x->own.start_ns, y->own.start_ns);
    return x->op != y->op ? array_order(x->op, y->op) : array_order(x->iteration, y->iteration);
}

static int compare_op_start(const void *a, const void *b)
{
    const struct collective_op *x = *(struct collective_op *const *)a, *y = *(struct collective_op *const *)b;
    if (x->host_start_ns != y->host_start_ns)
        return x->host_start_ns < y->host_start_ns ? -1 : 1;
    return (x->thread_id > y->thread_id) - (x->thread_id < y->thread_id);
}

/* The group that was reported of the operator, else that of one of its tasks. */
static void set_group(struct association *association, const struct collective_run *run)
{
    struct collective_op *op = &association->collective_ops.items[run->op];
    if (op->collective != NO_INDEX)
        op->group_id = association->collectives.items[op->collective].group_id;
    else if (op->group_id == COLLECTIVE_NO_GROUP && run->transfer != NO_INDEX)
        op->group_id = association->transfers.items[run->transfer].group_id;
}

/* Numbers the operators of each group that ran on the device, by their start on the host: those that began since the
 * collection started, or, with warm_up, the others by themselves. Kernels count by themselves, too. */
static int number_ops(struct association *association, const struct collective_runs *runs, bool warm_up,
                      struct err *err)
{
    SCOPED(id_map_release) struct id_map launched = {{0}};
    SCOPED(id_map_release) struct id_map kernels = {{0}};
    SCOPED_FREE struct collective_op **ops = scoped_memory(runs->count, sizeof(struct collective_op *));
    size_t count = 0;
    int status = ops != NULL ? 0 : err_no_memory(err);
    for (size_t i = 0; status == 0 && i < runs->count; i++) {
        set_group(association, &runs->items[i]);
        struct collective_op *op = &association->collective_ops.items[runs->items[i].op];
        if (is_warm_up(association, &runs->items[i]) != warm_up || op->ordered)
            continue;
        op->ordered = true;
        ops[count++] = op;
    }
    if (count > 1)
        array_sort(ops, count, sizeof(struct collective_op *), compare_op_start);
    for (size_t i = 0; status == 0 && i < count; i++) {
        struct id_map *counts = ops[i]->is_kernel ? &kernels : &launched;
        uint32_t before = 0;
        id_map_get(counts, ops[i]->group_id, &before);
        ops[i]->order = before;
        status = id_map_set(counts, ops[i]->group_id, before + 1, err);
    }
    return status;
}

static void begin_numbers(struct association *association, const struct collective_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct collective_op *op = &association->collective_ops.items[runs->items[i].op];
        op->ordered = false;
        op->warm_ups = 0;
    }
    for (size_t i = 0; i < runs->count; i++)
        association->collective_ops.items[runs->items[i].op].warm_ups += is_warm_up(association, &runs->items[i]);
}

#define WARM_UP_END "_warmup"

/* "<operator>_<end of the group's number>_<which of the group>_<which run>", as Ascend's tool names it; of warm-up,
 * whose numbers are its own, with "_warmup" behind it. */
static int name_run(struct association *association, const struct collective_run *run, uint32_t *ret, struct err *err)
{
    const struct collective_op *op = &association->collective_ops.items[run->op];
    const struct interned *name = &association->texts.items[op->name];
    char group[NUMBER_MAX + 1] = "N/A", *p = group + 3;
    char *text = malloc(name->length + (size_t)4 * NUMBER_MAX + sizeof WARM_UP_END), *q = text;
    if (text == NULL)
        return err_no_memory(err);
    if (op->group_id != COLLECTIVE_NO_GROUP)
        p = number_put_unsigned(group, (uint64_t)op->group_id);
    size_t tail = p - group > 3 ? 3 : (size_t)(p - group);
    memcpy(q, name->bytes, name->length);
    q += name->length;
    *q++ = '_';
    memcpy(q, p - tail, tail);
    q += tail;
    *q++ = '_';
    q = number_put_unsigned(q, op->order);
    *q++ = '_';
    const bool warm_up = is_warm_up(association, run);
    q = number_put_unsigned(q, run->iteration - (warm_up ? 0 : op->warm_ups));
    if (warm_up)
        q = (char *)memcpy(q, WARM_UP_END, sizeof WARM_UP_END - 1) + sizeof WARM_UP_END - 1;
    int status = intern_add(&association->texts, text, (size_t)(q - text), ret, err);
    free(text);
    return status;
}

static int set_text_of(struct association *association, struct row *row, size_t column, int64_t id, struct err *err)
{
    uint32_t text;
    int status = association_text(association, id, NULL, &text, err);
    if (status == 0)
        row_set_integer(row, column, text + INT64_C(1));
    return status;
}

static int emit_run(struct association *association, int64_t device_id, struct collective_run *run,
                    int64_t first_task_row, struct err *err)
{
    const struct collective_op *op = &association->collective_ops.items[run->op];
    uint32_t name = 0;
    struct row row;
    if (name_run(association, run, &name, err) < 0)
        return err_status(err);
    if (decoder_emit(association->decoder, &kind_communication_op, &row, err) < 0)
        return err_status(err);
    run->id = decoder_row_count(association->decoder, &kind_communication_op);
    row_set_integer(&row, COMMUNICATION_OP_DEVICE_ID, device_id);
    row_set_integer(&row, COMMUNICATION_OP_NAME_ID, name + INT64_C(1));
    if (op->type != NO_INDEX)
        row_set_integer(&row, COMMUNICATION_OP_TYPE_ID, op->type + INT64_C(1));
    row_set_integer(&row, COMMUNICATION_OP_MODEL_ID, op->model_id);
    row_set_integer(&row, COMMUNICATION_OP_THREAD_ID, op->thread_id);
    if (op->connection != 0)
        row_set_integer(&row, COMMUNICATION_OP_CONNECTION_ID, op->connection);
    row_set_integer(&row, COMMUNICATION_OP_HOST_START_NS, op->host_start_ns);
    row_set_integer(&row, COMMUNICATION_OP_START_NS, run->own.start_ns);
    row_set_integer(&row, COMMUNICATION_OP_DURATION_NS, run->own.end_ns - run->own.start_ns);
    row_set_integer(&row, COMMUNICATION_OP_ALL_DURATION_NS, run->all.end_ns - run->all.start_ns);
    if (run->kernel != NO_INDEX)
        row_set_integer(&row, COMMUNICATION_OP_KERNEL, first_task_row + run->kernel);
    if (run->transfer != NO_INDEX || op->rank_size != 0)
        row_set_integer(&row, COMMUNICATION_OP_RANK_SIZE,
                        run->transfer != NO_INDEX ? association->transfers.items[run->transfer].rank_size
                                                  : op->rank_size);
    if (op->group_id != COLLECTIVE_NO_GROUP) {
        row_set_integer(&row, COMMUNICATION_OP_GROUP_ID, op->group_id);
        if (set_text_of(association, &row, COMMUNICATION_OP_GROUP_NAME_ID, op->group_id, err) < 0)
            return err_status(err);
    }
    if (op->collective == NO_INDEX)
        return 0;
    const struct host_collective *collective = &association->collectives.items[op->collective];
    row_set_integer(&row, COMMUNICATION_OP_RELAY, collective->relay);
    row_set_integer(&row, COMMUNICATION_OP_RETRY, collective->retry);
    row_set_integer(&row, COMMUNICATION_OP_DATA_TYPE, collective->data_type);
    row_set_integer(&row, COMMUNICATION_OP_COUNT, collective->count);
    return set_text_of(association, &row, COMMUNICATION_OP_ALGORITHM_ID, collective->algorithm_id, err);
}

/* HCCL's number for what it does not know leaves the column empty. */
static void set_known(struct row *row, size_t column, uint32_t value)
{
    if (value != UINT32_MAX)
        row_set_integer(row, column, value);
}

static int emit_run_task(struct association *association, const struct collective_runs *runs,
                         const struct run_task *task, int64_t first_task_row, struct err *err)
{
    const struct task_extra *extra = &association->extras.items[task->extra];
    const struct collective_run *run = &runs->items[task->run];
    struct row row;
    if (extra->has_parts && run->has_parts)
        return 0;
    if (decoder_emit(association->decoder, &kind_communication_task, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, COMMUNICATION_TASK_TASK_ID, first_task_row + task->ran);
    if (run->id != 0)
        row_set_integer(&row, COMMUNICATION_TASK_OP_ID, run->id);
    row_set_integer(&row, COMMUNICATION_TASK_MASTER, extra->master);
    if (extra->transfer == NO_INDEX)
        return 0;
    const struct host_transfer *transfer = &association->transfers.items[extra->transfer];
    row_set_integer(&row, COMMUNICATION_TASK_PLANE_ID, transfer->plane_id);
    row_set_integer(&row, COMMUNICATION_TASK_NOTIFY_ID, transfer->notify_id);
    set_known(&row, COMMUNICATION_TASK_LOCAL_RANK, transfer->local_rank);
    set_known(&row, COMMUNICATION_TASK_REMOTE_RANK, transfer->remote_rank);
    set_known(&row, COMMUNICATION_TASK_TRANSPORT_TYPE, transfer->transport_type);
    set_known(&row, COMMUNICATION_TASK_LINK_TYPE, transfer->link_type);
    set_known(&row, COMMUNICATION_TASK_RDMA_TYPE, transfer->rdma_type);
    set_known(&row, COMMUNICATION_TASK_DATA_TYPE, transfer->data_type);
    if (transfer->bytes >= 0)
        row_set_integer(&row, COMMUNICATION_TASK_BYTES, transfer->bytes);
    row_set_integer(&row, COMMUNICATION_TASK_ESTIMATED_NS, transfer->estimated_ns);
    if (set_text_of(association, &row, COMMUNICATION_TASK_TYPE_ID, transfer->item_id, err) < 0)
        return err_status(err);
    return set_text_of(association, &row, COMMUNICATION_TASK_GROUP_NAME_ID, transfer->group_id, err);
}

/* Rows by start; an operator of which no task says how long it lasted has none. */
static int emit_runs(struct association *association, struct collective_runs *runs, int64_t device_id,
                     int64_t first_task_row, struct err *err)
{
    SCOPED_FREE struct collective_run **order = scoped_memory(runs->count + 1, sizeof(struct collective_run *));
    size_t count = 0;
    if (order == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < runs->count; i++) {
        take_wholes(&runs->items[i]);
        if (runs->items[i].own.known)
            order[count++] = &runs->items[i];
    }
    begin_numbers(association, runs);
    int status = number_ops(association, runs, false, err);
    status = status == 0 ? number_ops(association, runs, true, err) : status;
    if (count > 1)
        array_sort(order, count, sizeof(struct collective_run *), compare_run_start);
    for (size_t i = 0; status == 0 && i < count; i++)
        status = emit_run(association, device_id, order[i], first_task_row, err);
    return status;
}

int association_emit_collectives(struct association *association, struct collective_runs *runs, int64_t device_id,
                                 int64_t first_task_row, struct err *err)
{
    int status = runs->count > 0 ? emit_runs(association, runs, device_id, first_task_row, err) : 0;
    for (size_t i = 0; status == 0 && i < runs->tasks.count; large_pass(i++))
        status = emit_run_task(association, runs, &runs->tasks.items[i], first_task_row, err);
    return status;
}

void collective_runs_release(struct collective_runs *runs)
{
    id_map_release(&runs->by_key);
    large_free(runs->items);
    large_free(runs->tasks.items);
    large_free(runs->kernels.items);
    large_free(runs->expanded.items);
}
