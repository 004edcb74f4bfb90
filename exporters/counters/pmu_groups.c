/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/counters/pmu_groups.h"

#include <string.h>

#define OLD (1U << PMU_RULES_2022)
#define PYTHON (1U << PMU_RULES_PYTHON)
#define CORE (1U << PMU_RULES_CORE)
#define V6 (1U << PMU_RULES_V6)

#define PIPE_METRIC(of, label, ...)                                                                                    \
    {                                                                                                                  \
        .name = label, .formula = PIPE, .unit = (of), .events = { __VA_ARGS__ }                                        \
    }
#define SHARE_METRIC(label, ...)                                                                                       \
    {                                                                                                                  \
        .name = label, .formula = SHARE, .events = { __VA_ARGS__ }                                                     \
    }
#define BANDWIDTH_METRIC(label, event, p, s)                                                                           \
    {                                                                                                                  \
        .name = label "_bw(GB/s)", .formula = BANDWIDTH, .events = {event}, .pipe = (p), .size = (s)                   \
    }
#define MISS_RATE_METRIC                                                                                               \
    {                                                                                                                  \
        .name = "icache_miss_rate", .formula = MISS_RATE, .events = { 0x54, 0x55 }                                     \
    }
#define EXE_METRIC(label, event)                                                                                       \
    {                                                                                                                  \
        .name = label "_exe", .formula = PIPE, .events = { event }                                                     \
    }
#define KILOBYTES_METRIC(label, e0, w0, e1, w1)                                                                        \
    {                                                                                                                  \
        .name = label "_datas(KB)", .formula = KILOBYTES, .events = {e0, e1}, .eighths = { w0, w1 }                    \
    }

static const struct pmu_metric pipe_utilization[] = {
    PIPE_METRIC(PMU_VECTOR, "vec", 0x8),
    PIPE_METRIC(PMU_CUBE, "mac", 0xa),
    PIPE_METRIC(PMU_SCALAR, "scalar", 0x9),
    PIPE_METRIC(PMU_MTE1, "mte1", 0xb),
    PIPE_METRIC(PMU_MTE2, "mte2", 0xc),
    PIPE_METRIC(PMU_MTE3, "mte3", 0xd),
    MISS_RATE_METRIC,
    {.name = "memory_bound", .formula = MEMORY_BOUND, .events = {0xc, 0xa, 0x8}},
};
/* The core of 2026 has no memory_bound. */
#define PIPE_UTILIZATION_OF_CORE (sizeof pipe_utilization / sizeof *pipe_utilization - 1)

static const struct pmu_metric pipe_utilization_exct[] = {
    PIPE_METRIC(PMU_CUBE, "mac", 0x416, 0x417), PIPE_METRIC(PMU_SCALAR, "scalar", 0x9),
    PIPE_METRIC(PMU_MTE1, "mte1", 0x302),       PIPE_METRIC(PMU_MTE2, "mte2", 0xc),
    PIPE_METRIC(PMU_FIXPIPE, "fixpipe", 0x303), MISS_RATE_METRIC,
};

/* Time in which instructions were executed; chip 7 counts it unless it is asked for something else. */
static const struct pmu_metric pipeline_execute_utilization[] = {
    EXE_METRIC("vec", 0x12c),
    {.name = "mac_exe", .formula = PIPE, .events = {0x49, 0x4a}, .eighths = {8, 32}},
    EXE_METRIC("scalar", 0x9),
    EXE_METRIC("mte1", 0x302),
    EXE_METRIC("mte2", 0xc),
    EXE_METRIC("mte3", 0xd),
    EXE_METRIC("fixpipe", 0x303),
    {.name = "memory_bound", .formula = MEMORY_BOUND, .events = {0xc, 0x49, 0x12c, 0x4a}, .eighths = {8, 8, 8, 32}},
};

static const struct pmu_metric arithmetic_utilization[] = {
    SHARE_METRIC("mac_fp16", 0x49),
    SHARE_METRIC("mac_int8", 0x4a),
    SHARE_METRIC("vec_fp32", 0x4b),
    SHARE_METRIC("vec_fp16", 0x4c, 0x4d),
    SHARE_METRIC("vec_int32", 0x4e),
    SHARE_METRIC("vec_misc", 0x4f),
    {.name = "cube_fops", .formula = CUBE_FLOPS, .events = {0x49, 0x4a}},
    {.name = "vector_fops", .formula = VECTOR_FLOPS, .events = {0x4b, 0x4c, 0x4d, 0x4e, 0x4f}},
};

static const struct pmu_metric resource_conflict_ratio[] = {
    SHARE_METRIC("vec_bankgroup_cflt", 0x64),
    SHARE_METRIC("vec_bank_cflt", 0x65),
    SHARE_METRIC("vec_resc_cflt", 0x66),
};

static const struct pmu_metric memory_2022[] = {
    BANDWIDTH_METRIC("ub_read", 0x15, 256, 4),       BANDWIDTH_METRIC("ub_write", 0x16, 256, 4),
    BANDWIDTH_METRIC("l1_read", 0x31, 256, 16),      BANDWIDTH_METRIC("l1_write", 0x32, 128, 8),
    BANDWIDTH_METRIC("l2_read", 0xf, 256, 8),        BANDWIDTH_METRIC("l2_write", 0x10, 256, 8),
    BANDWIDTH_METRIC("main_mem_read", 0x12, 256, 8), BANDWIDTH_METRIC("main_mem_write", 0x13, 256, 8),
};
static const struct pmu_metric memory_python[] = {
    BANDWIDTH_METRIC("ub_read", 0x15, 256, 4),     BANDWIDTH_METRIC("ub_write", 0x16, 256, 4),
    BANDWIDTH_METRIC("l1_read", 0x31, 256, 16),    BANDWIDTH_METRIC("l1_write", 0x32, 256, 8),
    BANDWIDTH_METRIC("l2_read", 0xf, 256, 8),      BANDWIDTH_METRIC("l2_write", 0x10, 256, 8),
    BANDWIDTH_METRIC("main_mem_read", 0x12, 8, 8), BANDWIDTH_METRIC("main_mem_write", 0x13, 8, 8),
};
static const struct pmu_metric memory_core[] = {
    BANDWIDTH_METRIC("ub_read", 0x15, 256, 4),     BANDWIDTH_METRIC("ub_write", 0x16, 256, 4),
    BANDWIDTH_METRIC("l1_read", 0x31, 256, 16),    BANDWIDTH_METRIC("l1_write", 0x32, 128, 8),
    BANDWIDTH_METRIC("main_mem_read", 0x12, 8, 8), BANDWIDTH_METRIC("main_mem_write", 0x13, 8, 8),
    BANDWIDTH_METRIC("l2_read", 0xf, 256, 8),      BANDWIDTH_METRIC("l2_write", 0x10, 256, 8),
};

#define UB_METRIC(label, event, p, s)                                                                                  \
    {                                                                                                                  \
        .name = label "(GB/s)", .formula = BANDWIDTH, .events = {event}, .pipe = (p), .size = (s)                      \
    }
static const struct pmu_metric memory_l0[] = {
    /* of 2022 and of the core of 2026 */
    BANDWIDTH_METRIC("l0a_read", 0x1b, 256, 16),  BANDWIDTH_METRIC("l0a_write", 0x1c, 256, 16),
    BANDWIDTH_METRIC("l0b_read", 0x21, 256, 16),  BANDWIDTH_METRIC("l0b_write", 0x22, 256, 8),
    BANDWIDTH_METRIC("l0c_read", 0x27, 256, 8),   BANDWIDTH_METRIC("l0c_write", 0x29, 256, 8),
    UB_METRIC("l0c_read_bw_cube", 0x28, 256, 32), UB_METRIC("l0c_write_bw_cube", 0x2a, 256, 32),
};
static const struct pmu_metric memory_l0_python[] = {
    BANDWIDTH_METRIC("l0a_read", 0x1b, 256, 16), BANDWIDTH_METRIC("l0a_write", 0x1c, 256, 16),
    BANDWIDTH_METRIC("l0b_read", 0x21, 256, 8),  BANDWIDTH_METRIC("l0b_write", 0x22, 256, 8),
    BANDWIDTH_METRIC("l0c_read", 0x27, 256, 8),  BANDWIDTH_METRIC("l0c_write", 0x29, 256, 8),
    UB_METRIC("l0c_read_bw_cube", 0x28, 256, 8), UB_METRIC("l0c_write_bw_cube", 0x2a, 256, 8),
};

static const struct pmu_metric memory_ub_2022[] = {
    {.name = "ub_read_bw_mte(GB/s)", .formula = UB_MTE_READ, .events = {0x3d, 0x10, 0x13}},
    UB_METRIC("ub_write_bw_mte", 0x3e, 128, 8),
    UB_METRIC("ub_read_bw_vector", 0x43, 256, 16),
    UB_METRIC("ub_write_bw_vector", 0x44, 256, 8),
    UB_METRIC("ub_read_bw_scalar", 0x37, 256, 32),
    UB_METRIC("ub_write_bw_scalar", 0x38, 256, 32),
};
static const struct pmu_metric memory_ub_python[] = {
    UB_METRIC("ub_read_bw_mte", 0x3d, 128, 1),    UB_METRIC("ub_write_bw_mte", 0x3e, 128, 1),
    UB_METRIC("ub_read_bw_vector", 0x43, 128, 2), UB_METRIC("ub_write_bw_vector", 0x44, 128, 2),
    UB_METRIC("ub_read_bw_scalar", 0x37, 128, 1), UB_METRIC("ub_write_bw_scalar", 0x38, 128, 1),
};
#define UB_OF_CORE (memory_ub_python + 2) /* without the mte ones */

#define COUNT_METRIC(label, event)                                                                                     \
    {                                                                                                                  \
        .name = label, .formula = COUNT, .events = { event }                                                           \
    }
static const struct pmu_metric l2_cache[] = {
    COUNT_METRIC("write_cache_hit", 0x500),   COUNT_METRIC("write_cache_miss_allocate", 0x502),
    COUNT_METRIC("r0_read_cache_hit", 0x504), COUNT_METRIC("r0_read_cache_miss_allocate", 0x506),
    COUNT_METRIC("r1_read_cache_hit", 0x508), COUNT_METRIC("r1_read_cache_miss_allocate", 0x50a),
};

static const struct pmu_metric memory_access[] = {
    KILOBYTES_METRIC("read_main_memory", 0x50d, 1, 0x50e, 1),
    KILOBYTES_METRIC("write_main_memory", 0x50c, 1, 0, 0),
    KILOBYTES_METRIC("GM_to_L1", 0x32, 2, 0x206, -2),
    KILOBYTES_METRIC("L0C_to_L1", 0x206, 1, 0, 0),
    KILOBYTES_METRIC("L0C_to_GM", 0x20c, 1, 0x206, -1),
    KILOBYTES_METRIC("GM_to_UB", 0x3e, 1, 0, 0),
    KILOBYTES_METRIC("UB_to_GM", 0x3d, 1, 0, 0),
};

/* Chips 15 and 16 (docs/formats/cann.md 4.4). */
static const struct pmu_metric pipe_utilization_v6[] = {
    PIPE_METRIC(PMU_VECTOR, "vec", 0x501),
    PIPE_METRIC(PMU_CUBE, "mac", 0x301),
    PIPE_METRIC(PMU_SCALAR, "scalar", 0x1),
    PIPE_METRIC(PMU_MTE1, "mte1", 0x701),
    PIPE_METRIC(PMU_MTE2, "mte2", 0x202),
    PIPE_METRIC(PMU_MTE3, "mte3", 0x203),
    PIPE_METRIC(PMU_FIXPIPE, "fixpipe", 0x714),
    {.name = "icache_miss_rate", .formula = MISS_RATE, .events = {0x34, 0x35}},
};
static const struct pmu_metric arithmetic_utilization_v6[] = {
    SHARE_METRIC("mac_fp16", 0x323),
    SHARE_METRIC("mac_int8", 0x324),
    {.name = "cube_fops", .formula = CUBE_FLOPS, .events = {0x323, 0x324}},
};
static const struct pmu_metric resource_conflict_ratio_v6[] = {
    SHARE_METRIC("vec_bank_cflt", 0x540, 0x556),
    {.name = "vec_resc_cflt_ratio", .formula = MISS_RATE, .events = {0x502, 0x528}},
};
static const struct pmu_metric memory_v6[] = {
    {.name = "ub_read_bw(GB/s)",
     .formula = BANDWIDTH,
     .events = {0x56f, 0x571},
     .pipe = 256,
     .size = 4,
     .eighths = {8, 2}},
    BANDWIDTH_METRIC("ub_write", 0x570, 256, 4),
    BANDWIDTH_METRIC("l1_read", 0x707, 256, 16),
    BANDWIDTH_METRIC("l1_write", 0x709, 256, 8),
    BANDWIDTH_METRIC("main_mem_read", 0x400, 8, 8),
    BANDWIDTH_METRIC("main_mem_write", 0x401, 8, 8),
    BANDWIDTH_METRIC("main_mem_read", 0x422, 128, 8), /* of collectors that count these instead */
    BANDWIDTH_METRIC("main_mem_write", 0x423, 128, 8),
};
static const struct pmu_metric memory_l0_v6[] = {
    BANDWIDTH_METRIC("l0a_read", 0x304, 256, 16),  BANDWIDTH_METRIC("l0a_write", 0x703, 256, 16),
    BANDWIDTH_METRIC("l0b_read", 0x306, 256, 8),   BANDWIDTH_METRIC("l0b_write", 0x705, 256, 8),
    BANDWIDTH_METRIC("l0c_read", 0x712, 256, 8),   UB_METRIC("l0c_read_bw_cube", 0x30a, 256, 8),
    UB_METRIC("l0c_write_bw_cube", 0x308, 256, 8),
};
static const struct pmu_metric memory_ub_v6[] = {
    UB_METRIC("ub_read_bw_vector", 0x571, 128, 2), UB_METRIC("ub_write_bw_vector", 0x572, 128, 2),
    UB_METRIC("ub_read_bw_scalar", 0x3, 128, 1),   UB_METRIC("ub_write_bw_scalar", 0x5, 128, 1),
    UB_METRIC("fixp2ub_write_bw", 0x70c, 256, 8),
};
static const struct pmu_metric l2_cache_v6[] = {
    COUNT_METRIC("read_local_l2_hit", 0x424),    COUNT_METRIC("read_local_l2_miss", 0x425),
    COUNT_METRIC("read_local_l2_victim", 0x426), COUNT_METRIC("write_local_l2_hit", 0x42a),
    COUNT_METRIC("write_local_l2_miss", 0x42b),  COUNT_METRIC("write_local_l2_victim", 0x42c),
};

#define LIST(list) (list), sizeof(list) / sizeof *(list)
#define PIPE_EVENTS "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55"
#define MEMORY_EVENTS "0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13"
#define MEMORY_L0_EVENTS "0x1b,0x1c,0x21,0x22,0x27,0x28,0x29,0x2a"
#define MEMORY_UB_EVENTS "0x10,0x13,0x37,0x38,0x3d,0x3e,0x43,0x44"

static const struct pmu_group groups[] = {
    {"PipeUtilization", OLD | PYTHON, PIPE_EVENTS, LIST(pipe_utilization)},
    {"PipeUtilization", CORE, PIPE_EVENTS, pipe_utilization, PIPE_UTILIZATION_OF_CORE},
    {"PipeUtilizationExct", OLD | PYTHON | CORE, "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55",
     LIST(pipe_utilization_exct)},
    {"PipelineExecuteUtilization", OLD | PYTHON | CORE, "0x12c,0x49,0x4a,0x9,0x302,0xc,0xd,0x303",
     LIST(pipeline_execute_utilization)},
    {"ArithmeticUtilization", OLD | PYTHON | CORE, "0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f", LIST(arithmetic_utilization)},
    {"ResourceConflictRatio", OLD | PYTHON | CORE, "0x64,0x65,0x66", LIST(resource_conflict_ratio)},
    {"Memory", OLD, MEMORY_EVENTS, LIST(memory_2022)},
    {"Memory", PYTHON, MEMORY_EVENTS, LIST(memory_python)},
    {"Memory", CORE, MEMORY_EVENTS, LIST(memory_core)},
    {"MemoryL0", OLD | CORE, MEMORY_L0_EVENTS, LIST(memory_l0)},
    {"MemoryL0", PYTHON, MEMORY_L0_EVENTS, LIST(memory_l0_python)},
    {"MemoryUB", OLD, MEMORY_UB_EVENTS, LIST(memory_ub_2022)},
    {"MemoryUB", PYTHON, MEMORY_UB_EVENTS, LIST(memory_ub_python)},
    {"MemoryUB", CORE, MEMORY_UB_EVENTS, UB_OF_CORE, sizeof memory_ub_python / sizeof *memory_ub_python - 2},
    {"L2Cache", PYTHON | CORE, "0x500,0x502,0x504,0x506,0x508,0x50a", LIST(l2_cache)},
    {"PipeUtilization", V6, "0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714", LIST(pipe_utilization_v6)},
    {"ArithmeticUtilization", V6, "0x323,0x324", LIST(arithmetic_utilization_v6)},
    {"ResourceConflictRatio", V6, "0x540,0x556,0x502,0x528", LIST(resource_conflict_ratio_v6)},
    {"Memory", V6, "0x400,0x401,0x56f,0x571,0x570,0x572,0x707,0x709", LIST(memory_v6)},
    {"MemoryL0", V6, "0x304,0x703,0x306,0x705,0x712,0x30a,0x308", LIST(memory_l0_v6)},
    {"MemoryUB", V6, "0x3,0x5,0x70c,0x206,0x204,0x571,0x572", LIST(memory_ub_v6)},
    {"L2Cache", V6, "0x424,0x425,0x426,0x42a,0x42b,0x42c", LIST(l2_cache_v6)},
    {"MemoryAccess", PYTHON | CORE, "0x32,0x3d,0x3e,0x206,0x20c,0x50c,0x50d,0x50e", LIST(memory_access)},
};

const struct pmu_group *pmu_group_find(const char *name, enum pmu_rules rules)
{
    for (size_t i = 0; name != NULL && i < sizeof groups / sizeof *groups; i++) {
        if ((groups[i].rules >> rules & 1) != 0 && strcmp(groups[i].name, name) == 0)
            return &groups[i];
    }
    return NULL;
}
