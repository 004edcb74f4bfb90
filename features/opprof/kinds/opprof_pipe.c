/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes of cores, block by block: PipeUtilization.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("cube_time_ps", "cube_time", MILLIONTHS, "The cube unit time",                                              \
           "How long the cube unit was busy, in picoseconds.")                                                         \
    METRIC("cube_ratio", "cube_ratio", MILLIONTHS, "The cube unit ratio",                                              \
           "Share of the time that the file gives the cube unit, in millionths.")                                      \
    METRIC("vec_time_ps", "vec_time", MILLIONTHS, "The vector unit time",                                              \
           "How long the vector unit was busy, in picoseconds.")                                                       \
    METRIC("vec_ratio", "vec_ratio", MILLIONTHS, "The vector unit ratio",                                              \
           "Share of the time that the file gives the vector unit, in millionths.")                                    \
    METRIC("scalar_time_ps", "scalar_time", MILLIONTHS, "The scalar unit time",                                        \
           "How long the scalar unit was busy, in picoseconds.")                                                       \
    METRIC("scalar_ratio", "scalar_ratio", MILLIONTHS, "The scalar unit ratio",                                        \
           "Share of the time that the file gives the scalar unit, in millionths.")                                    \
    METRIC("mte1_time_ps", "mte1_time", MILLIONTHS, "MTE1 time", "How long MTE1 was busy, in picoseconds.")            \
    METRIC("mte1_ratio", "mte1_ratio", MILLIONTHS, "MTE1 ratio",                                                       \
           "Share of the time that the file gives MTE1, in millionths.")                                               \
    METRIC("mte1_active_bw", "mte1_active_bw", MILLIONTHS, "MTE1 bandwidth when active",                               \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("mte2_time_ps", "mte2_time", MILLIONTHS, "MTE2 time", "How long MTE2 was busy, in picoseconds.")            \
    METRIC("mte2_ratio", "mte2_ratio", MILLIONTHS, "MTE2 ratio",                                                       \
           "Share of the time that the file gives MTE2, in millionths.")                                               \
    METRIC("mte2_active_bw", "mte2_active_bw", MILLIONTHS, "MTE2 bandwidth when active",                               \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("mte3_time_ps", "mte3_time", MILLIONTHS, "MTE3 time", "How long MTE3 was busy, in picoseconds.")            \
    METRIC("mte3_ratio", "mte3_ratio", MILLIONTHS, "MTE3 ratio",                                                       \
           "Share of the time that the file gives MTE3, in millionths.")                                               \
    METRIC("mte3_active_bw", "mte3_active_bw", MILLIONTHS, "MTE3 bandwidth when active",                               \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("fixpipe_time_ps", "fixpipe_time", MILLIONTHS, "FIXPIPE time",                                              \
           "How long FIXPIPE was busy, in picoseconds.")                                                               \
    METRIC("fixpipe_ratio", "fixpipe_ratio", MILLIONTHS, "FIXPIPE ratio",                                              \
           "Share of the time that the file gives FIXPIPE, in millionths.")                                            \
    METRIC("fixpipe_active_bw", "fixpipe_active_bw", MILLIONTHS, "FIXPIPE bandwidth when active",                      \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("icache_miss_rate", "icache_miss_rate", MILLIONTHS, "Instruction cache misses",                             \
           "Misses of the instruction cache by its requests, in millionths.")                                          \
    METRIC("scalar_single_ps", "scalar_single_time", MILLIONTHS, "Scalar alone",                                       \
           "Time of the scalar unit, alone, in picoseconds.")                                                          \
    METRIC("scalar_dual_ps", "scalar_dual_time", MILLIONTHS, "Scalar two at once",                                     \
           "Time of the scalar unit, two at once, in picoseconds.")                                                    \
    METRIC("scalar_mte1_stall_ps", "scalar_mte1_stall_time", MILLIONTHS, "Scalar stalled by MTE1",                     \
           "Time of the scalar unit, stalled by MTE1, in picoseconds.")                                                \
    METRIC("scalar_mte2_stall_ps", "scalar_mte2_stall_time", MILLIONTHS, "Scalar stalled by MTE2",                     \
           "Time of the scalar unit, stalled by MTE2, in picoseconds.")                                                \
    METRIC("scalar_mte3_stall_ps", "scalar_mte3_stall_time", MILLIONTHS, "Scalar stalled by MTE3",                     \
           "Time of the scalar unit, stalled by MTE3, in picoseconds.")                                                \
    METRIC("scalar_cube_stall_ps", "scalar_cube_stall_time", MILLIONTHS, "Scalar stalled by the cube unit",            \
           "Time of the scalar unit, stalled by the cube unit, in picoseconds.")                                       \
    METRIC("scalar_vector_stall_ps", "scalar_vector_stall_time", MILLIONTHS, "Scalar stalled by the vector unit",      \
           "Time of the scalar unit, stalled by the vector unit, in picoseconds.")                                     \
    METRIC("scalar_stall_by_ub_ps", "scalar_stall_by_ub_time", MILLIONTHS, "Scalar stalled by the unified buffer",     \
           "Time of the scalar unit, stalled by the unified buffer, in picoseconds.")                                  \
    METRIC("scalar_wait_ib_ps", "scalar_wait_ib_time", MILLIONTHS, "Scalar waiting for the instruction buffer",        \
           "Time of the scalar unit, waiting for the instruction buffer, in picoseconds.")                             \
    METRIC("scalar_wait_ps", "scalar_wait_time", MILLIONTHS, "Scalar waiting",                                         \
           "Time of the scalar unit, waiting, in picoseconds.")

METRIC_KIND(opprof_pipe, "PipeUtilization", "Pipes of a block",
            "How long each pipe of a core was busy with a block, and at which bandwidth.");
