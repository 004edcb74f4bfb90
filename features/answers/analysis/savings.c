/* SPDX-License-Identifier: Apache-2.0 */
/* What shorter operators would bring: everything that ran is walked through in time, stretch by stretch, and each task
 * and call begins as much earlier as all that it waited for lets it. */
#include "features/answers/analysis/savings.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "features/answers/analysis/gap_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What ended last on a stream or a thread, and how much earlier that would have been. */
struct ended {
    int64_t end_ns; /* INT64_MIN: nothing did */
    double shift_ns;
};
static const struct ended nothing_ended = {.end_ns = INT64_MIN};

/* Of more streams than these a task waits for those alone that the critical path knows. */
#define MOST_STREAMS 64

struct ended_stream {
    struct ended last, before;
};

/* When a thread did what is removed. */
struct removed {
    struct coverage times;
    size_t cursor;
};

struct walk {
    const struct workload *workload;
    const struct launches *launches;
    const struct removal *removal;
    struct removed *removed; /* of each thread; NULL: no time of the host is removed */
    bool held_back;          /* the host launches when the device has ended something, pace_ns after its last launch */
    double pace_ns;
    bool *stays;       /* of each call that waits, where some stay: whether it does */
    double latency_ns; /* from the end of a launch to the begin of its task, where that has nothing else to wait for */
    struct step_paths paths;
    double *shifts; /* of the ends of the nodes of a path */
    size_t room;
    float *call_shifts; /* of the ends of all calls: tasks can begin long behind their launch */
    struct ended_stream *streams;
    uint16_t active[MOST_STREAMS]; /* streams on which something ran */
    size_t used;
    struct ended *threads; /* the last of each */
    struct ended device;   /* the last of the stretches before */
    int64_t begin_ns;      /* of the first stretch of a device */
    int64_t warm_until_ns; /* the end of its steps of warm-up */
    double was_ns, is_ns;  /* its last end since then */
};

static void walk_release(struct walk *walk)
{
    step_paths_release(&walk->paths);
    free(walk->shifts);
    large_free(walk->call_shifts);
    free(walk->streams);
    free(walk->threads);
    for (size_t i = 0; walk->removed != NULL && i < walk->launches->threads; i++)
        coverage_release(&walk->removed[i].times);
    free(walk->removed);
    large_free(walk->stays);
}

/* Finds what is removed of each thread that launches or waits. */
static int open_removed(struct walk *walk, struct err *err)
{
    walk->removed = scoped_memory(walk->launches->threads + 1, sizeof *walk->removed);
    if (walk->removed == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < walk->launches->threads; i++) {
        const int64_t id = walk->launches->thread_ids[i];
        SCOPED(intervals_release) struct intervals times = {.items = NULL};
        for (size_t k = 0; k < walk->removal->thread_count; k++) {
            const struct thread_times *thread = &walk->removal->threads[k];
            for (size_t n = 0; thread->thread == id && n < thread->times.count; large_pass(n++))
                if (intervals_add(&times, thread->times.items[n].start_ns, thread->times.items[n].end_ns, err) < 0)
                    return err_status(err);
        }
        intervals_unite(&times);
        if (coverage_make(&times, &walk->removed[i].times, err) < 0)
            return err_status(err);
    }
    return 0;
}

#define LEAST_LAUNCHES 4
#define ENOUGH_LAUNCHES 4096

/* The median of the first launches behind which the device had nothing to do, but for its first: it may have begun
 * late. 0: there are too few. */
static int find_latency(struct walk *walk, struct err *err)
{
    const struct workload *workload = walk->workload;
    const struct launches *launches = walk->launches;
    SCOPED_FREE int64_t *times = scoped_memory(ENOUGH_LAUNCHES + 1, sizeof *times);
    int64_t end_ns = INT64_MIN;
    size_t count = 0;

    if (times == NULL)
        return err_no_memory(err);
    for (size_t i = 0; launches->of != NULL && i < workload->execution_count && count < ENOUGH_LAUNCHES; i++) {
        const struct execution *it = &workload->executions[i];
        const struct path_call *call = launches->of[i] != LAUNCH_NONE ? &launches->calls[launches->of[i]] : NULL;
        large_pass(i);
        if (i > 0 && it->device != it[-1].device)
            end_ns = INT64_MIN;
        if (call != NULL && !call->cut && end_ns != INT64_MIN && call->end_ns > end_ns && call->end_ns <= it->start_ns)
            times[count++] = number_subtract(it->start_ns, call->end_ns);
        const int64_t own_end_ns = number_add(it->start_ns, it->duration_ns);
        end_ns = own_end_ns > end_ns ? own_end_ns : end_ns;
    }
    array_sort(times, count, sizeof *times, array_compare_numbers);
    const int64_t median_ns = times[count / 2];
    walk->latency_ns = count >= LEAST_LAUNCHES ? (double)median_ns : 0;
    return 0;
}

/* Whether the host is held back by the device without a call that says so, as by a full queue: behind the first quarter
 * it is ahead by as much at each launch, and by far more than a launch takes. Sets how soon it launches again. */
static int find_pace(struct walk *walk, struct err *err)
{
    const size_t least_tasks = 64;
    const double most_spread = 0.05, far_ahead = 20;
    const struct workload *workload = walk->workload;
    const struct launches *launches = walk->launches;
    const size_t first = workload->execution_count / 4, step = workload->execution_count / ENOUGH_LAUNCHES + 1;
    SCOPED_FREE int64_t *times = scoped_memory(ENOUGH_LAUNCHES + 1, sizeof *times);
    size_t count = 0;

    if (times == NULL)
        return err_no_memory(err);
    for (size_t i = first; launches->of != NULL && i < workload->execution_count; i += step)
        if (launches->of[i] != LAUNCH_NONE)
            times[count++] = number_subtract(workload->executions[i].start_ns, launches->calls[launches->of[i]].end_ns);
    array_sort(times, count, sizeof *times, array_compare_numbers);
    const int64_t ahead_ns = times[count / 2], spread_ns = count > 0 ? times[count * 9 / 10] - times[count / 10] : 0;
    if (count < least_tasks || (double)spread_ns > most_spread * (double)ahead_ns)
        return 0;
    count = 0;
    for (size_t i = 1; i < launches->count && count < ENOUGH_LAUNCHES; i++)
        if (launches->calls[i].thread == launches->calls[i - 1].thread)
            times[count++] = number_subtract(launches->calls[i].start_ns, launches->calls[i - 1].end_ns);
    array_sort(times, count, sizeof *times, array_compare_numbers);
    const int64_t least_ns = times[count / 64], usual_ns = times[count / 2]; /* least: before it is held back */
    const int64_t pace_ns = least_ns > 0 && least_ns < usual_ns / 2 ? least_ns : 0;
    const int64_t launch_ns = interval_length(launches->calls[0].start_ns, launches->calls[0].end_ns);
    walk->held_back = (double)ahead_ns > far_ahead * (double)(pace_ns + launch_ns);
    walk->pace_ns = (double)pace_ns;
    return 0;
}

/* Whether a step of a device begins between two times. */
static bool step_begins(const struct splits *splits, uint16_t device, int64_t after_ns, int64_t until_ns)
{
    size_t low = 0, high = splits->count; /* the first split of the device that begins behind after_ns */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct split *split = &splits->items[middle];
        if (split->device < device || (split->device == device && split->start_ns <= after_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low < splits->count && splits->items[low].device == device && splits->items[low].start_ns <= until_ns;
}

/* The first execution that a thread launched last, and the last call behind it that waits. LAUNCH_NONE: there is none.
 */
struct thread_waits {
    uint32_t task, last;
};

/* Finds the calls that wait and stay: behind which the same thread launches nothing, or what is of another step. */
static int find_staying(struct walk *walk, const struct splits *splits, struct err *err)
{
    const struct launches *launches = walk->launches;
    const struct execution *executions = walk->workload->executions;
    SCOPED_FREE struct thread_waits *threads = scoped_memory(launches->threads + 1, sizeof *threads);
    /* of calls that launch what they launched first, of those that wait the one before it behind the same launch */
    uint32_t *before = threads != NULL ? large_new(launches->count + 1, sizeof *before, err) : NULL;

    walk->stays = before != NULL ? large_new(launches->count + 1, sizeof *walk->stays, err) : NULL;
    if (walk->stays == NULL) {
        large_free(before);
        return threads == NULL ? err_no_memory(err) : err_status(err);
    }
    memset(threads, 0xff, launches->threads * sizeof *threads);
    memset(before, 0xff, launches->count * sizeof *before);
    for (size_t i = launches->of != NULL ? walk->workload->execution_count : 0; i-- > 0;)
        if (launches->of[i] != LAUNCH_NONE)
            before[launches->of[i]] = (uint32_t)i;
    for (uint32_t i = 0; i < launches->count; large_pass(i++)) {
        struct thread_waits *thread = &threads[launches->calls[i].thread];
        walk->stays[i] = true;
        if (launches->calls[i].waits) {
            before[i] = thread->last;
            thread->last = i;
        } else if (before[i] != LAUNCH_NONE) {
            const struct execution *it = &executions[before[i]],
                                   *last = thread->task != LAUNCH_NONE ? &executions[thread->task] : NULL;
            const bool same_step = last != NULL && it->device == last->device &&
                                   !step_begins(splits, it->device, last->start_ns, it->start_ns);
            for (; thread->last != LAUNCH_NONE; thread->last = before[thread->last])
                walk->stays[thread->last] = !same_step;
            thread->task = before[i];
        }
    }
    large_free(before);
    return 0;
}

static int walk_open(struct walk *walk, struct err *err)
{
    walk->streams = scoped_memory(walk->workload->stream_count + 1, sizeof *walk->streams);
    walk->threads = scoped_memory(walk->launches->threads + 1, sizeof *walk->threads);
    if (walk->streams == NULL || walk->threads == NULL)
        return err_no_memory(err);
    return find_latency(walk, err) < 0 || find_pace(walk, err) < 0 ||
                   (walk->removal->thread_count > 0 && open_removed(walk, err) < 0)
               ? err_status(err)
               : 0;
}

/* Nothing that another device did holds this one up. */
static int begin_device(struct walk *walk, int64_t begin_ns, struct err *err)
{
    large_free(walk->call_shifts);
    walk->call_shifts = large_new(walk->launches->count + 1, sizeof *walk->call_shifts, err);
    for (size_t i = 0; i <= walk->workload->stream_count; i++)
        walk->streams[i] = (struct ended_stream){nothing_ended, nothing_ended};
    walk->used = 0;
    for (size_t i = 0; i <= walk->launches->threads; i++)
        walk->threads[i] = nothing_ended;
    walk->device = nothing_ended;
    walk->begin_ns = begin_ns;
    walk->warm_until_ns = INT64_MIN;
    walk->was_ns = walk->is_ns = 0;
    return walk->call_shifts == NULL ? err_status(err) : 0;
}

/* ---- one node ---- */

/* What a node waits for: the last end of all of it, and how much earlier all of it would have ended. */
struct ready {
    int64_t start_ns;
    struct ended all; /* end_ns INT64_MIN: it waits for nothing */
};

static struct ready ready_at(int64_t start_ns)
{
    return (struct ready){start_ns, nothing_ended};
}

static void wait_for(struct ready *ready, int64_t end_ns, double shift_ns)
{
    struct ended *all = &ready->all;

    if (end_ns == INT64_MIN || end_ns > ready->start_ns)
        return;
    if (all->end_ns == INT64_MIN) {
        *all = (struct ended){end_ns, shift_ns};
    } else if (end_ns > all->end_ns) {
        all->shift_ns = fmin(all->shift_ns + (double)number_subtract(end_ns, all->end_ns), shift_ns);
        all->end_ns = end_ns;
    } else {
        all->shift_ns = fmin(all->shift_ns, shift_ns + (double)number_subtract(all->end_ns, end_ns));
    }
}

/* How much earlier a node could begin, with the lag that it had behind the last of them. */
static double shift_of(const struct ready *ready)
{
    return ready->all.end_ns != INT64_MIN ? ready->all.shift_ns : 0;
}

/* Waits for the tasks before a node, and unless calls are removed for the calls before a call. Returns whether there is
 * a task. */
static bool wait_for_nodes(const struct walk *walk, const struct step_path *path, size_t node, struct ready *ready)
{
    bool task = false;

    for (int k = 0; k < PATH_BEFORE; k++) {
        const uint32_t before = path->nodes[node].before[k];
        if (before == PATH_NONE)
            continue;
        if (path->items[before].is_call && (walk->removed != NULL || !path->items[node].is_call))
            continue;
        task = task || !path->items[before].is_call;
        wait_for(ready, path->nodes[before].end_ns, walk->shifts[before]);
    }
    return task;
}

/* Events between streams are not recorded: a task, or a call that waits, can have waited for all that
 * streams had done by then. */
static void wait_for_streams(const struct walk *walk, struct ready *ready)
{
    for (size_t i = 0; i < walk->used; i++) {
        const struct ended_stream *stream = &walk->streams[walk->active[i]];
        const struct ended *ended = stream->last.end_ns <= ready->start_ns ? &stream->last : &stream->before;
        wait_for(ready, ended->end_ns, ended->shift_ns);
    }
}

static double removed_between(const struct walk *walk, uint32_t thread, int64_t from_ns, int64_t until_ns)
{
    struct removed *removed = &walk->removed[thread];
    return (double)coverage_within(&removed->times, from_ns, until_ns, &removed->cursor);
}

static bool is_removed(const struct walk *walk, const struct path_call *call)
{
    const int64_t length = interval_length(call->start_ns, call->end_ns);
    return call->waits && length > 0 && (walk->stays == NULL || !walk->stays[call - walk->launches->calls]) &&
           (int64_t)removed_between(walk, call->thread, call->start_ns, call->end_ns) == length;
}

/* A call that still waits does so for what other streams were given meanwhile. */
static double least_of_streams(const struct walk *walk, int64_t start_ns, double shift_ns)
{
    for (size_t i = 0; i < walk->used; i++) {
        const struct ended_stream *stream = &walk->streams[walk->active[i]];
        const struct ended *ended = stream->last.end_ns <= start_ns ? &stream->last : &stream->before;
        if (ended->end_ns != INT64_MIN)
            shift_ns = fmin(shift_ns, ended->shift_ns + (double)number_subtract(start_ns, ended->end_ns));
    }
    return shift_ns;
}

/* How much earlier a call begins, or one that waits ends, if time of the host is removed. */
static double earlier_call(const struct walk *walk, const struct step_path *path, size_t node)
{
    const struct path_call *call = &walk->launches->calls[path->items[node].place];
    const int64_t start_ns = path->nodes[node].start_ns;
    const struct ended *last = &walk->threads[call->thread];
    struct ready ready = ready_at(start_ns);

    if (is_removed(walk, call))
        return last->end_ns != INT64_MIN
                   ? last->shift_ns + removed_between(walk, call->thread, last->end_ns, call->end_ns)
                   : removed_between(walk, call->thread, call->start_ns, call->end_ns);
    for (int k = 0; k < PATH_BEFORE; k++) {
        const uint32_t before = path->nodes[node].before[k];
        if (before == PATH_NONE ||
            (path->items[before].is_call && walk->launches->calls[path->items[before].place].thread == call->thread))
            continue;
        wait_for(&ready, path->nodes[before].end_ns, walk->shifts[before]);
    }
    double shift_ns = ready.all.end_ns != INT64_MIN ? ready.all.shift_ns : INFINITY;
    if (last->end_ns != INT64_MIN && last->end_ns <= start_ns)
        shift_ns = fmin(shift_ns, last->shift_ns + removed_between(walk, call->thread, last->end_ns, start_ns));
    if (call->waits)
        shift_ns = least_of_streams(walk, start_ns, shift_ns);
    return isinf(shift_ns) ? 0 : shift_ns;
}

static void walk_call(struct walk *walk, const struct step_path *path, size_t node)
{
    const uint32_t place = path->items[node].place;
    const struct path_call *call = &walk->launches->calls[place];
    struct ready ready = ready_at(path->nodes[node].start_ns);

    if (walk->removed != NULL) {
        walk->shifts[node] = earlier_call(walk, path, node);
    } else if (walk->held_back && !call->waits) {
        const struct ended *last = &walk->threads[call->thread];
        wait_for_streams(walk, &ready);
        walk->shifts[node] = shift_of(&ready);
        if (last->end_ns != INT64_MIN)
            walk->shifts[node] =
                fmin(walk->shifts[node],
                     last->shift_ns + fmax((double)number_subtract(ready.start_ns, last->end_ns) - walk->pace_ns, 0));
    } else {
        wait_for_nodes(walk, path, node, &ready);
        wait_for(&ready, walk->threads[call->thread].end_ns, walk->threads[call->thread].shift_ns);
        if (call->waits)
            wait_for_streams(walk, &ready);
        walk->shifts[node] = shift_of(&ready);
    }
    walk->call_shifts[place] = (float)walk->shifts[node];
    walk->threads[call->thread] = (struct ended){call->end_ns, walk->shifts[node]};
}

/* How much earlier a task begins. Behind the last that it waited for it keeps its lag. A launch that ended before that
 * is followed by the latency of launches; where the host launches earlier, a task that waited for its launch begins as
 * soon behind what ran before it as from a queue. */
static double earlier_task(const struct walk *walk, const struct ready *rest, const struct ended *launch)
{
    if (launch->end_ns == INT64_MIN || launch->end_ns > rest->start_ns)
        return shift_of(rest);
    if (rest->all.end_ns == INT64_MIN)
        return launch->shift_ns;
    const double behind_launch_ns = (double)number_subtract(rest->start_ns, launch->end_ns),
                 behind_rest_ns = (double)number_subtract(rest->start_ns, rest->all.end_ns),
                 lag_ns = fmin(behind_launch_ns, behind_rest_ns);
    const bool launched_late = behind_launch_ns < behind_rest_ns;
    const double least_ns = walk->removed != NULL && launched_late ? fmin(behind_rest_ns, QUEUE_GAP_NS) : lag_ns;
    return fmin(rest->all.shift_ns + behind_rest_ns - least_ns,
                launch->shift_ns + fmax(behind_launch_ns - fmax(lag_ns, walk->latency_ns), 0));
}

static void walk_task(struct walk *walk, const struct step_path *path, size_t node)
{
    const uint32_t place = path->items[node].place;
    const struct execution *execution = &walk->workload->executions[place];
    const int64_t end_ns = number_add(execution->start_ns, execution->duration_ns);
    const uint32_t call = walk->launches->of != NULL ? walk->launches->of[place] : LAUNCH_NONE;
    struct ended_stream *stream = &walk->streams[execution->stream];
    struct ready ready = ready_at(execution->start_ns);

    if (!wait_for_nodes(walk, path, node, &ready))
        wait_for(&ready, walk->device.end_ns, walk->device.shift_ns);
    wait_for(&ready, stream->last.end_ns, stream->last.shift_ns);
    wait_for_streams(walk, &ready);
    struct ended launch = nothing_ended;
    if (call != LAUNCH_NONE)
        launch = (struct ended){walk->launches->calls[call].end_ns, walk->call_shifts[call]};
    const bool is_cut =
        walk->removal->cut != NULL && (!walk->removal->of_warmup || execution->start_ns < walk->warm_until_ns);
    const double share = is_cut ? walk->removal->cut[execution->op] : 0;
    walk->shifts[node] = earlier_task(walk, &ready, &launch) + share * (double)execution->duration_ns;
    if (stream->last.end_ns == INT64_MIN && walk->used < MOST_STREAMS)
        walk->active[walk->used++] = execution->stream;
    stream->before = stream->last;
    stream->last = (struct ended){end_ns, walk->shifts[node]};
    const double end = (double)number_subtract(end_ns, walk->begin_ns);
    walk->was_ns = fmax(walk->was_ns, end);
    walk->is_ns = fmax(walk->is_ns, end - walk->shifts[node]);
}

/* ---- stretches ---- */

/* A path of more executions takes too much memory: steps divide it. */
#define MOST_AS_ONE 500000

/* Steps that follow each other are one stretch up to about so many executions: a call that begins in one stretch waits
 * for nothing of the next. */
#define ENOUGH_AS_ONE 20000

static size_t executions_between(const struct workload *workload, uint16_t device, int64_t start_ns, int64_t end_ns)
{
    return workload_first_at(workload, device, end_ns) - workload_first_at(workload, device, start_ns);
}

/* *ret_known false: it is too much to be walked through. */
static int walk_stretch(struct walk *walk, uint16_t device, int64_t start_ns, int64_t end_ns, bool *ret_known,
                        struct err *err)
{
    const struct step_path *path;
    struct ended last = nothing_ended;

    *ret_known = executions_between(walk->workload, device, start_ns, end_ns) <= MOST_AS_ONE;
    if (!*ret_known)
        return 0;
    if (step_path_find_between(&walk->paths, walk->workload, device, start_ns, end_ns, walk->launches, &path, err) < 0)
        return err_status(err);
    if (path->count > walk->room) {
        free(walk->shifts);
        walk->room = 2 * path->count;
        walk->shifts = calloc(walk->room, sizeof *walk->shifts);
        if (walk->shifts == NULL)
            return err_no_memory(err);
    }
    for (size_t i = 0; i < path->count; i++) {
        if (path->items[i].is_call)
            walk_call(walk, path, i);
        else
            walk_task(walk, path, i);
        if (!path->items[i].is_call && path->nodes[i].end_ns >= last.end_ns)
            last = (struct ended){path->nodes[i].end_ns, walk->shifts[i]};
    }
    walk->device = last.end_ns >= walk->device.end_ns ? last : walk->device;
    large_passed(path->count);
    return 0;
}

static bool counts(const struct walk *walk, const struct splits *splits, size_t i)
{
    if (walk->removal->of_warmup && splits_is_warmup(splits, i))
        return true;
    return splits->groups.items[splits->items[i].group].source == splits->source && splits_counts(splits, i) &&
           splits_is_recorded(splits, i, &splits->items[i].own);
}

/* The end of a stretch that begins with split *i; steps that run at the same time are of one. Moves *i behind them. */
static int64_t stretch_end(const struct walk *walk, const struct splits *splits, size_t *i)
{
    const struct workload *workload = walk->workload;
    const uint16_t device = splits->items[*i].device;
    const int64_t start_ns = splits->items[*i].start_ns;
    int64_t end_ns = split_end_ns(&splits->items[*i]);

    for (++*i; *i < splits->count && splits->items[*i].device == device; ++*i) {
        const struct split *split = &splits->items[*i];
        large_pass(*i);
        if (!counts(walk, splits, *i))
            continue;
        if (split->start_ns > end_ns ||
            (split->start_ns == end_ns && executions_between(workload, device, start_ns, end_ns) > ENOUGH_AS_ONE))
            break;
        end_ns = split_end_ns(split) > end_ns ? split_end_ns(split) : end_ns;
    }
    return end_ns;
}

int savings_of(const struct workload *workload, const struct splits *splits, const struct launches *launches,
               const struct removal *removal, double *ret_ns, struct err *err)
{
    SCOPED(walk_release) struct walk walk = {.workload = workload, .launches = launches, .removal = removal};
    double sum = 0;
    size_t device = SIZE_MAX;
    bool any = false, known = true;

    *ret_ns = -1;
    if (walk_open(&walk, err) < 0 || (removal->once_a_step && !splits->whole && find_staying(&walk, splits, err) < 0))
        return err_status(err);
    for (size_t i = 0; known && i < splits->count;) {
        const struct split *split = &splits->items[i];
        if (!counts(&walk, splits, i)) {
            large_pass(i++);
            continue;
        }
        if (split->device != device) {
            sum += walk.was_ns - walk.is_ns;
            device = split->device;
            if (begin_device(&walk, split->start_ns, err) < 0)
                return err_status(err);
            for (size_t k = i; k < splits->count && splits->items[k].device == device; large_pass(k++))
                if (splits_is_warmup(splits, k) && split_end_ns(&splits->items[k]) > walk.warm_until_ns)
                    walk.warm_until_ns = split_end_ns(&splits->items[k]);
        }
        if (walk_stretch(&walk, split->device, split->start_ns, stretch_end(&walk, splits, &i), &known, err) < 0)
            return err_status(err);
        any = true;
    }
    if (any && known)
        *ret_ns = sum + walk.was_ns - walk.is_ns;
    return 0;
}
