/* SPDX-License-Identifier: Apache-2.0 */
/* PMU metrics against what Ascend's tool shows of the same counters, and formulas that no shared capture uses against
 * the ones written down. */
#include "base/number.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/counters/pmu_rounding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A column and its value as printed. */
struct expected {
    const char *title, *value;
};

static void print_value(const struct pmu_value *value, char text[64])
{
    if (value->value == DB_NULL) {
        snprintf(text, 64, "N/A");
        return;
    }
    *number_put_shortest(text, value->value, value->decimals) = '\0';
}

static void check_values(const char *const *titles, const struct pmu_value *values, size_t count,
                         const struct expected *expected, size_t expected_count)
{
    for (size_t i = 0; i < count && i < expected_count; i++) {
        char text[64];
        print_value(&values[i], text);
        assert_string_equal(titles[i], expected[i].title);
        if (strcmp(text, expected[i].value) != 0)
            fail_msg("%s is %s, expected %s", titles[i], text, expected[i].value);
    }
    assert_int_equal(count, expected_count);
}

static void check_plan(const struct pmu_setup *setup, const struct pmu_counts *counts, const struct expected *expected,
                       size_t expected_count)
{
    struct pmu_plan plan;
    struct pmu_value values[PMU_MAX_COLUMNS];
    const char *titles[PMU_MAX_COLUMNS];
    pmu_plan_init(&plan, setup);
    for (size_t i = 0; i < plan.count; i++)
        titles[i] = plan.columns[i].title;
    pmu_plan_values(&plan, counts, values);
    check_values(titles, values, plan.count, expected, expected_count);
}

#define CHECK_PLAN(setup, counts, ...)                                                                                 \
    do {                                                                                                               \
        static const struct expected expected_[] = {__VA_ARGS__};                                                      \
        check_plan(setup, counts, expected_, sizeof expected_ / sizeof *expected_);                                    \
    } while (0)

#define CHECK_TASK(input, task, ...)                                                                                   \
    do {                                                                                                               \
        static const struct expected expected_[] = {__VA_ARGS__};                                                      \
        struct pmu_columns columns_;                                                                                   \
        struct pmu_value values_[2 * PMU_MAX_COLUMNS + 1];                                                             \
        pmu_columns_init(&columns_, input);                                                                            \
        pmu_columns_values(&columns_, task, values_);                                                                  \
        check_values(columns_.titles, values_, columns_.count, expected_, sizeof expected_ / sizeof *expected_);       \
    } while (0)

/* ---- the shared captures ---- */

static const struct pmu_input chip5 = {
    .chip = 5,
    .aic_hz = 1850000000,
    .aiv_hz = 1850000000,
    .ai_core_num = 24,
    .aiv_num = 48,
    .metrics = "PipeUtilizationExct",
    .events = "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55",
    .aiv_metrics = "PipeUtilization",
    .aiv_events = "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55",
};

static void a_cube_task_of_the_910b_has_the_values_of_the_cpp_core(void **state)
{
    (void)state;
    const struct pmu_task task = {.has_aic = true,
                                  .aic_total_cycle = 88704,
                                  .aic_counters = {57390, 58665, 48513, 50371, 6754, 38691, 42433, 10013},
                                  .block_num = 8,
                                  .duration_ns = 6660};
    CHECK_TASK(&chip5, &task, {"aicore_time(us)", "5.994"}, {"aic_total_cycles", "88704"},
               {"aic_mac_time(us)", "7.842"}, {"aic_mac_ratio", "1.308"}, {"aic_scalar_time(us)", "3.278"},
               {"aic_scalar_ratio", "0.547"}, {"aic_mte1_time(us)", "3.403"}, {"aic_mte1_ratio", "0.568"},
               {"aic_mte2_time(us)", "0.456"}, {"aic_mte2_ratio", "0.076"}, {"aic_fixpipe_time(us)", "2.614"},
               {"aic_fixpipe_ratio", "0.436"}, {"aic_icache_miss_rate", "0.236"}, {"aiv_time(us)", "0"},
               {"aiv_total_cycles", "0"}, {"aiv_vec_time(us)", "0"}, {"aiv_vec_ratio", "0"},
               {"aiv_scalar_time(us)", "0"}, {"aiv_scalar_ratio", "0"}, {"aiv_mte2_time(us)", "0"},
               {"aiv_mte2_ratio", "0"}, {"aiv_mte3_time(us)", "0"}, {"aiv_mte3_ratio", "0"},
               {"aiv_icache_miss_rate", "0"}, {"cube_utilization(%)", "29.998"});
}

static void a_vector_task_of_the_910b_has_the_values_of_the_cpp_core(void **state)
{
    (void)state;
    const struct pmu_task task = {.has_aiv = true,
                                  .aiv_total_cycle = 165432,
                                  .aiv_counters = {124855, 32724, 31572, 88656, 109216, 34536, 41513, 3677},
                                  .block_num = 44,
                                  .duration_ns = 4140};
    CHECK_TASK(&chip5, &task, {"aicore_time(us)", "0"}, {"aic_total_cycles", "0"}, {"aic_mac_time(us)", "0"},
               {"aic_mac_ratio", "0"}, {"aic_scalar_time(us)", "0"}, {"aic_scalar_ratio", "0"},
               {"aic_mte1_time(us)", "0"}, {"aic_mte1_ratio", "0"}, {"aic_mte2_time(us)", "0"}, {"aic_mte2_ratio", "0"},
               {"aic_fixpipe_time(us)", "0"}, {"aic_fixpipe_ratio", "0"}, {"aic_icache_miss_rate", "0"},
               {"aiv_time(us)", "2.032"}, {"aiv_total_cycles", "165432"}, {"aiv_vec_time(us)", "1.534"},
               {"aiv_vec_ratio", "0.755"}, {"aiv_scalar_time(us)", "0.388"}, {"aiv_scalar_ratio", "0.191"},
               {"aiv_mte2_time(us)", "1.342"}, {"aiv_mte2_ratio", "0.66"}, {"aiv_mte3_time(us)", "0.424"},
               {"aiv_mte3_ratio", "0.209"}, {"aiv_icache_miss_rate", "0.089"}, {"cube_utilization(%)", "0"});
}

static const struct pmu_input chip1 = {.chip = 1,
                                       .aic_hz = 1000000000,
                                       .aiv_hz = 1000000000,
                                       .ai_core_num = 32,
                                       .metrics = "PipeUtilization",
                                       .events = "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55"};

static void a_task_of_the_910a_has_the_values_of_the_python_code(void **state)
{
    (void)state;
    const struct pmu_task task = {.has_aic = true,
                                  .aic_total_cycle = 47952,
                                  .aic_counters = {31024, 31713, 26225, 27230, 3651, 20915, 22939, 5412},
                                  .block_num = 8,
                                  .duration_ns = 6660};
    CHECK_TASK(&chip1, &task, {"aicore_time(us)", "5.99"}, {"total_cycles", "47952"}, {"vec_time(us)", "3.875"},
               {"vec_ratio", "0.647"}, {"mac_time(us)", "3.961"}, {"mac_ratio", "0.661"}, {"scalar_time(us)", "3.276"},
               {"scalar_ratio", "0.547"}, {"mte1_time(us)", "3.401"}, {"mte1_ratio", "0.568"},
               {"mte2_time(us)", "0.456"}, {"mte2_ratio", "0.076"}, {"mte3_time(us)", "2.613"}, {"mte3_ratio", "0.436"},
               {"icache_miss_rate", "0.236"}, {"memory_bound", "0.115"}, {"cube_utilization(%)", "22.5"});
}

static void a_task_of_the_910a_that_hardly_used_the_cube_has_no_cube_utilization(void **state)
{
    (void)state;
    const struct pmu_task task = {.has_aic = true,
                                  .aic_total_cycle = 93312,
                                  .aic_counters = {8736, 28, 62267, 61714, 9716, 20546, 33996, 69933},
                                  .block_num = 43,
                                  .duration_ns = 4320};
    CHECK_TASK(&chip1, &task, {"aicore_time(us)", "4.34"}, {"total_cycles", "93312"}, {"vec_time(us)", "0.406"},
               {"vec_ratio", "0.094"}, {"mac_time(us)", "0.001"}, {"mac_ratio", "0"}, {"scalar_time(us)", "2.896"},
               {"scalar_ratio", "0.667"}, {"mte1_time(us)", "2.87"}, {"mte1_ratio", "0.661"},
               {"mte2_time(us)", "0.452"}, {"mte2_ratio", "0.104"}, {"mte3_time(us)", "0.956"}, {"mte3_ratio", "0.22"},
               {"icache_miss_rate", "2.057"}, {"memory_bound", "1.106"}, {"cube_utilization(%)", "0"});
}

/* Five rows of a real table, of 24 cores at 1800 MHz: the ratio of the cube is shown as 0.0 in each. */
static void a_task_of_the_910b_that_hardly_used_the_cube_has_its_cube_utilization(void **state)
{
    static const struct {
        int64_t duration_ns, cycles, expected;
    } rows[] = {{42399120, 535275, 29},
                {42058480, 390446, 21},
                {87139380, 532700, 14},
                {86808420, 371433, 10},
                {86846720, 385455, 10}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pmu_input input = chip5;
        struct pmu_columns columns;
        struct pmu_value values[2 * PMU_MAX_COLUMNS + 1];
        const struct pmu_task task = {.has_aic = true,
                                      .aic_total_cycle = rows[i].cycles,
                                      .aic_counters = {100, 28},
                                      .block_num = 256,
                                      .duration_ns = rows[i].duration_ns};
        input.aic_hz = 1800000000;
        pmu_columns_init(&columns, &input);
        pmu_columns_values(&columns, &task, values);
        assert_string_equal(columns.titles[3], "aic_mac_ratio");
        assert_int_equal(values[3].value, 0);
        assert_int_equal(values[columns.count - 1].value, rows[i].expected);
    }
}

/* 1683 ticks are 33.660673 us. */
static void the_cube_is_used_in_the_ticks_that_the_clock_counted_not_in_rounded_nanoseconds(void **state)
{
    struct pmu_input input = chip5;
    struct pmu_columns columns;
    struct pmu_value values[2 * PMU_MAX_COLUMNS + 1];
    struct pmu_task task = {.has_aic = true, .aic_total_cycle = 779629, .duration_ns = 33661};
    (void)state;
    input.aic_hz = 1650000000;
    input.ai_core_num = 20;
    pmu_columns_init(&columns, &input);
    pmu_columns_values(&columns, &task, values);
    assert_int_equal(values[columns.count - 1].value, 70185);
    task.tick_hz = 49999001;
    pmu_columns_values(&columns, &task, values);
    assert_int_equal(values[columns.count - 1].value, 70186);
}

static void without_metrics_nothing_is_counted_the_cycles_neither(void **state)
{
    struct pmu_input input = chip5;
    struct pmu_columns columns;
    (void)state;
    input.metrics = input.events = input.aiv_metrics = input.aiv_events = "";
    pmu_columns_init(&columns, &input);
    assert_int_equal(columns.count, 0);
}

static void a_task_of_the_310_has_the_values_of_2022_rounded_twice(void **state)
{
    (void)state;
    const struct pmu_setup setup = {
        .chip = 0, .of_2022 = true, .group = "PipeUtilization", .frequency_hz = 680000000, .core_num = 2};
    const struct pmu_counts counts = {
        .total_cycle = 9844, .counters = {3782, 2590, 4666, 3825, 2692, 5394, 4511, 985}, .block_num = 2};
    /* mte1_time is 2.8125 before it is rounded: the tool shows 2.812. */
    CHECK_PLAN(&setup, &counts, {"aicore_time(us)", "7.2382"}, {"total_cycles", "9844"}, {"vec_time(us)", "2.781"},
               {"vec_ratio", "0.3842"}, {"mac_time(us)", "1.904"}, {"mac_ratio", "0.2631"},
               {"scalar_time(us)", "3.431"}, {"scalar_ratio", "0.474"}, {"mte1_time(us)", "2.812"},
               {"mte1_ratio", "0.3886"}, {"mte2_time(us)", "1.979"}, {"mte2_ratio", "0.2735"},
               {"mte3_time(us)", "3.966"}, {"mte3_ratio", "0.5479"}, {"icache_miss_rate", "0.2184"},
               {"memory_bound", "0.7118"});
}

static void a_task_of_the_910a_has_the_values_of_2022_rounded_twice(void **state)
{
    (void)state;
    const struct pmu_setup setup = {
        .chip = 1, .of_2022 = true, .group = "PipeUtilization", .frequency_hz = 1000000000, .core_num = 32};
    const struct pmu_counts counts = {
        .total_cycle = 40260, .counters = {20657, 17403, 27965, 25932, 12985, 24709, 20079, 29503}, .block_num = 10};
    CHECK_PLAN(&setup, &counts, {"aicore_time(us)", "4.026"}, {"total_cycles", "40260"}, {"vec_time(us)", "2.066"},
               {"vec_ratio", "0.5131"}, {"mac_time(us)", "1.74"}, {"mac_ratio", "0.4323"}, {"scalar_time(us)", "2.796"},
               {"scalar_ratio", "0.6946"}, {"mte1_time(us)", "2.593"}, {"mte1_ratio", "0.6441"},
               {"mte2_time(us)", "1.298"}, {"mte2_ratio", "0.3225"}, {"mte3_time(us)", "2.471"},
               {"mte3_ratio", "0.6137"}, {"icache_miss_rate", "1.4693"}, {"memory_bound", "0.6286"});
}

/* ---- formulas of the other groups, by hand: 1000 cycles at 1 GHz are 1 us; one pipe of 2^33 bits a second is 1 GB/s
 * ---- */

#define CYCLES 1000
/* Counters whose bandwidth is whole GB/s: with 1000 cycles at 2^33 Hz, counter * pipe * size / 1000. */
#define BANDWIDTH_HZ (INT64_C(1) << 33)

static const struct pmu_counts thousands = {
    .total_cycle = CYCLES, .counters = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000}, .block_num = 1};

static struct pmu_setup group_of(const char *group, int64_t chip, bool of_2022, enum pmu_side side)
{
    return (struct pmu_setup){
        .side = side, .chip = chip, .of_2022 = of_2022, .group = group, .frequency_hz = BANDWIDTH_HZ, .core_num = 1};
}

/* The task's time at 2^33 Hz. */
#define TIME_910                                                                                                       \
    {"aicore_time(us)", "0.12"},                                                                                       \
    {                                                                                                                  \
        "total_cycles", "1000"                                                                                         \
    }
#define TIME_910B                                                                                                      \
    {"aicore_time(us)", "0.116"},                                                                                      \
    {                                                                                                                  \
        "aic_total_cycles", "1000"                                                                                     \
    }
#define TIME_910B_AIV                                                                                                  \
    {"aiv_time(us)", "0.116"},                                                                                         \
    {                                                                                                                  \
        "aiv_total_cycles", "1000"                                                                                     \
    }
#define TIME_2022                                                                                                      \
    {"aicore_time(us)", "0.1164"},                                                                                     \
    {                                                                                                                  \
        "total_cycles", "1000"                                                                                         \
    }

static void memory_bandwidths_have_the_pipe_sizes_of_each_generation(void **state)
{
    (void)state;
    struct pmu_setup setup = group_of("Memory", 1, true, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_2022, {"ub_read_bw(GB/s)", "1024"}, {"ub_write_bw(GB/s)", "2048"},
               {"l1_read_bw(GB/s)", "12288"}, {"l1_write_bw(GB/s)", "4096"}, {"l2_read_bw(GB/s)", "10240"},
               {"l2_write_bw(GB/s)", "12288"}, {"main_mem_read_bw(GB/s)", "14336"},
               {"main_mem_write_bw(GB/s)", "16384"});
    setup = group_of("Memory", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910, {"ub_read_bw(GB/s)", "1024"}, {"ub_write_bw(GB/s)", "2048"},
               {"l1_read_bw(GB/s)", "12288"}, {"l1_write_bw(GB/s)", "8192"}, {"l2_read_bw(GB/s)", "10240"},
               {"l2_write_bw(GB/s)", "12288"}, {"main_mem_read_bw(GB/s)", "448"}, {"main_mem_write_bw(GB/s)", "512"});
    setup = group_of("Memory", 5, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910B, {"aic_l1_read_bw(GB/s)", "12288"}, {"aic_l1_write_bw(GB/s)", "4096"},
               {"aic_main_mem_read_bw(GB/s)", "448"}, {"aic_main_mem_write_bw(GB/s)", "512"},
               {"aic_l2_read_bw(GB/s)", "10240"}, {"aic_l2_write_bw(GB/s)", "12288"});
    setup = group_of("Memory", 5, false, PMU_AIV);
    CHECK_PLAN(&setup, &thousands, TIME_910B_AIV, {"aiv_ub_read_bw(GB/s)", "1024"}, {"aiv_ub_write_bw(GB/s)", "2048"},
               {"aiv_main_mem_read_bw(GB/s)", "448"}, {"aiv_main_mem_write_bw(GB/s)", "512"},
               {"aiv_l2_read_bw(GB/s)", "10240"}, {"aiv_l2_write_bw(GB/s)", "12288"});
}

static void l0_bandwidths_have_the_pipe_sizes_of_each_generation(void **state)
{
    (void)state;
    struct pmu_setup setup = group_of("MemoryL0", 1, true, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_2022, {"l0a_read_bw(GB/s)", "4096"}, {"l0a_write_bw(GB/s)", "8192"},
               {"l0b_read_bw(GB/s)", "12288"}, {"l0b_write_bw(GB/s)", "8192"}, {"l0c_read_bw(GB/s)", "10240"},
               {"l0c_write_bw(GB/s)", "14336"}, {"l0c_read_bw_cube(GB/s)", "49152"},
               {"l0c_write_bw_cube(GB/s)", "65536"});
    setup = group_of("MemoryL0", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910, {"l0a_read_bw(GB/s)", "4096"}, {"l0a_write_bw(GB/s)", "8192"},
               {"l0b_read_bw(GB/s)", "6144"}, {"l0b_write_bw(GB/s)", "8192"}, {"l0c_read_bw(GB/s)", "10240"},
               {"l0c_write_bw(GB/s)", "14336"}, {"l0c_read_bw_cube(GB/s)", "12288"},
               {"l0c_write_bw_cube(GB/s)", "16384"});
    setup = group_of("MemoryL0", 5, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910B, {"aic_l0a_read_bw(GB/s)", "4096"}, {"aic_l0a_write_bw(GB/s)", "8192"},
               {"aic_l0b_read_bw(GB/s)", "12288"}, {"aic_l0b_write_bw(GB/s)", "8192"},
               {"aic_l0c_read_bw_cube(GB/s)", "49152"}, {"aic_l0c_write_bw_cube(GB/s)", "65536"});
}

static void unified_buffer_bandwidths_follow_each_generation(void **state)
{
    (void)state;
    /* 0x10, 0x13, 0x37, 0x38, 0x3d, 0x3e, 0x43, 0x44 */
    const struct pmu_counts counts = {
        .total_cycle = CYCLES, .counters = {100, 150, 3000, 4000, 5000, 6000, 7000, 8000}, .block_num = 1};
    struct pmu_setup setup = group_of("MemoryUB", 1, true, PMU_AIC);
    /* mte read: ((5000 - 400 - 600) * 128 + 1000 * 64) / 1000 */
    CHECK_PLAN(&setup, &counts, TIME_2022, {"ub_read_bw_mte(GB/s)", "576"}, {"ub_write_bw_mte(GB/s)", "6144"},
               {"ub_read_bw_vector(GB/s)", "28672"}, {"ub_write_bw_vector(GB/s)", "16384"},
               {"ub_read_bw_scalar(GB/s)", "24576"}, {"ub_write_bw_scalar(GB/s)", "32768"});
    setup = group_of("MemoryUB", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &counts, TIME_910, {"ub_read_bw_mte(GB/s)", "640"}, {"ub_write_bw_mte(GB/s)", "768"},
               {"ub_read_bw_vector(GB/s)", "1792"}, {"ub_write_bw_vector(GB/s)", "2048"},
               {"ub_read_bw_scalar(GB/s)", "384"}, {"ub_write_bw_scalar(GB/s)", "512"});
    setup = group_of("MemoryUB", 5, false, PMU_AIV);
    CHECK_PLAN(&setup, &counts, TIME_910B_AIV, {"aiv_ub_read_bw_vector(GB/s)", "1792"},
               {"aiv_ub_write_bw_vector(GB/s)", "2048"}, {"aiv_ub_read_bw_scalar(GB/s)", "384"},
               {"aiv_ub_write_bw_scalar(GB/s)", "512"});
}

static void arithmetic_counts_operations_by_chip(void **state)
{
    (void)state;
    /* 0x49 to 0x4f */
    const struct pmu_counts counts = {.total_cycle = CYCLES, .counters = {1, 2, 3, 4, 5, 6, 7}, .block_num = 1};
    struct pmu_setup setup = group_of("ArithmeticUtilization", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &counts, TIME_910, {"mac_fp16_ratio", "0.001"}, {"mac_int8_ratio", "0.002"},
               {"vec_fp32_ratio", "0.003"}, {"vec_fp16_ratio", "0.009"}, {"vec_int32_ratio", "0.006"},
               {"vec_misc_ratio", "0.007"}, {"cube_fops", "40960"}, {"vector_fops", "1632"});
    setup = group_of("ArithmeticUtilization", 2, false, PMU_AIC);
    CHECK_PLAN(&setup, &counts, TIME_910, {"mac_fp16_ratio", "0.001"}, {"mac_int8_ratio", "0.002"},
               {"vec_fp32_ratio", "0.003"}, {"vec_fp16_ratio", "0.009"}, {"vec_int32_ratio", "0.006"},
               {"vec_misc_ratio", "0.007"}, {"cube_fops", "40960"}, {"vector_fops", "1232"});
    setup = group_of("ArithmeticUtilization", 5, false, PMU_AIC);
    CHECK_PLAN(&setup, &counts, TIME_910B, {"aic_mac_fp16_ratio", "0.001"}, {"aic_mac_int8_ratio", "0.002"},
               {"aic_cube_fops", "40960"});
}

static void conflicts_caches_and_accesses_have_their_columns(void **state)
{
    (void)state;
    struct pmu_setup setup = group_of("ResourceConflictRatio", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910, {"vec_bankgroup_cflt_ratio", "1"}, {"vec_bank_cflt_ratio", "2"},
               {"vec_resc_cflt_ratio", "3"});
    setup = group_of("L2Cache", 5, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910B, {"aic_write_cache_hit", "1000"},
               {"aic_write_cache_miss_allocate", "2000"}, {"aic_r0_read_cache_hit", "3000"},
               {"aic_r0_read_cache_miss_allocate", "4000"}, {"aic_r1_read_cache_hit", "5000"},
               {"aic_r1_read_cache_miss_allocate", "6000"});
    setup = group_of("MemoryAccess", 5, false, PMU_AIC);
    /* 0x32 1000, 0x3d 2000, 0x3e 3000, 0x206 4000, 0x20c 5000, 0x50c 6000, 0x50d 7000, 0x50e 8000 */
    CHECK_PLAN(&setup, &thousands, TIME_910B, {"aic_read_main_memory_datas(KB)", "1875"},
               {"aic_write_main_memory_datas(KB)", "750"}, {"aic_GM_to_L1_datas(KB)", "-750"},
               {"aic_L0C_to_L1_datas(KB)", "500"}, {"aic_L0C_to_GM_datas(KB)", "125"},
               {"aic_GM_to_UB_datas(KB)", "375"}, {"aic_UB_to_GM_datas(KB)", "250"});
}

/* ---- what captures may say wrong ---- */

static void a_metric_whose_events_were_not_counted_has_no_column_and_what_is_left_is_raw(void **state)
{
    (void)state;
    struct pmu_setup setup = group_of("PipeUtilization", 1, false, PMU_AIC);
    setup.events = "0xa, 0x9,0x55";
    CHECK_PLAN(&setup, &thousands, TIME_910, {"mac_time(us)", "0.12"}, {"mac_ratio", "1"}, {"scalar_time(us)", "0.24"},
               {"scalar_ratio", "2"}, {"r55", "3000"}); /* which misses the event that its rate is of */
    setup = group_of("NoSuchGroup", 1, false, PMU_AIC);
    CHECK_PLAN(&setup, &thousands, TIME_910);
}

static void nothing_is_divided_by_nothing(void **state)
{
    (void)state;
    const struct pmu_counts none = {.total_cycle = 0, .block_num = 0};
    struct pmu_setup setup = group_of("PipeUtilization", 5, false, PMU_AIV);
    CHECK_PLAN(&setup, &none, {"aiv_time(us)", "0"}, {"aiv_total_cycles", "0"}, {"aiv_vec_time(us)", "0"},
               {"aiv_vec_ratio", "0"}, {"aiv_scalar_time(us)", "0"}, {"aiv_scalar_ratio", "0"},
               {"aiv_mte2_time(us)", "0"}, {"aiv_mte2_ratio", "0"}, {"aiv_mte3_time(us)", "0"}, {"aiv_mte3_ratio", "0"},
               {"aiv_icache_miss_rate", "0"});
    setup = group_of("ResourceConflictRatio", 1, true, PMU_AIC);
    CHECK_PLAN(&setup, &none, {"aicore_time(us)", "0"}, {"total_cycles", "0"}, {"vec_bankgroup_cflt_ratio", "N/A"},
               {"vec_bank_cflt_ratio", "N/A"}, {"vec_resc_cflt_ratio", "N/A"});
}

static void the_largest_counters_overflow_nothing(void **state)
{
    (void)state;
    static const char *const groups[] = {"PipeUtilization",
                                         "PipeUtilizationExct",
                                         "ArithmeticUtilization",
                                         "Memory",
                                         "MemoryL0",
                                         "MemoryUB",
                                         "ResourceConflictRatio",
                                         "L2Cache",
                                         "MemoryAccess"};
    struct pmu_counts counts = {.total_cycle = INT64_MAX, .block_num = INT32_MAX};
    for (size_t i = 0; i < PMU_EVENTS; i++)
        counts.counters[i] = INT64_MAX;
    for (size_t i = 0; i < 3 * sizeof groups / sizeof *groups; i++) {
        struct pmu_setup setup = group_of(groups[i / 3], i % 3 == 0 ? 5 : 1, i % 3 == 2, PMU_AIC);
        struct pmu_plan plan;
        struct pmu_value values[PMU_MAX_COLUMNS];
        setup.frequency_hz = INT64_C(100000000000);
        pmu_plan_init(&plan, &setup);
        pmu_plan_values(&plan, &counts, values);
        for (size_t k = 0; k < plan.count; k++)
            assert_true(values[k].value != DB_NULL);
    }
}

static void rounding_is_that_of_the_exact_binary_value(void **state)
{
    (void)state;
    assert_int_equal(pmu_round_decimal(2.675, 2), 267); /* is 2.67499999999999982236431605997495353221893310546875 */
    assert_int_equal(pmu_round_decimal(0.5, 0), 0);     /* exact ties to even */
    assert_int_equal(pmu_round_decimal(1.5, 0), 2);
    assert_int_equal(pmu_round_decimal(25.3125, 3), 25312);
    assert_int_equal(pmu_round_decimal(0.0, 6), 0);
    assert_int_equal(pmu_round_decimal(-2.5, 0), -2);
    assert_int_equal(pmu_round_decimal(1e300, 9), INT64_MAX);
    assert_int_equal(pmu_round_decimal(NAN, 3), INT64_MIN);
    assert_true(pmu_round_binary(0.20015048, 6) == 0.20015);
    assert_int_equal(pmu_round_decimal(pmu_round_binary(0.20015048, 6), 4), 2001);
}

static void times_of_15_digits_are_those_that_sqlite_makes(void **state)
{
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 400000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double value = ldexp((double)(random >> 11), (int)(random % 9) - 9); /* around 1e11 to 1e16 */
        if (i % 4 == 0)                                                      /* halves, and their neighbours */
            value = floor(value) + 0.5 + ldexp(i % 3 - 1, -7);
        double expected = pmu_digits_2022_plainly(value), found = pmu_digits_2022(value);
        if (expected != found)
            fail_msg("%.17g: %.17g, expected %.17g", value, found, expected);
    }
    assert_true(pmu_digits_2022(0) == 0 && pmu_digits_2022(-1.5) == -1.5 && isinf(pmu_digits_2022(INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_task_of_the_910b_has_the_values_of_the_cpp_core),
        cmocka_unit_test(a_vector_task_of_the_910b_has_the_values_of_the_cpp_core),
        cmocka_unit_test(a_task_of_the_910a_has_the_values_of_the_python_code),
        cmocka_unit_test(a_task_of_the_910a_that_hardly_used_the_cube_has_no_cube_utilization),
        cmocka_unit_test(a_task_of_the_910b_that_hardly_used_the_cube_has_its_cube_utilization),
        cmocka_unit_test(the_cube_is_used_in_the_ticks_that_the_clock_counted_not_in_rounded_nanoseconds),
        cmocka_unit_test(without_metrics_nothing_is_counted_the_cycles_neither),
        cmocka_unit_test(a_task_of_the_310_has_the_values_of_2022_rounded_twice),
        cmocka_unit_test(a_task_of_the_910a_has_the_values_of_2022_rounded_twice),
        cmocka_unit_test(memory_bandwidths_have_the_pipe_sizes_of_each_generation),
        cmocka_unit_test(l0_bandwidths_have_the_pipe_sizes_of_each_generation),
        cmocka_unit_test(unified_buffer_bandwidths_follow_each_generation),
        cmocka_unit_test(arithmetic_counts_operations_by_chip),
        cmocka_unit_test(conflicts_caches_and_accesses_have_their_columns),
        cmocka_unit_test(a_metric_whose_events_were_not_counted_has_no_column_and_what_is_left_is_raw),
        cmocka_unit_test(nothing_is_divided_by_nothing),
        cmocka_unit_test(the_largest_counters_overflow_nothing),
        cmocka_unit_test(rounding_is_that_of_the_exact_binary_value),
        cmocka_unit_test(times_of_15_digits_are_those_that_sqlite_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
