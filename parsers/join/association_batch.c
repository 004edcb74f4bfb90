/* SPDX-License-Identifier: Apache-2.0 */
/* Which batch each task is of: how often the task numbers of its stream had begun again. */
#include "base/array.h"
#include "parsers/join/association_data.h"

#include <stdlib.h>
#include <string.h>

ARRAY_COMPARE(compare_flips, struct flip, ARRAY_BY(stream), ARRAY_BY(time_ns))

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

bool flip_list_has(const struct flip_list *list, uint64_t stream)
{
    return first_flip(list, stream) < list->count;
}

/* The tasks of one stream after the other, by time. One in the very tick of a flip is behind it. */
struct batches {
    struct association *association;
    const struct flip_list *list;
    const struct batch_target *target;
    uint64_t stream;
    bool begun, flips; /* flips: the stream has any */
    size_t flip;       /* the next of them */
    uint32_t batch;
    struct {
        char *items;            /* tasks that may be of the next batch */
        size_t count, capacity; /* bytes */
    } waiting;
};

static const struct flip *next_flip(const struct batches *batches)
{
    const struct flip *flip = &batches->list->items[batches->flip];
    return batches->flip < batches->list->count && flip->stream == batches->stream ? flip : NULL;
}

/* When several threads put tasks on a stream at once, some with numbers of the new batch are recorded before the flip:
 * those right in front of it whose numbers are lower than the flip's own. */
static bool may_be_behind(const struct batches *batches, const void *task)
{
    const struct flip *flip = next_flip(batches);
    uint64_t stream;
    int64_t time_ns;
    uint32_t task_id;
    batches->target->get(task, &stream, &time_ns, &task_id);
    return flip != NULL && !flip->destroys && task_id < flip->task_id;
}

/* Lets those go that wait in front of `end`. */
static int let_go(struct batches *batches, size_t end, struct err *err)
{
    char *items = batches->waiting.items;
    int status = 0;
    for (size_t at = 0; status == 0 && at < end; at += batches->target->size) {
        batches->target->set(items + at, batches->batch);
        status = batches->target->put(batches->association, items + at, err);
    }
    batches->waiting.count -= end;
    if (end > 0)
        memmove(items, items + end, batches->waiting.count);
    return status;
}

/* Lets those go that are in front of the next flip for sure. */
static int let_sure_go(struct batches *batches, struct err *err)
{
    size_t end = batches->waiting.count;
    while (end > 0 && may_be_behind(batches, batches->waiting.items + end - batches->target->size))
        end -= batches->target->size;
    return let_go(batches, end, err);
}

static int take_task(struct batches *batches, const void *task, struct err *err)
{
    uint64_t stream;
    int64_t time_ns;
    uint32_t task_id;
    int status = 0;
    batches->target->get(task, &stream, &time_ns, &task_id);
    if (!batches->begun || batches->stream != stream) {
        status = let_go(batches, batches->waiting.count, err);
        batches->begun = true;
        batches->stream = stream;
        batches->flip = first_flip(batches->list, stream);
        batches->flips = flip_list_has(batches->list, stream);
        batches->batch = 0;
    }
    if (status < 0)
        return status;
    if (!batches->flips)
        return batches->target->put(batches->association, task, err);
    for (const struct flip *flip; status == 0 && (flip = next_flip(batches)) != NULL && flip->time_ns <= time_ns;) {
        batches->flip++;
        batches->batch++;
        status = let_sure_go(batches, err);
    }
    if (status < 0 || (!may_be_behind(batches, task) && let_go(batches, batches->waiting.count, err) < 0) ||
        array_reserve(&batches->waiting, batches->target->size, err) < 0)
        return err_status(err);
    memcpy(batches->waiting.items + batches->waiting.count, task, batches->target->size);
    batches->waiting.count += batches->target->size;
    return let_sure_go(batches, err);
}

int association_assign_batches(struct association *association, struct flip_list *list, struct spool *tasks,
                               const struct batch_target *target, struct err *err)
{
    struct batches batches = {.association = association, .list = list, .target = target};
    struct spool_item item;
    if (list->count > 1)
        array_sort(list->items, list->count, sizeof *list->items, compare_flips);
    int status = spool_finish(tasks, err);
    while (status == 0 && (status = spool_next(tasks, &item, err)) > 0)
        status = take_task(&batches, item.record, err);
    status = status < 0 ? status : let_go(&batches, batches.waiting.count, err);
    free(batches.waiting.items);
    return status;
}

int flip_list_add(struct flip_list *list, const struct flip *flip, struct err *err)
{
    struct flip *copy = ARRAY_NEXT(list, err);
    if (copy == NULL)
        return err_status(err);
    *copy = *flip;
    return 0;
}

void flip_list_release(struct flip_list *list)
{
    large_free(list->items);
    *list = (struct flip_list){.items = NULL};
}
