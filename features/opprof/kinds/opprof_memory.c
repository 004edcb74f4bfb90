/* SPDX-License-Identifier: Apache-2.0 */
/* Paths between memories, block by block: Memory.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("l1_read_bw", "l1_read_bw", MILLIONTHS, "L1 read", "In millionths of 2^30 bytes a second.")                 \
    METRIC("l1_write_bw", "l1_write_bw", MILLIONTHS, "L1 write", "In millionths of 2^30 bytes a second.")              \
    METRIC("main_mem_read_bw", "main_mem_read_bw", MILLIONTHS, "Main memory read",                                     \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("main_mem_write_bw", "main_mem_write_bw", MILLIONTHS, "Main memory write",                                  \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("ub_to_gm_bw", "ub_to_gm_bw", MILLIONTHS, "Unified buffer to main memory",                                  \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("gm_to_ub_bw", "gm_to_ub_bw", MILLIONTHS, "Main memory to unified buffer",                                  \
           "In millionths of 2^30 bytes a second.")                                                                    \
    METRIC("mte1_instructions", "mte1_instructions", WHOLE, "MTE1 instructions", "Instructions of the pipe.")          \
    METRIC("mte1_ratio", "mte1_ratio", MILLIONTHS, "MTE1 ratio",                                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("mte2_instructions", "mte2_instructions", WHOLE, "MTE2 instructions", "Instructions of the pipe.")          \
    METRIC("mte2_ratio", "mte2_ratio", MILLIONTHS, "MTE2 ratio",                                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("mte3_instructions", "mte3_instructions", WHOLE, "MTE3 instructions", "Instructions of the pipe.")          \
    METRIC("mte3_ratio", "mte3_ratio", MILLIONTHS, "MTE3 ratio",                                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("read_main_memory_bytes", "read_main_memory_datas", KILOBYTES, "Bytes read of the main memory", "Bytes.")   \
    METRIC("write_main_memory_bytes", "write_main_memory_datas", KILOBYTES, "Bytes written to the main memory",        \
           "Bytes.")                                                                                                   \
    METRIC("gm_to_l1_bytes", "GM_to_L1_datas", KILOBYTES, "Bytes from main memory to L1", "Bytes.")                    \
    METRIC("gm_to_l1_usage", "GM_to_L1_bw_usage_rate", MILLIONTHS, "Bandwidth used from main memory to L1",            \
           "Percent of the peak of the path that the file is written by, in millionths.")                              \
    METRIC("l1_to_gm_bytes", "L1_to_GM_datas", KILOBYTES, "Bytes from L1 to main memory", "Bytes.")                    \
    METRIC("l1_to_gm_usage", "L1_to_GM_bw_usage_rate", MILLIONTHS, "Bandwidth used from L1 to main memory",            \
           "Percent of the peak of the path that the file is written by, in millionths.")                              \
    METRIC("l0c_to_l1_bytes", "L0C_to_L1_datas", KILOBYTES, "Bytes from L0C to L1", "Bytes.")                          \
    METRIC("l0c_to_l1_usage", "L0C_to_L1_bw_usage_rate", MILLIONTHS, "Bandwidth used from L0C to L1",                  \
           "Percent of the peak of the path that the file is written by, in millionths.")                              \
    METRIC("l0c_to_gm_bytes", "L0C_to_GM_datas", KILOBYTES, "Bytes from L0C to main memory", "Bytes.")                 \
    METRIC("l0c_to_gm_usage", "L0C_to_GM_bw_usage_rate", MILLIONTHS, "Bandwidth used from L0C to main memory",         \
           "Percent of the peak of the path that the file is written by, in millionths.")                              \
    METRIC("gm_to_ub_bytes", "GM_to_UB_datas", KILOBYTES, "Bytes from main memory to the unified buffer", "Bytes.")    \
    METRIC("gm_to_ub_usage", "GM_to_UB_bw_usage_rate", MILLIONTHS,                                                     \
           "Bandwidth used from main memory to the unified buffer",                                                    \
           "Percent of the peak of the path that the file is written by, in millionths.")                              \
    METRIC("ub_to_gm_bytes", "UB_to_GM_datas", KILOBYTES, "Bytes from the unified buffer to main memory", "Bytes.")    \
    METRIC("ub_to_gm_usage", "UB_to_GM_bw_usage_rate", MILLIONTHS,                                                     \
           "Bandwidth used from the unified buffer to main memory",                                                    \
           "Percent of the peak of the path that the file is written by, in millionths.")

METRIC_KIND(opprof_memory, "Memory", "Memory of a block", "Bytes and bandwidth of the paths between memories.");
