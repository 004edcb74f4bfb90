/* SPDX-License-Identifier: Apache-2.0 */
/* L0 buffers, block by block: MemoryL0.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("l0a_read_bw", "l0a_read_bw", MILLIONTHS, "L0A read", "In millionths of 2^30 bytes a second.")              \
    METRIC("l0a_write_bw", "l0a_write_bw", MILLIONTHS, "L0A write", "In millionths of 2^30 bytes a second.")           \
    METRIC("l0b_read_bw", "l0b_read_bw", MILLIONTHS, "L0B read", "In millionths of 2^30 bytes a second.")              \
    METRIC("l0b_write_bw", "l0b_write_bw", MILLIONTHS, "L0B write", "In millionths of 2^30 bytes a second.")           \
    METRIC("l0c_read_bw_cube", "l0c_read_bw_cube", MILLIONTHS, "L0C read by the cube unit",                            \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("l0c_write_bw_cube", "l0c_write_bw_cube", MILLIONTHS, "L0C write by the cube unit",                         \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("l0c_read_bw", "l0c_read_bw", MILLIONTHS, "L0C read", "In millionths of 2^30 bytes a second.")              \
    METRIC("l0c_write_bw", "l0c_write_bw", MILLIONTHS, "L0C write", "In millionths of 2^30 bytes a second.")

METRIC_KIND(opprof_l0, "MemoryL0", "L0 buffers of a block",
            "Bandwidth of the buffers L0A, L0B and L0C of the cube unit.");
