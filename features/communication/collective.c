/* SPDX-License-Identifier: Apache-2.0 */
#include "features/communication/collective.h"

#include "base/array.h"
#include "base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* A task of a plane, or a run of payloads with what confirms it, which moves its bytes together. A run that is not
 * confirmed moves nothing. */
struct collective_step {
    enum collective_task_kind kind;
    const struct collective_task *const *tasks; /* those that have the bytes: several of a run */
    size_t task_count;
    int64_t ticks, bytes;
    double ms, mb;
    enum collective_medium medium; /* of what moves data */
    bool of_main;                  /* of the main plane */
};

/* The tasks of one plane. */
struct plane {
    const struct collective_task *const *tasks;
    size_t count, confirmed_after;
    bool is_main;
};

static const struct collective_task *task_at(const struct plane *plane, size_t i)
{
    return plane->tasks[i];
}

static double millions(int64_t value)
{
    return (double)value / 1e6;
}

static int64_t end_of(const struct collective_task *task)
{
    return number_add(task->start_ns, task->duration_ns);
}

static int64_t ns_between(int64_t start, int64_t end)
{
    return end > start ? number_subtract(end, start) : 0;
}

static int64_t add_bytes(int64_t bytes, int64_t more)
{
    return bytes < 0 || more < 0 ? COLLECTIVE_NO_BYTES : number_add(bytes, more);
}

static int64_t rate_of(const struct collective_task *task)
{
    return task->hz > 0 ? task->hz : TICKS_OF_NS;
}

/* The ticks of the clock that measured a task. */
static int64_t ticks_in(const struct collective_task *task, int64_t start_ns, int64_t ns)
{
    return ticks_of(rate_of(task), start_ns, ns);
}

/* The step that begins with task i; returns how many tasks it takes. A run that is not confirmed is no step. */
static size_t take_step(const struct plane *plane, size_t i, struct collective_step *ret)
{
    const struct collective_task *task = task_at(plane, i);
    size_t payloads = 0;
    *ret = (struct collective_step){.kind = task->kind,
                                    .tasks = plane->tasks + i,
                                    .task_count = 1,
                                    .ticks = ticks_in(task, task->start_ns, task->duration_ns),
                                    .bytes = task->bytes,
                                    .medium = (enum collective_medium)task->link,
                                    .of_main = plane->is_main};
    if (task->kind != COLLECTIVE_PAYLOAD)
        return 1;
    ret->bytes = 0;
    ret->medium = MEDIUM_RDMA;
    while (i + payloads < plane->count && task_at(plane, i + payloads)->kind == COLLECTIVE_PAYLOAD)
        ret->bytes = add_bytes(ret->bytes, task_at(plane, i + payloads++)->bytes);
    size_t last = i + payloads + plane->confirmed_after - 2;
    ret->task_count = payloads;
    if (last >= plane->count) {
        ret->kind = COLLECTIVE_OTHER;
        return payloads;
    }
    ret->ticks = ticks_in(task, task->start_ns, ns_between(task->start_ns, end_of(task_at(plane, last))));
    return payloads + plane->confirmed_after - 1;
}

/* ---- the walk ---- */

/* Whether it moves data between ranks. */
static bool transits(const struct collective_step *step)
{
    return step->kind == COLLECTIVE_PAYLOAD || (step->kind == COLLECTIVE_COPY && step->medium != MEDIUM_LOCAL);
}

static bool task_transits(const struct collective_task *task)
{
    return task->kind == COLLECTIVE_PAYLOAD || (task->kind == COLLECTIVE_COPY && task->link != MEDIUM_LOCAL);
}

static int64_t main_plane(const struct collective_tasks *tasks)
{
    bool has_master = false, carries = false;
    int64_t main = 0, lowest = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        const struct collective_task *task = &tasks->items[i];
        if (i == 0 || (task->master && !has_master))
            main = task->plane;
        has_master |= task->master;
    }
    for (size_t i = 0; i < tasks->count; i++) {
        const struct collective_task *task = &tasks->items[i];
        bool carried = task_transits(task);
        if (carried && task->plane == main)
            return main;
        if (carried && (!carries || task->plane < lowest))
            lowest = task->plane;
        carries |= carried;
    }
    return carries ? lowest : main;
}

/* When the last task of the main plane ends. */
static int64_t end_ns_of(const struct collective_tasks *tasks)
{
    int64_t main = main_plane(tasks), end_ns = INT64_MIN;
    for (size_t i = 0; i < tasks->count; i++) {
        if (tasks->items[i].plane == main && end_of(&tasks->items[i]) > end_ns)
            end_ns = end_of(&tasks->items[i]);
    }
    return end_ns;
}

/* By plane, within one as they were given. */
static int compare_tasks(const void *a, const void *b)
{
    const struct collective_task *x = *(const struct collective_task *const *)a;
    const struct collective_task *y = *(const struct collective_task *const *)b;
    return ARRAY_ORDERS(array_order(x->plane, y->plane), array_order(x, y));
}

/* The planes by their first tasks. */
static int compare_planes(const void *a, const void *b)
{
    const struct plane *x = a, *y = b;
    return (x->tasks[0] > y->tasks[0]) - (x->tasks[0] < y->tasks[0]);
}

/* Divides tasks, which are sorted, into planes, which have room for all; returns how many. */
static size_t make_planes(const struct collective_task **sorted, size_t count, struct plane *planes)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i += planes[used++].count) {
        planes[used] = (struct plane){.tasks = sorted + i, .count = 1};
        while (i + planes[used].count < count && sorted[i + planes[used].count]->plane == sorted[i]->plane)
            planes[used].count++;
    }
    return used;
}

struct analysing {
    struct collective *ret;
    const struct collective_tasks *tasks;
    bool moved; /* on the main plane, up to now */
};

/* ---- sums ---- */

/* Where a size or a pair stands in its list. */
struct place {
    struct place_key {
        int64_t list, first, second; /* list: of sizes of a medium, or PAIRS */
    } key;
    size_t index;
};
#define PAIRS (-1)

int64_t collective_idle_ticks(const struct collective_times *times)
{
    return number_subtract(number_subtract(times->elapse_ticks, times->transit_ticks), times->wait_ticks);
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
        return err_status(err);
    if (added) {
        place->index = sizes->count;
        sizes->items[sizes->count++] = *packets;
        return 0;
    }
    struct collective_packets *known = &sizes->items[place->index];
    known->count += packets->count;
    known->ticks = number_add(known->ticks, packets->ticks);
    known->ms += packets->ms;
    return 0;
}

static int add_traffic(struct collective *collective, size_t medium, const struct collective_step *step,
                       struct err *err)
{
    struct collective_traffic *traffic = &collective->media[medium];
    traffic->bytes = number_add(traffic->bytes, step->bytes);
    traffic->ticks = number_add(traffic->ticks, step->ticks);
    traffic->mb += step->mb;
    traffic->ms += step->ms;
    traffic->packets++;
    traffic->large += step->bytes > large_over[medium];
    return add_size(collective, medium, &(struct collective_packets){step->bytes, 1, step->ticks, step->ms}, err);
}

static int add_pair(struct collective *collective, const struct collective_pair *pair, struct err *err)
{
    struct collective_pairs *pairs = &collective->pairs;
    const struct place_key key = {PAIRS, pair->from, pair->to};
    bool added;
    struct place *place = map_add(&collective->places, &key, &added, err);
    if (place == NULL || (added && array_reserve(pairs, 1, err) < 0))
        return err_status(err);
    if (added) {
        place->index = pairs->count;
        pairs->items[pairs->count++] = *pair;
        return 0;
    }
    struct collective_pair *known = &pairs->items[place->index];
    known->bytes = number_add(known->bytes, pair->bytes);
    known->ticks = number_add(known->ticks, pair->ticks);
    known->mb += pair->mb;
    known->ms += pair->ms;
    known->medium = pair->medium;
    return 0;
}

static int add_step(struct collective *collective, const struct collective_step *step, struct err *err)
{
    const struct collective_task *task = step->tasks[0];
    if ((step->kind != COLLECTIVE_COPY && step->kind != COLLECTIVE_PAYLOAD) || step->bytes < 0)
        return 0; /* of an unknown size neither a sum nor a bandwidth is made */
    if (step->medium != MEDIUM_LOCAL && add_traffic(collective, step->medium, step, err) < 0)
        return err_status(err);
    if (task->local_rank == COLLECTIVE_NO_RANK)
        return 0;
    const struct collective_pair pair = {
        .from = task->local_rank,
        .to = task->remote_rank == COLLECTIVE_NO_RANK ? task->local_rank : task->remote_rank,
        .bytes = step->bytes,
        .ticks = step->ticks,
        .mb = step->mb,
        .ms = step->ms,
        .medium = step->medium,
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
        sdma->ticks = number_add(sdma->ticks, part->ticks);
        sdma->mb += part->mb;
        sdma->ms += part->ms;
    }
}

static int add_runs(struct collective *collective, const struct collective_step *step,
                    const struct collective_task *first_task, struct err *err)
{
    if (step->kind != COLLECTIVE_PAYLOAD)
        return 0;
    if (array_reserve(&collective->runs, step->task_count, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < step->task_count; i++) {
        size_t place = (size_t)(step->tasks[i] - first_task);
        collective->runs.items[collective->runs.count++] = (struct collective_run){place, step->bytes, step->ticks};
    }
    return 0;
}

static void add_times(struct analysing *analysing, const struct collective_step *step)
{
    struct collective_times *times = &analysing->ret->times;
    if (step->kind == COLLECTIVE_WAIT) {
        times->wait_ticks = number_add(times->wait_ticks, step->ticks);
        times->synchronization_ticks = number_add(times->synchronization_ticks, analysing->moved ? 0 : step->ticks);
        times->ms.wait += step->ms;
        times->ms.synchronization += analysing->moved ? 0 : step->ms;
    } else if (transits(step)) {
        times->transit_ticks = number_add(times->transit_ticks, step->ticks);
        times->ms.transit += step->ms;
        analysing->moved = true;
    }
}

static int take(struct analysing *analysing, const struct collective_step *step, struct err *err)
{
    if (step->of_main)
        add_times(analysing, step);
    int status = add_step(analysing->ret, step, err);
    return status == 0 ? add_runs(analysing->ret, step, analysing->tasks->items, err) : status;
}

/* Takes the steps of all planes. */
static int walk(struct analysing *analysing, bool point_to_point, enum collective_order order, struct err *err)
{
    const struct collective_tasks *tasks = analysing->tasks;
    SCOPED_FREE const struct collective_task **sorted = scoped_memory(tasks->count + 1, sizeof *sorted);
    SCOPED_FREE struct plane *planes = scoped_memory(tasks->count + 1, sizeof *planes);
    int64_t main = main_plane(tasks);
    int status = sorted != NULL && planes != NULL ? 0 : err_no_memory(err);
    for (size_t i = 0; status == 0 && i < tasks->count; i++)
        sorted[i] = &tasks->items[i];
    if (status == 0)
        array_sort(sorted, tasks->count, sizeof *sorted, compare_tasks);
    size_t count = status == 0 ? make_planes(sorted, tasks->count, planes) : 0;
    if (order == PLANES_BY_APPEARANCE)
        array_sort(planes, count, sizeof *planes, compare_planes);
    for (size_t i = 0; i < count; i++) {
        planes[i].confirmed_after = point_to_point ? CONFIRMED_AFTER_POINT_TO_POINT : CONFIRMED_AFTER;
        planes[i].is_main = planes[i].tasks[0]->plane == main;
        for (size_t at = 0; status == 0 && at < planes[i].count;) {
            struct collective_step step;
            at += take_step(&planes[i], at, &step);
            step.ms = millions(collective_ns(analysing->ret, step.ticks));
            step.mb = millions(step.bytes);
            status = take(analysing, &step, err);
        }
    }
    return status;
}

/* From the first task of the main plane, or of the main stream where that is earlier, to the end of the main plane. */
static void set_span(struct collective_times *times, const struct collective_tasks *tasks)
{
    int64_t main = main_plane(tasks);
    size_t first = 0;
    while (tasks->items[first].plane != main)
        first++;
    const struct collective_task *task = &tasks->items[first];
    int64_t start_ns = task->start_ns, end_ns = end_ns_of(tasks), master_ns = INT64_MAX;
    for (size_t i = 0; i < tasks->count; i++) {
        if (tasks->items[i].master && tasks->items[i].start_ns < master_ns)
            master_ns = tasks->items[i].start_ns;
    }
    times->start_ns = start_ns < master_ns ? start_ns : master_ns;
    times->elapse_ticks = ticks_in(
        task, times->start_ns, number_add(ns_between(start_ns, end_ns), number_subtract(start_ns, times->start_ns)));
    times->ms.elapse = millions(ticks_span_ns(rate_of(task), master_ns, number_subtract(end_ns, master_ns)));
}

int collective_analyse(const struct collective_tasks *tasks, bool point_to_point, enum collective_order order,
                       struct collective *ret, struct err *err)
{
    struct analysing analysing = {.ret = ret, .tasks = tasks};
    if (tasks->count > 0) {
        ret->hz = rate_of(&tasks->items[0]);
        set_span(&ret->times, tasks);
    }
    int status = walk(&analysing, point_to_point, order, err);
    add_up_sdma(ret);
    ret->times.ms.idle = ret->times.ms.elapse - ret->times.ms.transit - ret->times.ms.wait;
    return status;
}

int collective_add(struct collective *sum, const struct collective *one, struct err *err)
{
    struct collective_times *times = &sum->times;
    int status = 0;
    sum->hz = sum->hz > 0 ? sum->hz : one->hz;
    times->elapse_ticks = number_add(times->elapse_ticks, one->times.elapse_ticks);
    times->transit_ticks = number_add(times->transit_ticks, one->times.transit_ticks);
    times->wait_ticks = number_add(times->wait_ticks, one->times.wait_ticks);
    times->synchronization_ticks = number_add(times->synchronization_ticks, one->times.synchronization_ticks);
    times->ms.elapse += one->times.ms.elapse;
    times->ms.transit += one->times.ms.transit;
    times->ms.wait += one->times.ms.wait;
    times->ms.synchronization += one->times.ms.synchronization;
    times->ms.idle += one->times.ms.idle;
    for (size_t i = 0; i < MEDIUM_LOCAL; i++) {
        struct collective_traffic *traffic = &sum->media[i];
        const struct collective_traffic *other = &one->media[i];
        traffic->bytes = number_add(traffic->bytes, other->bytes);
        traffic->ticks = number_add(traffic->ticks, other->ticks);
        traffic->mb += other->mb;
        traffic->ms += other->ms;
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

/* ---- kinds of operators ---- */

static const char *const mindspore_p2p[] = {"receive", "send", NULL};
static const char *const mindspore_collective[] = {"invalid",   "broadcast",     "allreduce", "reduce",
                                                   "allgather", "reducescatter", "scatter",   "alltoall",
                                                   "alltoallv", "alltoallvc",    NULL};
static const char *const pytorch_types[] = {"send",      "reduce",     "invalid",       "broadcast", "allreduce",
                                            "receive",   "allgather",  "reducescatter", "scatter",   "alltoall",
                                            "alltoallv", "alltoallvc", "batchsendrecv", NULL};

/* The first place where one of the words is: of several at one place the first of the list. */
static const char *find_word(const char *name, const char *const *words)
{
    for (const char *p = name; *p != '\0'; p++) {
        for (size_t i = 0; words[i] != NULL; i++) {
            if (strncmp(p, words[i], strlen(words[i])) == 0)
                return words[i];
        }
    }
    return NULL;
}

bool collective_is_of_two(const char *name)
{
    static const char *const beginnings[] = {"hcom_send", "hcom_receive", "hcom_batchsendrecv"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    }
    return false;
}

void collective_type_of(const char *name, bool pytorch, bool point_to_point, char ret[COLLECTIVE_TYPE_MAX])
{
    char lower[COLLECTIVE_TYPE_MAX];
    size_t length = 0;
    for (const char *p = name; *p != '\0' && length + 1 < sizeof lower; p++)
        lower[length++] = (char)tolower((unsigned char)*p);
    lower[length] = '\0';
    const char *word = find_word(lower, pytorch          ? pytorch_types
                                        : point_to_point ? mindspore_p2p
                                                         : mindspore_collective);
    const char *slash = strrchr(lower, '/'), *begin = slash != NULL && !pytorch ? slash + 1 : lower;
    const char *end = strstr(begin, pytorch ? "__" : "-op");
    if (word != NULL)
        snprintf(ret, COLLECTIVE_TYPE_MAX, "%s", word);
    else
        snprintf(ret, COLLECTIVE_TYPE_MAX, "%.*s", end != NULL ? (int)(end - begin) : (int)strlen(begin), begin);
}
