/* SPDX-License-Identifier: Apache-2.0 */
/* The device: tasks that ran, which launch of the host each was, and their counters. All of them wait in spools by the
 * stream and number of their task, and are joined one number after the other. */
#include "base/array.h"
#include "base/progress.h"
#include "parsers/decode/decoder.h"
#include "parsers/join/execution_data.h"

#include <stdlib.h>
#include <string.h>

#define MARK_OF_FILE SIZE_MAX

/* Counters of a task as they wait. */
struct spooled_pmu {
    int64_t start_ns, duration_ns, total_cycle;
    struct pmu_place { /* where they stand */
        int64_t record, offset;
        size_t mark; /* of diagnostics; or MARK_OF_FILE */
        uint32_t file, stream_id, task_id;
        bool block, repeated, other_time; /* the last: its task ran, but not then */
    } place;
    uint32_t context_id, counter_count;
    uint8_t core;
    bool timed;
    int64_t counters[PMU_COUNTERS_MOST]; /* last: as many as there are */
};

/* Everything of one stream and number. */
struct group {
    struct spool_key key;
    bool of_scheduler; /* it has tasks in the scheduler's log */
    struct {
        struct matched_task *items;
        size_t count, capacity;
    } tasks; /* by start */
    struct {
        struct group_launch {
            struct host_task task;
            bool used;
        } * items;
        size_t count, capacity;
    } launches;     /* by time */
    size_t counted; /* where counters go on */
    size_t first;   /* of the launches that may still be taken in their order */
};

struct device_join {
    struct group group;
    struct spool_item task, pmu; /* the next of each */
    bool task_left, pmu_left;
    uint32_t device_id;
    struct spool *unmatched; /* struct pmu_place, in their order */
    size_t launched, unlaunched, early;
    size_t loose_blocks;    /* counted, of mixed kernels of which nobody says how many they have */
    int64_t first_early_ns; /* by so much */
    struct ran_task first_early;
    uint32_t first_early_stream;
};

/* ---- keys and orders ---- */

/* On some chips the numbers of tasks alone distinguish them. */
static struct spool_key task_place(uint32_t device_id, bool unique_tasks, uint32_t stream_id, uint32_t task_id)
{
    return (struct spool_key){task_key(device_id, unique_tasks ? 0 : stream_id), (uint64_t)task_id << 32};
}

static inline int compare_keys(const struct spool_key *a, const struct spool_key *b)
{
    if (((a->major ^ b->major) | (a->minor ^ b->minor)) == 0) /* mostly */
        return 0;
    return a->major != b->major ? array_order(a->major, b->major) : array_order(a->minor, b->minor);
}

static int by_start(const void *a, const void *b)
{
    const struct ran_task *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return array_order(x->start_ns, y->start_ns);
    if (x->end_ns != y->end_ns)
        return array_order(x->end_ns, y->end_ns);
    if (x->stream_id != y->stream_id)
        return array_order(x->stream_id, y->stream_id);
    return x->task_id != y->task_id ? array_order(x->task_id, y->task_id) : array_order(x->context_id, y->context_id);
}

ARRAY_COMPARE(by_time, struct host_task, ARRAY_BY(time_ns))

/* ---- records in ---- */

static uint32_t device_of_part(const struct association *association)
{
    int64_t device_id = decoder_capture(association->decoder)->parts[association->part].device_id;
    return device_id >= 0 ? (uint32_t)device_id : 0;
}

static int put_ran_task(struct association *association, const void *record, struct err *err)
{
    const struct ran_task *task = record;
    const struct spool_key key =
        task_place(device_of_part(association), association->unique_tasks, task->stream_id, task->task_id);
    return join_spool_add(&association->ran, by_start, &key, task, sizeof *task, err);
}

static int add_unbatched(struct association *association, const struct ran_task *task, struct err *err)
{
    const struct spool_key key = {task->stream_id, spool_key_part(task->start_ns)};
    return join_spool_add(&association->ran_unbatched, by_start, &key, task, sizeof *task, err);
}

int association_add_task(struct association *association, const struct device_task *task, struct err *err)
{
    if (join_expect_span(task->start_ns, task->end_ns, err) < 0)
        return err_status(err);
    if (association->executions != NULL)
        return executions_add_run(association->executions, task, err);
    const struct ran_task copy = {
        .start_ns = task->start_ns,
        .end_ns = task->end_ns,
        .stream_id = task->stream_id,
        .task_id = task->task_id,
        .context_id = (uint32_t)task->context_id,
        .type = (uint8_t)task->type,
        .has_accelerator = task->has_accelerator,
        .accelerator_id = task->accelerator_id & 0x3fu,
        .of_scheduler = task->of_scheduler,
    };
    association->ran_count++;
    if (association->flips.count == 0)
        return put_ran_task(association, &copy, err);
    return add_unbatched(association, &copy, err);
}

int association_add_flip(struct association *association, const struct task_flip *flip, struct err *err)
{
    const struct flip copy = {flip->stream_id, flip->time_ns, flip->task_id, flip->number, flip->destroys};
    return flip_list_add(&association->flips, &copy, err);
}

int association_add_pmu(struct association *association, const struct device_pmu *pmu, struct err *err)
{
    if (association->executions != NULL)
        return executions_add_counters(association->executions, pmu, err);
    const struct place place = decoder_place(association->decoder, NULL);
    const struct decoder *decoder = association->decoder;
    struct spooled_pmu record = {
        .start_ns = pmu->start_ns,
        .duration_ns = pmu->duration_ns,
        .total_cycle = pmu->total_cycle,
        .place = {place.record, place.offset, decoder->apart ? MARK_OF_FILE : diag_mark(decoder->capture->diag),
                  (uint32_t)(decoder->file - decoder->capture->files), pmu->stream_id, pmu->task_id, pmu->block, false,
                  false},
        .context_id = (uint32_t)pmu->context_id,
        .counter_count = (uint32_t)pmu->counter_count,
        .core = (uint8_t)pmu->core,
        .timed = pmu->timed,
    };
    memcpy(record.counters, pmu->counters, pmu->counter_count * sizeof *pmu->counters);
    if (association->pmu_count++ == 0) {
        association->join_mark = record.place.mark;
        association->join_file = record.place.file;
    }
    const struct spool_key key =
        task_place(device_of_part(association), association->unique_tasks, pmu->stream_id, pmu->task_id);
    size_t size = offsetof(struct spooled_pmu, counters) + pmu->counter_count * sizeof *pmu->counters;
    return join_spool_add(&association->pmu, NULL, &key, &record, size, err);
}

bool association_may_take(const struct association *association, const struct association *apart)
{
    return association->ran == NULL && association->ran_unbatched == NULL && association->pmu == NULL &&
           association->expanded_streams == apart->expanded_streams && apart->flips.count == 0;
}

/* Which batch each task is of must be found out first. */
static int take_tasks_unbatched(struct association *association, struct spool *tasks, struct err *err)
{
    struct spool_item item;
    int status = spool_finish(tasks, err);
    while (status == 0 && (status = spool_next(tasks, &item, err)) > 0)
        status = add_unbatched(association, item.record, err);
    return status;
}

int association_take(struct association *association, struct association *apart, struct err *err)
{
    int status = 0;
    if (association->flips.count > 0 && apart->ran != NULL) {
        status = take_tasks_unbatched(association, apart->ran, err);
    } else {
        association->ran = apart->ran;
        apart->ran = NULL;
    }
    association->pmu = apart->pmu;
    apart->pmu = NULL;
    association->join_mark = apart->join_mark;
    association->join_file = apart->join_file;
    association->ran_count += apart->ran_count;
    association->pmu_count += apart->pmu_count;
    return status;
}

/* ---- the host's tasks ---- */

static bool has_unique_tasks(const struct association *association, uint32_t device_id)
{
    const struct capture *capture = decoder_capture(association->decoder);
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (!part->is_host && (part->device_id >= 0 ? part->device_id : 0) == device_id)
            return part_has_unique_tasks(part->chip);
    }
    return false;
}

static int add_host_task(struct association *association, const struct host_task *task, struct err *err)
{
    const struct spool_key key =
        task_place(task->device_id, has_unique_tasks(association, task->device_id), task->stream_id, task->task_id);
    return join_spool_add(&association->host_tasks, by_time, &key, task, sizeof *task, err);
}

static int next_host_task(struct association *association, struct err *err)
{
    int any = spool_next(association->host_tasks, &association->next_host_task, err);
    association->host_left = any > 0;
    return any < 0 ? any : 0;
}

/* Those that no device took yet may be added to. */
static int reopen_host_tasks(struct association *association, struct err *err)
{
    struct spool *rest = association->host_tasks;
    int status = 0;
    association->host_tasks = NULL;
    association->host_tasks_sorted = false;
    while (status == 0 && association->host_left) {
        status = add_host_task(association, association->next_host_task.record, err);
        struct spool *added = association->host_tasks;
        association->host_tasks = rest;
        status = status < 0 ? status : next_host_task(association, err);
        association->host_tasks = added;
    }
    spool_free(rest);
    return status;
}

static int put_host_task(struct association *association, const void *task, struct err *err)
{
    int status = association->host_tasks_sorted ? reopen_host_tasks(association, err) : 0;
    return status == 0 ? add_host_task(association, task, err) : status;
}

/* ---- batches of the host's tasks ---- */

static void get_host_task(const void *record, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task)
{
    const struct host_task *task = record;
    *ret_stream = task_key(task->device_id, task->stream_id);
    *ret_time_ns = task->time_ns;
    *ret_task = task->task_id;
}

static void set_host_batch(void *record, uint32_t batch)
{
    ((struct host_task *)record)->batch_id = batch;
}

/* Recorded batches count from the begin of the program, those of the device from the begin of the capture. */
static int put_counted(struct association *association, const void *record, struct err *err)
{
    const struct host_task *task = record;
    uint32_t lowest = 0;
    id_map_get(&association->lowest_batches, (int64_t)task_key(task->device_id, task->stream_id), &lowest);
    if (lowest == 0 || flip_list_has(&association->host_flips, task_key(task->device_id, task->stream_id)))
        return put_host_task(association, task, err);
    struct host_task copy = *task;
    copy.batch_id -= lowest;
    return put_host_task(association, &copy, err);
}

static int note_batch(struct association *association, const struct host_task *task, struct err *err)
{
    int64_t stream = (int64_t)task_key(task->device_id, task->stream_id);
    uint32_t lowest, highest;
    if ((!id_map_get(&association->lowest_batches, stream, &lowest) || lowest > task->batch_id) &&
        id_map_set(&association->lowest_batches, stream, task->batch_id, err) < 0)
        return err_status(err);
    return id_map_get(&association->highest_batches, stream, &highest) && highest >= task->batch_id
               ? 0
               : id_map_set(&association->highest_batches, stream, task->batch_id, err);
}

int association_add_host_task(struct association *association, const struct host_task *task, struct err *err)
{
    if (association->host_flips.count == 0 && !association->has_batches)
        return put_host_task(association, task, err);
    const struct spool_key key = {task_key(task->device_id, task->stream_id), spool_key_part(task->time_ns)};
    if (association->has_batches && note_batch(association, task, err) < 0)
        return err_status(err);
    return join_spool_add(&association->host_unbatched, NULL, &key, task, sizeof *task, err);
}

int association_batch_host_tasks(struct association *association, struct err *err)
{
    static const struct batch_target target = {
        sizeof(struct host_task), get_host_task, set_host_batch, put_counted, false, 0};
    int status = association->host_unbatched != NULL
                     ? association_assign_batches(association, &association->host_flips, association->host_unbatched,
                                                  &target, err)
                     : 0;
    join_spool_release(&association->host_unbatched);
    return status;
}

/* ---- launches ---- */

static int sort_host_tasks(struct association *association, struct err *err)
{
    if (association->host_tasks == NULL || association->host_tasks_sorted)
        return 0;
    association->host_tasks_sorted = true;
    int status = spool_finish(association->host_tasks, err);
    return status == 0 ? next_host_task(association, err) : status;
}

/* Takes the launches of the group's number; those before it were of tasks that did not run. */
static int take_launches(struct association *association, struct group *group, struct err *err)
{
    group->launches.count = group->first = 0;
    while (association->host_left) {
        int order = compare_keys(&association->next_host_task.key, &group->key);
        if (order > 0)
            break;
        if (order == 0) {
            if (array_reserve(&group->launches, 1, err) < 0)
                return err_status(err);
            struct group_launch *launch = &group->launches.items[group->launches.count++];
            memcpy(&launch->task, association->next_host_task.record, sizeof launch->task);
            launch->used = false;
        }
        if (next_host_task(association, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Whether no task will be matched with it any more when tasks are matched in their order. */
static bool is_spent(const struct group_launch *launch)
{
    return launch->used && launch->task.context_id == (uint32_t)NO_CONTEXT;
}

/* The launch that a task is: of the same batch when the device says where the numbers began again, else the next in
 * time. A task that was launched once but ran several times (of a model loaded before) is that launch every time. */
static struct group_launch *match_launch(struct group *group, const struct ran_task *task)
{
    bool in_order = !task->batch_known && task->context_id == (uint32_t)NO_CONTEXT;
    struct group_launch *launches = group->launches.items, *only = NULL;
    size_t count = group->launches.count, candidates = 0;
    while (in_order && group->first + 2 < count && is_spent(&launches[group->first]))
        group->first++;
    for (size_t i = group->first; i < count; i++) {
        struct group_launch *launch = &launches[i];
        if (launch->task.context_id != task->context_id ||
            (task->batch_known && launch->task.batch_id != task->batch_id))
            continue;
        if (!launch->used) {
            launch->used = true;
            return launch;
        }
        candidates++;
        only = launch;
    }
    return candidates == 1 && (!in_order || group->first + 1 == count) ? only : NULL;
}

#define CLOCK_TOLERANCE_NS 1000000 /* clocks of host and device are not read at once */

static int match_task(struct association *association, struct device_join *join, struct matched_task *task,
                      struct err *err)
{
    const struct group_launch *launch = match_launch(&join->group, &task->ran);
    if (launch == NULL)
        return 0;
    const struct host_task *host = &launch->task;
    join->launched++;
    task->launched = true;
    task->host = *host;
    task->stream_id = host->stream_id;
    task->ran.batch_id = (uint16_t)host->batch_id;
    if (host->launch != NO_INDEX && association_note_ran(association, host->launch, err) < 0)
        return err_status(err);
    if (host->time_ns <= task->ran.start_ns || host->time_ns - task->ran.start_ns <= CLOCK_TOLERANCE_NS)
        return 0;
    if (join->early++ > 0 && by_start(&join->first_early, &task->ran) <= 0)
        return 0;
    join->first_early = task->ran;
    join->first_early_stream = task->stream_id;
    join->first_early_ns = host->time_ns - task->ran.start_ns;
    return 0;
}

static void report_join(const struct association *association, const struct device_join *join,
                        const struct device_half *half)
{
    struct diagnostics *diag = decoder_capture(association->decoder)->diag;
    struct place place = {decoder_capture(association->decoder)->parts[association->part].directory, -1, -1, NULL};
    if (join->unlaunched > 0 && !association_misses_host(association) && !association_is_apart(association, half))
        diag_report(diag, DIAG_TASK_UNLAUNCHED, &place, "%zu of %llu tasks", join->unlaunched,
                    (unsigned long long)association->ran_count);
    if (join->loose_blocks > 0)
        diag_report(diag, DIAG_BLOCKS_UNKNOWN, &place, "counters of %zu blocks of mixed kernels", join->loose_blocks);
    if (join->early > 0)
        diag_report(diag, DIAG_CLOCK_CONTRADICTION, &place,
                    "%zu of %llu tasks, the first is task %u of stream %u, %lld ns too early", join->early,
                    (unsigned long long)association->ran_count, join->first_early.task_id, join->first_early_stream,
                    (long long)join->first_early_ns);
}

/* ---- counters ---- */

static size_t mark_of(const struct capture *capture, size_t mark, uint32_t file)
{
    return mark != MARK_OF_FILE ? mark : capture->files[file].mark;
}

/* The time by which counters are matched with executions. Blocks begin with the whole of a mixed kernel, before the
 * part that they are of. */
static int64_t time_of_counters(const struct spooled_pmu *pmu)
{
    return pmu->start_ns >= 0 && pmu->place.block ? pmu->start_ns + pmu->duration_ns : pmu->start_ns;
}

/* The first execution from one on, of this context, that counters belong to: the one that was running then, else the
 * first that has none yet; of a block's without a time the last that fits. */
static struct matched_task *find_execution_from(const struct group *group, const struct spooled_pmu *pmu,
                                                uint32_t context_id, size_t from)
{
    const int64_t time_ns = time_of_counters(pmu);
    struct matched_task *last = NULL;
    for (size_t i = from; i < group->tasks.count; i++) {
        struct matched_task *task = &group->tasks.items[i];
        if (task->ran.context_id != context_id)
            continue;
        if (pmu->start_ns >= 0 ? time_ns <= task->ran.end_ns : pmu->place.block || !task->counted[pmu->core])
            return task;
        last = task;
    }
    return pmu->place.block ? last : NULL;
}

/* Whether the counters are of a run that the log lacks: a block must end inside of its task, a task have some of its
 * time. */
static bool is_outside(const struct ran_task *ran, const struct spooled_pmu *pmu)
{
    const int64_t end_ns = pmu->start_ns + pmu->duration_ns;
    return pmu->start_ns >= 0 && (end_ns < ran->start_ns || time_of_counters(pmu) > ran->end_ns);
}

/* Counters come nearly in the order of the executions, so the search goes on where the last one ended. */
static struct matched_task *find_execution(struct group *group, const struct spooled_pmu *pmu)
{
    struct matched_task *found = NULL;
    size_t from = group->counted;
    bool behind = pmu->start_ns >= 0 && time_of_counters(pmu) < group->tasks.items[from].ran.start_ns;
    if (!behind)
        found = find_execution_from(group, pmu, pmu->context_id, from);
    if (found == NULL && (behind || from != 0))
        found = find_execution_from(group, pmu, pmu->context_id, 0);
    if (found == NULL && pmu->context_id != (uint32_t)NO_CONTEXT && !pmu->place.block)
        found = find_execution_from(group, pmu, (uint32_t)NO_CONTEXT, 0); /* the log does not say that it was split */
    if (found == NULL || is_outside(&found->ran, pmu))
        return NULL;
    group->counted = (size_t)(found - group->tasks.items);
    return found;
}

static void add_up(struct pmu_sum *sum, const struct spooled_pmu *pmu)
{
    /* Unsigned sums: a damaged counter must not overflow. */
    sum->total_cycle = (int64_t)((uint64_t)sum->total_cycle + (uint64_t)pmu->total_cycle);
    for (size_t i = 0; i < pmu->counter_count; i++)
        sum->counters[i] = (int64_t)((uint64_t)sum->counters[i] + (uint64_t)pmu->counters[i]);
}

/* How many blocks a mixed task has on the kind of core that did not begin it, as far as is known. */
static uint32_t blocks_of_other_core(const struct matched_task *task)
{
    return task->launched && task->host.mix_block_num != 0 ? task->host.mix_block_num : UINT32_MAX;
}

/* Whether no record says how many blocks there are of which this is one. */
static bool is_loose_block(const struct matched_task *task, const struct spooled_pmu *pmu)
{
    return pmu->place.block && task->launched && !task->host.described && task->host.mix_block_num == 0;
}

/* false: the task has counters of the whole of it already. */
static bool take_counters(struct matched_task *task, const struct spooled_pmu *pmu)
{
    struct pmu_sum *sum = &task->pmu[pmu->core];
    if (task->counted[pmu->core] && sum->whole && !pmu->place.block)
        return false;
    if (!task->counted[pmu->core] && pmu->place.block)
        *sum = (struct pmu_sum){.counter_count = pmu->counter_count, .duration_ns = NO_DURATION};
    task->counted[pmu->core] = true;
    if (pmu->place.block && (sum->whole || sum->blocks == blocks_of_other_core(task)))
        return true; /* counted already */
    sum->blocks += pmu->place.block;
    if (!pmu->place.block)
        *sum = (struct pmu_sum){.whole = true,
                                .counter_count = pmu->counter_count,
                                .duration_ns = pmu->timed ? pmu->duration_ns : NO_DURATION};
    add_up(sum, pmu);
    return true;
}

static int next_pmu(struct association *association, struct device_join *join, struct err *err)
{
    int any = association->pmu != NULL ? spool_next(association->pmu, &join->pmu, err) : 0;
    join->pmu_left = any > 0;
    return any < 0 ? any : 0;
}

/* All counters up to those of the group; of all that are left when it is NULL. */
static int take_pmu(struct association *association, struct device_join *join, struct group *group, struct err *err)
{
    while (join->pmu_left) {
        int status = 0;
        const struct spooled_pmu *pmu = join->pmu.record;
        int order = group != NULL ? compare_keys(&join->pmu.key, &group->key) : -1;
        if (order > 0)
            break;
        struct matched_task *task = group != NULL && order == 0 ? find_execution(group, pmu) : NULL;
        const struct spool_key key = {pmu->place.file, (uint64_t)pmu->place.record};
        struct pmu_place place = pmu->place;
        place.repeated = task != NULL;
        place.other_time = group != NULL && order == 0 && pmu->start_ns >= 0;
        const bool taken = task != NULL && take_counters(task, pmu);
        join->loose_blocks += taken && is_loose_block(task, pmu);
        if (!taken)
            status = join_spool_add(&join->unmatched, NULL, &key, &place, sizeof place, err);
        if (status < 0 || next_pmu(association, join, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Counters of tasks that did not run, where they stood. */
static int report_unmatched(const struct association *association, struct device_join *join, struct err *err)
{
    struct capture *capture = decoder_capture(association->decoder);
    struct spool_item item;
    if (join->unmatched == NULL)
        return 0;
    int status = spool_finish(join->unmatched, err);
    while (status == 0 && (status = spool_next(join->unmatched, &item, err)) > 0) {
        const struct pmu_place *of = item.record;
        struct capture_file *file = &capture->files[of->file];
        struct place place = {file->name, of->record, of->offset, NULL};
        diag_go_back(capture->diag, mark_of(capture, of->mark, of->file));
        diag_report(capture->diag, DIAG_PMU_UNMATCHED, &place,
                    of->repeated     ? "counters of stream %u task %u, which has others already"
                    : of->other_time ? "counters of stream %u task %u, which did not run then"
                                     : "counters of stream %u task %u, which did not run",
                    of->stream_id, of->task_id);
        capture_file_drop(file, DIAG_PMU_UNMATCHED);
        status = 0;
    }
    diag_go_on(capture->diag);
    return status;
}

/* ---- one number after the other ---- */

static int next_task(struct association *association, struct device_join *join, struct err *err)
{
    int any = association->ran != NULL ? spool_next(association->ran, &join->task, err) : 0;
    join->task_left = any > 0;
    return any < 0 ? any : 0;
}

static int take_tasks(struct association *association, struct device_join *join, struct err *err)
{
    struct group *group = &join->group;
    int status = 0;
    group->key = join->task.key;
    group->tasks.count = group->counted = 0;
    group->of_scheduler = false;
    while (status == 0 && join->task_left && compare_keys(&join->task.key, &group->key) == 0) {
        if (array_reserve(&group->tasks, 1, err) < 0)
            return err_status(err);
        struct matched_task *task = &group->tasks.items[group->tasks.count++];
        memcpy(&task->ran, join->task.record, sizeof task->ran);
        group->of_scheduler |= task->ran.of_scheduler;
        task->stream_id = task->ran.stream_id;
        task->launched = task->counted[0] = task->counted[1] = false;
        task->split = SPLIT_NONE;
        status = next_task(association, join, err);
    }
    return status;
}

/* ---- wholes and parts ---- */

static bool is_whole(const struct matched_task *task)
{
    return task->ran.context_id == (uint32_t)NO_CONTEXT;
}

/* The last whole that began when a part did, or before; the search goes on where the one of the part before it ended,
 * NULL: from the first. Both are in the order of their starts. */
static struct matched_task *whole_of_part(struct group *group, const struct matched_task *part, size_t *next,
                                          struct matched_task *last)
{
    for (; *next < group->tasks.count && group->tasks.items[*next].ran.start_ns <= part->ran.start_ns; ++*next) {
        struct matched_task *task = &group->tasks.items[*next];
        last = is_whole(task) ? task : last;
    }
    return last != NULL && part->ran.start_ns <= last->ran.end_ns ? last : NULL;
}

/* A task of which part 0 alone ran is a mixed kernel. Its part is the operator, unless the whole alone is known. */
static void mark_part(struct matched_task *part, struct matched_task *whole)
{
    if (whole->split != SPLIT_MIXED_WHOLE)
        return;
    if (whole->launched && whole->host.stands_for_part && part->launched)
        whole->host.op_name = NO_INDEX;
    if (whole->launched && whole->host.op_name != NO_INDEX && !part->launched) {
        whole->split = SPLIT_NONE;
        part->split = SPLIT_MIXED_HIDDEN;
        return;
    }
    part->split = SPLIT_MIXED_PART;
    if (whole->launched && part->launched) {
        whole->host.op_type = part->host.op_type;
        whole->host.op_task_type = part->host.op_task_type;
    }
}

static void mark_splits(struct group *group)
{
    struct matched_task *tasks = group->tasks.items, *whole = NULL;
    size_t next = 0;
    for (size_t i = 0; i < group->tasks.count; i++) {
        if (!is_whole(&tasks[i]) && (whole = whole_of_part(group, &tasks[i], &next, whole)) != NULL)
            whole->split = tasks[i].ran.context_id != 0 ? SPLIT_WHOLE
                           : whole->split == SPLIT_NONE ? SPLIT_MIXED_WHOLE
                                                        : whole->split;
    }
    whole = NULL;
    next = 0;
    for (size_t i = 0; i < group->tasks.count; i++) {
        if (!is_whole(&tasks[i]) && (whole = whole_of_part(group, &tasks[i], &next, whole)) != NULL)
            mark_part(&tasks[i], whole);
    }
}

/* The launch of the one part that a mixed kernel is; NULL: it is none, or has others. */
static const struct host_task *launch_of_part(const struct group *group, const struct host_task *whole)
{
    const struct host_task *found = NULL;
    for (size_t i = 0; i < group->launches.count; i++) {
        const struct host_task *part = &group->launches.items[i].task;
        if (part->time_ns != whole->time_ns || part->context_id == (uint32_t)NO_CONTEXT)
            continue;
        if (part->context_id != 0 || part->op_name == NO_INDEX)
            return NULL;
        found = part;
    }
    return found;
}

/* A mixed kernel of which the log has the whole alone is the operator. */
static void name_wholes(struct group *group)
{
    for (size_t i = 0; i < group->tasks.count; i++) {
        struct matched_task *whole = &group->tasks.items[i];
        if (!is_whole(whole) || !whole->launched || whole->split != SPLIT_NONE || whole->host.op_name != NO_INDEX)
            continue;
        const struct host_task *part = launch_of_part(group, &whole->host);
        if (part == NULL)
            continue;
        whole->host = *part;
        whole->host.context_id = (uint32_t)NO_CONTEXT;
    }
}

static int by_start_of_joined(const void *a, const void *b)
{
    const struct matched_task *x = a, *y = b;
    return by_start(&x->ran, &y->ran);
}

static int add_joined(struct association *association, const struct matched_task *task, struct err *err)
{
    char record[sizeof *task], *at = record + offsetof(struct matched_task, host);
    memcpy(record, task, offsetof(struct matched_task, host));
    if (task->launched) {
        memcpy(at, &task->host, sizeof task->host);
        at += sizeof task->host;
    }
    for (size_t core = 0; core < 2; core++) {
        if (!task->counted[core])
            continue;
        size_t size =
            offsetof(struct pmu_sum, counters) + task->pmu[core].counter_count * sizeof *task->pmu[core].counters;
        memcpy(at, &task->pmu[core], size);
        at += size;
    }
    const struct spool_key key = {spool_key_part(task->ran.start_ns), 0};
    return join_spool_add(&association->joined, by_start_of_joined, &key, record, (size_t)(at - record), err);
}

/* Leaves out what the scheduler says of tasks that the log of the hardware has. */
static void drop_repeated(struct group *group)
{
    struct matched_task *tasks = group->tasks.items;
    size_t kept = 0, next = 0; /* next: of the log, behind the task */
    int64_t last_end_ns = INT64_MIN;
    for (size_t i = 0; i < group->tasks.count; i++) {
        const struct ran_task *task = &tasks[i].ran;
        while (next < group->tasks.count && (next <= i || tasks[next].ran.of_scheduler))
            next++;
        if (!task->of_scheduler && task->end_ns > last_end_ns)
            last_end_ns = task->end_ns;
        if (task->of_scheduler &&
            (last_end_ns >= task->start_ns || (next < group->tasks.count && tasks[next].ran.start_ns <= task->end_ns)))
            continue;
        if (kept != i)
            tasks[kept] = tasks[i];
        kept++;
    }
    group->tasks.count = kept;
}

static int join_group(struct association *association, struct device_join *join, struct err *err)
{
    struct group *group = &join->group;
    if (take_tasks(association, join, err) < 0 || take_launches(association, group, err) < 0)
        return err_status(err);
    int status = 0;
    if (group->of_scheduler)
        drop_repeated(group);
    for (size_t i = 0; status == 0 && i < group->tasks.count; i++)
        status = match_task(association, join, &group->tasks.items[i], err);
    association_mark_expansion(association, group->tasks.items, group->tasks.count);
    for (size_t i = 0; i < group->tasks.count; i++)
        join->unlaunched += !group->tasks.items[i].launched && !group->tasks.items[i].ran.of_expansion;
    mark_splits(group);
    name_wholes(group);
    if (status < 0 || take_pmu(association, join, group, err) < 0)
        return err_status(err);
    for (size_t i = 0; status == 0 && i < group->tasks.count; i++)
        status = add_joined(association, &group->tasks.items[i], err);
    return status < 0 || !interrupted() ? status : interrupt_error(err);
}

static int skip_other_devices(struct association *association, uint32_t device_id, struct err *err)
{
    int status = 0;
    while (status == 0 && association->host_left && association->next_host_task.key.major >> 32 < device_id)
        status = next_host_task(association, err);
    return status;
}

static void ran_get(const void *record, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task)
{
    const struct ran_task *task = record;
    *ret_stream = task->stream_id;
    *ret_time_ns = task->start_ns;
    *ret_task = task->task_id;
}

static void ran_set(void *record, uint32_t batch)
{
    struct ran_task *task = record;
    task->batch_id = (uint16_t)batch;
    task->batch_known = true;
}

static int sort_device(struct association *association, uint32_t device_id, struct err *err)
{
    const struct batch_target target = {sizeof(struct ran_task), ran_get, ran_set, put_ran_task, true, device_id};
    int status = 0;
    if (association->ran_unbatched != NULL)
        status = association_assign_batches(association, &association->flips, association->ran_unbatched, &target, err);
    join_spool_release(&association->ran_unbatched);
    if (status < 0 || (association->ran != NULL && spool_finish(association->ran, err) < 0) ||
        (association->pmu != NULL && spool_finish(association->pmu, err) < 0))
        return err_status(err);
    return sort_host_tasks(association, err);
}

/* half: its place among those of devices */
static int join_groups(struct association *association, struct device_join *join, size_t place, struct err *err)
{
    struct diagnostics *diag = decoder_capture(association->decoder)->diag;
    if (sort_device(association, (uint32_t)join->device_id, err) < 0 ||
        skip_other_devices(association, join->device_id, err) < 0 || next_task(association, join, err) < 0 ||
        next_pmu(association, join, err) < 0)
        return err_status(err);
    while (join->task_left) {
        if (join_group(association, join, err) < 0)
            return err_status(err);
    }
    if (take_pmu(association, join, NULL, err) < 0)
        return err_status(err);
    struct device_half *half = &association->halves.items[place];
    half->matched += join->launched;
    half->unmatched += join->unlaunched;
    diag_go_back(diag, association->pmu_count > 0 ? mark_of(decoder_capture(association->decoder),
                                                            association->join_mark, association->join_file)
                                                  : diag_mark(diag));
    report_join(association, join, half);
    diag_go_on(diag);
    return report_unmatched(association, join, err);
}

int association_join_device(struct association *association, struct err *err)
{
    struct device_join join = {.device_id = device_of_part(association)};
    if (association->ran_count == 0 && association->pmu_count == 0)
        return 0;
    struct device_half *half = association_half(association, join.device_id, err);
    if (half == NULL)
        return err_status(err);
    half->ran += association->ran_count;
    const size_t place = (size_t)(half - association->halves.items);
    int status = join_groups(association, &join, place, err);
    join_spool_release(&association->ran);
    join_spool_release(&association->pmu);
    join_spool_release(&join.unmatched);
    free(join.group.tasks.items);
    free(join.group.launches.items);
    return status;
}
