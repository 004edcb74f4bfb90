/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/call_times.h"

#include "base/array.h"
#include "base/file/large.h"

#include <stdlib.h>

static int need_names(struct call_times *times, uint32_t name, struct err *err)
{

    while (times->count <= name) {
        if (array_reserve(times, 1, err) < 0)
            return -(int)err->code;
        times->items[times->count++] = (struct call_time){.total_ns = 0};
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
    if (array_reserve(&times->open, 1, err) < 0)
        return -(int)err->code;
    times->open.items[times->open.count++] = (struct open_call){call->end_ns, call->name};
    return 0;
}

int call_times_take(struct call_times *times, const struct host_call *call, struct err *err)
{
    int64_t length_ns = interval_length(call->start_ns, call->end_ns);

    if (need_names(times, call->name, err) < 0 || nest(times, call, (double)length_ns, err) < 0)
        return -(int)err->code;
    struct call_time *time = &times->items[call->name];
    time->total_ns += (double)length_ns;
    time->self_ns += (double)length_ns;
    time->blocked_ns += (double)coverage_within(times->idle, call->start_ns, call->end_ns, &times->cursor);
    return durations_add(&time->durations, length_ns, err);
}

void call_times_release(struct call_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        large_free(times->items[i].durations.items);
    free(times->items);
    free(times->open.items);
    *times = (struct call_times){.items = NULL};
}
