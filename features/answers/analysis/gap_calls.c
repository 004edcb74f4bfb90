/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/gap_calls.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/search.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

int coverage_make(struct intervals *list, struct coverage *ret, struct err *err)
{
    int64_t sum = 0;

    *ret = (struct coverage){.before = large_new(list->count + 1, sizeof *ret->before, err)};
    if (ret->before == NULL)
        return err_status(err);
    for (size_t i = 0; i < list->count; i++) {
        int64_t length = interval_length(list->items[i].start_ns, list->items[i].end_ns);
        large_pass(i);
        ret->before[i] = sum;
        sum = length > INT64_MAX - sum ? INT64_MAX : sum + length;
    }
    ret->list = *list;
    *list = (struct intervals){.items = NULL};
    return 0;
}

void coverage_release(struct coverage *coverage)
{
    intervals_release(&coverage->list);
    large_free(coverage->before);
    *coverage = (struct coverage){.before = NULL};
}

/* The first interval that ends behind a time, from `first` on, in front of which all end before: steps that double,
 * then halves. */
static size_t first_ending_behind(const struct intervals *list, int64_t time_ns, size_t first)
{
    size_t step = 1, low = first;

    while (low < list->count && list->items[low].end_ns <= time_ns) {
        first = low + 1;
        low = list->count - low > step ? low + step : list->count;
        step *= 2;
    }
    return first + search_until(list->items + first, low - first, sizeof *list->items,
                                offsetof(struct interval, end_ns), time_ns);
}

/* Covered time before a time that is not behind interval i. */
static int64_t covered_until(const struct coverage *coverage, size_t i, int64_t time_ns)
{
    const struct intervals *list = &coverage->list;

    if (i == list->count)
        return i > 0 ? coverage->before[i - 1] + interval_length(list->items[i - 1].start_ns, list->items[i - 1].end_ns)
                     : 0;
    return coverage->before[i] + interval_length(list->items[i].start_ns, time_ns);
}

int64_t coverage_within(const struct coverage *coverage, int64_t from_ns, int64_t until_ns, size_t *cursor)
{
    const struct intervals *list = &coverage->list;

    if (until_ns <= from_ns || list->count == 0)
        return 0;
    if (*cursor > 0 && list->items[*cursor - 1].end_ns > from_ns)
        *cursor = 0;
    *cursor = first_ending_behind(list, from_ns, *cursor);
    if (*cursor == list->count || list->items[*cursor].start_ns >= until_ns)
        return 0;
    size_t last = first_ending_behind(list, until_ns, *cursor);
    return covered_until(coverage, last, until_ns) - covered_until(coverage, *cursor, from_ns);
}

/* ---- of workloads ---- */

/* The executions of devices one after another, those that are wanted: NULL for all. */
static int unite(const struct workload *workload, size_t from, size_t until, bool (*wanted)(uint32_t work),
                 struct intervals *ret, struct err *err)
{
    for (size_t i = from; i < until; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        if ((wanted == NULL || wanted(workload->operators[execution->op].key.work)) &&
            intervals_extend(ret, execution->start_ns, execution->start_ns + execution->duration_ns, err) < 0)
            return err_status(err);
    }
    return 0;
}

static size_t device_end(const struct workload *workload, size_t from)
{
    size_t until = from;

    while (until < workload->execution_count && workload->executions[until].device == workload->executions[from].device)
        large_pass(until++);
    return until;
}

static int join_device(const struct workload *workload, size_t from, size_t until, struct intervals *all,
                       struct err *err)
{
    struct intervals own = {.items = NULL}, both = {.items = NULL};
    bool failed = unite(workload, from, until, NULL, &own, err) < 0;

    if (!failed && all->count == 0) {
        *all = own;
        return 0;
    }
    failed = failed || intervals_join(all, &own, &both, err) < 0;
    intervals_release(&own);
    intervals_release(all);
    *all = both;
    return failed ? err_status(err) : 0;
}

/* Leaves what is between the intervals, in the same memory: there may be a million. */
static void turn_inside_out(struct intervals *list)
{
    for (size_t i = 0; i + 1 < list->count; large_pass(i++))
        list->items[i] = (struct interval){list->items[i].end_ns, list->items[i + 1].start_ns};
    list->count -= list->count > 0;
}

static int subtract_lists(const struct intervals *lists, size_t count, struct intervals *list, struct err *err)
{
    int status = 0;

    for (size_t i = 0; lists != NULL && status == 0 && i < count; i++) {
        struct intervals rest = {.items = NULL};
        if (lists[i].count == 0)
            continue;
        status = intervals_subtract(list, &lists[i], &rest, err);
        intervals_release(list);
        *list = rest;
    }
    return status;
}

/* Drops so much of the end of each interval, and those that have no more. */
static void cut_ends(struct intervals *list, int64_t left_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct interval *item = &list->items[i];
        large_pass(i);
        if (interval_length(item->start_ns, item->end_ns) > left_ns)
            list->items[kept++] = (struct interval){item->start_ns, item->end_ns - left_ns};
    }
    list->count = kept;
}

int coverage_of_idle(const struct workload *workload, int64_t left_ns, struct coverage *ret, struct err *err)
{
    SCOPED(intervals_release) struct intervals list = {.items = NULL};
    bool failed = false;

    *ret = (struct coverage){.before = NULL};
    for (size_t from = 0, until; !failed && from < workload->execution_count; from = until) {
        until = device_end(workload, from);
        failed = join_device(workload, from, until, &list, err) < 0;
    }
    turn_inside_out(&list); /* and what was not recorded of any device is not idle */
    if (failed || subtract_lists(workload->others, workload->device_count, &list, err) < 0 ||
        subtract_lists(workload->unrecorded, workload->device_count, &list, err) < 0)
        return err_status(err);
    if (left_ns > 0)
        cut_ends(&list, left_ns);
    return coverage_make(&list, ret, err);
}

int coverage_of_computing(const struct workload *workload, uint16_t device, struct coverage *ret, struct err *err)
{
    SCOPED(intervals_release) struct intervals list = {.items = NULL};

    *ret = (struct coverage){.before = NULL};
    for (size_t from = 0, until; from < workload->execution_count; from = until) {
        until = device_end(workload, from);
        if (workload->executions[from].device == device && unite(workload, from, until, work_computes, &list, err) < 0)
            return err_status(err);
    }
    return coverage_make(&list, ret, err);
}

int coverage_of_computing_ticks(const struct workload *workload, uint16_t device, struct coverage *ret,
                                int64_t *ret_since_ns, struct err *err)
{
    SCOPED(coverage_release) struct coverage times;
    const int64_t hz = workload->devices[device].hz;
    const size_t first = workload_first_at(workload, device, INT64_MIN);
    const bool any = first < workload->execution_count && workload->executions[first].device == device;
    int status = coverage_of_computing(workload, device, &times, err);

    *ret = (struct coverage){.before = NULL};
    *ret_since_ns = any ? workload->executions[first].start_ns : 0;
    for (size_t i = 0; status == 0 && i < times.list.count; i++) {
        struct interval *item = &times.list.items[i];
        large_pass(i);
        *item = (struct interval){ticks_of(hz, *ret_since_ns, number_subtract(item->start_ns, *ret_since_ns)),
                                  ticks_of(hz, *ret_since_ns, number_subtract(item->end_ns, *ret_since_ns))};
    }
    return status == 0 ? coverage_make(&times.list, ret, err) : status;
}

double coverage_ticks_outside(const struct coverage *ticks, int64_t hz, int64_t since_ns, int64_t start_ns,
                              int64_t duration_ns, size_t *cursor)
{
    const int64_t start = ticks_of(hz, since_ns, number_subtract(start_ns, since_ns)),
                  length = ticks_of(hz, start_ns, duration_ns);
    return ticks_whole_ns(hz, length - coverage_within(ticks, start, number_add(start, length), cursor));
}

static int need_names(struct call_times *times, uint32_t name, struct err *err)
{

    while (times->count <= name) {
        if (array_add(times, err, (struct call_time){.total_ns = 0}) < 0)
            return err_status(err);
    }
    return 0;
}

/* Closes the calls that ended before this one; what is left open and ends behind it is around it. */
static int nest(struct call_times *times, const struct host_call *call, double length, struct err *err)
{
    if (call->thread != times->thread)
        times->open.count = 0;
    times->thread = call->thread;
    while (times->open.count > 0 && times->open.items[times->open.count - 1].end_ns <= call->start_ns)
        times->open.count--;
    if (times->open.count > 0 && times->open.items[times->open.count - 1].end_ns >= call->end_ns)
        times->items[times->open.items[times->open.count - 1].name].self_ns -= length;
    return array_add(&times->open, err, (struct open_call){call->end_ns, call->name});
}

int call_times_take(struct call_times *times, const struct host_call *call, struct err *err)
{
    const double length = host_call_length(call);

    if (need_names(times, call->name, err) < 0 || nest(times, call, length, err) < 0)
        return err_status(err);
    struct call_time *time = &times->items[call->name];
    time->total_ns += length;
    time->self_ns += length;
    time->blocked_ns += (double)coverage_within(times->idle, call->start_ns, call->end_ns, &times->cursor);
    return statistics_durations_add(&time->durations, host_call_length_ns(call), call->hz, err);
}

int call_times_finish(struct call_times *times, struct err *err)
{
    for (size_t i = 0; i < times->count; i++) {
        struct durations *durations = &times->items[i].durations;
        if (series_of_durations(&times->items[i].series, durations, err) < 0)
            return err_status(err);
        large_free(durations->items);
        *durations = (struct durations){.items = NULL};
    }
    return 0;
}

void call_times_release(struct call_times *times)
{
    for (size_t i = 0; i < times->count; i++) {
        large_free(times->items[i].durations.items);
        series_release(&times->items[i].series);
    }
    free(times->items);
    free(times->open.items);
    *times = (struct call_times){.items = NULL};
}

ENUM_NAMES(gap_cause_name, enum gap_cause, "unknown", "host", "sync", "queue")

static uint16_t device_of(const struct gap_calls *calls, size_t gap)
{
    return calls->workload->executions[calls->gaps->items[gap].after].device;
}

static int find_devices(struct gap_calls *calls, struct err *err)
{
    size_t count = calls->gaps->count;

    calls->device_ends = calloc(calls->workload->device_count + 1, sizeof *calls->device_ends);
    calls->cursors = calloc(calls->workload->device_count + 1, sizeof *calls->cursors);
    if (calls->device_ends == NULL || calls->cursors == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        large_pass(i);
        if (i == 0 || device_of(calls, i) != device_of(calls, i - 1))
            calls->cursors[calls->device_count++] = i;
        calls->device_ends[calls->device_count - 1] = i + 1;
    }
    return 0;
}

int gap_calls_open(struct gap_calls *calls, const struct workload *workload, const struct gaps *gaps, struct err *err)
{
    *calls = (struct gap_calls){.workload = workload, .gaps = gaps};
    calls->items = large_new(gaps->count + 1, sizeof *calls->items, err);
    if (calls->items == NULL)
        return err_status(err);
    for (size_t i = 0; i < gaps->count; i++) {
        large_pass(i);
        calls->items[i].name = NO_TEXT;
    }
    return find_devices(calls, err);
}

void gap_calls_release(struct gap_calls *calls)
{
    large_free(calls->items);
    large_free(calls->covers);
    free(calls->device_ends);
    free(calls->cursors);
    *calls = (struct gap_calls){.items = NULL};
}

static int64_t end_of(const struct gap_calls *calls, size_t gap)
{
    return calls->gaps->items[gap].end_ns;
}

/* The first gap of [low, high) that ends behind a time. */
static size_t search(const struct gap_calls *calls, size_t low, size_t high, int64_t time_ns)
{
    return low + search_until(calls->gaps->items + low, high - low, sizeof *calls->gaps->items,
                              offsetof(struct gap, end_ns), time_ns);
}

/* The next call of a thread begins near the one before: a few steps find it. */
static size_t find_first(const struct gap_calls *calls, size_t device, int64_t time_ns)
{
    enum { STEPS = 8 };
    size_t begin = device > 0 ? calls->device_ends[device - 1] : 0, end = calls->device_ends[device];
    size_t at = calls->cursors[device];

    if (at > begin && end_of(calls, at - 1) > time_ns)
        return search(calls, begin, at, time_ns);
    for (int i = 0; i < STEPS; i++, at++)
        if (at == end || end_of(calls, at) > time_ns)
            return at;
    return search(calls, at, end, time_ns);
}

/* Keeps a call that covers more of a gap, or as much and is shorter, or is equal and came first. */
static void offer(struct gap_call *item, const struct gap_call *call)
{
    if (call->covered_ns <= 0 || call->covered_ns < item->covered_ns)
        return;
    if (call->covered_ns == item->covered_ns &&
        (call->length_ns > item->length_ns || (call->length_ns == item->length_ns && call->number >= item->number)))
        return;
    const bool launched = item->launched;
    *item = *call;
    item->launched = launched;
}

static void hold_against(const struct gap_calls *calls, size_t gap, const struct host_call *call)
{
    struct gap_call *item = &calls->items[gap];
    int64_t start_ns = calls->gaps->items[gap].start_ns, end_ns = end_of(calls, gap);
    const struct gap_call offered = {
        .name = call->name,
        .length_ns = (float)interval_length(call->start_ns, call->end_ns),
        .covered_ns = (float)interval_length(call->start_ns > start_ns ? call->start_ns : start_ns,
                                             call->end_ns < end_ns ? call->end_ns : end_ns),
        .number = calls->taken,
        .communicates = call->communicates,
    };

    item->launched = item->launched || (call->launches && call->start_ns > start_ns);
    offer(item, &offered);
}

/* The shortest call that covers all gaps below a node of the tree; number 0: none. The leaf of gap i is i + count. */
struct gap_cover {
    float length_ns;
    uint32_t name, number;
    bool communicates;
};

static void cover(struct gap_cover *node, const struct gap_cover *call)
{
    if (node->number == 0 || call->length_ns < node->length_ns)
        *node = *call; /* of equal ones the first stays */
}

/* Gives gaps of [first, end) a call that covers each from its start to its end. */
static void cover_all(const struct gap_calls *calls, size_t first, size_t end, const struct host_call *call)
{
    const struct gap_cover offered = {(float)interval_length(call->start_ns, call->end_ns), call->name, calls->taken,
                                      call->communicates};
    size_t low = first + calls->gaps->count, high = end + calls->gaps->count;
    for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1)
            cover(&calls->covers[low++], &offered);
        if (high % 2 == 1)
            cover(&calls->covers[--high], &offered);
    }
}

#define COVERED_ONE_BY_ONE 8

/* Whether there is a tree: without memory for it gaps are gone through one by one. */
static bool has_covers(struct gap_calls *calls)
{
    struct err ignored = ERR_INIT;
    if (calls->covers == NULL)
        calls->covers = large_new(2 * calls->gaps->count + 2, sizeof *calls->covers, &ignored);
    return calls->covers != NULL;
}

void gap_calls_take(struct gap_calls *calls, const struct host_call *call)
{
    calls->any = true;
    calls->taken++;
    for (size_t device = 0; device < calls->device_count; device++) {
        size_t first = find_first(calls, device, call->start_ns), end = calls->device_ends[device], i = first;
        calls->cursors[device] = first;
        large_pass(first);
        for (; i < end && i - first < COVERED_ONE_BY_ONE && calls->gaps->items[i].start_ns < call->end_ns; i++)
            hold_against(calls, i, call);
        if (i == end || i - first < COVERED_ONE_BY_ONE || calls->gaps->items[i].start_ns >= call->end_ns)
            continue;
        /* those from here on begin behind the call's start; the last of them may end behind its end */
        size_t last = search(calls, i, end, call->end_ns);
        if (has_covers(calls))
            cover_all(calls, i, last, call);
        for (i = calls->covers != NULL ? last : i; i < end && calls->gaps->items[i].start_ns < call->end_ns; i++)
            hold_against(calls, i, call);
    }
}

void gap_calls_finish(struct gap_calls *calls)
{
    const size_t count = calls->gaps->count;
    for (size_t i = 2; calls->covers != NULL && i < 2 * count; i++) {
        const struct gap_cover *around = &calls->covers[i / 2];
        struct gap_cover *node = &calls->covers[i];
        large_pass(i);
        if (around->number != 0 && (node->number == 0 || around->length_ns < node->length_ns ||
                                    (around->length_ns == node->length_ns && around->number < node->number)))
            *node = *around;
        if (i < count || node->number == 0)
            continue;
        const struct gap *gap = &calls->gaps->items[i - count];
        const struct gap_call offered = {.name = node->name,
                                         .length_ns = node->length_ns,
                                         .covered_ns = (float)interval_length(gap->start_ns, gap->end_ns),
                                         .number = node->number,
                                         .communicates = node->communicates};
        offer(&calls->items[i - count], &offered);
    }
    large_free(calls->covers);
    calls->covers = NULL;
}

static bool covers(const struct gap_calls *calls, size_t i, double share)
{
    const struct gap_call *item = &calls->items[i];

    return item->name != NO_TEXT && (double)item->covered_ns >= share * (double)gap_length_ns(&calls->gaps->items[i]);
}

uint32_t gap_calls_name(const struct gap_calls *calls, size_t i)
{
    return covers(calls, i, 0.1) ? calls->items[i].name : NO_TEXT;
}

enum gap_cause gap_calls_cause(const struct gap_calls *calls, size_t i, const char *name)
{
    const struct gap_call *item = &calls->items[i];

    if (!calls->any)
        return CAUSE_UNKNOWN;
    if (name != NULL && !item->communicates && covers(calls, i, 0.5) && gap_call_is_waiting(name))
        return CAUSE_SYNC;
    return item->launched ? CAUSE_HOST : CAUSE_QUEUE;
}

static bool copies_and_waits(const char *name)
{
    return strcasestr(name, "memcpy") != NULL && strcasestr(name, "async") == NULL;
}

bool gap_call_is_synchronising(const char *name)
{
    return strcasestr(name, "synchronize") != NULL;
}

bool gap_call_is_compiling(const char *name)
{
    return strcasestr(name, "opcompile") != NULL;
}

bool gap_call_is_waiting(const char *name)
{
    return gap_call_is_synchronising(name) || copies_and_waits(name);
}

bool gap_call_is_memory(const char *name)
{
    return strcasestr(name, "malloc") != NULL || strcasestr(name, "free") != NULL || copies_and_waits(name);
}
