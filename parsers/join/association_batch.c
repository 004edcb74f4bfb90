/* SPDX-License-Identifier: Apache-2.0 */
/* Which batch each task is of: how often the task numbers of its stream had begun again. Flips say so, and are numbered
 * on both sides: one that is lost, as a device's first with the head of its log, does not shift the others. */
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

/* ---- what flips say ---- */

/* The batch behind a flip: its own number, which counts from the first life of the stream; one more where the number
 * cannot be, as damage makes it. lives: the batch that the stream's life began with. */
static uint32_t batch_behind(const struct flip_list *list, size_t flip, uint32_t life, uint32_t batch)
{
    const bool has_next = flip + 1 < list->count;
    const struct flip *this = &list->items[flip], *next = &list->items[has_next ? flip + 1 : flip];
    const bool falls = has_next && next->stream == this->stream && !next->destroys && next->number <= this->number;
    return this->destroys || falls || life + this->number <= batch ? batch + 1 : life + this->number;
}

/* The last batch that the host says of a stream's life (0: the first), counted as its flips are. *ret_known false: it
 * has no flips. */
static uint32_t host_batch(const struct association *association, uint64_t stream, uint32_t life, bool *ret_known)
{
    const struct flip_list *list = &association->host_flips;
    uint32_t begin = 0, batch = 0, highest = 0;
    size_t flip = first_flip(list, stream);
    *ret_known = flip < list->count;
    for (; flip < list->count && list->items[flip].stream == stream; flip++) {
        if (list->items[flip].destroys && life-- == 0)
            return batch;
        batch = batch_behind(list, flip, begin, batch);
        begin = list->items[flip].destroys ? batch : begin;
    }
    if (!*ret_known)
        *ret_known = id_map_get(&association->highest_batches, (int64_t)stream, &highest);
    return *ret_known && batch == 0 ? highest : batch;
}

/* ---- numbers that begin again ---- */

/* Task numbers since they began again last. */
struct task_numbers {
    uint64_t seen[(1 << 16) / 64];
    uint32_t last;
    bool any;
};

static void numbers_begin(struct task_numbers *numbers)
{
    *numbers = (struct task_numbers){.any = false};
}

/* Whether a batch must have begun: the number was there already, or is much less than the last one, by more than
 * threads that launch at once are apart. Parts of a task have its number. */
static bool begins_again(const struct task_numbers *numbers, uint32_t task_id)
{
    enum { APART = 1 << 10 };
    const uint32_t id = task_id & 0xffff;
    return numbers->any && id != numbers->last &&
           ((numbers->seen[id / 64] >> id % 64 & 1) != 0 || (id < numbers->last && numbers->last - id > APART));
}

static void note_number(struct task_numbers *numbers, uint32_t task_id)
{
    const uint32_t id = task_id & 0xffff;
    numbers->seen[id / 64] |= UINT64_C(1) << id % 64;
    numbers->last = id;
    numbers->any = true;
}

/* ---- tasks and flips of one stream after the other, by time ---- */

/* One in the very tick of a flip is behind it. */
struct batches {
    struct association *association;
    const struct flip_list *list;
    const struct batch_target *target;
    uint64_t stream;
    bool begun, flips;           /* flips: the stream has any */
    size_t flip;                 /* the next of them */
    uint32_t batch, life, lives; /* life: the batch that the stream's began with; lives: how many ended */
    uint32_t base;               /* what the host's batches count from */
    uint32_t lost; /* flips that are lost up to the next one: so often numbers may begin again by themselves */
    bool held;     /* the first flip is not the stream's first: tasks wait until it comes */
    struct task_numbers numbers;
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

static uint32_t number_of(const struct batches *batches, const void *task)
{
    uint64_t stream;
    int64_t time_ns;
    uint32_t task_id;
    batches->target->get(task, &stream, &time_ns, &task_id);
    return task_id;
}

/* When several threads put tasks on a stream at once, some with numbers of the new batch are recorded before the flip:
 * those right in front of it whose numbers are lower than the flip's own. */
static bool may_be_behind(const struct batches *batches, const void *task)
{
    const struct flip *flip = next_flip(batches);
    return flip != NULL && !flip->destroys && number_of(batches, task) < flip->task_id;
}

/* The key of a stream on the host. */
static uint64_t host_stream(const struct batches *batches)
{
    return batches->target->of_device ? task_key(batches->target->device_id, (uint32_t)batches->stream)
                                      : batches->stream;
}

/* Lets those go that wait in front of `end`. */
static int let_go(struct batches *batches, size_t end, struct err *err)
{
    char *items = batches->waiting.items;
    int status = 0;
    for (size_t at = 0; status == 0 && at < end; at += batches->target->size) {
        batches->target->set(items + at, batches->batch - batches->base);
        status = batches->target->put(batches->association, items + at, err);
    }
    batches->waiting.count -= end;
    if (end > 0)
        memmove(items, items + end, batches->waiting.count);
    return status;
}

/* Where those in front of the next flip for sure end. */
static size_t sure_end(const struct batches *batches)
{
    size_t end = batches->waiting.count;
    while (end > 0 && may_be_behind(batches, batches->waiting.items + end - batches->target->size))
        end -= batches->target->size;
    return end;
}

/* Counts the flips that are lost in front of the next one: its number says, or of a device, where none follows, what
 * the host has. */
static void count_lost(struct batches *batches)
{
    const struct flip *next = next_flip(batches);
    uint32_t last = batches->batch;
    bool known = false;
    if (next != NULL && !next->destroys)
        last = batch_behind(batches->list, batches->flip, batches->life, batches->batch) - 1;
    else if (batches->target->of_device)
        last = host_batch(batches->association, host_stream(batches), batches->lives, &known);
    batches->lost = last > batches->batch ? last - batches->batch : 0;
    numbers_begin(&batches->numbers);
}

/* A batch begins behind a task whose flip is lost: those before it go. */
static int begin_lost(struct batches *batches, uint32_t task_id, struct err *err)
{
    if (batches->lost > 0 && begins_again(&batches->numbers, task_id)) {
        if (let_go(batches, batches->waiting.count, err) < 0)
            return err_status(err);
        batches->batch++;
        batches->lost--;
        numbers_begin(&batches->numbers);
    }
    note_number(&batches->numbers, task_id);
    return 0;
}

/* How often numbers begin again among those that wait in front of `end`, at most so often. */
static uint32_t count_begins(struct batches *batches, size_t end, uint32_t most)
{
    uint32_t count = 0;
    numbers_begin(&batches->numbers);
    for (size_t at = 0; at < end && count < most; at += batches->target->size) {
        const uint32_t task_id = number_of(batches, batches->waiting.items + at);
        if (begins_again(&batches->numbers, task_id)) {
            count++;
            numbers_begin(&batches->numbers);
        }
        note_number(&batches->numbers, task_id);
    }
    numbers_begin(&batches->numbers);
    return count;
}

/* Sets the number that batches of the host count from, and those of its device with them; a device alone counts from
 * its first. */
static int set_base(struct batches *batches, struct err *err)
{
    struct id_map *bases = &batches->association->lowest_batches;
    batches->base = batches->batch;
    if (!batches->target->of_device)
        return id_map_set(bases, (int64_t)batches->stream, batches->base, err);
    id_map_get(bases, (int64_t)host_stream(batches), &batches->base);
    return 0;
}

/* Finds the batch that the held tasks begin with: as many in front of the first flip's as numbers begin again. Those in
 * front of the flip for sure go. */
static int settle(struct batches *batches, struct err *err)
{
    const size_t size = batches->target->size;
    size_t end = sure_end(batches), first = 0;
    const uint32_t last = batch_behind(batches->list, batches->flip, 0, 0) - 1;
    batches->held = false;
    batches->batch = last - count_begins(batches, end, last);
    int status = set_base(batches, err);
    for (size_t at = 0; status == 0 && at < end; at += size) {
        const uint32_t task_id = number_of(batches, batches->waiting.items + at);
        if (batches->batch < last && begins_again(&batches->numbers, task_id)) {
            status = let_go(batches, at - first, err);
            end -= at - first;
            at = first = 0;
            batches->batch++;
            numbers_begin(&batches->numbers);
        }
        note_number(&batches->numbers, task_id);
    }
    return status == 0 ? let_go(batches, end, err) : status;
}

static int begin_stream(struct batches *batches, uint64_t stream, struct err *err)
{
    batches->begun = true;
    batches->stream = stream;
    batches->flip = first_flip(batches->list, stream);
    batches->flips = flip_list_has(batches->list, stream);
    batches->batch = batches->life = batches->lives = batches->lost = 0;
    if (!batches->flips)
        return 0;
    batches->held = !next_flip(batches)->destroys && batch_behind(batches->list, batches->flip, 0, 0) > 1;
    if (batches->held)
        return 0;
    count_lost(batches);
    return set_base(batches, err);
}

/* Those that still wait. */
static int end_stream(struct batches *batches, struct err *err)
{
    if (batches->held && settle(batches, err) < 0)
        return err_status(err);
    return let_go(batches, batches->waiting.count, err);
}

static int pass_flip(struct batches *batches, const struct flip *flip, struct err *err)
{
    bool known = false;
    if (batches->held && settle(batches, err) < 0)
        return err_status(err);
    batches->batch = batch_behind(batches->list, batches->flip, batches->life, batches->batch);
    if (flip->destroys) {
        const uint32_t ended = host_batch(batches->association, host_stream(batches), batches->lives++, &known);
        if (known && ended + 1 > batches->batch)
            batches->batch = ended + 1;
        batches->life = batches->batch;
    }
    batches->flip++;
    count_lost(batches);
    return let_go(batches, sure_end(batches), err);
}

static int take_task(struct batches *batches, const void *task, struct err *err)
{
    uint64_t stream;
    int64_t time_ns;
    uint32_t task_id;
    batches->target->get(task, &stream, &time_ns, &task_id);
    if ((!batches->begun || batches->stream != stream) &&
        (end_stream(batches, err) < 0 || begin_stream(batches, stream, err) < 0))
        return err_status(err);
    if (!batches->flips)
        return batches->target->put(batches->association, task, err);
    for (const struct flip *flip; (flip = next_flip(batches)) != NULL && flip->time_ns <= time_ns;)
        if (pass_flip(batches, flip, err) < 0)
            return err_status(err);
    if (!batches->held && (begin_lost(batches, task_id, err) < 0 ||
                           (!may_be_behind(batches, task) && let_go(batches, batches->waiting.count, err) < 0)))
        return err_status(err);
    if (array_reserve(&batches->waiting, batches->target->size, err) < 0)
        return err_status(err);
    memcpy(batches->waiting.items + batches->waiting.count, task, batches->target->size);
    batches->waiting.count += batches->target->size;
    return batches->held ? 0 : let_go(batches, sure_end(batches), err);
}

int association_assign_batches(struct association *association, struct flip_list *list, struct spool *tasks,
                               const struct batch_target *target, struct err *err)
{
    SCOPED_FREE struct batches *batches = scoped_memory(1, sizeof *batches);
    struct spool_item item;
    if (batches == NULL)
        return err_no_memory(err);
    *batches = (struct batches){.association = association, .list = list, .target = target};
    if (list->count > 1)
        array_sort(list->items, list->count, sizeof *list->items, compare_flips);
    int status = spool_finish(tasks, err);
    while (status == 0 && (status = spool_next(tasks, &item, err)) > 0)
        status = take_task(batches, item.record, err);
    status = status < 0 ? status : end_stream(batches, err);
    free(batches->waiting.items);
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
