/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/streams_svp.h"

#include "db/database.h"
#include "exporters/timeline/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Index of the first id that is not less. */
static size_t lower_bound(const struct stream_set *set, int64_t id)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void stream_set_add(struct stream_set *set, int64_t id)
{
    size_t at = lower_bound(set, id);
    if (at < set->count && set->ids[at] == id)
        return;
    if (set->count == STREAMS_MAX) {
        set->overflowed = true;
        return;
    }
    memmove(&set->ids[at + 1], &set->ids[at], (set->count - at) * sizeof(set->ids[0]));
    set->ids[at] = id;
    set->count++;
}

size_t stream_set_index(const struct stream_set *set, int64_t id)
{
    size_t at = lower_bound(set, id);
    return at < set->count && set->ids[at] == id ? at : set->count;
}

void tid_pool_init(struct tid_pool *pool, const struct stream_set *first, const struct stream_set *second)
{
    pool->streams[0] = first;
    pool->streams[1] = second;
    pool->next = 0;
    /* Small numbers for viewers that keep them in 32 bits, whatever a damaged stream id says. */
    const int64_t largest = INT32_MAX / 2;
    for (size_t s = 0; s < 2; s++) {
        size_t count = pool->streams[s] == NULL ? 0 : pool->streams[s]->count;
        for (size_t i = 0; i < count; i++) {
            int64_t id = pool->streams[s]->ids[i];
            if (id >= pool->next && id < largest)
                pool->next = id + 1;
        }
    }
}

int64_t tid_pool_take(struct tid_pool *pool, size_t width)
{
    int64_t first = pool->next;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t s = 0; s < 2; s++) {
            const struct stream_set *set = pool->streams[s];
            size_t at = set == NULL ? 0 : lower_bound(set, first);
            while (set != NULL && at < set->count && set->ids[at] - first < (int64_t)width) {
                first = set->ids[at++] + 1;
                moved = true;
            }
        }
    }
    pool->next = first + (int64_t)width;
    return first;
}

size_t lanes_take(struct lanes *lanes, int64_t start_ns, int64_t end_ns)
{
    for (size_t i = 0; i < lanes->count; i++) {
        if (lanes->ends[i] <= start_ns) {
            lanes->ends[i] = end_ns;
            return i;
        }
    }
    if (lanes->count == LANES_MAX)
        return LANES_MAX;
    lanes->ends[lanes->count] = end_ns;
    return lanes->count++;
}

int stream_threads_init(struct stream_threads *threads, const struct stream_set *streams,
                        const struct stream_set *avoid, struct tid_pool *pool, struct err *err)
{
    struct stream_lanes **lanes = calloc(streams->count + 1, sizeof(*lanes));
    if (lanes == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu streams", streams->count);
    *threads = (struct stream_threads){.streams = streams, .pool = pool, .avoid = avoid, .lanes = lanes};
    return 0;
}

void stream_threads_release(struct stream_threads *threads)
{
    if (threads->lanes == NULL)
        return;
    for (size_t i = 0; i <= threads->streams->count; i++)
        free(threads->lanes[i]);
    free(threads->lanes);
    threads->lanes = NULL;
}

static struct stream_lanes *stream_lanes_new(struct err *err)
{
    struct stream_lanes *lanes = malloc(sizeof(*lanes));
    if (lanes == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a stream's threads");
        return NULL;
    }
    lanes->lanes.count = 0;
    for (size_t i = 0; i <= LANES_MAX; i++)
        lanes->tids[i] = -1;
    return lanes;
}

/* Whether the stream's number belongs to others. */
static bool clashes(const struct stream_threads *threads, size_t index)
{
    if (threads->avoid == NULL || index == threads->streams->count)
        return false;
    return stream_set_index(threads->avoid, threads->streams->ids[index]) < threads->avoid->count;
}

/* The stream's own number for its first thread, where it has one that nobody else uses. */
static int64_t new_tid(struct stream_threads *threads, size_t index, size_t lane)
{
    bool own = lane == 0 && index < threads->streams->count && threads->streams->ids[index] >= 0;
    return own && !clashes(threads, index) ? threads->streams->ids[index] : tid_pool_take(threads->pool, 1);
}

/* A stream's lanes, made when they are first asked for; NULL with err set. */
static struct stream_lanes *lanes_of(struct stream_threads *threads, size_t index, struct err *err)
{
    if (threads->lanes[index] == NULL)
        threads->lanes[index] = stream_lanes_new(err);
    return threads->lanes[index];
}

int stream_threads_number(struct stream_threads *threads, struct err *err)
{
    for (size_t i = 0; i < threads->streams->count + threads->streams->overflowed; i++) {
        struct stream_lanes *lanes = lanes_of(threads, i, err);
        if (lanes == NULL)
            return -(int)err->code;
        lanes->tids[0] = new_tid(threads, i, 0);
    }
    return 0;
}

int64_t stream_threads_first(const struct stream_threads *threads, size_t index)
{
    return threads->lanes[index]->tids[0];
}

int stream_threads_place(struct stream_threads *threads, int64_t stream_id, int64_t start_ns, int64_t duration_ns,
                         int64_t *ret_tid, bool *ret_instant, struct err *err)
{
    size_t index = stream_set_index(threads->streams, stream_id);
    struct stream_lanes *lanes = lanes_of(threads, index, err);
    if (lanes == NULL)
        return -(int)err->code;
    size_t lane = lanes_take(&lanes->lanes, start_ns, span_end(start_ns, duration_ns));
    if (lanes->tids[lane] == -1)
        lanes->tids[lane] = new_tid(threads, index, lane);
    *ret_tid = lanes->tids[lane];
    *ret_instant = lane == LANES_MAX;
    return 0;
}

static void write_thread(struct trace *trace, int64_t tid, int64_t sort_index, const struct stream_set *streams,
                         size_t index, const char *suffix, size_t lane)
{
    char stream[32] = "Other streams", place[32] = "", name[TRACE_THREAD_NAME_MAX];
    if (index < streams->count && streams->ids[index] == DB_NULL)
        snprintf(stream, sizeof(stream), "Stream N/A");
    else if (index < streams->count)
        snprintf(stream, sizeof(stream), "Stream %lld", (long long)streams->ids[index]);
    if (lane == LANES_MAX)
        snprintf(place, sizeof(place), " (more)");
    else if (lane > 0)
        snprintf(place, sizeof(place), " (%zu)", lane + 1);
    snprintf(name, sizeof(name), "%s%s%s", stream, suffix, place);
    trace_name_thread(trace, 0, tid, sort_index, name);
}

int64_t stream_threads_write(const struct stream_threads *threads, struct trace *trace, int64_t first_sort_index,
                             const char *clash_suffix)
{
    int64_t sort_index = first_sort_index;
    for (size_t i = 0; i <= threads->streams->count; i++) {
        const struct stream_lanes *lanes = threads->lanes[i];
        const char *suffix = clashes(threads, i) ? clash_suffix : "";
        for (size_t lane = 0; lanes != NULL && lane <= LANES_MAX; lane++) {
            if (lanes->tids[lane] != -1)
                write_thread(trace, lanes->tids[lane], sort_index++, threads->streams, i, suffix, lane);
        }
    }
    return sort_index;
}
