/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of advice has a workload that fires it and one that does not. */
#include "features/answers/analysis/advice.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/workload.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct workload workload;
static struct host_evidence host;
static double thresholds[ADVICE_MOST_RULES];
static struct advice advice = {.elapsed_ns = 0};

static int begin(void **state)
{
    (void)state;
    workload_init(&workload);
    host = (struct host_evidence){.memory.first_ns = INT64_MIN};
    for (size_t i = 0; i < advice_rule_count; i++)
        thresholds[i] = advice_rules[i]->threshold;
    return 0;
}

static int end(void **state)
{
    (void)state;
    workload_release(&workload);
    advice_release(&advice);
    return 0;
}

static uint32_t operator_of(const char *name, const char *type, enum work work)
{
    struct workload_key key = {.shapes = NO_TEXT, .work = work};
    struct err err = ERR_INIT;
    uint32_t index;

    assert_int_equal(workload_add_text(&workload, name, &key.name, &err), 0);
    assert_int_equal(workload_add_text(&workload, type, &key.type, &err), 0);
    assert_int_equal(workload_add_operator(&workload, &key, &index, &err), 0);
    return index;
}

static void run(uint32_t op, int64_t start_us, int64_t duration_us)
{
    struct err err = ERR_INIT;
    bool taken;

    assert_int_equal(workload_add(&workload, op, 0, 0, start_us * 1000, duration_us * 1000, &taken, &err), 0);
    assert_true(taken);
}

static void step(int64_t start_us, int64_t end_us)
{
    struct err err = ERR_INIT;
    const struct workload_step added = {.start_ns = start_us * 1000,
                                        .end_ns = end_us * 1000,
                                        .model_id = 1,
                                        .number = (int64_t)workload.step_count,
                                        .source = STEPS_MARKED,
                                        .model = NO_TEXT};

    assert_int_equal(workload_add_step(&workload, 0, &added, &err), 0);
}

/* Shares of the counted time, percent; all of the operator's time is counted. */
static void count(uint32_t op, enum unit unit, double percent)
{
    struct workload_operator *item = &workload.operators[op];

    item->counted_ns = item->total_ns;
    item->units[unit] = percent / 100 * item->total_ns;
}

/* Forgets the intervals that a look before this one made of the same workload. */
static void forget(struct intervals **lists)
{
    for (size_t i = 0; *lists != NULL && i < workload.device_count; i++)
        intervals_release(&(*lists)[i]);
    free(*lists);
    *lists = NULL;
}

static double *threshold(const char *id)
{
    size_t i = 0;

    while (strcmp(advice_rules[i]->id, id) != 0)
        i++;
    return &thresholds[i];
}

static const struct finding *look(const char *id)
{
    struct err err = ERR_INIT;

    forget(&workload.others);
    forget(&workload.unrecorded);
    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
    advice_release(&advice);
    assert_int_equal(advice_make(&workload, &host, thresholds, &advice, &err), 0);
    for (size_t i = 0; i < advice.rule_count; i++)
        if (strcmp(advice.findings[i].rule->id, id) == 0)
            return &advice.findings[i];
    return NULL;
}

static void expect_fired(const char *id, double value)
{
    const struct finding *finding = look(id);

    assert_null(finding->not_checked);
    assert_true(finding->fired);
    assert_true(finding->sentence[0] != '\0');
    assert_float_equal(finding->value, value, 0.01);
}

static void expect_quiet(const char *id)
{
    const struct finding *finding = look(id);

    assert_null(finding->not_checked);
    assert_false(finding->fired);
}

static void expect_not_checked(const char *id, const char *why)
{
    const struct finding *finding = look(id);

    assert_false(finding->fired);
    assert_non_null(finding->not_checked);
    assert_non_null(strstr(finding->not_checked, why));
}

static void test_idle_fires_above_a_tenth(void **state)
{
    (void)state;
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);
    run(op, 0, 40);
    run(op, 60, 40);
    expect_fired("idle", 20);
}

static void test_idle_is_quiet_when_the_device_works(void **state)
{
    (void)state;
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);
    run(op, 0, 45);
    run(op, 50, 50);
    expect_quiet("idle");
}

static void test_idle_is_not_checked_when_tasks_are_only_placed(void **state)
{
    (void)state;
    run(operator_of("a", "Conv", WORK_CUBE), 0, 95);
    workload.facts.placed = true;
    expect_not_checked("idle", "synthesised");
}

static void with_gap(int64_t length_us)
{
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);
    run(op, 0, 500);
    run(op, 500 + length_us, 500 - length_us);
    step(0, 1000);
    host.gaps[0] = (struct gap_evidence){.start_ns = 500000,
                                         .end_ns = (500 + length_us) * 1000,
                                         .length_ns = (double)length_us * 1000,
                                         .call = "aclrtSynchronizeStream"};
    host.gap_count = 1;
    host.known = true;
}

static void test_a_long_gap_fires_and_names_the_call(void **state)
{
    (void)state;
    with_gap(50);
    expect_fired("gap", 5);
    assert_non_null(strstr(look("gap")->sentence, "aclrtSynchronizeStream"));
    assert_int_equal(look("gap")->time_ns, 500000);
}

static void test_a_short_gap_is_quiet(void **state)
{
    (void)state;
    with_gap(5);
    expect_quiet("gap");
}

static void with_slow(enum work work, const char *type, int64_t duration_us)
{
    run(operator_of("fast", "Conv", WORK_CUBE), 0, 1000 - duration_us);
    run(operator_of("slow", type, work), 1000 - duration_us, duration_us);
    step(0, 1000);
}

static void test_ai_cpu_operators_fire(void **state)
{
    (void)state;
    with_slow(WORK_AI_CPU, "Unique", 100);
    expect_fired("ai-cpu", 10);
    assert_string_equal(look("ai-cpu")->rows[0].name, "slow");
}

static void test_short_ai_cpu_operators_are_quiet(void **state)
{
    (void)state;
    with_slow(WORK_AI_CPU, "Unique", 15);
    expect_quiet("ai-cpu");
}

static void test_conversions_fire(void **state)
{
    (void)state;
    with_slow(WORK_VECTOR, "TransData", 60);
    expect_fired("conversion", 6);
}

static void test_few_conversions_are_quiet(void **state)
{
    (void)state;
    with_slow(WORK_VECTOR, "Cast", 40);
    expect_quiet("conversion");
}

static void with_small(int64_t every_us)
{
    uint32_t op = operator_of("small", "Add", WORK_VECTOR);
    for (int64_t i = 0; i < 20; i++)
        run(op, i * every_us, 3);
}

static void test_small_operators_with_long_gaps_fire(void **state)
{
    (void)state;
    with_small(10);
    expect_fired("small-operators", 100);
}

static void test_small_operators_without_gaps_are_quiet(void **state)
{
    (void)state;
    with_small(4);
    expect_quiet("small-operators");
}

static void with_unit(enum unit unit, double percent)
{
    uint32_t op = operator_of("counted", "MatMul", WORK_CUBE);
    run(op, 0, 1000);
    count(op, unit, percent);
    step(0, 1000);
}

static void test_memory_bound_fires(void **state)
{
    (void)state;
    with_unit(UNIT_LOAD, 90);
    expect_fired("memory-bound", 100); /* of the counted time */
}

static void test_an_operator_whose_busier_unit_calculates_is_not_bound_by_memory(void **state)
{
    (void)state;
    with_unit(UNIT_LOAD, 90);
    count(0, UNIT_STORE, 90);
    count(0, UNIT_VECTOR, 95);
    expect_quiet("memory-bound");
}

static void test_units_that_move_data_beside_each_other_are_not_added(void **state)
{
    (void)state;
    with_unit(UNIT_LOAD, 60);
    count(0, UNIT_STORE, 60);
    expect_quiet("memory-bound");
}

static void test_memory_bound_is_quiet_below_its_limit(void **state)
{
    (void)state;
    with_unit(UNIT_LOAD, 70);
    expect_quiet("memory-bound");
    *threshold("memory-bound") = 60;
    expect_fired("memory-bound", 100);
}

static void test_without_counters_units_are_not_checked(void **state)
{
    (void)state;
    run(operator_of("a", "MatMul", WORK_CUBE), 0, 10);
    expect_not_checked("memory-bound", "no counters");
    expect_not_checked("low-cube-use", "no counters");
    expect_not_checked("svp-memory-bound", "only SVP");
    expect_not_checked("idle-cores", "blocks");
    expect_not_checked("exposed-communication", "no communication");
    expect_not_checked("frequency", "not measured");
    expect_not_checked("memory-calls", "no calls");
    expect_not_checked("step-jitter", "fewer than four");
}

static void with_cube(double used)
{
    uint32_t op = operator_of("mm", "MatMul", WORK_CUBE);
    run(op, 0, 1000);
    count(op, UNIT_CUBE, 60);
    count(op, UNIT_CUBE_ALL, used);
    step(0, 1000);
}

static void test_cores_that_an_operator_holds_say_nothing_of_its_matrix_unit(void **state)
{
    (void)state;
    uint32_t op = operator_of("mm", "MatMul", WORK_CUBE);
    run(op, 0, 1000);
    count(op, UNIT_OCCUPIED, 20);
    expect_not_checked("low-cube-use", "the occupancy of the cores, but not");
}

static void test_low_cube_use_fires(void **state)
{
    (void)state;
    with_cube(30);
    expect_fired("low-cube-use", 30);
}

static void test_high_cube_use_is_quiet(void **state)
{
    (void)state;
    with_cube(58);
    expect_quiet("low-cube-use");
}

static void with_waste(double waste_us)
{
    uint32_t op = operator_of("blocks", "MatMul", WORK_CUBE);
    run(op, 0, 1000);
    workload.operators[op].waste_ns = waste_us * 1000;
    workload.operators[op].blocks_ns = 1e6;
    step(0, 1000);
}

static void test_cores_without_blocks_fire(void **state)
{
    (void)state;
    with_waste(25);
    expect_fired("idle-cores", 2.5);
}

static void test_full_cores_are_quiet(void **state)
{
    (void)state;
    with_waste(5);
    expect_quiet("idle-cores");
}

static void with_communication(int64_t start_us)
{
    uint32_t op = operator_of("a", "Conv", WORK_CUBE), all = operator_of("sum", "allReduce", WORK_COMMUNICATION);
    run(op, 0, 800);
    run(all, start_us, 200);
    step(0, 1000);
}

static void test_exposed_communication_fires(void **state)
{
    (void)state;
    with_communication(800);
    expect_fired("exposed-communication", 20);
}

static void test_covered_communication_is_quiet(void **state)
{
    (void)state;
    with_communication(500);
    expect_quiet("exposed-communication");
}

static void with_steps(int64_t slow_us)
{
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);
    for (int64_t i = 0; i < 10; i++) {
        int64_t time = i == 5 || i == 7 ? slow_us : 100;
        run(op, i * 1000, time);
        step(i * 1000, i * 1000 + time);
    }
}

static void test_step_jitter_fires_and_points_at_the_slowest(void **state)
{
    (void)state;
    with_steps(200);
    expect_fired("step-jitter", 100);
    assert_int_equal(look("step-jitter")->time_ns, 5000000);
}

static void test_even_steps_are_quiet(void **state)
{
    (void)state;
    with_steps(102);
    expect_quiet("step-jitter");
}

static void test_a_low_frequency_fires(void **state)
{
    (void)state;
    with_steps(100);
    host.rated_mhz = 1000;
    host.mean_mhz = 900;
    expect_fired("frequency", 10);
}

static void test_the_rated_frequency_is_quiet(void **state)
{
    (void)state;
    with_steps(100);
    host.rated_mhz = 1000;
    host.mean_mhz = 990;
    expect_quiet("frequency");
}

static void test_memory_calls_fire(void **state)
{
    (void)state;
    with_steps(100);
    host.known = true;
    host.memory.calls = 7;
    host.memory.ns = 50000;
    host.memory_window_ns = 1000000;
    expect_fired("memory-calls", 5);
}

static void test_few_memory_calls_are_quiet(void **state)
{
    (void)state;
    with_steps(100);
    host.known = true;
    host.memory.ns = 5000;
    expect_quiet("memory-calls");
}

static void with_svp(double cube, double vector, double weights)
{
    uint32_t op = operator_of("conv1", "Convolution", WORK_CUBE);
    run(op, 0, 1000);
    count(op, UNIT_CUBE, cube);
    count(op, UNIT_VECTOR, vector);
    count(op, UNIT_WEIGHTS, weights);
    step(0, 1000);
}

static void test_layers_that_wait_for_memory_fire(void **state)
{
    (void)state;
    with_svp(20, 10, 50);
    expect_fired("svp-memory-bound", 100);
}

static void test_layers_that_calculate_are_quiet(void **state)
{
    (void)state;
    with_svp(50, 10, 20);
    expect_quiet("svp-memory-bound");
}

static void test_activations_in_pieces_fire(void **state)
{
    (void)state;
    memcpy(workload.facts.chip, "SVP", sizeof "SVP");
    with_slow(WORK_CUBE, "Convolution,Softplus", 300);
    expect_fired("svp-activation", 30);
}

static void test_other_activations_are_quiet(void **state)
{
    (void)state;
    memcpy(workload.facts.chip, "SVP", sizeof "SVP");
    with_slow(WORK_CUBE, "Convolution,Relu,Expand", 300);
    expect_quiet("svp-activation");
}

static void test_nothing_is_checked_without_times(void **state)
{
    (void)state;
    run(operator_of("a", "Conv", WORK_CUBE), 0, 10);
    workload.facts.times_known = false;
    for (size_t i = 0; i < advice_rule_count && advice_rules[i]->of_tree == NULL; i++)
        expect_not_checked(advice_rules[i]->id, "no times");
}

static void test_findings_come_by_severity_then_by_time_at_stake(void **state)
{
    (void)state;
    run(operator_of("slow", "TransData", WORK_AI_CPU), 0, 700);
    step(0, 1000);
    host.known = true;
    host.memory.ns = 15000000; /* 1.5 % of the host's second, and far more than all that the device did */
    host.memory_window_ns = 1000000000;
    const struct finding *calls = look("memory-calls");
    assert_true(advice.findings[0].fired && advice.findings[1].fired);
    assert_true(advice.findings[0].at_stake_ns >= advice.findings[1].at_stake_ns);
    assert_int_equal(advice.findings[0].severity, SEVERITY_HIGH);
    assert_true(calls->fired);
    assert_int_equal(calls->severity, SEVERITY_LOW);
    assert_true(calls->at_stake_ns > advice.findings[0].at_stake_ns);
    assert_true(calls + 1 == &advice.findings[advice.rule_count] || !calls[1].fired); /* it is the last */
}

static void test_the_severity_of_a_gap_is_its_share_of_a_step(void **state)
{
    static const struct {
        int64_t ns; /* of a step of 1.6 ms */
        enum severity severity;
    } cases[] = {{9660, SEVERITY_LOW}, {40000, SEVERITY_LOW}, {50000, SEVERITY_MEDIUM}, {90000, SEVERITY_HIGH}};

    (void)state;
    run(operator_of("before", "Add", WORK_VECTOR), 0, 600);
    run(operator_of("behind", "Add", WORK_VECTOR), 700, 900);
    step(0, 1600);
    *threshold("gap") = 0;
    *threshold("idle") = 100;
    host.gap_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        host.gaps[0] = (struct gap_evidence){.start_ns = 600000,
                                             .end_ns = 600000 + cases[i].ns,
                                             .length_ns = (double)cases[i].ns,
                                             .after = 1,
                                             .call = ""};
        const struct finding *gap = look("gap");
        assert_true(gap->fired);
        assert_int_equal(gap->severity, cases[i].severity);
    }
    *threshold("gap") = 1; /* 9.66 us of 1.6 ms are none */
    host.gaps[0].end_ns = 609660;
    host.gaps[0].length_ns = 9660;
    assert_false(look("gap")->fired);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_idle_fires_above_a_tenth),
        TEST(test_idle_is_quiet_when_the_device_works),
        TEST(test_idle_is_not_checked_when_tasks_are_only_placed),
        TEST(test_a_long_gap_fires_and_names_the_call),
        TEST(test_a_short_gap_is_quiet),
        TEST(test_ai_cpu_operators_fire),
        TEST(test_short_ai_cpu_operators_are_quiet),
        TEST(test_conversions_fire),
        TEST(test_few_conversions_are_quiet),
        TEST(test_small_operators_with_long_gaps_fire),
        TEST(test_small_operators_without_gaps_are_quiet),
        TEST(test_memory_bound_fires),
        TEST(test_an_operator_whose_busier_unit_calculates_is_not_bound_by_memory),
        TEST(test_units_that_move_data_beside_each_other_are_not_added),
        TEST(test_memory_bound_is_quiet_below_its_limit),
        TEST(test_without_counters_units_are_not_checked),
        TEST(test_low_cube_use_fires),
        TEST(test_cores_that_an_operator_holds_say_nothing_of_its_matrix_unit),
        TEST(test_high_cube_use_is_quiet),
        TEST(test_cores_without_blocks_fire),
        TEST(test_full_cores_are_quiet),
        TEST(test_exposed_communication_fires),
        TEST(test_covered_communication_is_quiet),
        TEST(test_step_jitter_fires_and_points_at_the_slowest),
        TEST(test_even_steps_are_quiet),
        TEST(test_a_low_frequency_fires),
        TEST(test_the_rated_frequency_is_quiet),
        TEST(test_memory_calls_fire),
        TEST(test_few_memory_calls_are_quiet),
        TEST(test_layers_that_wait_for_memory_fire),
        TEST(test_layers_that_calculate_are_quiet),
        TEST(test_activations_in_pieces_fire),
        TEST(test_other_activations_are_quiet),
        TEST(test_nothing_is_checked_without_times),
        TEST(test_findings_come_by_severity_then_by_time_at_stake),
        TEST(test_the_severity_of_a_gap_is_its_share_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
