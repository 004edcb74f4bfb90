/* SPDX-License-Identifier: Apache-2.0 */
/* How long a task takes on a small NPU, and what its counters then show. */
#ifndef MSPROF_GENERATE_WORKLOAD_H
#define MSPROF_GENERATE_WORKLOAD_H

#include "testdata/generate/network.h"

#include <stdint.h>

enum { MAC_BUSY, MAC_PPEN, VEC_BUSY, VEC_PPEN, DSTR, DTRANS, DLD, WLD, CYCLE_KINDS };

/* Counters of one execution of one task. No cycle count exceeds total_cycle. */
struct workload {
    uint64_t total_cycle; /* a multiple of 100: the counter's tick */
    uint64_t cycles[CYCLE_KINDS];
    uint64_t ddr_read_bytes, ddr_write_bytes;
};

/* random varies the counters by a few per cent, as from one execution to the next. */
void workload_measure(const struct network_task *task, uint64_t batch, uint64_t random, struct workload *ret);

#endif
