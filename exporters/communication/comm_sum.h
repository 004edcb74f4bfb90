/* SPDX-License-Identifier: Apache-2.0 */
/* How the time of communication operators went, and what went over which link, as the frameworks' own analyses sum it
 * up: in doubles, step by step, so that every number is theirs to the last bit. The capture's own analysis goes through
 * the same steps (analysis/collective.h), and is exact instead. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMM_SUM_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMM_SUM_H

#include "analysis/collective.h"
#include "base/map.h"

#include <stdbool.h>

/* Packets of one size. */
struct comm_packets {
    int64_t bytes;
    int64_t count;
    double ms;
};

struct comm_traffic {
    double mb, ms;
    int64_t packets, large;
    struct map sizes; /* struct comm_packets */
};

struct comm_sum {
    int64_t start_ns;
    double elapse_ms, transit_ms, wait_ms, synchronization_ms, idle_ms;
    struct comm_traffic links[MEDIUM_LOCAL];
};

/* The sum of what one source gave one destination. */
struct comm_transfer_sum {
    int64_t source, destination;
    const char *transport; /* NULL: of no known kind */
    double mb, ms;
};

void comm_sum_init(struct comm_sum *sum);
void comm_sum_release(struct comm_sum *sum);
/* Sums up the tasks of one operator: its name tells how long a burst of RDMA is. */
int comm_sum_make(struct comm_sum *sum, const char *name, const struct collective_tasks *tasks, struct err *err);
/* Adds another's times and traffic. */
int comm_sum_add(struct comm_sum *sum, const struct comm_sum *other, struct err *err);

struct comm_transfer_sums {
    struct comm_transfer_sum *items; /* in the order of their first appearance */
    size_t count, capacity;
};
int comm_transfers_make(struct comm_transfer_sums *sums, const char *name, const struct collective_tasks *tasks,
                        struct err *err);

/* Whether an operator of this name sends or receives between two ranks. */
bool communication_is_point_to_point(const char *name);

/* a / (a + b), four decimals; 0 of nothing. */
double comm_ratio(double a, double b);
/* MB and ms to GB/s, four decimals. */
double comm_bandwidth(double mb, double ms);
#define COMM_BYTES_PER_MB 1e6
/* The share of large packets, four decimals. */
double comm_large_ratio(const struct comm_traffic *traffic);
/* Its packets by size, to be freed; NULL with err set. */
const struct comm_packets **comm_sorted_packets(const struct comm_traffic *traffic, size_t *ret_count, struct err *err);
/* To four decimals, as the nearest double. */
double comm_rounded(double value);

#endif
