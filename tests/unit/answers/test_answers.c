/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic behind the tables of answers: coverage, gaps and calls, steps, what limits operators, neighbours. */
#include "features/answers/analysis/bound.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/analysis/match.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_groups.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct workload workload;

static int begin(void **state)
{
    (void)state;
    workload_init(&workload);
    return 0;
}

static int end(void **state)
{
    (void)state;
    workload_release(&workload);
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

static void run_on(int64_t device, int64_t stream, uint32_t op, int64_t start_ns, int64_t duration_ns)
{
    struct err err = ERR_INIT;
    bool taken;

    assert_int_equal(workload_add(&workload, op, device, stream, start_ns, duration_ns, &taken, &err), 0);
    assert_true(taken);
}

static void finish(void)
{
    struct err err = ERR_INIT;

    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
}

/* ---- coverage ---- */

static int64_t covered_plainly(const struct intervals *list, int64_t from_ns, int64_t until_ns)
{
    size_t cursor = 0;

    return intervals_length_within(list, from_ns, until_ns, &cursor);
}

static void test_coverage_is_what_adding_up_gives_wherever_the_cursor_is(void **state)
{
    (void)state;
    struct intervals list = {.items = NULL}, copy = {.items = NULL};
    struct coverage coverage;
    struct err err = ERR_INIT;
    uint32_t random = 12345;
    int64_t at = 0;
    size_t cursor = 0;

    for (int i = 0; i < 300; i++) {
        random = random * 1664525 + 1013904223;
        at += 1 + random % 50;
        int64_t length = 1 + random / 65536 % 30;
        assert_int_equal(intervals_add(&list, at, at + length, &err), 0);
        assert_int_equal(intervals_add(&copy, at, at + length, &err), 0);
        at += length;
    }
    assert_int_equal(coverage_make(&list, &coverage, &err), 0);
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525 + 1013904223;
        int64_t from = (int64_t)(random % (uint32_t)at) - 20;
        random = random * 1664525 + 1013904223;
        int64_t until = from + (int64_t)(random / 65536 % (i % 2 == 0 ? 60 : 5000)) - 5;
        assert_int_equal(coverage_within(&coverage, from, until, &cursor), covered_plainly(&copy, from, until));
    }
    coverage_release(&coverage);
    intervals_release(&copy);
}

static void test_idle_is_when_no_device_works(void **state)
{
    (void)state;
    struct coverage idle;
    struct err err = ERR_INIT;
    size_t cursor = 0;
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);

    run_on(0, 0, op, 0, 100);
    run_on(0, 0, op, 300, 100);
    run_on(1, 0, op, 150, 50);
    finish();
    assert_int_equal(coverage_of_idle(&workload, 0, &idle, &err), 0);
    assert_int_equal(idle.list.count, 2);
    assert_int_equal(coverage_within(&idle, INT64_MIN, INT64_MAX, &cursor), 150);
    assert_int_equal(coverage_within(&idle, 190, 250, &cursor), 50);
    coverage_release(&idle);
}

/* ---- gaps and calls ---- */

static struct gaps gaps;
static struct gap_calls gap_calls;

static void with_gap(void)
{
    struct err err = ERR_INIT;
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);

    run_on(0, 0, op, 0, 100);
    run_on(0, 0, op, 200, 100); /* a gap of 100 */
    finish();
    assert_int_equal(gaps_make(&workload, &gaps, &err), 0);
    assert_int_equal(gaps.count, 1);
    assert_int_equal(gap_calls_open(&gap_calls, &workload, &gaps, &err), 0);
}

static void call(uint32_t name, int64_t start_ns, int64_t end_ns, bool launches)
{
    const struct host_call one = {
        .name = name, .thread = 1, .start_ns = start_ns, .end_ns = end_ns, .launches = launches};

    gap_calls_take(&gap_calls, &one);
}

static void without_gap(void)
{
    gap_calls_release(&gap_calls);
    gaps_release(&gaps);
}

static void test_a_gap_without_calls_is_unknown(void **state)
{
    (void)state;
    with_gap();
    assert_int_equal(gap_calls_cause(&gap_calls, 0, NULL), CAUSE_UNKNOWN);
    call(1, 300, 400, true);
    assert_int_equal(gap_calls.items[0].name, NO_TEXT);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, NULL), CAUSE_QUEUE);
    without_gap();
}

static void test_the_innermost_call_that_covers_most_names_a_gap(void **state)
{
    (void)state;
    with_gap();
    call(1, 0, 1000, false);
    call(2, 50, 250, false);
    call(3, 110, 190, false);
    assert_int_equal(gap_calls.items[0].name, 2);
    assert_true(gap_calls.items[0].covered_ns == 100);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtSynchronizeStream"), CAUSE_SYNC);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtMemcpyAsync"), CAUSE_QUEUE);
    call(4, 150, 160, true); /* what follows a wait is launched behind it */
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtSynchronizeStream"), CAUSE_SYNC);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtMemcpyAsync"), CAUSE_HOST);
    without_gap();
}

static void test_a_call_that_covers_less_than_half_is_no_wait(void **state)
{
    (void)state;
    with_gap();
    call(1, 0, 149, false);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtMemcpy"), CAUSE_QUEUE);
    call(1, 0, 150, false);
    assert_int_equal(gap_calls_cause(&gap_calls, 0, "aclrtMemcpy"), CAUSE_SYNC);
    without_gap();
}

static void test_a_call_that_covers_less_than_a_tenth_does_not_name_a_gap(void **state)
{
    (void)state;
    with_gap();
    call(1, 0, 109, false);
    assert_int_equal(gap_calls_name(&gap_calls, 0), NO_TEXT);
    call(2, 0, 110, false);
    assert_int_equal(gap_calls_name(&gap_calls, 0), 2);
    without_gap();
}

/* ---- times of calls ---- */

static void test_self_time_leaves_out_what_is_inside_of_the_same_thread(void **state)
{
    (void)state;
    struct coverage idle;
    struct call_times times = {.idle = &idle};
    struct err err = ERR_INIT;
    const int64_t hz = TICKS_OF_NS;
    const struct host_call calls[] = {
        {.name = 0, .thread = 1, .start_ns = 0, .end_ns = 100, .hz = hz},
        {.name = 1, .thread = 1, .start_ns = 10, .end_ns = 50, .hz = hz},
        {.name = 2, .thread = 1, .start_ns = 20, .end_ns = 30, .hz = hz},
        {.name = 1, .thread = 1, .start_ns = 60, .end_ns = 80, .hz = hz},
        {.name = 2, .thread = 2, .start_ns = 70, .end_ns = 170, .hz = hz},
    };
    uint32_t op = operator_of("a", "Conv", WORK_CUBE);

    run_on(0, 0, op, 0, 40);
    run_on(0, 0, op, 75, 200);
    finish();
    assert_int_equal(coverage_of_idle(&workload, 0, &idle, &err), 0); /* 40 to 75 */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_int_equal(call_times_take(&times, &calls[i], &err), 0);
    assert_int_equal(times.count, 3);
    assert_true(times.items[0].total_ns == 100 && times.items[0].self_ns == 40 && times.items[0].blocked_ns == 35);
    assert_true(times.items[1].total_ns == 60 && times.items[1].self_ns == 50 && times.items[1].blocked_ns == 25);
    assert_true(times.items[2].total_ns == 110 && times.items[2].self_ns == 110 && times.items[2].blocked_ns == 5);
    call_times_release(&times);
    coverage_release(&idle);
}

/* ---- steps ---- */

static void test_the_slowest_step_names_part_and_operator(void **state)
{
    (void)state;
    struct splits splits;
    struct step_groups groups;
    struct err err = ERR_INIT;
    uint32_t a = operator_of("a", "Conv", WORK_CUBE), b = operator_of("b", "Conv", WORK_CUBE);

    for (int64_t i = 0; i < 6; i++) {
        int64_t start = i * 10000, wait = i == 4 ? 700 : 100;
        run_on(0, 0, a, start, 1000);
        run_on(0, 0, b, start + 1000 + wait, i == 4 ? 1200 : 1000);
        const struct workload_step step = {.start_ns = start,
                                           .end_ns = start + 2200 + wait,
                                           .model_id = 7,
                                           .number = i,
                                           .source = STEPS_ITERATIONS,
                                           .model = NO_TEXT};
        assert_int_equal(workload_add_step(&workload, 0, &step, &err), 0);
    }
    finish();
    assert_int_equal(splits_make(&workload, &splits, &err), 0);
    assert_int_equal(step_groups_make(&workload, &splits, &groups, &err), 0);
    assert_int_equal(groups.count, 1);
    const struct step_group *group = &groups.items[0];
    assert_int_equal(splits.groups.items[group->group].model_id, 7);
    assert_true(group->periods.n == 5 && group->periods.median == 10000);
    assert_true(group->busy.median == 2000 && group->free.median == 8000);
    assert_int_equal(group->slowest, 4);
    assert_int_equal(group->part, PART_FREE);
    assert_true(group->part_ns == 400);
    assert_int_equal(group->op, b);
    assert_true(group->op_ns == 200);
    assert_true(group->times.median == 2300 && group->times.maximum == 2900);
    step_groups_release(&groups);
    splits_release(&splits);
}

/* ---- units ---- */

static enum bound bound_of(double compute, double memory)
{
    struct workload_operator op = {.counted_ns = 1000};
    struct unit_times times;

    for (int i = 0; i < UNITS; i++)
        op.units[i] = -1;
    op.units[UNIT_VECTOR] = compute * 1000;
    op.units[UNIT_STORE] = memory * 1000;
    unit_times_init(&times);
    unit_times_add(&times, &op);
    return unit_times_bound(&times);
}

static void test_the_busiest_unit_limits_an_operator_from_half_of_the_time_on(void **state)
{
    (void)state;
    struct unit_times none;

    assert_int_equal(bound_of(0.6, 0.4), BOUND_COMPUTE);
    assert_int_equal(bound_of(0.6, 0.7), BOUND_MEMORY);
    assert_int_equal(bound_of(0.49, 0.4), BOUND_LATENCY);
    assert_int_equal(bound_of(0, 0.5), BOUND_MEMORY);
    unit_times_init(&none);
    assert_int_equal(unit_times_bound(&none), BOUND_UNKNOWN);
}

static void test_shares_of_units_are_weighted_by_time(void **state)
{
    (void)state;
    struct workload_operator fast = {.counted_ns = 100}, slow = {.counted_ns = 900};
    struct unit_times times;

    for (int i = 0; i < UNITS; i++)
        fast.units[i] = slow.units[i] = -1;
    fast.units[UNIT_CUBE] = 100;
    slow.units[UNIT_CUBE] = 90;
    unit_times_init(&times);
    unit_times_add(&times, &fast);
    unit_times_add(&times, &slow);
    assert_true(unit_times_compute(&times) > 0.1899 && unit_times_compute(&times) < 0.1901);
    assert_true(unit_times_memory(&times) < 0);
}

/* ---- neighbours ---- */

static bool is_cast(const struct workload *all, const struct workload_operator *op)
{
    return workload_is_conversion(workload_text(all, op->key.type));
}

static void test_neighbours_are_those_of_the_same_stream(void **state)
{
    (void)state;
    struct neighbour_list list;
    struct err err = ERR_INIT;
    uint32_t a = operator_of("a", "Conv", WORK_CUBE), cast = operator_of("cast", "Cast", WORK_VECTOR);

    run_on(0, 1, a, 0, 10);
    run_on(0, 2, cast, 20, 5);
    run_on(0, 1, cast, 30, 7);
    run_on(0, 1, a, 40, 10);
    run_on(0, 1, cast, 60, 8);
    finish();
    assert_int_equal(neighbours_find(&workload, is_cast, &list, &err), 0);
    assert_int_equal(list.count, 3);
    assert_true(list.items[0].before == a && list.items[0].after == NO_TEXT && list.items[0].total_ns == 8);
    assert_true(list.items[1].before == a && list.items[1].after == a && list.items[1].total_ns == 7);
    assert_true(list.items[2].before == NO_TEXT && list.items[2].after == NO_TEXT && list.items[2].count == 1);
    neighbours_release(&list);
}

/* ---- sorting ---- */

static void test_many_values_are_sorted_as_few_are(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    int64_t *values = calloc(MANY, sizeof *values);
    uint64_t random = 1;

    assert_non_null(values);
    for (size_t i = 0; i < MANY; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        values[i] = i % 3 == 0 ? (int64_t)(random >> 40) : (int64_t)random;
    }
    values[7] = INT64_MIN;
    values[8] = INT64_MAX;
    statistics_sort(values, MANY);
    assert_int_equal(values[0], INT64_MIN);
    assert_int_equal(values[MANY - 1], INT64_MAX);
    for (size_t i = 1; i < MANY; i++)
        assert_true(values[i - 1] <= values[i]);
    free(values);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_coverage_is_what_adding_up_gives_wherever_the_cursor_is),
        TEST(test_idle_is_when_no_device_works),
        TEST(test_a_gap_without_calls_is_unknown),
        TEST(test_the_innermost_call_that_covers_most_names_a_gap),
        TEST(test_a_call_that_covers_less_than_half_is_no_wait),
        TEST(test_a_call_that_covers_less_than_a_tenth_does_not_name_a_gap),
        TEST(test_self_time_leaves_out_what_is_inside_of_the_same_thread),
        TEST(test_the_slowest_step_names_part_and_operator),
        TEST(test_the_busiest_unit_limits_an_operator_from_half_of_the_time_on),
        TEST(test_shares_of_units_are_weighted_by_time),
        TEST(test_neighbours_are_those_of_the_same_stream),
        TEST(test_many_values_are_sorted_as_few_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
