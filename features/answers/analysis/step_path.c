/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/step_path.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/search.h"
#include "base/ticks.h"
#include "base/words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void step_path_clear(struct path_node *node)
{
    *node = (struct path_node){.latest_ns = INT64_MAX};
    for (size_t i = 0; i < PATH_BEFORE; i++)
        node->before[i] = PATH_NONE;
}

void step_path_wait(struct path_node *nodes, uint32_t node, uint32_t before)
{
    if (before == PATH_NONE || before >= node || nodes[before].end_ns > nodes[node].start_ns)
        return;
    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t *place = &nodes[node].before[i];
        if (*place == before)
            return;
        if (*place == PATH_NONE) {
            *place = before;
            return;
        }
    }
}

uint32_t step_path_binding(const struct path_node *nodes, uint32_t node)
{
    uint32_t binding = PATH_NONE;

    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t before = nodes[node].before[i];
        if (before != PATH_NONE && (binding == PATH_NONE || nodes[before].end_ns > nodes[binding].end_ns))
            binding = before;
    }
    return binding;
}

int64_t step_path_slack_ns(const struct path_node *node)
{
    return node->latest_ns != INT64_MAX ? number_subtract(node->latest_ns, node->end_ns) : PATH_NO_SLACK;
}

static uint32_t last_end(const struct path_node *nodes, size_t count)
{
    uint32_t last = PATH_NONE;

    for (size_t i = 0; i < count; i++)
        if (nodes[i].ends && (last == PATH_NONE || nodes[i].end_ns > nodes[last].end_ns))
            last = (uint32_t)i;
    return last;
}

/* Those that a node waits for could have ended as much later as it could have itself, and as they ended before the last
 * of them. */
static void relax(struct path_node *nodes, uint32_t node)
{
    uint32_t binding = step_path_binding(nodes, node);

    if (binding == PATH_NONE || nodes[node].latest_ns == INT64_MAX)
        return;
    int64_t latest_ns = number_add(nodes[binding].end_ns, step_path_slack_ns(&nodes[node]));
    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t before = nodes[node].before[i];
        if (before != PATH_NONE && nodes[before].latest_ns > latest_ns)
            nodes[before].latest_ns = latest_ns;
    }
}

uint32_t step_path_mark(struct path_node *nodes, size_t count)
{
    uint32_t last = last_end(nodes, count);

    for (size_t i = 0; i < count; i++) {
        nodes[i].latest_ns = nodes[i].ends ? nodes[last].end_ns : INT64_MAX;
        nodes[i].critical = false;
    }
    for (size_t i = count; i-- > 0;)
        relax(nodes, (uint32_t)i);
    for (uint32_t node = last; node != PATH_NONE; node = step_path_binding(nodes, node))
        nodes[node].critical = true;
    return last;
}

ENUM_NAMES(
    step_path_reason_name,
    enum path_reason, [PATH_AT_BEGIN] = "begin", [PATH_STREAM] = "stream", [PATH_OTHER] = "other stream",
    [PATH_LAUNCH] = "launch", [PATH_THREAD] = "thread", [PATH_OTHER_THREAD] = "other thread", [PATH_TASK] = "task", )

void launches_release(struct launches *launches)
{
    large_free(launches->calls);
    large_free(launches->of);
    free(launches->thread_ids);
    *launches = (struct launches){.calls = NULL};
}

void step_paths_release(struct step_paths *paths)
{
    free(paths->path.nodes);
    free(paths->path.items);
    free(paths->streams);
    free(paths->threads);
    free(paths->node_of_call);
    free(paths->order);
    free(paths->ends);
    *paths = (struct step_paths){.room = 0};
}

/* ---- nodes ---- */

/* A step that is being built. */
struct building {
    struct step_paths *paths;
    const struct workload *workload;
    const struct launches *launches;
    size_t first_call, calls; /* those that begin in the step */
    uint32_t last_wait;       /* node of the call that waited and ended last */
    size_t next_end;          /* of paths->ends: the first task that ends behind where the building is */
};

ARRAY_COMPARE(by_time, struct path_order, ARRAY_BY(time_ns), ARRAY_BY(rank))

static size_t first_call_at(const struct launches *launches, int64_t time_ns)
{
    return search_from(launches->calls, launches->count, sizeof *launches->calls, offsetof(struct path_call, start_ns),
                       time_ns);
}

static int make_room(struct step_paths *paths, size_t nodes, size_t streams, size_t threads, struct err *err)
{
    if (nodes + 1 <= paths->room)
        return 0;
    size_t room = nodes + 1 > 2 * paths->room ? nodes + 1 : 2 * paths->room;
    step_paths_release(paths);
    *paths = (struct step_paths){.room = room};
    paths->path.nodes = calloc(room, sizeof *paths->path.nodes);
    paths->path.items = calloc(room, sizeof *paths->path.items);
    paths->order = calloc(room, sizeof *paths->order);
    paths->ends = calloc(room, sizeof *paths->ends);
    paths->node_of_call = calloc(room, sizeof *paths->node_of_call);
    paths->streams = calloc(streams + 1, sizeof *paths->streams);
    paths->threads = calloc(threads + 1, sizeof *paths->threads);
    bool all = paths->path.nodes != NULL && paths->path.items != NULL && paths->order != NULL && paths->ends != NULL &&
               paths->node_of_call != NULL && paths->streams != NULL && paths->threads != NULL;
    return all ? 0 : err_no_memory(err);
}

/* Orders tasks by their begin and calls by theirs; one that waits stands where it ends. A call stands before a task of
 * the same time. Tasks come in order, and so do calls but for those that wait: they are merged, since the calls are
 * those of all devices, and sorting them again for each took most of the time. */
static void put_in_order(struct building *building, const struct execution_run *run)
{
    enum { RANK_WAIT, RANK_LAUNCH };
    struct path_order *order = building->paths->order, *calls = order + run->count;
    const struct execution *executions = building->workload->executions;
    size_t call = 0;

    for (size_t i = 0; i < building->calls; i++) {
        uint32_t place = (uint32_t)(building->first_call + i);
        const struct path_call *it = &building->launches->calls[place];
        calls[i] = (struct path_order){
            it->waits ? it->end_ns : it->start_ns, {true, place}, it->waits ? RANK_WAIT : RANK_LAUNCH};
    }
    array_sort(calls, building->calls, sizeof *calls, by_time);
    for (size_t i = run->first; i < run->first + run->count; i++) {
        while (call < building->calls && calls[call].time_ns <= executions[i].start_ns)
            *order++ = calls[call++];
        *order++ = (struct path_order){executions[i].start_ns, {false, (uint32_t)i}, 0};
    } /* the calls that are left are in their places */
    building->paths->path.count = run->count + building->calls;
}

static int64_t clipped(int64_t time_ns, const struct step_path *path)
{
    return time_ns < path->end_ns ? time_ns : path->end_ns;
}

static void make_nodes(struct building *building)
{
    struct step_paths *paths = building->paths;
    struct step_path *path = &paths->path;
    size_t tasks = 0;

    for (size_t i = 0; i < path->count; i++) {
        const struct path_order *at = &paths->order[i];
        struct path_node *node = &path->nodes[i];
        step_path_clear(node);
        path->items[i] = at->item;
        node->start_ns = clipped(at->time_ns, path);
        if (at->item.is_call) {
            const struct path_call *call = &building->launches->calls[at->item.place];
            node->end_ns = clipped(call->end_ns, path);
            paths->node_of_call[at->item.place - building->first_call] = (uint32_t)i;
        } else {
            const struct execution *execution = &building->workload->executions[at->item.place];
            node->end_ns = clipped(number_add(execution->start_ns, execution->duration_ns), path);
            node->ends = true;
            paths->ends[tasks++] = (struct path_order){node->end_ns, {false, (uint32_t)i}, (uint32_t)i};
        }
    }
    array_sort(paths->ends, tasks, sizeof *paths->ends, by_time);
    paths->tasks = tasks;
}

/* ---- what they wait for ---- */

/* The task that ends last until a time; they come ascending. */
static uint32_t last_ended(struct building *building, int64_t time_ns)
{
    const struct step_paths *paths = building->paths;

    while (building->next_end < paths->tasks && paths->ends[building->next_end].time_ns <= time_ns)
        building->next_end++;
    return building->next_end > 0 ? paths->ends[building->next_end - 1].item.place : PATH_NONE;
}

/* Whether a node ended behind the one that stands before another on its stream or thread, or that one had not ended
 * yet: tasks and calls of one can run at the same time. */
static bool is_later(const struct path_node *nodes, uint32_t other, uint32_t last, uint32_t node)
{
    return other != PATH_NONE &&
           (last == PATH_NONE || nodes[last].end_ns > nodes[node].start_ns || nodes[other].end_ns > nodes[last].end_ns);
}

static void join_call(struct building *building, uint32_t node)
{
    struct step_paths *paths = building->paths;
    struct path_node *nodes = paths->path.nodes;
    const struct path_call *call = &building->launches->calls[paths->path.items[node].place];
    uint32_t *last = &paths->threads[call->thread];

    step_path_wait(nodes, node, *last);
    if (is_later(nodes, building->last_wait, *last, node))
        step_path_wait(nodes, node, building->last_wait);
    *last = node;
    building->last_wait = call->waits ? node : building->last_wait;
    uint32_t task = call->waits ? last_ended(building, nodes[node].start_ns) : PATH_NONE;
    if (task != PATH_NONE && nodes[task].end_ns > call->start_ns)
        step_path_wait(nodes, node, task);
}

static void join_task(struct building *building, uint32_t node)
{
    struct step_paths *paths = building->paths;
    struct path_node *nodes = paths->path.nodes;
    uint32_t place = paths->path.items[node].place;
    const struct execution *execution = &building->workload->executions[place];
    uint32_t *last = &paths->streams[execution->stream], other = last_ended(building, nodes[node].start_ns);
    uint32_t call = building->launches->of != NULL ? building->launches->of[place] : LAUNCH_NONE;

    step_path_wait(nodes, node, *last);
    if (call != LAUNCH_NONE && call >= building->first_call && call < building->first_call + building->calls)
        step_path_wait(nodes, node, paths->node_of_call[call - building->first_call]);
    if (is_later(nodes, other, *last, node))
        step_path_wait(nodes, node, other);
    *last = node;
}

static void join(struct building *building)
{
    struct step_paths *paths = building->paths;

    memset(paths->streams, 0xff, (building->workload->stream_count + 1) * sizeof *paths->streams);
    memset(paths->threads, 0xff, (building->launches->threads + 1) * sizeof *paths->threads);
    for (size_t i = 0; i < paths->path.count; i++)
        if (paths->path.items[i].is_call)
            join_call(building, (uint32_t)i);
        else
            join_task(building, (uint32_t)i);
}

/* The end of a step that ends with the last that ran. */
static int64_t last_execution_end(const struct workload *workload, const struct execution_run *run)
{
    int64_t last_ns = INT64_MIN;

    for (size_t i = run->first; i < run->first + run->count; i++) {
        const struct execution *it = &workload->executions[i];
        int64_t end_ns = number_add(it->start_ns, it->duration_ns);
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    return last_ns;
}

int step_path_find_between(struct step_paths *paths, const struct workload *workload, uint16_t device, int64_t start_ns,
                           int64_t end_ns, const struct launches *launches, const struct step_path **ret,
                           struct err *err)
{
    const size_t first = workload_first_at(workload, device, start_ns),
                 behind_last = workload_first_at(workload, device, end_ns);
    const struct execution_run run = {first, behind_last > first ? behind_last - first : 0};
    struct building building = {.paths = paths, .workload = workload, .launches = launches, .last_wait = PATH_NONE};

    if (end_ns == INT64_MAX && run.count > 0)
        end_ns = last_execution_end(workload, &run);
    building.first_call = first_call_at(launches, start_ns);
    size_t behind = first_call_at(launches, end_ns);
    building.calls = behind > building.first_call ? behind - building.first_call : 0;
    if (make_room(paths, run.count + building.calls, workload->stream_count, launches->threads, err) < 0)
        return err_status(err);
    paths->path.start_ns = start_ns;
    paths->path.end_ns = end_ns;
    paths->path.device = device;
    paths->path.of_device = false;
    paths->path.first_call = building.first_call;
    put_in_order(&building, &run);
    make_nodes(&building);
    join(&building);
    paths->path.last = PATH_NONE;
    *ret = &paths->path;
    return 0;
}

int step_path_find(struct step_paths *paths, const struct workload *workload, const struct splits *splits, size_t i,
                   const struct launches *launches, const struct step_path **ret, struct err *err)
{
    const struct split *split = &splits->items[i];
    if (step_path_find_between(paths, workload, split->device, split->start_ns, split_end_ns(split), launches, ret,
                               err) < 0)
        return err_status(err);
    paths->path.of_device = split_is_of_device(split);
    paths->path.last = step_path_mark(paths->path.nodes, paths->path.count);
    return 0;
}

/* ---- what was found ---- */

enum path_reason step_path_reason(const struct step_path *path, const struct workload *workload,
                                  const struct launches *launches, uint32_t node)
{
    uint32_t before = step_path_binding(path->nodes, node);
    const struct step_path_node *it = &path->items[node];

    if (before == PATH_NONE)
        return PATH_AT_BEGIN;
    const struct step_path_node *other = &path->items[before];
    if (it->is_call && other->is_call)
        return launches->calls[it->place].thread == launches->calls[other->place].thread ? PATH_THREAD
                                                                                         : PATH_OTHER_THREAD;
    if (it->is_call)
        return PATH_TASK;
    if (other->is_call)
        return PATH_LAUNCH;
    bool same = workload->executions[it->place].stream == workload->executions[other->place].stream;
    return same ? PATH_STREAM : PATH_OTHER;
}

/* A time, and the clock that measured it: its rate, 0 where it is not known. */
struct clocked {
    int64_t ns, hz;
    bool by_host;
};

static double between(struct clocked from, struct clocked until)
{
    const int64_t ns = number_subtract(until.ns, from.ns);
    const bool same = from.by_host == until.by_host && from.hz == until.hz && from.hz > 0;
    return same ? ticks_exact_ns(from.hz, from.ns, ns) : (double)ns;
}

static struct clocked bound_of(const struct step_path *path, const struct workload *workload, int64_t ns)
{
    return (struct clocked){ns, path->of_device ? workload->devices[path->device].hz : 0, false};
}

static struct clocked begin_of(const struct step_path *path, const struct workload *workload,
                               const struct launches *launches, uint32_t node)
{
    const struct step_path_node *it = &path->items[node];
    const int64_t ns = path->nodes[node].start_ns;
    if (!it->is_call)
        return (struct clocked){ns, workload->devices[path->device].hz, false};
    const struct path_call *call = &launches->calls[it->place];
    return ns == (call->waits ? call->end_ns : call->start_ns) ? (struct clocked){ns, launches->hz, true}
                                                               : bound_of(path, workload, ns);
}

static struct clocked end_of(const struct step_path *path, const struct workload *workload,
                             const struct launches *launches, uint32_t node)
{
    const struct step_path_node *it = &path->items[node];
    const int64_t ns = path->nodes[node].end_ns;
    if (!it->is_call) {
        const struct execution *execution = &workload->executions[it->place];
        return ns == number_add(execution->start_ns, execution->duration_ns)
                   ? (struct clocked){ns, workload->devices[path->device].hz, false}
                   : bound_of(path, workload, ns);
    }
    const struct path_call *call = &launches->calls[it->place];
    return ns == call->end_ns ? (struct clocked){ns, call->cut ? 0 : launches->hz, true} : bound_of(path, workload, ns);
}

double step_path_length(const struct step_path *path, const struct workload *workload, const struct launches *launches,
                        uint32_t node)
{
    return between(begin_of(path, workload, launches, node), end_of(path, workload, launches, node));
}

double step_path_lag(const struct step_path *path, const struct workload *workload, const struct launches *launches,
                     uint32_t node)
{
    const uint32_t before = step_path_binding(path->nodes, node);
    const struct clocked waited =
        before != PATH_NONE ? end_of(path, workload, launches, before) : bound_of(path, workload, path->start_ns);
    return between(waited, begin_of(path, workload, launches, node));
}

double step_path_time(const struct step_path *path, const struct workload *workload)
{
    return between(bound_of(path, workload, path->start_ns), bound_of(path, workload, path->end_ns));
}

double step_path_rest(const struct step_path *path, const struct workload *workload, const struct launches *launches)
{
    return between(end_of(path, workload, launches, path->last), bound_of(path, workload, path->end_ns));
}
