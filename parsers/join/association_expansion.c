/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that kernels on the AI CPU expand into tasks: which of the tasks that the host did not launch each kernel
 * did. The AI CPU logs what it launches; the device's log has when that ran. */
#include "base/array.h"
#include "base/number.h"
#include "parsers/join/association_data.h"

#include <stdlib.h>

/* A kernel of a collective that ran. */
struct kernel_run {
    uint64_t key; /* task_key */
    int64_t start_ns, end_ns;
    int64_t last_ns, group_id; /* last_ns: when the last of its tasks on its main stream ended, or itself */
    uint32_t run;
    bool is_op; /* it is the operator by itself */
};

/* A task that a kernel launched. */
struct expanded_run {
    uint64_t key;
    int64_t start_ns, end_ns;
    uint32_t ran, launch; /* launch: place in the expansion's tasks */
};

ARRAY_COMPARE(by_key, struct expanded, ARRAY_BY(key), ARRAY_BY(time_ns))
ARRAY_COMPARE(by_group, struct kernel_run, ARRAY_BY(group_id), ARRAY_BY(start_ns))
ARRAY_COMPARE(by_ran, struct run_task, ARRAY_BY(ran))

/* ---- what the AI CPU says ---- */

/* Streams say nothing where the numbers alone distinguish tasks. */
static uint64_t key_of(const struct association *association, uint32_t stream_id, uint32_t task_id)
{
    return task_key(association->unique_tasks ? 0 : stream_id, task_id);
}

static int add(struct expanded_list *list, const struct expanded *expanded, struct err *err)
{
    struct expanded *copy = ARRAY_NEXT(list, err);
    if (copy == NULL)
        return err_status(err);
    *copy = *expanded;
    return 0;
}

int association_add_expanded_task(struct association *association, const struct host_transfer *transfer,
                                  uint32_t stream_id, uint32_t task_id, struct err *err)
{
    struct host_transfer *copy = ARRAY_NEXT(&association->transfers, err);
    if (copy == NULL)
        return err_status(err);
    *copy = *transfer;
    return add(&association->expansion.tasks,
               &(struct expanded){.key = key_of(association, stream_id, task_id),
                                  .other = stream_id,
                                  .time_ns = transfer->time_ns,
                                  .item = (uint32_t)(association->transfers.count - 1)},
               err);
}

int association_add_expanded_op(struct association *association, const struct expanded_op *op, struct err *err)
{
    struct host_collective *copy = ARRAY_NEXT(&association->collectives, err);
    if (copy == NULL)
        return err_status(err);
    *copy = op->collective;
    return add(&association->expansion.ops,
               &(struct expanded){.key = key_of(association, op->stream_id, op->task_id),
                                  .time_ns = op->collective.time_ns,
                                  .item = (uint32_t)(association->collectives.count - 1),
                                  .rank_size = op->rank_size},
               err);
}

int association_add_expanded_end(struct association *association, const struct expanded_end *end, struct err *err)
{
    return add(&association->expansion.ends,
               &(struct expanded){.key = key_of(association, end->kernel_stream_id, end->kernel_task_id),
                                  .other = key_of(association, end->stream_id, end->task_id),
                                  .time_ns = end->time_ns},
               err);
}

void expansion_release(struct expansion *expansion)
{
    large_free(expansion->tasks.items);
    large_free(expansion->ops.items);
    large_free(expansion->ends.items);
    *expansion = (struct expansion){.sorted = false};
}

/* ---- which record is about what ran ---- */

static void sort(struct expansion *expansion)
{
    struct expanded_list *const lists[] = {&expansion->tasks, &expansion->ops, &expansion->ends};
    if (expansion->sorted)
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        array_sort(lists[i]->items, lists[i]->count, sizeof *lists[i]->items, by_key);
    expansion->sorted = true;
}

/* How many stand in front of one. */
static size_t place_of(const struct expanded_list *list, const struct expanded *key)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_key(&list->items[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the records of a key, from one time up to another, the last until a time, else the first; NULL: there is none. */
static const struct expanded *record_between(const struct expanded_list *list, uint64_t key, int64_t from_ns,
                                             int64_t up_to_ns, int64_t until_ns)
{
    const struct expanded from = {.key = key, .time_ns = from_ns}, up_to = {.key = key, .time_ns = up_to_ns},
                          until = {.key = key, .time_ns = number_add(until_ns, 1)};
    const size_t first = place_of(list, &from), end = place_of(list, &up_to);
    size_t behind = place_of(list, &until);
    behind = behind < end ? behind : end;
    return first == end ? NULL : &list->items[behind > first ? behind - 1 : first];
}

/* A kernel's records come while it runs: until the number runs again they are of the kernel before. */
static void mark_kernel(const struct expansion *expansion, uint64_t key, int64_t from_ns, int64_t up_to_ns,
                        struct ran_task *ran)
{
    const struct expanded *op = record_between(&expansion->ops, key, from_ns, up_to_ns, ran->end_ns);
    ran->of_expansion = op != NULL || record_between(&expansion->ends, key, from_ns, up_to_ns, ran->end_ns) != NULL;
    ran->expansion_item = op != NULL ? (uint32_t)(op - expansion->ops.items) : NO_INDEX;
}

/* A task's launch comes before it ends, and behind the run before, since no number comes again while a task that has it
 * waits to run. What runs but once is taken for what is launched at any time. */
static void mark_task(const struct expansion *expansion, uint64_t key, int64_t from_ns, int64_t up_to_ns,
                      struct ran_task *ran)
{
    const struct expanded *launch = record_between(&expansion->tasks, key, from_ns, up_to_ns, ran->end_ns);
    ran->of_expansion = launch != NULL;
    ran->expansion_item = launch != NULL ? (uint32_t)(launch - expansion->tasks.items) : NO_INDEX;
}

/* The start of the run that follows one, of the whole of a task. */
static int64_t next_start(const struct matched_task *tasks, size_t count, size_t i)
{
    while (++i < count && tasks[i].ran.context_id != (uint32_t)NO_CONTEXT)
        ;
    return i < count ? tasks[i].ran.start_ns : INT64_MAX;
}

void association_mark_expansion(struct association *association, struct matched_task *tasks, size_t count)
{
    struct expansion *expansion = &association->expansion;
    int64_t start_ns = INT64_MIN, end_ns = INT64_MIN, next_ns = 0; /* of the run before; of the one behind */
    if (expansion->ops.count + expansion->ends.count + expansion->tasks.count == 0)
        return;
    sort(expansion);
    for (size_t i = 0; i < count; i++) {
        struct ran_task *ran = &tasks[i].ran;
        const uint64_t key = key_of(association, ran->stream_id, ran->task_id);
        const bool whole = ran->context_id == (uint32_t)NO_CONTEXT, first = start_ns == INT64_MIN;
        if (whole || i == 0)
            next_ns = next_start(tasks, count, i);
        if (tasks[i].launched)
            mark_kernel(expansion, key, first || !whole ? start_ns : ran->start_ns, next_ns, ran);
        else
            mark_task(expansion, key, end_ns, first && next_ns == INT64_MAX ? INT64_MAX : number_add(ran->end_ns, 1),
                      ran);
        if (whole) {
            start_ns = ran->start_ns;
            end_ns = number_add(ran->end_ns, 1);
        }
    }
}

/* ---- what ran ---- */

/* Fills in what the kernel communicates, as far as it is known. */
static void describe(struct association *association, const struct ran_task *ran, struct collective_op *op)
{
    const struct expanded *said = ran->of_expansion && ran->expansion_item != NO_INDEX
                                      ? &association->expansion.ops.items[ran->expansion_item]
                                      : NULL;
    uint32_t group;
    if (op->collective != NO_INDEX || op->group_id != COLLECTIVE_NO_GROUP)
        return;
    if (said != NULL) {
        op->collective = said->item;
        op->rank_size = said->rank_size;
        op->group_id = association->collectives.items[said->item].group_id;
    } else if (id_map_get(&association->ai_cpu_streams, ran->stream_id, &group)) {
        op->rank_size = association->ai_cpu_groups.items[group].rank_size;
        op->group_id = association->ai_cpu_groups.items[group].group_id;
    }
}

/* Which run of its operator the kernel's is. */
static uint32_t iteration_of(struct association *association, const struct host_task *host, struct collective_op *op)
{
    struct task_extra *extra = host->extra != NO_INDEX ? &association->extras.items[host->extra] : NULL;
    if (op->is_kernel || extra == NULL)
        return ++op->runs;
    return extra->collective_op != NO_INDEX ? extra->runs : ++extra->runs;
}

static int take_kernel(struct association *association, struct collective_runs *runs, uint32_t index,
                       const struct ran_task *ran, const struct host_task *host, uint32_t op_number, struct err *err)
{
    struct collective_op *op = &association->collective_ops.items[op_number];
    uint32_t number;
    sort(&association->expansion);
    if (op->is_kernel)
        describe(association, ran, op);
    struct collective_run *run =
        collective_runs_find(runs, op_number, iteration_of(association, host, op), &number, err);
    struct kernel_run *kernel = run != NULL ? ARRAY_NEXT(&runs->kernels, err) : NULL;
    if (kernel == NULL)
        return err_status(err);
    *kernel = (struct kernel_run){
        .key = key_of(association, ran->stream_id, ran->task_id),
        .start_ns = ran->start_ns,
        .end_ns = ran->end_ns,
        .last_ns = ran->end_ns,
        .group_id = op->collective != NO_INDEX ? association->collectives.items[op->collective].group_id : op->group_id,
        .run = number,
        .is_op = op->is_kernel};
    if (op->is_kernel)
        run->kernel = index;
    return 0;
}

int association_take_expanded(struct association *association, struct collective_runs *runs, uint32_t index,
                              const struct ran_task *ran, const struct host_task *host,
                              const struct collective_kernel *kernel, struct err *err)
{
    if (host != NULL)
        return kernel->op != NO_INDEX ? take_kernel(association, runs, index, ran, host, kernel->op, err) : 0;
    if (!ran->of_expansion)
        return 0;
    struct expanded_run *expanded = ARRAY_NEXT(&runs->expanded, err);
    if (expanded == NULL)
        return err_status(err);
    *expanded = (struct expanded_run){.key = key_of(association, ran->stream_id, ran->task_id),
                                      .start_ns = ran->start_ns,
                                      .end_ns = ran->end_ns,
                                      .ran = index,
                                      .launch = ran->expansion_item};
    return 0;
}

/* ---- which kernel launched what ---- */

/* The last tasks of a kernel's main stream may end after it. tasks: that ran, by their keys and starts. */
static void find_last(const struct association *association, const struct collective_runs *runs,
                      const struct expanded_list *tasks, struct kernel_run *kernel)
{
    const struct expanded_list *ends = &association->expansion.ends;
    const struct expanded from = {.key = kernel->key, .time_ns = kernel->start_ns};
    for (size_t i = place_of(ends, &from);
         i < ends->count && ends->items[i].key == kernel->key && ends->items[i].time_ns <= kernel->end_ns; i++) {
        const struct expanded main_task = {.key = ends->items[i].other, .time_ns = kernel->start_ns};
        const size_t place = place_of(tasks, &main_task);
        if (place == tasks->count || tasks->items[place].key != main_task.key)
            continue;
        const int64_t end_ns = runs->expanded.items[tasks->items[place].item].end_ns;
        kernel->last_ns = end_ns > kernel->last_ns ? end_ns : kernel->last_ns;
    }
}

static int find_last_tasks(const struct association *association, struct collective_runs *runs, struct err *err)
{
    struct expanded_list tasks = {.items = NULL};
    int status = 0;
    for (size_t i = 0; status == 0 && association->expansion.ends.count > 0 && i < runs->expanded.count; i++) {
        const struct expanded_run *task = &runs->expanded.items[i];
        status = add(&tasks, &(struct expanded){.key = task->key, .time_ns = task->start_ns, .item = (uint32_t)i}, err);
    }
    array_sort(tasks.items, tasks.count, sizeof *tasks.items, by_key);
    for (size_t i = 0; status == 0 && tasks.count > 0 && i < runs->kernels.count; i++)
        find_last(association, runs, &tasks, &runs->kernels.items[i]);
    large_free(tasks.items);
    return status;
}

/* The last kernel of the group that began up to a time; NULL: there is none. The kernels are sorted. */
static const struct kernel_run *last_kernel(const struct collective_runs *runs, int64_t group_id, int64_t until_ns)
{
    const struct kernel_run until = {.group_id = group_id, .start_ns = until_ns};
    size_t low = 0, high = runs->kernels.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_group(&runs->kernels.items[middle], &until) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && runs->kernels.items[low - 1].group_id == group_id ? &runs->kernels.items[low - 1] : NULL;
}

/* The kernel of the group that ran when the task was launched, else the one whose tasks ran when it began. */
static const struct kernel_run *kernel_in(const struct collective_runs *runs, int64_t group_id, int64_t launch_ns,
                                          const struct expanded_run *task)
{
    const struct kernel_run *kernel = last_kernel(runs, group_id, launch_ns);
    if (kernel != NULL && launch_ns <= kernel->end_ns)
        return kernel;
    kernel = last_kernel(runs, group_id, task->start_ns);
    return kernel != NULL && task->start_ns <= kernel->last_ns ? kernel : NULL;
}

static const struct kernel_run *kernel_of(const struct association *association, const struct collective_runs *runs,
                                          const struct expanded_run *task)
{
    const struct expanded *launch = &association->expansion.tasks.items[task->launch];
    const int64_t group_id = association->transfers.items[launch->item].group_id;
    const struct kernel_run *kernel = kernel_in(runs, group_id, launch->time_ns, task);
    return kernel != NULL ? kernel : kernel_in(runs, COLLECTIVE_NO_GROUP, launch->time_ns, task);
}

/* Planes are the streams of a group, by the first tasks on them. */
struct planes {
    struct id_map groups, streams, counts;
};

static int find_plane(struct planes *planes, int64_t group_id, uint32_t stream_id, uint32_t *ret, struct err *err)
{
    uint32_t group, count = 0;
    if (!id_map_get(&planes->groups, group_id, &group)) {
        group = (uint32_t)planes->groups.map.used;
        if (id_map_set(&planes->groups, group_id, group, err) < 0)
            return err_status(err);
    }
    const int64_t key = (int64_t)task_key(group, stream_id);
    if (id_map_get(&planes->streams, key, ret))
        return 0;
    id_map_get(&planes->counts, group, &count);
    *ret = count;
    return id_map_set(&planes->counts, group, count + 1, err) < 0 || id_map_set(&planes->streams, key, count, err) < 0
               ? err_status(err)
               : 0;
}

static int join_task(struct association *association, struct collective_runs *runs, const struct expanded_run *task,
                     const struct kernel_run *kernel, struct planes *planes, struct err *err)
{
    const struct expanded *launch = &association->expansion.tasks.items[task->launch];
    struct host_transfer *transfer = &association->transfers.items[launch->item];
    struct collective_run *run = &runs->items[kernel->run];
    uint32_t plane;
    if (find_plane(planes, transfer->group_id, (uint32_t)launch->other, &plane, err) < 0)
        return err_status(err);
    transfer->plane_id = plane + (kernel->is_op ? 0 : 1); /* the first is the kernel's where the host has an operator */
    struct task_extra *extra = ARRAY_NEXT(&association->extras, err);
    struct run_task *member = extra != NULL ? ARRAY_NEXT(&runs->tasks, err) : NULL;
    if (member == NULL)
        return err_status(err);
    *extra = (struct task_extra){.copy_bytes = -1,
                                 .collective_op = run->op,
                                 .transfer = launch->item,
                                 .grid_dim = NO_INDEX,
                                 .block_dim = NO_INDEX,
                                 .master = true,
                                 .spans = kernel->is_op};
    *member = (struct run_task){task->ran, kernel->run, (uint32_t)(association->extras.count - 1)};
    run->has_parts = true;
    run_span_extend(&run->all, task->start_ns, task->end_ns);
    if (kernel->is_op)
        run_span_extend(&run->own, task->start_ns, task->end_ns);
    if (run->transfer == NO_INDEX)
        run->transfer = launch->item;
    return 0;
}

int association_join_expanded(struct association *association, struct collective_runs *runs, struct err *err)
{
    struct planes planes = {.groups = {{0}}};
    int status = find_last_tasks(association, runs, err);
    array_sort(runs->kernels.items, runs->kernels.count, sizeof *runs->kernels.items, by_group);
    for (size_t i = 0; i < runs->kernels.count; i++) {
        const struct kernel_run *kernel = &runs->kernels.items[i];
        struct collective_run *run = &runs->items[kernel->run];
        run_span_extend(&run->all, kernel->start_ns, kernel->end_ns);
        if (kernel->is_op || !run->own.known)
            run_span_extend(&run->own, kernel->start_ns, kernel->end_ns);
    }
    for (size_t i = 0; status == 0 && i < runs->expanded.count; i++) {
        const struct kernel_run *kernel = kernel_of(association, runs, &runs->expanded.items[i]);
        if (kernel != NULL)
            status = join_task(association, runs, &runs->expanded.items[i], kernel, &planes, err);
    }
    if (runs->expanded.count > 0 && runs->tasks.count > 1)
        array_sort(runs->tasks.items, runs->tasks.count, sizeof *runs->tasks.items, by_ran);
    id_map_release(&planes.groups);
    id_map_release(&planes.streams);
    id_map_release(&planes.counts);
    return status;
}
