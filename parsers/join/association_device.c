/* SPDX-License-Identifier: Apache-2.0 */
/* The device: tasks that ran, which launch of the host each was, and their counters. */
#include "base/array.h"
#include "base/interrupt.h"
#include "parsers/join/association_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables of keys ---- */

int key_table_init(struct key_table *table, size_t count, struct err *err)
{
    size_t capacity = 64;
    while (capacity < count + count / 2)
        capacity *= 2;
    struct key_slot *slots = malloc(capacity * sizeof *slots);
    if (slots == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < capacity; i++)
        slots[i].first = slots[i].last = NO_INDEX;
    free(table->slots);
    *table = (struct key_table){.slots = slots, .capacity = capacity};
    return 0;
}

struct key_slot *key_table_find(const struct key_table *table, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 24) & (table->capacity - 1);
    while (table->slots[i].first != NO_INDEX && table->slots[i].key != key)
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

/* ---- records in ---- */

int association_add_task(struct association *association, const struct device_task *task, struct err *err)
{
    if (join_expect_span(task->start_ns, task->end_ns, err) < 0)
        return -(int)err->code;
    struct ran_task *copy = ARRAY_NEXT(association->ran, association->ran_count, association->ran_capacity, err);
    if (copy == NULL)
        return -(int)err->code;
    *copy = (struct ran_task){
        .start_ns = task->start_ns,
        .end_ns = task->end_ns,
        .stream_id = task->stream_id,
        .task_id = task->task_id,
        .context_id = (uint32_t)task->context_id,
        .next = NO_INDEX,
        .host = NO_INDEX,
        .pmu = {NO_INDEX, NO_INDEX},
        .type = (uint8_t)task->type,
        .has_accelerator = task->has_accelerator,
        .accelerator_id = task->accelerator_id & 0x3fu,
    };
    association->ran_sorted = false;
    return 0;
}

int association_add_flip(struct association *association, const struct task_flip *flip, struct err *err)
{
    const struct flip copy = {flip->stream_id, flip->time_ns, flip->task_id, flip->destroys};
    return flip_list_add(&association->flips, &copy, err);
}

/* ---- order ---- */

static inline bool ran_before(const struct ran_task *a, const struct ran_task *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns;
    if (a->stream_id != b->stream_id)
        return a->stream_id < b->stream_id;
    return a->task_id != b->task_id ? a->task_id < b->task_id : a->context_id < b->context_id;
}

static int compare_ran(const void *a, const void *b)
{
    return ran_before(b, a) - ran_before(a, b);
}

/* ---- the host's tasks ---- */

/* Makes the key that tells the tasks of a device apart: on some chips their numbers alone. */
static uint64_t key_on_device(const struct association *association, uint32_t stream_id, uint32_t task_id)
{
    return task_key(association->unique_tasks ? 0 : stream_id, task_id);
}

/* Appends to the chain of its key, where its time belongs. */
static void chain_host_task(struct association *association, uint32_t index)
{
    struct host_task *tasks = association->host_tasks, *task = &tasks[index];
    uint64_t key = key_on_device(association, task->stream_id, task->task_id);
    struct key_slot *slot = key_table_find(&association->host_table, key);
    task->next = NO_INDEX;
    if (slot->first == NO_INDEX) {
        *slot = (struct key_slot){key, index, index};
    } else if (tasks[slot->last].time_ns <= task->time_ns) {
        tasks[slot->last].next = index;
        slot->last = index;
    } else {
        uint32_t *place = &slot->first;
        while (*place != NO_INDEX && tasks[*place].time_ns <= task->time_ns)
            place = &tasks[*place].next;
        task->next = *place;
        *place = index;
    }
}

static int index_host_tasks(struct association *association, uint32_t device_id, struct err *err)
{
    size_t count = 0;
    for (size_t i = 0; i < association->host_task_count; i++)
        count += association->host_tasks[i].device_id == device_id;
    int status = key_table_init(&association->host_table, count, err);
    for (size_t i = 0; status == 0 && i < association->host_task_count; i++) {
        if (association->host_tasks[i].device_id == device_id)
            chain_host_task(association, (uint32_t)i);
    }
    return status;
}

/* Whether no task will be matched with it any more when tasks are matched in their order. */
static bool is_spent(const struct host_task *tasks, uint32_t index)
{
    return tasks[index].used && tasks[index].context_id == (uint32_t)NO_CONTEXT;
}

/* The launch that a task is: of the same batch when the device says where the numbers began again, else the next in
 * time. A task that was launched once but ran several times (of a model loaded before) is that launch every time. */
static uint32_t match_host(struct association *association, const struct ran_task *task)
{
    struct host_task *tasks = association->host_tasks;
    struct key_slot *slot =
        key_table_find(&association->host_table, key_on_device(association, task->stream_id, task->task_id));
    bool in_order = !task->batch_known && task->context_id == (uint32_t)NO_CONTEXT;
    uint32_t candidates = 0, only = NO_INDEX;
    while (in_order && slot->first != NO_INDEX && slot->first != slot->last && is_spent(tasks, slot->first) &&
           tasks[slot->first].next != slot->last)
        slot->first = tasks[slot->first].next;
    for (uint32_t i = slot->first; i != NO_INDEX; i = tasks[i].next) {
        struct host_task *host = &tasks[i];
        if (host->context_id != task->context_id || (task->batch_known && host->batch_id != task->batch_id))
            continue;
        if (!host->used) {
            host->used = true;
            return i;
        }
        candidates++;
        only = i;
    }
    return candidates == 1 && (!in_order || slot->first == slot->last) ? only : NO_INDEX;
}

static int chain_ran_tasks(struct association *association, struct err *err)
{
    int status = key_table_init(&association->ran_table, association->ran_count, err);
    for (size_t i = 0; status == 0 && i < association->ran_count; i++) {
        const struct ran_task *task = &association->ran[i];
        uint64_t key = key_on_device(association, task->stream_id, task->task_id);
        struct key_slot *slot = key_table_find(&association->ran_table, key);
        if (slot->first == NO_INDEX)
            *slot = (struct key_slot){key, (uint32_t)i, (uint32_t)i};
        else
            association->ran[slot->last].next = (uint32_t)i;
        slot->last = (uint32_t)i;
    }
    for (size_t i = 0; status == 0 && i < association->ran_table.capacity; i++)
        association->ran_table.slots[i].last = association->ran_table.slots[i].first; /* where counters go on */
    return status;
}

/* Result of the matching for the whole device. */
struct join_result {
    size_t unmatched, early;
    const struct ran_task *first_early;
};

#define CLOCK_TOLERANCE_NS 1000000 /* clocks of host and device are not read at once */

static void match_task(struct association *association, struct ran_task *task, struct join_result *result)
{
    task->host = match_host(association, task);
    if (task->host == NO_INDEX) {
        result->unmatched++;
        return;
    }
    const struct host_task *host = &association->host_tasks[task->host];
    task->batch_id = (uint16_t)host->batch_id;
    task->stream_id = host->stream_id;
    if (host->time_ns <= task->start_ns || host->time_ns - task->start_ns <= CLOCK_TOLERANCE_NS)
        return;
    if (result->early++ == 0)
        result->first_early = task;
}

static void report_join(struct association *association, const struct capture_part *part,
                        const struct join_result *result)
{
    struct diagnostics *diag = decoder_capture(association->decoder)->diag;
    struct place place = {part->directory, -1, -1, NULL};
    if (result->unmatched > 0)
        diag_report(diag, DIAG_TASK_UNLAUNCHED, &place, "%zu of %zu tasks", result->unmatched, association->ran_count);
    if (result->early == 0)
        return;
    const struct ran_task *task = result->first_early;
    diag_report(diag, DIAG_CLOCK_CONTRADICTION, &place,
                "%zu of %zu tasks, the first is task %u of stream %u, %lld ns too early", result->early,
                association->ran_count, task->task_id, task->stream_id,
                (long long)(association->host_tasks[task->host].time_ns - task->start_ns));
}

int association_join_tasks(struct association *association, struct err *err)
{
    if (association->ran_count == 0 || association->ran_sorted)
        return 0;
    const struct capture_part *part = &decoder_capture(association->decoder)->parts[association->part];
    uint32_t device_id = part->device_id >= 0 ? (uint32_t)part->device_id : 0;
    struct join_result result = {.unmatched = 0};
    array_sort(association->ran, association->ran_count, sizeof *association->ran, compare_ran);
    int status = association_batch_ran_tasks(association, err);
    if (status == 0)
        status = index_host_tasks(association, device_id, err);
    for (size_t i = 0; status == 0 && i < association->ran_count; i++)
        match_task(association, &association->ran[i], &result);
    key_table_release(&association->host_table);
    if (status == 0)
        status = chain_ran_tasks(association, err);
    if (status == 0)
        report_join(association, part, &result);
    association->ran_sorted = true;
    return status;
}

/* ---- counters ---- */

/* The first execution from one on, of this context, that counters belong to: the one that was running then, else the
 * first that has none yet; of a block's without a time the last that fits. */
static uint32_t find_execution_from(const struct association *association, const struct device_pmu *pmu,
                                    uint32_t context_id, uint32_t from)
{
    uint32_t last = NO_INDEX;
    for (uint32_t i = from; i != NO_INDEX; i = association->ran[i].next) {
        const struct ran_task *task = &association->ran[i];
        if (task->context_id != context_id)
            continue;
        if (pmu->start_ns >= 0 ? pmu->start_ns <= task->end_ns : pmu->block || task->pmu[pmu->core] == NO_INDEX)
            return i;
        last = i;
    }
    return pmu->block ? last : NO_INDEX;
}

/* Counters come nearly in the order of the executions, so the search goes on where the last one ended. */
static struct ran_task *find_execution(const struct association *association, const struct device_pmu *pmu)
{
    struct key_slot *slot =
        key_table_find(&association->ran_table, key_on_device(association, pmu->stream_id, pmu->task_id));
    uint32_t from = slot->first == NO_INDEX ? NO_INDEX : slot->last, found = NO_INDEX;
    bool behind = from != NO_INDEX && pmu->start_ns >= 0 && pmu->start_ns < association->ran[from].start_ns;
    if (!behind)
        found = find_execution_from(association, pmu, (uint32_t)pmu->context_id, from);
    if (found == NO_INDEX && (behind || from != slot->first))
        found = find_execution_from(association, pmu, (uint32_t)pmu->context_id, slot->first);
    if (found == NO_INDEX && pmu->context_id != NO_CONTEXT && !pmu->block) /* the log does not say that it was split */
        found = find_execution_from(association, pmu, (uint32_t)NO_CONTEXT, slot->first);
    if (found == NO_INDEX)
        return NULL;
    slot->last = found;
    bool outside = pmu->start_ns < association->ran[found].start_ns || pmu->start_ns > association->ran[found].end_ns;
    return pmu->block && pmu->start_ns >= 0 && outside ? NULL : &association->ran[found];
}

static void add_up(struct pmu_sum *sum, const struct device_pmu *pmu)
{
    /* Unsigned sums: a damaged counter must not overflow. */
    sum->total_cycle = (int64_t)((uint64_t)sum->total_cycle + (uint64_t)pmu->total_cycle);
    for (size_t i = 0; i < pmu->counter_count; i++)
        sum->counters[i] = (int64_t)((uint64_t)sum->counters[i] + (uint64_t)pmu->counters[i]);
}

/* How many blocks a mixed task has on the kind of core that did not begin it, as far as is known. */
static uint32_t blocks_of_other_core(const struct association *association, const struct ran_task *task)
{
    const struct host_task *host = task->host != NO_INDEX ? &association->host_tasks[task->host] : NULL;
    return host != NULL && host->mix_block_num != 0 ? host->mix_block_num : UINT32_MAX;
}

int association_add_pmu(struct association *association, const struct device_pmu *pmu, bool *keep, struct err *err)
{
    int status = association_join_tasks(association, err);
    if (status < 0)
        return status;
    struct ran_task *task = association->ran_count > 0 ? find_execution(association, pmu) : NULL;
    if (task == NULL) {
        struct place place = decoder_place(association->decoder, NULL);
        diag_report(decoder_diag(association->decoder), DIAG_PMU_UNMATCHED, &place,
                    "counters of stream %u task %u, which did not run%s", pmu->stream_id, pmu->task_id,
                    pmu->block ? " then" : "");
        *keep = false;
        return 0;
    }
    uint32_t *slot = &task->pmu[pmu->core];
    if (*slot == NO_INDEX) {
        struct pmu_sum *sum = ARRAY_NEXT(association->pmu, association->pmu_count, association->pmu_capacity, err);
        if (sum == NULL)
            return -(int)err->code;
        *sum = (struct pmu_sum){.counter_count = pmu->counter_count, .duration_ns = NO_DURATION};
        *slot = (uint32_t)(association->pmu_count - 1);
    }
    struct pmu_sum *sum = &association->pmu[*slot];
    if (pmu->block && (sum->whole || sum->blocks == blocks_of_other_core(association, task)))
        return 0; /* counted already */
    sum->blocks += pmu->block;
    if (!pmu->block)
        *sum = (struct pmu_sum){.whole = true,
                                .counter_count = pmu->counter_count,
                                .duration_ns = pmu->timed ? pmu->duration_ns : NO_DURATION};
    add_up(sum, pmu);
    return 0;
}
