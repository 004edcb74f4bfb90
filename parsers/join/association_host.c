/* SPDX-License-Identifier: Apache-2.0 */
/* The host: calls into trees, what was recorded inside of them to the deepest, launched tasks with their operators. */
#include "base/array.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "parsers/join/association_data.h"

#include <stdlib.h>
#include <string.h>

#define NODE_FFTS_PLUS 6 /* task type of a node: a whole that was split into parts */

/* ---- sorting ---- */

/* Records come nearly in order: moving each to its place costs little. False when it would cost too much. */
#define DEFINE_NEARLY_SORT(name, type, before)                                                                         \
    static bool name(type *items, size_t count)                                                                        \
    {                                                                                                                  \
        size_t moves = 0, limit = 16 * count + 1024;                                                                   \
        for (size_t i = 1; i < count; i++) {                                                                           \
            if (!before(&items[i], &items[i - 1]))                                                                     \
                continue;                                                                                              \
            type item = items[i];                                                                                      \
            size_t at = i;                                                                                             \
            for (; at > 0 && before(&item, &items[at - 1]); at--)                                                      \
                items[at] = items[at - 1];                                                                             \
            items[at] = item;                                                                                          \
            moves += i - at;                                                                                           \
            if (moves > limit)                                                                                         \
                return false;                                                                                          \
        }                                                                                                              \
        return true;                                                                                                   \
    }

/* An outer call comes before those inside; of two with the same span the one of the higher level is outside. The level
 * is in the kind, so a call carries it here in its connection while it is sorted. */
static inline bool call_before(const struct call *a, const struct call *b)
{
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns;
    return a->connection > b->connection;
}
DEFINE_NEARLY_SORT(nearly_sort_calls, struct call, call_before)

#define DEFINE_TIME_SORT(type)                                                                                         \
    static inline bool type##_before(const struct type *a, const struct type *b)                                       \
    {                                                                                                                  \
        return a->time_ns < b->time_ns;                                                                                \
    }                                                                                                                  \
    DEFINE_NEARLY_SORT(nearly_sort_##type, struct type, type##_before)                                                 \
    static int compare_##type(const void *a, const void *b)                                                            \
    {                                                                                                                  \
        return type##_before(b, a) - type##_before(a, b);                                                              \
    }                                                                                                                  \
    static void sort_##type(struct type *items, size_t count)                                                          \
    {                                                                                                                  \
        if (count > 1 && !nearly_sort_##type(items, count))                                                            \
            array_sort(items, count, sizeof *items, compare_##type);                                                   \
    }
DEFINE_TIME_SORT(node)
DEFINE_TIME_SORT(tensor_use)
DEFINE_TIME_SORT(attribute_use)
DEFINE_TIME_SORT(context_use)
DEFINE_TIME_SORT(track)
DEFINE_TIME_SORT(note)

static int compare_calls(const void *a, const void *b)
{
    return call_before(b, a) - call_before(a, b);
}

static void sort_thread(const struct association *association, struct thread *thread)
{
    for (size_t i = 0; i < thread->call_count; i++)
        thread->calls[i].connection = association->call_kinds[thread->calls[i].kind].level;
    if (thread->call_count > 1 && !nearly_sort_calls(thread->calls, thread->call_count))
        array_sort(thread->calls, thread->call_count, sizeof *thread->calls, compare_calls);
    for (size_t i = 0; i < thread->call_count; i++)
        thread->calls[i].connection = 0;
    sort_node(thread->nodes, thread->node_count);
    sort_tensor_use(thread->tensors, thread->tensor_count);
    sort_attribute_use(thread->attributes, thread->attribute_count);
    sort_context_use(thread->contexts, thread->context_count);
    sort_track(thread->tracks, thread->track_count);
    sort_note(thread->notes, thread->note_count);
}

/* ---- the tree ---- */

/* Calls that overlap without one containing the other are siblings: their number; *ret_first: the first one. */
static size_t build_tree(struct thread *thread, size_t *ret_first)
{
    struct call *calls = thread->calls;
    size_t overlaps = 0;
    for (size_t i = 1; i < thread->call_count; i++) {
        uint32_t parent = (uint32_t)i - 1;
        bool overlaps_one = false;
        while (parent != NO_INDEX && calls[parent].end_ns < calls[i].end_ns) {
            overlaps_one |= calls[parent].end_ns > calls[i].begin_ns;
            parent = calls[parent].parent;
        }
        calls[i].parent = parent;
        if (overlaps_one && overlaps++ == 0)
            *ret_first = i;
    }
    return overlaps;
}

static void report_overlaps(struct association *association, const struct thread *thread, size_t count, size_t first)
{
    const struct call *call = &thread->calls[first];
    const struct call_kind *kind = &association->call_kinds[call->kind];
    struct place place = {decoder_capture(association->decoder)->parts[association->part].directory, -1, -1, NULL};
    diag_report(decoder_capture(association->decoder)->diag, DIAG_CALL_OVERLAP, &place,
                "%zu of %zu calls of thread %u, the first is '%s' of level %u at %lld ns", count, thread->call_count,
                thread->id, association->texts.items[kind->name].bytes, kind->level, (long long)call->begin_ns);
}

/* Finds the deepest call around one time after the other; the times must not fall. */
struct cursor {
    const struct thread *thread;
    size_t begun;     /* calls that began before the last time */
    uint32_t current; /* the deepest of them that may go on */
};

static uint32_t deepest_call(struct cursor *cursor, int64_t time_ns)
{
    const struct call *calls = cursor->thread->calls;
    while (cursor->begun < cursor->thread->call_count && calls[cursor->begun].begin_ns < time_ns)
        cursor->current = (uint32_t)cursor->begun++;
    while (cursor->current != NO_INDEX && calls[cursor->current].end_ns < time_ns)
        cursor->current = calls[cursor->current].parent;
    return cursor->current;
}

/* The call itself or the nearest around it that launches an operator. */
static uint32_t launch_around(const struct association *association, const struct thread *thread, uint32_t call)
{
    return association_call_around(association, thread, call, HOST_LEVEL_NODE, HOST_NODE_LAUNCH);
}

#define FIND_LAUNCHES(association, thread, items, count)                                                               \
    do {                                                                                                               \
        struct cursor cursor = {(thread), 0, NO_INDEX};                                                                \
        for (size_t i = 0; i < (count); i++)                                                                           \
            (items)[i].launch = launch_around((association), (thread), deepest_call(&cursor, (items)[i].time_ns));     \
    } while (0)

static void find_launches(const struct association *association, struct thread *thread)
{
    FIND_LAUNCHES(association, thread, thread->nodes, thread->node_count);
    FIND_LAUNCHES(association, thread, thread->tensors, thread->tensor_count);
    FIND_LAUNCHES(association, thread, thread->attributes, thread->attribute_count);
    FIND_LAUNCHES(association, thread, thread->contexts, thread->context_count);
    struct cursor context = {thread, 0, NO_INDEX}, note = {thread, 0, NO_INDEX};
    for (size_t i = 0; i < thread->context_count; i++)
        thread->contexts[i].communication =
            association_call_around(association, thread, deepest_call(&context, thread->contexts[i].time_ns),
                                    HOST_LEVEL_COMMUNICATION, ANY_TYPE);
    for (size_t i = 0; i < thread->note_count; i++)
        association_place_note(association, thread, &thread->notes[i], deepest_call(&note, thread->notes[i].time_ns));
}

/* ---- operators ---- */

/* Where the records of the current launch begin in each list; lists are in time order, launches nearly so. */
struct places {
    size_t node, tensor, attribute, context;
};

#define SEEK(items, count, at, begin)                                                                                  \
    do {                                                                                                               \
        while ((at) > 0 && (items)[(at)-1].time_ns > (begin))                                                          \
            (at)--;                                                                                                    \
        while ((at) < (count) && (items)[(at)].time_ns <= (begin))                                                     \
            (at)++;                                                                                                    \
    } while (0)

static void seek(struct places *places, const struct thread *thread, int64_t begin_ns)
{
    SEEK(thread->nodes, thread->node_count, places->node, begin_ns);
    SEEK(thread->tensors, thread->tensor_count, places->tensor, begin_ns);
    SEEK(thread->attributes, thread->attribute_count, places->attribute, begin_ns);
    SEEK(thread->contexts, thread->context_count, places->context, begin_ns);
}

/* Whether tasks of this type compute an operator. */
static bool is_computing(const struct association *association, uint32_t task_type)
{
    const char *name = association->texts.items[task_type].bytes;
    return strncmp(name, "KERNEL_", 7) == 0 || strcmp(name, "FFTS_PLUS") == 0 || strcmp(name, "STARS_COMMON") == 0;
}

/* Whether tasks of this type may be split into parts with contexts. */
static bool may_have_contexts(const struct association *association, uint32_t task_type)
{
    static const char *const types[] = {"KERNEL_AICORE",  "KERNEL_AIVEC", "KERNEL_MIX_AIC",
                                        "KERNEL_MIX_AIV", "KERNEL_SIMT",  "FFTS_PLUS"};
    const char *name = association->texts.items[task_type].bytes;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(name, types[i]) == 0)
            return true;
    }
    return false;
}

/* The description that the launch is named after, else its first; NULL: it has none. That of a whole that was split
 * says nothing of an operator. */
static const struct node *node_of_launch(const struct thread *thread, const struct places *places, uint32_t launch)
{
    const struct call *call = &thread->calls[launch];
    const struct node *first = NULL;
    for (size_t i = places->node; i < thread->node_count && thread->nodes[i].time_ns <= call->end_ns; i++) {
        const struct node *node = &thread->nodes[i];
        if (node->launch != launch || node->task_type == NODE_FFTS_PLUS)
            continue;
        if (node->name == call->item)
            return node;
        if (first == NULL)
            first = node;
    }
    return first;
}

/* All tensors that were recorded for the operator, in their order. */
static int tensors_of_node(struct association *association, const struct thread *thread, const struct places *places,
                           const struct node *node, uint32_t *ret_set, struct err *err)
{
    int64_t end_ns = thread->calls[node->launch].end_ns;
    uint32_t set = NO_INDEX;
    int status = 0;
    for (size_t i = places->tensor; status == 0 && i < thread->tensor_count && thread->tensors[i].time_ns <= end_ns;
         i++) {
        const struct tensor_use *use = &thread->tensors[i];
        if (use->launch != node->launch || use->name != node->name)
            continue;
        if (set == NO_INDEX)
            set = use->set;
        else
            status = tensor_pool_join(&association->tensor_sets, set, use->set, &set, err);
    }
    *ret_set = set;
    return status;
}

static uint32_t attribute_of_node(const struct thread *thread, const struct places *places, const struct node *node)
{
    int64_t end_ns = thread->calls[node->launch].end_ns;
    for (size_t i = places->attribute; i < thread->attribute_count && thread->attributes[i].time_ns <= end_ns; i++) {
        const struct attribute_use *use = &thread->attributes[i];
        if (use->launch == node->launch && use->name == node->name)
            return use->value;
    }
    return NO_INDEX;
}

static void put_node(const struct node *node, struct host_task *task)
{
    task->op_name = node->name;
    task->op_type = node->type;
    task->op_task_type = node->task_type;
    task->op_state = node->op_state;
    task->op_flag = node->op_flag;
    if (!task->has_block_num) {
        task->block_num = node->block_num;
        task->has_block_num = true;
    }
    task->mix_block_num = task->block_num * node->mix_ratio;
}

/* A task of a captured graph that no node describes. */
static void describe_captured(const struct association *association, struct host_task *task)
{
    const struct captured_key key = {task->device_id, task->stream_id, task->task_id};
    const struct captured_op *op =
        association->captured_ops.used > 0 ? map_get(&association->captured_ops, &key) : NULL;
    if (op == NULL || !is_computing(association, task->task_type))
        return;
    put_node(&op->node, task);
    task->attribute = op->attribute;
    task->tensor_set = op->tensor_set;
}

static int describe_task(struct association *association, const struct thread *thread, const struct places *places,
                         const struct node *node, struct host_task *task, struct err *err)
{
    put_node(node, task);
    task->attribute = attribute_of_node(thread, places, node);
    return tensors_of_node(association, thread, places, node, &task->tensor_set, err);
}

/* ---- tracks into host tasks ---- */

static uint32_t connect(struct association *association, struct thread *thread, uint32_t leaf)
{
    struct call *calls = thread->calls;
    if (leaf == NO_INDEX)
        return 0;
    if (calls[leaf].connection == 0)
        calls[leaf].connection = ++association->connections;
    if (calls[leaf].launches < UINT16_MAX)
        calls[leaf].launches++;
    uint32_t connection = calls[leaf].connection;
    for (uint32_t i = calls[leaf].parent; i != NO_INDEX && calls[i].connection == 0; i = calls[i].parent)
        calls[i].connection = connection;
    return connection;
}

/* The operator's parts that the device tells apart by their context; *ret_split: there are any. */
static int add_contexts(struct association *association, const struct thread *thread, const struct places *places,
                        uint32_t launch, const struct host_task *whole, bool *ret_split, struct err *err)
{
    int64_t end_ns = thread->calls[launch].end_ns;
    int status = 0;
    for (size_t i = places->context; status == 0 && i < thread->context_count && thread->contexts[i].time_ns <= end_ns;
         i++) {
        const struct context_use *use = &thread->contexts[i];
        if (use->launch != launch)
            continue;
        const struct node *node = NULL;
        for (size_t k = places->node; k < thread->node_count && thread->nodes[k].time_ns <= end_ns && node == NULL; k++)
            node = thread->nodes[k].launch == launch && thread->nodes[k].name == use->name ? &thread->nodes[k] : NULL;
        struct host_task part = *whole;
        if (node != NULL)
            status = describe_task(association, thread, places, node, &part, err);
        for (uint32_t k = 0; status == 0 && k < use->count; k++) {
            part.context_id = association->context_ids[use->first + k];
            status = association_add_host_task(association, &part, err);
            *ret_split = true;
        }
    }
    return status;
}

static int compare_captures(const void *a, const void *b)
{
    const struct stream_capture *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->ends - y->ends;
}

/* The model whose tasks the stream takes at this time. */
static uint32_t model_of_stream(const struct association *association, uint64_t stream, int64_t time_ns)
{
    size_t low = 0, high = association->capture_count; /* the first of a later stream or time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct stream_capture *capture = &association->captures[middle];
        if (capture->stream < stream || (capture->stream == stream && capture->time_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct stream_capture *last = low > 0 ? &association->captures[low - 1] : NULL;
    return last != NULL && last->stream == stream && !last->ends ? last->model_id : NO_MODEL;
}

static uint32_t find_model(const struct association *association, const struct thread *thread,
                           const struct track *track, uint32_t leaf)
{
    uint32_t model = association->has_models ? association_model_around(association, thread, leaf) : NO_MODEL;
    return model != NO_MODEL
               ? model
               : model_of_stream(association, task_key(track->device_id, track->stream_id), track->time_ns);
}

/* A mixed kernel that nobody described is one part. */
static int add_bare_task(struct association *association, const struct host_task *task, struct err *err)
{
    const char *type = association->texts.items[task->task_type].bytes;
    int status = 0;
    if (strncmp(type, "KERNEL_MIX_", 11) == 0) {
        struct host_task part = *task;
        part.context_id = 0;
        status = association_add_host_task(association, &part, err);
    }
    return status == 0 ? association_add_host_task(association, task, err) : status;
}

static int take_track(struct association *association, struct thread *thread, struct places *places,
                      const struct track *track, uint32_t leaf, struct err *err)
{
    uint32_t launch = launch_around(association, thread, leaf);
    struct host_task task = {
        .time_ns = track->time_ns,
        .stream_id = track->stream_id,
        .task_id = track->task_id,
        .context_id = (uint32_t)NO_CONTEXT,
        .batch_id = track->batch_id,
        .connection = connect(association, thread, leaf),
        .thread_id = thread->id,
        .task_type = track->task_type,
        .kernel = track->kernel,
        .op_name = NO_INDEX,
        .op_type = NO_INDEX,
        .tensor_set = NO_INDEX,
        .attribute = NO_INDEX,
        .model_id = find_model(association, thread, track, leaf),
        .extra = NO_INDEX,
        .launch = launch != NO_INDEX ? thread->described[launch] : NO_INDEX,
        .block_num = track->block_num >= 0 ? (uint32_t)track->block_num : 0,
        .has_block_num = track->block_num >= 0,
        .device_id = track->device_id,
    };
    uint32_t communication = association_call_around(association, thread, leaf, HOST_LEVEL_COMMUNICATION, ANY_TYPE);
    uint32_t node_call = communication != NO_INDEX
                             ? association_call_around(association, thread, leaf, HOST_LEVEL_NODE, ANY_TYPE)
                             : NO_INDEX;
    int status = association_note_copy(association, thread, track, leaf, &task, err);
    if (status == 0 && node_call != NO_INDEX) {
        seek(places, thread, thread->calls[node_call].begin_ns);
        status = association_join_collective(association, thread, communication, node_call,
                                             node_of_launch(thread, places, node_call), &task, err);
    }
    if (status < 0)
        return status;
    if (node_call != NO_INDEX)
        return association_add_host_task(association, &task, err);
    if (launch == NO_INDEX || !is_computing(association, track->task_type)) {
        describe_captured(association, &task);
        return add_bare_task(association, &task, err);
    }
    seek(places, thread, thread->calls[launch].begin_ns);
    bool split = false;
    if (may_have_contexts(association, track->task_type))
        status = add_contexts(association, thread, places, launch, &task, &split, err);
    const struct node *node = split ? NULL : node_of_launch(thread, places, launch);
    if (status == 0 && node != NULL)
        status = describe_task(association, thread, places, node, &task, err);
    if (node == NULL && !split)
        describe_captured(association, &task);
    return status == 0 ? association_add_host_task(association, &task, err) : status;
}

static int join_thread(struct association *association, struct thread *thread, struct err *err)
{
    int status = 0;
    struct cursor cursor = {thread, 0, NO_INDEX};
    struct places places = {0, 0, 0, 0};
    sort_thread(association, thread);
    size_t first = 0, overlaps = build_tree(thread, &first);
    if (overlaps > 0)
        report_overlaps(association, thread, overlaps, first);
    find_launches(association, thread);
    association_count_unplaced(association, thread);
    status = association_count_described(association, thread, err);
    if (status == 0 && (thread->note_count > 0 || thread->context_count > 0))
        status = association_index_collectives(association, thread, err);
    for (size_t i = 0; status == 0 && i < thread->track_count; i++) {
        const struct track *track = &thread->tracks[i];
        status = take_track(association, thread, &places, track, deepest_call(&cursor, track->time_ns), err);
    }
    free(thread->described);
    thread->described = NULL;
    return status == 0 ? association_emit_fusions(association, thread, err) : status;
}

static int compare_threads(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

int association_join_host(struct association *association, struct err *err)
{
    int status = 0;
    if (association->thread_count > 1)
        array_sort(association->threads, association->thread_count, sizeof *association->threads, compare_threads);
    if (association->capture_count > 1)
        array_sort(association->captures, association->capture_count, sizeof *association->captures, compare_captures);
    for (size_t i = 0; status == 0 && i < association->thread_count; i++) {
        status = interrupted() ? interrupt_error(err) : join_thread(association, &association->threads[i], err);
    }
    association_report_unplaced(association);
    if (status == 0 && association->thread_count > 0)
        status = association_batch_host_tasks(association, err);
    return status == 0 ? association_emit_calls(association, err) : status;
}
