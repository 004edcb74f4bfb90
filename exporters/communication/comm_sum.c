/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/comm_sum.h"

#include "base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS 1e6

void comm_sum_init(struct comm_sum *sum)
{
    *sum = (struct comm_sum){.start_ns = INT64_MAX};
    for (int i = 0; i < MEDIUM_LOCAL; i++)
        sum->links[i].sizes = (struct map)MAP_OF(struct comm_packets, bytes);
}

void comm_sum_release(struct comm_sum *sum)
{
    for (int i = 0; i < MEDIUM_LOCAL; i++)
        map_release(&sum->links[i].sizes);
}

double comm_rounded(double value)
{
    enum { SCALE = 10000 };
    char text[400];
    double scaled = value * SCALE, whole = nearbyint(scaled);
    /* Neither near the middle of two nor so long that this cannot be seen. */
    if (fabs(scaled) < 1e9 && fabs(fabs(scaled - whole) - 0.5) > 1e-6)
        return whole / SCALE;
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

static int add_packet(struct comm_sum *sum, enum collective_medium link, int64_t bytes, double ms, struct err *err)
{
    struct comm_traffic *traffic = &sum->links[link];
    const struct comm_packets packets = {bytes, 1, ms};
    double mb = (double)bytes / COMM_BYTES_PER_MB;
    traffic->mb += mb;
    traffic->ms += ms;
    traffic->packets++;
    traffic->large += collective_is_large(link, bytes);
    return add_packets(traffic, &packets, err);
}

bool communication_is_point_to_point(const char *name)
{
    return strcasestr(name, "send") != NULL || strcasestr(name, "receive") != NULL;
}

/* ---- times and traffic ---- */

struct summing {
    struct comm_sum *sum;
    bool moved; /* on the main plane, up to now */
};

static void sum_times(struct summing *summing, const struct collective_step *step)
{
    struct comm_sum *sum = summing->sum;
    if (collective_transits(step)) {
        sum->transit_ms += ms_of(step->ns);
        summing->moved = true;
    } else if (step->kind == COLLECTIVE_WAIT) {
        sum->wait_ms += ms_of(step->ns);
        sum->synchronization_ms += summing->moved ? 0 : ms_of(step->ns);
    }
}

static int sum_step(void *arg, const struct collective_step *step, struct err *err)
{
    struct summing *summing = arg;
    if (step->of_main)
        sum_times(summing, step);
    return collective_transits(step) ? add_packet(summing->sum, step->medium, step->bytes, ms_of(step->ns), err) : 0;
}

int comm_sum_make(struct comm_sum *sum, const char *name, const struct collective_tasks *tasks, struct err *err)
{
    static const enum collective_medium over_sdma[] = {MEDIUM_HCCS, MEDIUM_PCIE, MEDIUM_SIO};
    struct summing summing = {.sum = sum};
    for (size_t i = 0; i < tasks->count; i++) {
        const struct collective_task *task = &tasks->items[i];
        if (task->master && task->start_ns < sum->start_ns)
            sum->start_ns = task->start_ns;
    }
    if (sum->start_ns == INT64_MAX)
        return 0;
    int status =
        collective_walk(tasks, communication_is_point_to_point(name), PLANES_BY_APPEARANCE, sum_step, &summing, err);
    sum->elapse_ms = ms_of(collective_end_ns(tasks) - sum->start_ns);
    sum->idle_ms = sum->elapse_ms - sum->transit_ms - sum->wait_ms;
    for (size_t i = 0; i < sizeof over_sdma / sizeof *over_sdma; i++) {
        sum->links[MEDIUM_SDMA].mb += sum->links[over_sdma[i]].mb;
        sum->links[MEDIUM_SDMA].ms += sum->links[over_sdma[i]].ms;
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
    for (int i = 0; status == 0 && i < MEDIUM_LOCAL; i++) {
        sum->links[i].mb += other->links[i].mb;
        sum->links[i].ms += other->links[i].ms;
        for (const struct comm_packets *packets = map_next(&other->links[i].sizes, NULL);
             status == 0 && packets != NULL; packets = map_next(&other->links[i].sizes, packets))
            status = add_packets(&sum->links[i], packets, err);
    }
    return status;
}

/* ---- who gave whom ---- */

/* Adds what moved, on a chip too. */
static int add_transfer(void *arg, const struct collective_step *step, struct err *err)
{
    struct comm_transfer_sums *sums = arg;
    const struct collective_task *task = step->tasks[0];
    int64_t destination = task->remote_rank == COLLECTIVE_NO_RANK ? task->local_rank : task->remote_rank;
    size_t place = 0;
    if ((step->kind != COLLECTIVE_COPY && step->kind != COLLECTIVE_PAYLOAD) || task->local_rank == COLLECTIVE_NO_RANK)
        return 0;
    while (place < sums->count &&
           (sums->items[place].source != task->local_rank || sums->items[place].destination != destination))
        place++;
    if (place == sums->count) {
        if (array_reserve(sums, 1, err) < 0)
            return -(int)err->code;
        sums->items[sums->count++] = (struct comm_transfer_sum){.source = task->local_rank, .destination = destination};
    }
    sums->items[place].transport = step->medium != MEDIUM_SDMA ? collective_media[step->medium] : NULL;
    sums->items[place].mb += (double)step->bytes / COMM_BYTES_PER_MB;
    sums->items[place].ms += ms_of(step->ns);
    return 0;
}

int comm_transfers_make(struct comm_transfer_sums *sums, const char *name, const struct collective_tasks *tasks,
                        struct err *err)
{
    return collective_walk(tasks, communication_is_point_to_point(name), PLANES_BY_APPEARANCE, add_transfer, sums, err);
}
