/* SPDX-License-Identifier: Apache-2.0 */
/* Unified buffers, block by block: MemoryUB.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("ub_read_bw_vector", "ub_read_bw_vector", MILLIONTHS, "Unified buffer, read by the vector unit",            \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_write_bw_vector", "ub_write_bw_vector", MILLIONTHS, "Unified buffer, write by the vector unit",         \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_read_bw_scalar", "ub_read_bw_scalar", MILLIONTHS, "Unified buffer, read by the scalar unit",            \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_write_bw_scalar", "ub_write_bw_scalar", MILLIONTHS, "Unified buffer, write by the scalar unit",         \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_read_bw_gm", "ub_read_bw_gm", MILLIONTHS, "Unified buffer, read by main memory",                        \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_write_bw_gm", "ub_write_bw_gm", MILLIONTHS, "Unified buffer, write by main memory",                     \
           "In millionths of 2^30 bytes a second.")

METRIC_KIND(opprof_ub, "MemoryUB", "Unified buffer of a block", "Bandwidth of the unified buffer of a vector core.");
