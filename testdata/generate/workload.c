/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata/generate/workload.h"

#include "testdata/generate/random.h"

#define MACS_PER_CYCLE 3600 /* 4096, at the usual 88 per cent */
#define VECTOR_OPS_PER_CYCLE 128
#define MOVES_PER_CYCLE 48
#define DDR_BYTES_PER_CYCLE 18 /* 10.8 GB/s at 600 MHz */
#define START_CYCLES 900       /* to fetch the task and to fill the pipelines */
#define TICK 100

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

/* value times 0.98 to 1.02 */
static uint64_t vary(uint64_t value, uint64_t *random)
{
    return value * random_between(random, 9800, 10200) / 10000;
}

void workload_measure(const struct network_task *task, uint64_t batch, uint64_t random, struct workload *ret)
{
    uint64_t mac = vary(task->macs * batch / MACS_PER_CYCLE, &random);
    uint64_t vector = vary(task->vector_ops * batch / VECTOR_OPS_PER_CYCLE, &random);
    uint64_t moves = vary(task->rearranged * batch / MOVES_PER_CYCLE, &random);
    uint64_t load = vary(task->read * batch / DDR_BYTES_PER_CYCLE, &random);
    uint64_t store = vary(task->write * batch / DDR_BYTES_PER_CYCLE, &random);
    uint64_t weights = vary(task->weights / DDR_BYTES_PER_CYCLE, &random);
    uint64_t slowest = largest(largest(mac, vector), largest(load + store + weights, moves));
    uint64_t total = vary(slowest * 103 / 100, &random) + START_CYCLES;
    total = (largest(total, slowest) + TICK - 1) / TICK * TICK;
    *ret = (struct workload){
        .total_cycle = total,
        .cycles = {[MAC_BUSY] = mac,
                   [MAC_PPEN] = mac * 99 / 100,
                   [VEC_BUSY] =
                       mac > 0 ? largest(total - START_CYCLES / 4, vector) : vector, /* waits for the matrix unit */
                   [VEC_PPEN] = vector * 9 / 10,
                   [DSTR] = store,
                   [DTRANS] = moves,
                   [DLD] = load,
                   [WLD] = weights},
        .ddr_read_bytes = task->read * batch + task->weights,
        .ddr_write_bytes = task->write * batch,
    };
    for (int i = 0; i < CYCLE_KINDS; i++)
        ret->cycles[i] = at_most(ret->cycles[i], total);
}
