/* SPDX-License-Identifier: Apache-2.0 */
/* Which batch each task is of: how often the task numbers of its stream had begun again. */
#include "base/array.h"
#include "parsers/join/association_data.h"

#include <stdlib.h>

/* A task of a stream whose numbers begin again. */
struct item {
    uint64_t stream;
    int64_t time_ns;
    uint32_t task_id, index;
};

static int compare_flips(const void *a, const void *b)
{
    const struct flip *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The first flip of a stream; their count: there is none. */
static size_t first_flip(const struct flip_list *list, uint64_t stream)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].stream < stream)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->items[low].stream == stream ? low : list->count;
}

/* When several threads put tasks on a stream at once, some with numbers of the new batch are recorded before the flip:
 * those right in front of it whose numbers are lower than the flip's own. */
static size_t begin_of_batch(const struct item *items, size_t first, size_t after_flip, const struct flip *flip)
{
    while (!flip->destroys && after_flip > first && items[after_flip - 1].task_id < flip->task_id)
        after_flip--;
    return after_flip;
}

/* The items of one stream, by time. One in the very tick of a flip is behind it. */
static void assign_stream(const struct flip_list *list, const struct item *items, size_t count,
                          const struct batch_target *target)
{
    size_t flip = first_flip(list, items->stream), batch_begin = 0, at = 0;
    for (uint32_t batch = 0; at < count || batch_begin < count; batch++) {
        bool last = flip == list->count || list->items[flip].stream != items->stream;
        while (at < count && (last || items[at].time_ns < list->items[flip].time_ns))
            at++;
        size_t end = last ? count : begin_of_batch(items, batch_begin, at, &list->items[flip++]);
        for (; batch_begin < end; batch_begin++)
            target->set(target->tasks, items[batch_begin].index, batch);
    }
}

int association_assign_batches(struct flip_list *list, const struct batch_target *target, struct err *err)
{
    size_t count = 0;
    if (list->count == 0 || target->count == 0)
        return 0;
    array_sort(list->items, list->count, sizeof *list->items, compare_flips);
    struct item *items = malloc(target->count * sizeof *items);
    if (items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < target->count; i++) {
        struct item *item = &items[count];
        target->get(target->tasks, i, &item->stream, &item->time_ns, &item->task_id);
        item->index = (uint32_t)i;
        count += first_flip(list, item->stream) < list->count;
    }
    if (count > 1)
        array_sort(items, count, sizeof *items, compare_items);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && items[next].stream == items[i].stream;)
            next++;
        assign_stream(list, items + i, next - i, target);
    }
    free(items);
    return 0;
}

int flip_list_add(struct flip_list *list, const struct flip *flip, struct err *err)
{
    struct flip *copy = ARRAY_NEXT(list->items, list->count, list->capacity, err);
    if (copy == NULL)
        return -(int)err->code;
    *copy = *flip;
    return 0;
}

void flip_list_release(struct flip_list *list)
{
    free(list->items);
    *list = (struct flip_list){.items = NULL};
}

/* ---- the host's tasks ---- */

static void get_host_task(const void *tasks, size_t i, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task)
{
    const struct host_task *task = (const struct host_task *)tasks + i;
    *ret_stream = task_key(task->device_id, task->stream_id);
    *ret_time_ns = task->time_ns;
    *ret_task = task->task_id;
}

static void set_host_batch(void *tasks, size_t i, uint32_t batch)
{
    ((struct host_task *)tasks)[i].batch_id = batch;
}

/* Recorded batches count from the begin of the program, those of the device from the begin of the capture. */
static int count_from_capture(struct association *association, struct err *err)
{
    struct id_map lowest = {{0}};
    int status = 0;
    for (int pass = 0; status == 0 && pass < 2; pass++) {
        for (size_t i = 0; status == 0 && i < association->host_task_count; i++) {
            struct host_task *task = &association->host_tasks[i];
            int64_t stream = (int64_t)task_key(task->device_id, task->stream_id);
            uint32_t known;
            bool found = id_map_get(&lowest, stream, &known);
            if (pass == 1)
                task->batch_id -= known;
            else if (!found || task->batch_id < known)
                status = id_map_set(&lowest, stream, task->batch_id, err);
        }
    }
    id_map_release(&lowest);
    return status;
}

int association_batch_host_tasks(struct association *association, struct err *err)
{
    const struct batch_target target = {association->host_tasks, association->host_task_count, get_host_task,
                                        set_host_batch};
    int status = association->has_batches ? count_from_capture(association, err) : 0;
    return status == 0 ? association_assign_batches(&association->host_flips, &target, err) : status;
}

/* ---- the device's tasks ---- */

static void get_ran_task(const void *tasks, size_t i, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task)
{
    const struct ran_task *task = (const struct ran_task *)tasks + i;
    *ret_stream = task->stream_id;
    *ret_time_ns = task->start_ns;
    *ret_task = task->task_id;
}

static void set_ran_batch(void *tasks, size_t i, uint32_t batch)
{
    struct ran_task *task = (struct ran_task *)tasks + i;
    task->batch_id = (uint16_t)batch;
    task->batch_known = true;
}

int association_batch_ran_tasks(struct association *association, struct err *err)
{
    const struct batch_target target = {association->ran, association->ran_count, get_ran_task, set_ran_batch};
    return association_assign_batches(&association->flips, &target, err);
}
