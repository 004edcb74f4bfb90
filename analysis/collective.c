/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/collective.h"

#include "base/array.h"
#include "base/number.h"

#include <stdlib.h>

#define LARGE_PACKET 32000000
#define LARGE_RDMA_PACKET 500000
#define NEVER_LARGE INT64_MAX

/* Bytes over which a packet is large: of a link that nobody knows none is. */
static const int64_t large_over[MEDIUM_LOCAL] = {
    [MEDIUM_RDMA] = LARGE_RDMA_PACKET, [MEDIUM_HCCS] = LARGE_PACKET, [MEDIUM_PCIE] = LARGE_PACKET,
    [MEDIUM_SDMA] = NEVER_LARGE,       [MEDIUM_SIO] = LARGE_PACKET,
};

/* Tasks from the first of a payload's run to the one that confirms it, beside the other payloads. */
#define CONFIRMED_AFTER 5
#define CONFIRMED_AFTER_POINT_TO_POINT 3

const char *const collective_media[MEDIUM_COUNT] = {"RDMA", "HCCS", "PCIE", "SDMA", "SIO", "LOCAL"};

/* A task or a run of them that moves data, or waits. */
struct step {
    enum collective_task_kind kind;
    size_t first, tasks; /* tasks: that have the bytes */
    int64_t ns, bytes;
};

/* The tasks of one plane. */
struct plane {
    const struct collective_task *const *tasks;
    size_t count, confirmed_after;
};

static const struct collective_task *task_at(const struct plane *plane, size_t i)
{
    return plane->tasks[i];
}

static int64_t end_of(const struct collective_task *task)
{
    return number_add(task->start_ns, task->duration_ns);
}

static int64_t ns_between(int64_t start, int64_t end)
{
    return end > start ? number_subtract(end, start) : 0;
}

/* The step that begins with task i; returns how many tasks it takes. A run that is not confirmed is no step. */
static size_t take_step(const struct plane *plane, size_t i, struct step *ret)
{
    const struct collective_task *task = task_at(plane, i);
    size_t payloads = 0;
    *ret = (struct step){.kind = task->kind, .first = i, .tasks = 1, .ns = task->duration_ns, .bytes = task->bytes};
    if (task->kind != COLLECTIVE_PAYLOAD)
        return 1;
    ret->bytes = 0;
    while (i + payloads < plane->count && task_at(plane, i + payloads)->kind == COLLECTIVE_PAYLOAD)
        ret->bytes = number_add(ret->bytes, task_at(plane, i + payloads++)->bytes);
    size_t last = i + payloads + plane->confirmed_after - 2;
    ret->tasks = payloads;
    if (last >= plane->count) {
        ret->kind = COLLECTIVE_OTHER;
        return payloads;
    }
    ret->ns = ns_between(task->start_ns, end_of(task_at(plane, last)));
    return payloads + plane->confirmed_after - 1;
}

static void measure(const struct plane *plane, struct collective_times *times)
{
    int64_t end = INT64_MIN;
    bool moved = false;
    times->start_ns = plane->count > 0 ? task_at(plane, 0)->start_ns : 0;
    for (size_t i = 0; i < plane->count; i++)
        end = end_of(task_at(plane, i)) > end ? end_of(task_at(plane, i)) : end;
    times->elapse_ns = plane->count > 0 ? ns_between(times->start_ns, end) : 0;
    for (size_t i = 0; i < plane->count;) {
        struct step step;
        i += take_step(plane, i, &step);
        if (step.kind == COLLECTIVE_WAIT) {
            times->wait_ns = number_add(times->wait_ns, step.ns);
            times->synchronization_ns = number_add(times->synchronization_ns, moved ? 0 : step.ns);
        } else if (step.kind != COLLECTIVE_OTHER &&
                   (step.kind == COLLECTIVE_PAYLOAD || task_at(plane, step.first)->link != MEDIUM_LOCAL)) {
            times->transit_ns = number_add(times->transit_ns, step.ns);
            moved = true;
        }
    }
}

/* Where a size or a pair stands in its list. */
struct place {
    struct place_key {
        int64_t list, first, second; /* list: of sizes of a medium, or PAIRS */
    } key;
    size_t index;
};
#define PAIRS (-1)

int64_t collective_idle_ns(const struct collective_times *times)
{
    return number_subtract(number_subtract(times->elapse_ns, times->transit_ns), times->wait_ns);
}

void collective_init(struct collective *collective)
{
    *collective = (struct collective){.places = MAP_OF(struct place, key)};
}

static int add_size(struct collective *collective, size_t medium, const struct collective_packets *packets,
                    struct err *err)
{
    struct collective_sizes *sizes = &collective->media[medium].sizes;
    const struct place_key key = {(int64_t)medium, packets->bytes, 0};
    bool added;
    struct place *place = map_add(&collective->places, &key, &added, err);
    if (place == NULL || (added && array_reserve(sizes, 1, err) < 0))
        return -(int)err->code;
    if (added) {
        place->index = sizes->count;
        sizes->items[sizes->count++] = *packets;
        return 0;
    }
    struct collective_packets *known = &sizes->items[place->index];
    known->count += packets->count;
    known->ns = number_add(known->ns, packets->ns);
    return 0;
}

static int add_traffic(struct collective *collective, size_t medium, const struct step *step, struct err *err)
{
    struct collective_traffic *traffic = &collective->media[medium];
    traffic->bytes = number_add(traffic->bytes, step->bytes);
    traffic->ns = number_add(traffic->ns, step->ns);
    traffic->packets++;
    traffic->large += step->bytes > large_over[medium];
    return add_size(collective, medium, &(struct collective_packets){step->bytes, 1, step->ns}, err);
}

static int add_pair(struct collective *collective, const struct collective_pair *pair, struct err *err)
{
    struct collective_pairs *pairs = &collective->pairs;
    const struct place_key key = {PAIRS, pair->from, pair->to};
    bool added;
    struct place *place = map_add(&collective->places, &key, &added, err);
    if (place == NULL || (added && array_reserve(pairs, 1, err) < 0))
        return -(int)err->code;
    if (added) {
        place->index = pairs->count;
        pairs->items[pairs->count++] = *pair;
        return 0;
    }
    struct collective_pair *known = &pairs->items[place->index];
    known->bytes = number_add(known->bytes, pair->bytes);
    known->ns = number_add(known->ns, pair->ns);
    known->medium = pair->medium;
    return 0;
}

static int add_step(struct collective *collective, const struct plane *plane, const struct step *step, struct err *err)
{
    const struct collective_task *task = task_at(plane, step->first);
    enum collective_medium medium = step->kind == COLLECTIVE_PAYLOAD ? MEDIUM_RDMA : (enum collective_medium)task->link;
    int status = 0;
    if (step->kind != COLLECTIVE_COPY && step->kind != COLLECTIVE_PAYLOAD)
        return 0;
    if (medium != MEDIUM_LOCAL)
        status = add_traffic(collective, medium, step, err);
    if (status < 0 || task->local_rank < 0 || task->local_rank == COLLECTIVE_NO_RANK)
        return status;
    const struct collective_pair pair = {
        .from = task->local_rank,
        .to = task->remote_rank == COLLECTIVE_NO_RANK ? task->local_rank : task->remote_rank,
        .bytes = step->bytes,
        .ns = step->ns,
        .medium = medium,
    };
    return add_pair(collective, &pair, err);
}

/* SDMA is what moves over the links that it serves. */
static void add_up_sdma(struct collective *collective)
{
    static const enum collective_medium parts[] = {MEDIUM_HCCS, MEDIUM_PCIE, MEDIUM_SIO};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct collective_traffic *sdma = &collective->media[MEDIUM_SDMA], *part = &collective->media[parts[i]];
        sdma->bytes = number_add(sdma->bytes, part->bytes);
        sdma->ns = number_add(sdma->ns, part->ns);
    }
}

/* By plane, within one as they were given. */
static int compare_tasks(const void *a, const void *b)
{
    const struct collective_task *x = *(const struct collective_task *const *)a;
    const struct collective_task *y = *(const struct collective_task *const *)b;
    if (x->plane != y->plane)
        return x->plane < y->plane ? -1 : 1;
    return (x > y) - (x < y);
}

int64_t collective_main_plane(size_t count, struct collective_place (*get)(const void *tasks, size_t i),
                              const void *tasks)
{
    bool has_master = false, carries = false;
    int64_t main = 0, lowest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct collective_place place = get(tasks, i);
        if (i == 0 || (place.master && !has_master))
            main = place.plane;
        has_master |= place.master;
    }
    for (size_t i = 0; i < count; i++) {
        const struct collective_place place = get(tasks, i);
        if (place.transits && place.plane == main)
            return main;
        if (place.transits && (!carries || place.plane < lowest))
            lowest = place.plane;
        carries |= place.transits;
    }
    return carries ? lowest : main;
}

static struct collective_place place_of(const void *tasks, size_t i)
{
    const struct collective_task *task = (const struct collective_task *)tasks + i;
    bool moves = task->kind == COLLECTIVE_COPY && task->link != MEDIUM_LOCAL;
    return (struct collective_place){task->plane, task->master, moves || task->kind == COLLECTIVE_PAYLOAD};
}

static int add_runs(struct collective *collective, const struct plane *plane, const struct step *step,
                    const struct collective_task *first_task, struct err *err)
{
    if (step->kind != COLLECTIVE_PAYLOAD)
        return 0;
    if (array_reserve(&collective->runs, step->tasks, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < step->tasks; i++) {
        size_t place = (size_t)(task_at(plane, step->first + i) - first_task);
        collective->runs.items[collective->runs.count++] = (struct collective_run){place, step->bytes, step->ns};
    }
    return 0;
}

static int analyse_plane(const struct plane *plane, const struct collective_task *first_task, bool is_main,
                         struct collective *ret, struct err *err)
{
    int status = 0;
    if (is_main)
        measure(plane, &ret->times);
    for (size_t i = 0; status == 0 && i < plane->count;) {
        struct step step;
        i += take_step(plane, i, &step);
        status = add_step(ret, plane, &step, err);
        if (status == 0)
            status = add_runs(ret, plane, &step, first_task, err);
    }
    return status;
}

/* An operator begins on its main stream, also where another plane is the main one. */
static void begin_with_master(struct collective_times *times, const struct collective_task *tasks, size_t count)
{
    int64_t start_ns = times->start_ns;
    for (size_t i = 0; i < count; i++)
        start_ns = tasks[i].master && tasks[i].start_ns < start_ns ? tasks[i].start_ns : start_ns;
    times->elapse_ns = number_add(times->elapse_ns, number_subtract(times->start_ns, start_ns));
    times->start_ns = start_ns;
}

int collective_analyse(const struct collective_task *tasks, size_t count, bool point_to_point, struct collective *ret,
                       struct err *err)
{
    const struct collective_task **sorted = calloc(count + 1, sizeof *sorted);
    int64_t main = collective_main_plane(count, place_of, tasks);
    int status = 0;
    if (sorted == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        sorted[i] = &tasks[i];
    array_sort(sorted, count, sizeof *sorted, compare_tasks);
    for (size_t i = 0; status == 0 && i < count;) {
        struct plane plane = {.tasks = sorted + i,
                              .confirmed_after = point_to_point ? CONFIRMED_AFTER_POINT_TO_POINT : CONFIRMED_AFTER};
        while (i + plane.count < count && sorted[i + plane.count]->plane == sorted[i]->plane)
            plane.count++;
        status = analyse_plane(&plane, tasks, sorted[i]->plane == main, ret, err);
        i += plane.count;
    }
    begin_with_master(&ret->times, tasks, count);
    add_up_sdma(ret);
    free(sorted);
    return status;
}

int collective_add(struct collective *sum, const struct collective *one, struct err *err)
{
    struct collective_times *times = &sum->times;
    int status = 0;
    times->elapse_ns = number_add(times->elapse_ns, one->times.elapse_ns);
    times->transit_ns = number_add(times->transit_ns, one->times.transit_ns);
    times->wait_ns = number_add(times->wait_ns, one->times.wait_ns);
    times->synchronization_ns = number_add(times->synchronization_ns, one->times.synchronization_ns);
    for (size_t i = 0; i < MEDIUM_LOCAL; i++) {
        struct collective_traffic *traffic = &sum->media[i];
        const struct collective_traffic *other = &one->media[i];
        traffic->bytes = number_add(traffic->bytes, other->bytes);
        traffic->ns = number_add(traffic->ns, other->ns);
        traffic->packets += other->packets;
        traffic->large += other->large;
        for (size_t j = 0; status == 0 && j < other->sizes.count; j++)
            status = add_size(sum, i, &other->sizes.items[j], err);
    }
    for (size_t i = 0; status == 0 && i < one->pairs.count; i++)
        status = add_pair(sum, &one->pairs.items[i], err);
    return status;
}

void collective_release(struct collective *collective)
{
    for (size_t i = 0; i < MEDIUM_LOCAL; i++)
        free(collective->media[i].sizes.items);
    free(collective->pairs.items);
    free(collective->runs.items);
    map_release(&collective->places);
    collective_init(collective);
}
