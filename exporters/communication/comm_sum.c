/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/comm_sum.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS 1e6

enum { ON_CHIP = 0, LINK_HCCS = 1, LINK_PCIE = 2, LINK_SIO = 4, LINK_HCCS_SW = 5 };

_Static_assert((int)COMM_RDMA == (int)MEDIUM_RDMA && (int)COMM_SIO == (int)MEDIUM_SIO &&
                   (int)COMM_LINKS == (int)MEDIUM_LOCAL,
               "links are named as media are");
/* A packet above so many MB is a large one; 0: none is. */
static const double large_mb[COMM_LINKS] = {0.5, 32, 32, 0, 32};

void comm_sum_init(struct comm_sum *sum)
{
    *sum = (struct comm_sum){.start_ns = INT64_MAX};
    for (int i = 0; i < COMM_LINKS; i++)
        sum->links[i].sizes = (struct map)MAP_OF(struct comm_packets, bytes);
}

void comm_sum_release(struct comm_sum *sum)
{
    for (int i = 0; i < COMM_LINKS; i++)
        map_release(&sum->links[i].sizes);
}

double comm_rounded(double value)
{
    char text[400];
    snprintf(text, sizeof text, "%.4f", value);
    return strtod(text, NULL);
}

double comm_ratio(double a, double b)
{
    return a + b > 0 ? comm_rounded(a / (a + b)) : 0;
}

double comm_bandwidth(double mb, double ms)
{
    return ms > 0 ? comm_rounded(mb / 1000 / (ms / 1000)) : 0;
}

double comm_large_ratio(const struct comm_traffic *traffic)
{
    return traffic->packets > 0 ? comm_rounded((double)traffic->large / (double)traffic->packets) : 0;
}

static int compare_packets(const void *a, const void *b)
{
    const struct comm_packets *x = *(const struct comm_packets *const *)a, *y = *(const struct comm_packets *const *)b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

const struct comm_packets **comm_sorted_packets(const struct comm_traffic *traffic, size_t *ret_count, struct err *err)
{
    const struct comm_packets **sorted = calloc(traffic->sizes.used + 1, sizeof(const struct comm_packets *));
    *ret_count = 0;
    if (sorted == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for sizes of packets");
        return NULL;
    }
    for (const struct comm_packets *packets = map_next(&traffic->sizes, NULL); packets != NULL;
         packets = map_next(&traffic->sizes, packets))
        sorted[(*ret_count)++] = packets;
    array_sort(sorted, *ret_count, sizeof(const struct comm_packets *), compare_packets);
    return sorted;
}

static double ms_of(int64_t ns)
{
    return (double)ns / NS_PER_MS;
}

static int add_packets(struct comm_traffic *traffic, const struct comm_packets *packets, struct err *err)
{
    struct comm_packets *item = map_add(&traffic->sizes, &packets->bytes, NULL, err);
    if (item == NULL)
        return -(int)err->code;
    item->count += packets->count;
    item->ms += packets->ms;
    return 0;
}

static int add_packet(struct comm_sum *sum, enum comm_link link, int64_t bytes, double ms, struct err *err)
{
    struct comm_traffic *traffic = &sum->links[link];
    const struct comm_packets packets = {bytes, 1, ms};
    double mb = (double)bytes / COMM_BYTES_PER_MB;
    traffic->mb += mb;
    traffic->ms += ms;
    traffic->packets++;
    traffic->large += large_mb[link] > 0 && mb > large_mb[link];
    return add_packets(traffic, &packets, err);
}

/* ---- bursts of RDMA: payloads, then what ends them ---- */

struct burst {
    size_t length; /* tasks in all; 0: none */
    int64_t bytes, start_ns, end_ns;
};

static bool is_point_to_point(const char *name)
{
    return strcasestr(name, "send") != NULL || strcasestr(name, "receive") != NULL;
}

/* The next task of the same plane, behind i; count: none. */
static size_t next_on_plane(const struct comm_tasks *tasks, size_t i, int64_t plane)
{
    do
        i++;
    while (i < tasks->count && tasks->items[i].plane != plane);
    return i;
}

/* Leaves *i at its last task. */
static struct burst take_burst(const char *name, const struct comm_tasks *tasks, size_t *i)
{
    const struct comm_task *first = &tasks->items[*i];
    struct burst burst = {.start_ns = first->start_ns};
    size_t at = *i, last = *i, closing = is_point_to_point(name) ? 2 : 4;
    while (at < tasks->count && tasks->items[at].payload) {
        burst.bytes += tasks->items[at].bytes;
        last = at;
        at = next_on_plane(tasks, at, first->plane);
    }
    for (size_t k = 0; k < closing; k++) {
        if (at >= tasks->count)
            return burst; /* not all there: it does not count */
        last = at;
        at = next_on_plane(tasks, at, first->plane);
    }
    burst.length = 1;
    burst.end_ns = tasks->items[last].start_ns + tasks->items[last].duration_ns;
    *i = last;
    return burst;
}

/* ---- times ---- */

static bool transits(const struct comm_task *task)
{
    return task->moves && task->link_type != ON_CHIP;
}

static void sum_times(struct comm_sum *sum, const char *name, const struct comm_tasks *tasks, int64_t plane)
{
    int64_t last_end_ns = INT64_MIN;
    bool moved = false;
    for (size_t i = 0; i < tasks->count; i++) {
        const struct comm_task *task = &tasks->items[i];
        if (task->plane == plane && task->start_ns + task->duration_ns > last_end_ns)
            last_end_ns = task->start_ns + task->duration_ns;
    }
    for (size_t i = 0; i < tasks->count; i++) {
        const struct comm_task *task = &tasks->items[i];
        if (task->plane != plane)
            continue;
        if (task->payload) {
            struct burst burst = take_burst(name, tasks, &i);
            if (burst.length > 0)
                sum->transit_ms += ms_of(burst.end_ns - burst.start_ns);
            moved |= burst.length > 0;
        } else if (transits(task)) {
            sum->transit_ms += ms_of(task->duration_ns);
            moved = true;
        } else if (task->waits) {
            sum->wait_ms += ms_of(task->duration_ns);
            sum->synchronization_ms += moved ? 0 : ms_of(task->duration_ns);
        }
    }
    sum->elapse_ms = ms_of(last_end_ns - sum->start_ns);
    sum->idle_ms = sum->elapse_ms - sum->transit_ms - sum->wait_ms;
}

/* ---- traffic ---- */

static enum comm_link link_of(const struct comm_task *task)
{
    switch (task->link_type) {
    case LINK_HCCS:
    case LINK_HCCS_SW:
        return COMM_HCCS;
    case LINK_PCIE:
        return COMM_PCIE;
    case LINK_SIO:
        return COMM_SIO;
    default:
        return COMM_SDMA;
    }
}

/* Calls of one plane after the other, in the order of their first tasks. */
static int each_plane(const struct comm_tasks *tasks, int (*each)(void *arg, int64_t plane, struct err *err), void *arg,
                      struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < tasks->count; i++) {
        size_t before = 0;
        while (before < i && tasks->items[before].plane != tasks->items[i].plane)
            before++;
        if (before == i)
            status = each(arg, tasks->items[i].plane, err);
    }
    return status;
}

struct summing {
    struct comm_sum *sum;
    struct comm_transfer_sums *transfers;
    const char *name;
    const struct comm_tasks *tasks;
};

/* What moved: one task, or a burst of RDMA, which counts as one. */
struct move {
    const struct comm_task *task; /* of a burst the first */
    bool rdma;
    int64_t bytes;
    double ms;
};

/* The moves of one plane, in order. */
static int each_move(const struct summing *summing, int64_t plane, bool (*moves)(const struct comm_task *task),
                     int (*take)(const struct summing *summing, const struct move *move, struct err *err),
                     struct err *err)
{
    const struct comm_tasks *tasks = summing->tasks;
    int status = 0;
    for (size_t i = 0; status == 0 && i < tasks->count; i++) {
        const struct comm_task *task = &tasks->items[i];
        if (task->plane != plane)
            continue;
        if (task->payload) {
            struct burst burst = take_burst(summing->name, tasks, &i);
            const struct move move = {task, true, burst.bytes, ms_of(burst.end_ns - burst.start_ns)};
            if (burst.length > 0)
                status = take(summing, &move, err);
        } else if (moves(task)) {
            status = take(summing, &(struct move){task, false, task->bytes, ms_of(task->duration_ns)}, err);
        }
    }
    return status;
}

static int add_traffic(const struct summing *summing, const struct move *move, struct err *err)
{
    return add_packet(summing->sum, move->rdma ? COMM_RDMA : link_of(move->task), move->bytes, move->ms, err);
}

static int sum_traffic(void *arg, int64_t plane, struct err *err)
{
    return each_move(arg, plane, transits, add_traffic, err);
}

static struct collective_place place_of(const void *tasks, size_t i)
{
    const struct comm_task *task = (const struct comm_task *)tasks + i;
    return (struct collective_place){task->plane, task->master, task->payload || transits(task)};
}

int comm_sum_make(struct comm_sum *sum, const char *name, const struct comm_tasks *tasks, struct err *err)
{
    static const enum comm_link over_sdma[] = {COMM_HCCS, COMM_PCIE, COMM_SIO};
    struct summing summing = {sum, NULL, name, tasks};
    for (size_t i = 0; i < tasks->count; i++) {
        const struct comm_task *task = &tasks->items[i];
        if (task->master && task->start_ns < sum->start_ns)
            sum->start_ns = task->start_ns;
    }
    if (sum->start_ns == INT64_MAX)
        return 0;
    sum_times(sum, name, tasks, collective_main_plane(tasks->count, place_of, tasks->items));
    int status = each_plane(tasks, sum_traffic, &summing, err);
    for (size_t i = 0; i < sizeof over_sdma / sizeof *over_sdma; i++) {
        sum->links[COMM_SDMA].mb += sum->links[over_sdma[i]].mb;
        sum->links[COMM_SDMA].ms += sum->links[over_sdma[i]].ms;
    }
    return status;
}

int comm_sum_add(struct comm_sum *sum, const struct comm_sum *other, struct err *err)
{
    int status = 0;
    sum->elapse_ms += other->elapse_ms;
    sum->transit_ms += other->transit_ms;
    sum->wait_ms += other->wait_ms;
    sum->synchronization_ms += other->synchronization_ms;
    sum->idle_ms += other->idle_ms;
    for (int i = 0; status == 0 && i < COMM_LINKS; i++) {
        sum->links[i].mb += other->links[i].mb;
        sum->links[i].ms += other->links[i].ms;
        for (const struct comm_packets *packets = map_next(&other->links[i].sizes, NULL);
             status == 0 && packets != NULL; packets = map_next(&other->links[i].sizes, packets))
            status = add_packets(&sum->links[i], packets, err);
    }
    return status;
}

/* ---- who gave whom ---- */

static const char *transport_of(const struct comm_task *task)
{
    switch (task->link_type) {
    case ON_CHIP:
        return "LOCAL";
    case LINK_HCCS:
    case LINK_HCCS_SW:
        return "HCCS";
    case LINK_PCIE:
        return "PCIE";
    case LINK_SIO:
        return "SIO";
    default:
        return NULL;
    }
}

static int add_transfer(struct comm_transfer_sums *sums, const struct comm_task *task, const char *transport,
                        int64_t bytes, double ms, struct err *err)
{
    int64_t destination = task->remote_rank == COLLECTIVE_NO_RANK ? task->local_rank : task->remote_rank;
    size_t place = 0;
    if (task->local_rank == COLLECTIVE_NO_RANK)
        return 0;
    while (place < sums->count &&
           (sums->items[place].source != task->local_rank || sums->items[place].destination != destination))
        place++;
    if (place == sums->count) {
        if (array_reserve(sums, 1, err) < 0)
            return -(int)err->code;
        sums->items[sums->count++] = (struct comm_transfer_sum){.source = task->local_rank, .destination = destination};
    }
    sums->items[place].transport = transport;
    sums->items[place].mb += (double)bytes / COMM_BYTES_PER_MB;
    sums->items[place].ms += ms;
    return 0;
}

static bool is_moved(const struct comm_task *task)
{
    return task->moves;
}

static int add_moved(const struct summing *summing, const struct move *move, struct err *err)
{
    return add_transfer(summing->transfers, move->task, move->rdma ? "RDMA" : transport_of(move->task), move->bytes,
                        move->ms, err);
}

static int sum_transfers(void *arg, int64_t plane, struct err *err)
{
    return each_move(arg, plane, is_moved, add_moved, err);
}

int comm_transfers_make(struct comm_transfer_sums *sums, const char *name, const struct comm_tasks *tasks,
                        struct err *err)
{
    struct summing summing = {NULL, sums, name, tasks};
    return each_plane(tasks, sum_transfers, &summing, err);
}
