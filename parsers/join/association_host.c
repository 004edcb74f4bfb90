/* SPDX-License-Identifier: Apache-2.0 */
/* The host: calls into trees, what was recorded inside of them to the deepest, launched tasks with their operators.
 * Records wait in a spool by thread and time. A call is final once its thread has passed its end, so what is kept at
 * once is a window. */
#include "base/array.h"
#include "base/progress.h"
#include "parsers/join/execution_data.h"
#include "parsers/kinds/common/cann_rows.h"

#include <stdlib.h>
#include <string.h>

#define NODE_FFTS_PLUS 6 /* task type of a node: a whole that was split into parts */

/* ---- the tree ---- */

/* The deepest call around a time; times must not fall. */
static uint32_t deepest_call(struct thread *thread, int64_t time_ns)
{
    while (thread->current != NO_INDEX && thread->calls.items[thread->current].end_ns < time_ns)
        thread->current = thread->calls.items[thread->current].parent;
    return thread->current;
}

/* Calls that overlap without one containing the other are siblings. */
static int add_call(const struct association *association, struct thread *thread, const struct call *added,
                    struct err *err)
{
    struct call *call = ARRAY_NEXT(&thread->calls, err);
    struct call_state *state = call != NULL ? ARRAY_NEXT(&thread->states, err) : NULL;
    bool overlaps = false;
    if (state == NULL)
        return err_status(err);
    if (thread->rows >= NO_INDEX - 1)
        return err_set(err, ERR_LIMIT, "more than %u calls of one thread", NO_INDEX - 1);
    *call = *added;
    *state = (struct call_state){.row = (uint32_t)thread->rows++, .described = NO_INDEX, .collective_op = NO_INDEX};
    while (thread->current != NO_INDEX && thread->calls.items[thread->current].end_ns < call->end_ns) {
        overlaps |= thread->calls.items[thread->current].end_ns > call->begin_ns;
        thread->current = thread->calls.items[thread->current].parent;
    }
    call->parent = thread->current;
    thread->current = (uint32_t)thread->calls.count - 1;
    association_find_around(association, thread, thread->current);
    if (overlaps && thread->overlaps++ == 0)
        thread->first_overlap = *call;
    return 0;
}

static void report_overlaps(struct association *association, const struct thread *thread)
{
    struct diagnostics *diag = decoder_capture(association->decoder)->diag;
    const struct call *call = &thread->first_overlap;
    struct place place = {decoder_capture(association->decoder)->parts[association->part].directory, -1, -1, NULL};
    if (thread->overlaps == 0 || association->executions != NULL)
        return;
    const struct call_kind *kind = &association->call_kinds.items[call->kind];
    diag_go_back(diag, thread->mark);
    bool is_recorded = decoder_capture(association->decoder)->parts[association->part].is_recorded;
    diag_report(diag, is_recorded ? DIAG_CALL_INTERLEAVED : DIAG_CALL_OVERLAP, &place,
                "%llu of %llu calls of thread %u, the first is '%s' of level %u at %lld ns",
                (unsigned long long)thread->overlaps, (unsigned long long)thread->rows, thread->id,
                association->texts.items[kind->name].bytes, kind->level, (long long)call->begin_ns);
    diag_go_on(diag);
}

/* The call itself or the nearest around it that launches an operator. */
static uint32_t launch_around(const struct thread *thread, uint32_t call)
{
    return association_call_around(thread, call, AROUND_LAUNCH);
}

/* ---- operators ---- */

/* Where the records of the current launch begin in each list; lists are in time order, launches nearly so. */
struct places {
    size_t node, tensor, attribute, context;
    struct map known; /* of struct known_find: what took long to find, as many tasks ask for it */
};

/* Finds that went through many records, for the next task of the same launch. */
struct known_find {
    struct find_key {
        uint32_t launch, name, find; /* name: NO_INDEX where any is meant */
    } key;
    uint32_t result; /* of FIND_NODE: index and 1, 0: none */
};
enum find { FIND_NODE, FIND_ALONE, FIND_TENSORS, FIND_ATTRIBUTE };
#define FIND_LONG 32 /* records */

static bool find_known(const struct places *places, enum find find, uint32_t launch, uint32_t name, uint32_t *ret)
{
    const struct find_key key = {launch, name, find};
    const struct known_find *known = places->known.used > 0 ? map_get(&places->known, &key) : NULL;
    if (known != NULL)
        *ret = known->result;
    return known != NULL;
}

/* passed: records that were looked at. Without memory the next one looks again. */
static void find_keep(struct places *places, enum find find, uint32_t launch, uint32_t name, size_t passed,
                      uint32_t result)
{
    if (passed <= FIND_LONG) /* mostly: an error is some thousand bytes to clear */
        return;
    struct err ignored = ERR_INIT;
    const struct find_key key = {launch, name, find};
    struct known_find *known = map_add(&places->known, &key, NULL, &ignored);
    if (known != NULL)
        known->result = result;
}

#define SEEK(items, count, at, begin)                                                                                  \
    do {                                                                                                               \
        while ((at) > 0 && (items)[(at)-1].time_ns > (begin))                                                          \
            (at)--;                                                                                                    \
        while ((at) < (count) && (items)[(at)].time_ns <= (begin))                                                     \
            (at)++;                                                                                                    \
    } while (0)

static void seek(struct places *places, const struct thread *thread, int64_t begin_ns)
{
    SEEK(thread->nodes.items, thread->nodes.count, places->node, begin_ns);
    SEEK(thread->tensors.items, thread->tensors.count, places->tensor, begin_ns);
    SEEK(thread->attributes.items, thread->attributes.count, places->attribute, begin_ns);
    SEEK(thread->contexts.items, thread->contexts.count, places->context, begin_ns);
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
static const struct node *node_of_launch(const struct thread *thread, struct places *places, uint32_t launch)
{
    const struct call *call = &thread->calls.items[launch];
    const struct node *found = NULL;
    uint32_t known;
    if (find_known(places, FIND_NODE, launch, NO_INDEX, &known))
        return known > 0 ? &thread->nodes.items[known - 1] : NULL;
    size_t i = places->node;
    for (; i < thread->nodes.count && thread->nodes.items[i].time_ns <= call->end_ns; i++) {
        const struct node *node = &thread->nodes.items[i];
        if (node->launch != launch || node->task_type == NODE_FFTS_PLUS)
            continue;
        if (found == NULL || node->name == call->item)
            found = node;
        if (node->name == call->item)
            break;
    }
    find_keep(places, FIND_NODE, launch, NO_INDEX, i - places->node,
              found != NULL ? (uint32_t)(found - thread->nodes.items) + 1 : 0);
    return found;
}

/* Whether the launch describes one operator: then all records of the call are about it, whatever name they have. */
static bool is_alone(const struct thread *thread, struct places *places, const struct node *node)
{
    int64_t end_ns = thread->calls.items[node->launch].end_ns;
    uint32_t alone = 1;
    if (find_known(places, FIND_ALONE, node->launch, node->name, &alone))
        return alone != 0;
    size_t i = places->node;
    for (; alone != 0 && i < thread->nodes.count && thread->nodes.items[i].time_ns <= end_ns; i++) {
        const struct node *other = &thread->nodes.items[i];
        alone = other->launch != node->launch || other->name == node->name || other->task_type == NODE_FFTS_PLUS;
    }
    find_keep(places, FIND_ALONE, node->launch, node->name, i - places->node, alone);
    return alone != 0;
}

/* All tensors that were recorded for the operator, in their order; any_name: of whatever name. */
static int tensors_of_node(struct association *association, const struct thread *thread, struct places *places,
                           const struct node *node, bool any_name, uint32_t *ret_set, struct err *err)
{
    int64_t end_ns = thread->calls.items[node->launch].end_ns;
    const uint32_t name = any_name ? NO_INDEX : node->name;
    uint32_t set = NO_INDEX;
    int status = 0;
    if (find_known(places, FIND_TENSORS, node->launch, name, ret_set))
        return 0;
    size_t i = places->tensor;
    for (; status == 0 && i < thread->tensors.count && thread->tensors.items[i].time_ns <= end_ns; i++) {
        const struct tensor_use *use = &thread->tensors.items[i];
        if (use->launch != node->launch || (use->name != node->name && !any_name))
            continue;
        if (set == NO_INDEX)
            set = use->set;
        else
            status = tensor_pool_join(&association->tensor_sets, set, use->set, &set, err);
    }
    *ret_set = set;
    if (status < 0)
        return status;
    find_keep(places, FIND_TENSORS, node->launch, name, i - places->tensor, set);
    return 0;
}

static uint32_t attribute_of_node(const struct thread *thread, struct places *places, const struct node *node,
                                  bool any_name)
{
    int64_t end_ns = thread->calls.items[node->launch].end_ns;
    const uint32_t name = any_name ? NO_INDEX : node->name;
    uint32_t value = NO_INDEX;
    if (find_known(places, FIND_ATTRIBUTE, node->launch, name, &value))
        return value;
    size_t i = places->attribute;
    for (; i < thread->attributes.count && thread->attributes.items[i].time_ns <= end_ns; i++) {
        const struct attribute_use *use = &thread->attributes.items[i];
        if (use->launch != node->launch || (use->name != node->name && !any_name))
            continue;
        value = use->value;
        break;
    }
    find_keep(places, FIND_ATTRIBUTE, node->launch, name, i - places->attribute, value);
    return value;
}

static void put_node(const struct node *node, struct host_task *task)
{
    task->op_name = node->name;
    task->op_type = node->type;
    task->op_task_type = node->task_type;
    task->op_state = node->op_state;
    task->op_flag = node->op_flag;
    task->described = true;
    if (!task->has_block_num) {
        task->block_num = node->block_num;
        task->has_block_num = true;
    }
    task->mix_block_num = task->block_num * node->mix_ratio;
}

/* A task of a captured graph that no node describes; false: of none. */
static bool describe_captured(const struct association *association, struct host_task *task)
{
    const struct captured_key key = {task->device_id, task->stream_id, task->task_id};
    const struct captured_op *op =
        association->captured_ops.used > 0 ? map_get(&association->captured_ops, &key) : NULL;
    if (op == NULL || !is_computing(association, task->task_type))
        return false;
    put_node(&op->node, task);
    task->attribute = op->attribute;
    task->tensor_set = op->tensor_set;
    return true;
}

static int describe_task(struct association *association, const struct thread *thread, struct places *places,
                         const struct node *node, struct host_task *task, struct err *err)
{
    put_node(node, task);
    task->attribute = attribute_of_node(thread, places, node, false);
    int status = tensors_of_node(association, thread, places, node, false, &task->tensor_set, err);
    if (status < 0)
        return status;
    if ((task->tensor_set == NO_INDEX || task->attribute == NO_INDEX) && is_alone(thread, places, node)) {
        if (task->attribute == NO_INDEX)
            task->attribute = attribute_of_node(thread, places, node, true);
        if (task->tensor_set == NO_INDEX)
            status = tensors_of_node(association, thread, places, node, true, &task->tensor_set, err);
    }
    association->operators.described++;
    association->operators.tensorless +=
        task->tensor_set == NO_INDEX && thread->states.items[node->launch].records[UNPLACED_TENSORS] > 0;
    return status;
}

/* ---- tracks into host tasks ---- */

static uint32_t connect(struct association *association, struct thread *thread, uint32_t leaf)
{
    struct call *calls = thread->calls.items;
    if (leaf == NO_INDEX)
        return 0;
    if (calls[leaf].connection == 0)
        calls[leaf].connection = ++association->connections;
    uint32_t connection = calls[leaf].connection;
    for (uint32_t i = calls[leaf].parent; i != NO_INDEX && calls[i].connection == 0; i = calls[i].parent)
        calls[i].connection = connection;
    return connection;
}

/* The operator's parts that the device distinguishes by their context; *ret_split: there are any. */
static int add_contexts(struct association *association, const struct thread *thread, struct places *places,
                        uint32_t launch, const struct host_task *whole, bool *ret_split, struct err *err)
{
    int64_t end_ns = thread->calls.items[launch].end_ns;
    int status = 0;
    for (size_t i = places->context;
         status == 0 && i < thread->contexts.count && thread->contexts.items[i].time_ns <= end_ns; i++) {
        const struct context_use *use = &thread->contexts.items[i];
        if (use->launch != launch)
            continue;
        const struct node *node = NULL;
        for (size_t k = places->node;
             k < thread->nodes.count && thread->nodes.items[k].time_ns <= end_ns && node == NULL; k++)
            node = thread->nodes.items[k].launch == launch && thread->nodes.items[k].name == use->name
                       ? &thread->nodes.items[k]
                       : NULL;
        struct host_task part = *whole;
        if (node != NULL)
            status = describe_task(association, thread, places, node, &part, err);
        else
            association_name_kernel(association, thread, launch, &part);
        if (status == 0)
            status = association_note_collective(association, thread, launch, &part, err);
        for (uint32_t k = 0; status == 0 && k < use->count; k++) {
            part.context_id = thread->context_ids.items[use->first + k];
            status = association_add_host_task(association, &part, err);
            *ret_split = true;
        }
    }
    return status;
}

ARRAY_COMPARE(compare_captures, struct stream_capture, ARRAY_BY(stream), ARRAY_BY(time_ns), ARRAY_BY(ends))

/* The model whose tasks the stream takes at this time. */
static uint32_t model_of_stream(const struct association *association, uint64_t stream, int64_t time_ns)
{
    size_t low = 0, high = association->captures.count; /* the first of a later stream or time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct stream_capture *capture = &association->captures.items[middle];
        if (capture->stream < stream || (capture->stream == stream && capture->time_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct stream_capture *last = low > 0 ? &association->captures.items[low - 1] : NULL;
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

/* A mixed kernel without contexts is one part. */
static int add_bare_task(struct association *association, const struct host_task *task, struct err *err)
{
    const char *type = association->texts.items[task->task_type].bytes;
    if (strncmp(type, "KERNEL_MIX_", 11) != 0)
        return association_add_host_task(association, task, err);
    struct host_task part = *task, whole = *task;
    part.context_id = 0;
    whole.stands_for_part = true;
    return association_add_host_task(association, &part, err) < 0 ? err_status(err)
                                                                  : association_add_host_task(association, &whole, err);
}

static int take_dimensions(struct association *association, const struct track *track, struct host_task *task,
                           struct err *err)
{
    if (track->grid_dim == NO_INDEX)
        return 0;
    struct task_extra *extra = association_extra(association, task, err);
    if (extra == NULL)
        return err_status(err);
    extra->grid_dim = track->grid_dim;
    extra->block_dim = track->block_dim;
    return 0;
}

static int take_track(struct association *association, struct thread *thread, struct places *places,
                      const struct track *track, struct err *err)
{
    uint32_t leaf = track->leaf;
    uint32_t launch = launch_around(thread, leaf);
    struct host_task task = {
        .time_ns = track->time_ns,
        .stream_id = track->stream_id,
        .task_id = track->task_id,
        .context_id = (uint32_t)NO_CONTEXT,
        .batch_id = track->batch_id,
        .connection = track->connection,
        .thread_id = thread->id,
        .task_type = track->task_type,
        .kernel = track->kernel,
        .op_name = NO_INDEX,
        .op_type = NO_INDEX,
        .tensor_set = NO_INDEX,
        .attribute = NO_INDEX,
        .model_id = track->model_id,
        .extra = NO_INDEX,
        .launch = launch != NO_INDEX ? thread->states.items[launch].described : NO_INDEX,
        .block_num = track->block_num >= 0 ? (uint32_t)track->block_num : 0,
        .mix_block_num = track->block_num > 0 ? (uint32_t)track->block_num * track->mix_ratio : 0,
        .has_block_num = track->block_num >= 0,
        .device_id = track->device_id,
    };
    if (take_dimensions(association, track, &task, err) < 0)
        return err_status(err);
    uint32_t communication = association_call_around(thread, leaf, AROUND_COMMUNICATION);
    uint32_t node_call = communication != NO_INDEX ? association_call_around(thread, leaf, AROUND_NODE) : NO_INDEX;
    int status = association_note_copy(association, thread, track, leaf, &task, err);
    if (status == 0 && node_call != NO_INDEX) {
        seek(places, thread, thread->calls.items[node_call].begin_ns);
        status = association_join_collective(association, thread, communication, node_call,
                                             node_of_launch(thread, places, node_call), &task, err);
    }
    if (status < 0)
        return status;
    if (node_call != NO_INDEX)
        return association_add_host_task(association, &task, err);
    if (launch == NO_INDEX || !is_computing(association, track->task_type)) {
        if (!describe_captured(association, &task))
            association_name_kernel(association, thread, NO_INDEX, &task);
        status = association_note_collective(association, thread, launch, &task, err);
        return status == 0 ? add_bare_task(association, &task, err) : status;
    }
    seek(places, thread, thread->calls.items[launch].begin_ns);
    bool split = false;
    if (may_have_contexts(association, track->task_type))
        status = add_contexts(association, thread, places, launch, &task, &split, err);
    const struct node *node = split ? NULL : node_of_launch(thread, places, launch);
    if (status == 0 && node != NULL)
        status = describe_task(association, thread, places, node, &task, err);
    if (status < 0 || association_note_collective(association, thread, launch, &task, err) < 0)
        return err_status(err);
    if (node != NULL || split)
        return association_add_host_task(association, &task, err);
    if (!describe_captured(association, &task)) {
        const struct node nameless = {.launch = launch, .name = NO_INDEX};
        association->operators.nameless++;
        if (association_name_kernel(association, thread, launch, &task))
            status = tensors_of_node(association, thread, places, &nameless, true, &task.tensor_set, err);
    }
    if (status == 0)
        status = association_note_collective(association, thread, launch, &task, err);
    return status == 0 ? add_bare_task(association, &task, err) : status;
}

/* ---- the window moves on ---- */

static bool is_open(const struct thread *thread, uint32_t call)
{
    return call != NO_INDEX && thread->states.items[call].is_open;
}

/* Whether everything that was recorded of the track's task is in the window. */
static bool is_complete(const struct association *association, const struct thread *thread, const struct track *track)
{
    uint32_t communication = association_call_around(thread, track->leaf, AROUND_COMMUNICATION);
    if (communication != NO_INDEX &&
        (is_open(thread, communication) || is_open(thread, association_call_around(thread, track->leaf, AROUND_NODE))))
        return false;
    if (is_open(thread, track->leaf) && association_is_copying(association, track))
        return false;
    return !is_open(thread, launch_around(thread, track->leaf));
}

/* Rows come in the order in which calls began. As long as no call waits that began before, they go out at once; from
 * the first one on that has to wait, the spool puts them in order. */
static int leave_call(struct association *association, const struct thread *thread, size_t i, struct err *err)
{
    const uint32_t number = thread->states.items[i].row;
    const int64_t first_row = association->host_call_rows + 1;
    struct left_call left = {thread->calls.items[i], thread->id};
    struct row row;
    if (left.call.parent != NO_INDEX)
        left.call.parent = thread->states.items[left.call.parent].row;
    if (association->calls_out != association->host_call_rows + number) {
        const struct spool_key key = {(uint64_t)first_row, number};
        return join_spool_add(&association->calls, NULL, &key, &left, sizeof left, err);
    }
    if (decoder_emit(association->decoder, &kind_host_call, &row, err) < 0)
        return err_status(err);
    association->calls_out++;
    call_put_row(association->call_kinds.items, first_row, thread->id, &left.call, &row);
    return 0;
}

/* Emits the calls that the thread has left, and gives launches their numbers. */
static int leave_calls(struct association *association, struct thread *thread, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < thread->calls.count; i++)
        thread->states.items[i].is_open = thread->states.items[i].stays = false;
    for (uint32_t i = thread->current; i != NO_INDEX; i = thread->calls.items[i].parent)
        thread->states.items[i].is_open = thread->states.items[i].stays = true;
    for (size_t i = 0; status == 0 && i < thread->calls.count; i++) {
        struct call_state *state = &thread->states.items[i];
        if (state->is_open || state->left)
            continue;
        state->left = true;
        status = leave_call(association, thread, i, err) < 0 ? err_status(err)
                                                             : association_number_launch(association, state, err);
    }
    return status;
}

/* Turns tracks into tasks, in their order, up to one of which more may come; *ret_count: how many. */
static int take_tracks(struct association *association, struct thread *thread, size_t *ret_count, struct err *err)
{
    struct places places = {.known = MAP_OF(struct known_find, key)};
    int status = thread->notes.count > 0 || thread->contexts.count > 0
                     ? association_index_collectives(association, thread, err)
                     : 0;
    size_t i = 0;
    for (; status == 0 && i < thread->tracks.count &&
           (thread->current == NO_INDEX || is_complete(association, thread, &thread->tracks.items[i]));
         i++)
        status = take_track(association, thread, &places, &thread->tracks.items[i], err);
    map_release(&places.known);
    *ret_count = i;
    return status;
}

static bool stays(const struct thread *thread, uint32_t call)
{
    return call != NO_INDEX && thread->states.items[call].stays;
}

/* The new index of a call that stays; parents come first. */
static uint32_t moved(const uint32_t *places, uint32_t call)
{
    return call != NO_INDEX ? places[call] : NO_INDEX;
}

#define KEEP_RECORDS(thread, places, items, count, member)                                                             \
    do {                                                                                                               \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < (count); i++) {                                                                         \
            if (!stays((thread), (items)[i].member))                                                                   \
                continue;                                                                                              \
            (items)[kept] = (items)[i];                                                                                \
            (items)[kept].member = moved((places), (items)[i].member);                                                 \
            kept++;                                                                                                    \
        }                                                                                                              \
        (count) = kept;                                                                                                \
    } while (0)

static void keep_contexts(struct thread *thread, const uint32_t *places)
{
    size_t kept = 0, ids = 0;
    for (size_t i = 0; i < thread->contexts.count; i++) {
        struct context_use use = thread->contexts.items[i];
        if (!stays(thread, use.launch) && !stays(thread, use.communication))
            continue;
        memmove(thread->context_ids.items + ids, thread->context_ids.items + use.first,
                use.count * sizeof *thread->context_ids.items);
        use.first = (uint32_t)ids;
        use.launch = stays(thread, use.launch) ? moved(places, use.launch) : NO_INDEX;
        use.communication = stays(thread, use.communication) ? moved(places, use.communication) : NO_INDEX;
        ids += use.count;
        thread->contexts.items[kept++] = use;
    }
    thread->contexts.count = kept;
    thread->context_ids.count = ids;
}

static void keep_calls(struct thread *thread, uint32_t *places)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < thread->calls.count; i++) {
        places[i] = NO_INDEX;
        if (!thread->states.items[i].stays)
            continue;
        thread->calls.items[kept] = thread->calls.items[i];
        thread->calls.items[kept].parent = moved(places, thread->calls.items[i].parent);
        thread->states.items[kept] = thread->states.items[i];
        places[i] = kept; /* before its own are moved, of which it may be one */
        for (int k = 0; k < AROUND_KINDS; k++)
            thread->states.items[kept].around[k] = moved(places, thread->states.items[kept].around[k]);
        kept++;
    }
    thread->calls.count = thread->states.count = kept;
    thread->current = moved(places, thread->current);
}

/* Forgets the calls and records that no track needs any more. */
static int forget(struct thread *thread, size_t taken, struct err *err)
{
    for (size_t i = taken; i < thread->tracks.count; i++) {
        for (uint32_t call = thread->tracks.items[i].leaf; call != NO_INDEX && !thread->states.items[call].stays;
             call = thread->calls.items[call].parent)
            thread->states.items[call].stays = true;
    }
    if (thread->current == NO_INDEX && taken == thread->tracks.count) { /* most often */
        thread->calls.count = thread->states.count = thread->nodes.count = thread->tensors.count = 0;
        thread->attributes.count = thread->contexts.count = thread->context_ids.count = 0;
        thread->tracks.count = thread->notes.count = 0;
        return 0;
    }
    SCOPED_FREE uint32_t *places = scoped_memory(thread->calls.count + 1, sizeof *places);
    if (places == NULL)
        return err_no_memory(err);
    uint32_t place = 0;
    for (size_t i = 0; i < thread->calls.count; i++)
        places[i] = thread->states.items[i].stays ? place++ : NO_INDEX;
    KEEP_RECORDS(thread, places, thread->nodes.items, thread->nodes.count, launch);
    KEEP_RECORDS(thread, places, thread->tensors.items, thread->tensors.count, launch);
    KEEP_RECORDS(thread, places, thread->attributes.items, thread->attributes.count, launch);
    KEEP_RECORDS(thread, places, thread->notes.items, thread->notes.count, call);
    keep_contexts(thread, places);
    thread->tracks.count -= taken;
    for (size_t i = 0; i < thread->tracks.count; i++) {
        thread->tracks.items[i] = thread->tracks.items[i + taken];
        thread->tracks.items[i].leaf = moved(places, thread->tracks.items[i].leaf);
    }
    keep_calls(thread, places);
    return 0;
}

static int move_window(struct association *association, struct thread *thread, struct err *err)
{
    size_t taken = 0;
    if (interrupted())
        return interrupt_error(err);
    large_passed(thread->records);
    if (leave_calls(association, thread, err) < 0 || take_tracks(association, thread, &taken, err) < 0 ||
        forget(thread, taken, err) < 0)
        return err_status(err);
    thread->records = thread->calls.count + thread->nodes.count + thread->tensors.count + thread->attributes.count +
                      thread->contexts.count + thread->tracks.count + thread->notes.count;
    thread->limit = thread->records > join_limits.window / 2 ? 2 * thread->records : join_limits.window;
    return 0;
}

static int end_thread(struct association *association, struct thread *thread, struct err *err)
{
    thread->current = NO_INDEX;
    int status = move_window(association, thread, err);
    report_overlaps(association, thread);
    status = status < 0 ? status : association_emit_fusions(association, thread, err);
    association->host_call_rows += (int64_t)thread->rows;
    thread->rows = thread->overlaps = 0;
    thread->fused.count = 0;
    return status;
}

/* ---- records into the window ---- */

#define TAKE_DESCRIPTION(thread, list, type, kind)                                                                     \
    do {                                                                                                               \
        struct type *copy = ARRAY_NEXT(&(thread)->list, err);                                                          \
        if (copy == NULL)                                                                                              \
            return err_status(err);                                                                                    \
        memcpy(copy, record, sizeof *copy);                                                                            \
        copy->time_ns = time_ns;                                                                                       \
        copy->launch = launch_around(thread, deepest);                                                                 \
        if (copy->launch != NO_INDEX)                                                                                  \
            (thread)->states.items[copy->launch].records[kind]++;                                                      \
        else                                                                                                           \
            association->unplaced[kind]++;                                                                             \
    } while (0)

static int take_contexts(struct association *association, struct thread *thread, int64_t time_ns, uint32_t deepest,
                         const void *record, struct err *err)
{
    struct context_use use;
    memcpy(&use, record, sizeof use);
    use.time_ns = time_ns;
    use.launch = launch_around(thread, deepest);
    use.communication = association_call_around(thread, deepest, AROUND_COMMUNICATION);
    use.first = (uint32_t)thread->context_ids.count;
    association->unplaced[UNPLACED_CONTEXTS] += use.launch == NO_INDEX && use.communication == NO_INDEX;
    struct context_use *copy = ARRAY_NEXT(&thread->contexts, err);
    if (copy == NULL)
        return err_status(err);
    *copy = use;
    for (uint32_t i = 0; i < use.count; i++) {
        uint32_t *id = ARRAY_NEXT(&thread->context_ids, err);
        if (id == NULL)
            return err_status(err);
        memcpy(id, (const char *)record + sizeof use + i * sizeof *id, sizeof *id);
    }
    return 0;
}

static int take_note(struct association *association, struct thread *thread, int64_t time_ns, uint32_t deepest,
                     const void *record, struct err *err)
{
    static const enum unplaced_kind kinds[] = {
        [NOTE_COPY] = UNPLACED_COPY,
        [NOTE_FUSION] = UNPLACED_FUSION,
        [NOTE_COLLECTIVE] = UNPLACED_COLLECTIVE,
        [NOTE_TRANSFER] = UNPLACED_TRANSFER,
    };
    struct note *note = ARRAY_NEXT(&thread->notes, err);
    if (note == NULL)
        return err_status(err);
    memcpy(note, record, sizeof *note);
    note->time_ns = time_ns;
    association_place_note(thread, note, deepest);
    association->unplaced[kinds[note->kind]] += note->call == NO_INDEX;
    return note->kind == NOTE_FUSION ? association_take_fusion(association, thread, note, err) : 0;
}

static int add_track(struct association *association, struct thread *thread, int64_t time_ns, uint32_t deepest,
                     const void *record, struct err *err)
{
    struct track *track = ARRAY_NEXT(&thread->tracks, err);
    if (track == NULL)
        return err_status(err);
    memcpy(track, record, offsetof(struct track, leaf));
    track->time_ns = time_ns;
    track->leaf = deepest;
    track->connection = connect(association, thread, deepest);
    if (deepest != NO_INDEX && thread->calls.items[deepest].launches < UINT16_MAX)
        thread->calls.items[deepest].launches++;
    track->model_id = find_model(association, thread, track, deepest);
    return 0;
}

static int take_described(struct association *association, struct thread *thread, int64_t time_ns,
                          const struct spool_item *item, struct err *err)
{
    const void *record = item->record;
    uint32_t deepest = deepest_call(thread, time_ns);
    switch ((enum host_record)(uint32_t)item->key.minor) {
    case HOST_RECORD_NODE:
        TAKE_DESCRIPTION(thread, nodes, node, UNPLACED_NODE);
        return 0;
    case HOST_RECORD_TENSORS:
        TAKE_DESCRIPTION(thread, tensors, tensor_use, UNPLACED_TENSORS);
        return 0;
    case HOST_RECORD_ATTRIBUTE:
        TAKE_DESCRIPTION(thread, attributes, attribute_use, UNPLACED_ATTRIBUTE);
        return 0;
    case HOST_RECORD_CONTEXTS:
        return take_contexts(association, thread, time_ns, deepest, record, err);
    case HOST_RECORD_TRACK:
        return add_track(association, thread, time_ns, deepest, record, err);
    case HOST_RECORD_NOTE:
        return take_note(association, thread, time_ns, deepest, record, err);
    }
    return 0;
}

/* The call is the thread's last. */
static int take_launch(struct association *association, struct thread *thread, const struct launching_call *record,
                       struct err *err)
{
    uint32_t place = (uint32_t)thread->calls.count - 1;
    struct call *call = &thread->calls.items[place];
    call->launches = record->launches;
    const struct launch launch = {record->order, connect(association, thread, place), thread->id,
                                  association->call_kinds.items[call->kind].name};
    return executions_add_record(association->executions, &record->first, RECORD_LAUNCH, &launch, sizeof launch, err);
}

static int take_record(struct association *association, struct thread *thread, const struct spool_item *item,
                       struct err *err)
{
    int64_t time_ns = spool_key_value(item->key.major << 32 | item->key.minor >> 32);
    /* It moves best when no call is open. */
    if (++thread->records > thread->limit &&
        (deepest_call(thread, time_ns) == NO_INDEX || thread->records > thread->limit + thread->limit / 4) &&
        move_window(association, thread, err) < 0)
        return err_status(err);
    if ((item->key.minor & KEY_CALL) == 0)
        return take_described(association, thread, time_ns, item, err);
    const struct waiting_call *record = item->record;
    const struct call call = {time_ns, record->end_ns, record->item, NO_INDEX, 0, record->kind, 0};
    if (add_call(association, thread, &call, err) < 0)
        return err_status(err);
    return item->size > sizeof *record ? take_launch(association, thread, item->record, err) : 0;
}

static int join_threads(struct association *association, struct thread *thread, struct err *err)
{
    struct spool_item item;
    int status = spool_finish(association->records, err);
    for (bool first = true; status == 0 && (status = spool_next(association->records, &item, err)) > 0; first = false) {
        uint32_t thread_id = (uint32_t)(item.key.major >> 32);
        status = !first && thread_id != thread->id ? end_thread(association, thread, err) : 0;
        if (first || thread_id != thread->id)
            thread->mark = diag_mark(decoder_capture(association->decoder)->diag);
        thread->id = thread_id;
        status = status < 0 ? status : take_record(association, thread, &item, err);
    }
    return status == 0 ? end_thread(association, thread, err) : status;
}

static void thread_release(struct thread *thread)
{
    large_free(thread->calls.items);
    large_free(thread->states.items);
    large_free(thread->nodes.items);
    large_free(thread->tensors.items);
    large_free(thread->attributes.items);
    large_free(thread->contexts.items);
    large_free(thread->context_ids.items);
    large_free(thread->tracks.items);
    large_free(thread->notes.items);
    large_free(thread->fused.items);
}

int association_join_host(struct association *association, struct err *err)
{
    struct thread thread = {.current = NO_INDEX, .limit = join_limits.window};
    if (association->captures.count > 1)
        array_sort(association->captures.items, association->captures.count, sizeof *association->captures.items,
                   compare_captures);
    association->level_0 = capture_is_level_0(decoder_capture(association->decoder));
    int status = association_capture_ai_cpu_streams(association, err);
    if (status == 0 && association->records != NULL)
        status = join_threads(association, &thread, err);
    thread_release(&thread);
    join_spool_release(&association->records);
    association_report_unplaced(association);
    association_report_undescribed(association);
    if (status < 0 || association_batch_host_tasks(association, err) < 0)
        return err_status(err);
    return association->calls != NULL ? association_emit_calls(association, err) : 0;
}
