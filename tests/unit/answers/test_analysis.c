/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of answers, against figures that were worked out by hand or are printed in the literature. */
#include "base/interval.h"
#include "base/statistics.h"
#include "base/ticks.h"
#include "features/answers/analysis/match.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_near(double value, double expected, double tolerance)
{
    if (fabs(value - expected) > tolerance)
        print_error("%.9g, expected %.9g\n", value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static void expect_intervals(const struct intervals *list, const int64_t *ends, size_t count)
{
    assert_int_equal(list->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list->items[i].start_ns, ends[2 * i]);
        assert_int_equal(list->items[i].end_ns, ends[2 * i + 1]);
    }
}

static struct intervals make_list(const int64_t *ends, size_t count)
{
    struct intervals list = {.items = NULL};
    struct err err = ERR_INIT;

    for (size_t i = 0; i < count; i++)
        assert_int_equal(intervals_add(&list, ends[2 * i], ends[2 * i + 1], &err), 0);
    intervals_unite(&list);
    return list;
}

static void test_intervals_that_overlap_or_touch_become_one(void **state)
{
    (void)state;
    const int64_t given[] = {30, 40, 0, 10, 10, 12, 5, 8, 50, 50, 39, 45}, united[] = {0, 12, 30, 45};
    struct intervals list = make_list(given, 6);

    expect_intervals(&list, united, 2);
    assert_int_equal(intervals_length(&list), 27);
    intervals_release(&list);
}

static void test_exposed_communication_is_what_no_computing_covers(void **state)
{
    (void)state;
    const int64_t computing[] = {0, 10, 20, 30}, communicating[] = {5, 25, 28, 40};
    const int64_t exposed[] = {10, 20, 30, 40}, any[] = {0, 40};
    struct intervals a = make_list(computing, 2), b = make_list(communicating, 2), ret = {.items = NULL};
    struct err err = ERR_INIT;

    assert_int_equal(intervals_subtract(&b, &a, &ret, &err), 0);
    expect_intervals(&ret, exposed, 2);
    intervals_release(&ret);
    assert_int_equal(intervals_join(&a, &b, &ret, &err), 0);
    expect_intervals(&ret, any, 1);
    intervals_release(&ret);
    intervals_release(&a);
    intervals_release(&b);
}

static void test_lengths_within_ranges_are_found_with_one_cursor(void **state)
{
    (void)state;
    const int64_t busy[] = {0, 10, 12, 18, 30, 40};
    struct intervals list = make_list(busy, 3);
    size_t cursor = 0;

    assert_int_equal(intervals_length_within(&list, 0, 15, &cursor), 13);
    assert_int_equal(intervals_length_within(&list, 15, 35, &cursor), 8);
    assert_int_equal(intervals_length_within(&list, 35, 100, &cursor), 5);
    intervals_release(&list);
}

static void test_lengths_past_the_end_of_the_clock_stay_at_the_end(void **state)
{
    (void)state;
    const int64_t ends[] = {INT64_MIN, INT64_MAX};
    struct intervals list = make_list(ends, 1);

    assert_int_equal(intervals_length(&list), INT64_MAX);
    assert_int_equal(interval_length(5, 3), 0);
    intervals_release(&list);
}

/* 1 1 2 2 4 6 9: median 2; distances 1 1 0 0 2 4 7, whose median is 1 (Wikipedia, Median absolute deviation). */
static void test_median_and_mad_of_a_published_example(void **state)
{
    (void)state;
    const int64_t values[] = {1, 1, 2, 2, 4, 6, 9};

    expect_near(statistics_median(values, 7), 2, 0);
    expect_near(statistics_mad(values, 7, 2), 1, 0);
    expect_near(statistics_percentile(values, 7, 0.95), 8.1, 1e-9); /* between ranks 5 and 6: 6 + 0.7 * 3 */
}

static void test_mad_is_the_median_of_the_distances_for_any_values(void **state)
{
    (void)state;
    for (size_t n = 1; n < 40; n++) {
        int64_t values[40], twice[40];
        unsigned seed = (unsigned)n;
        for (size_t i = 0; i < n; i++)
            values[i] = rand_r(&seed) % 50;
        statistics_sort(values, n);
        double median = statistics_median(values, n);
        for (size_t i = 0; i < n; i++)
            twice[i] = (int64_t)(2 * fabs((double)values[i] - median));
        statistics_sort(twice, n);
        expect_near(statistics_mad(values, n, median), statistics_median(twice, n) / 2, 1e-9);
    }
}

/* Of 1, 2, 2 and 6 ticks of 48 MHz: 2 ticks are 41.667 ns, and their distances 1, 0, 0, 4 of which half a tick is the
 * median. Of 3 and 6 ticks, 62.5 and 125 ns: 93.75. */
static void test_a_median_of_lengths_is_of_their_ticks(void **state)
{
    (void)state;
    const int64_t lengths[] = {21, 42, 42, 125}, halves[] = {63, 125}, clocks[] = {38400000, 47999001, 749999001};

    expect_near(statistics_lengths_median(lengths, 4, 48000000), 2000 / 48.0, 1e-12);
    expect_near(statistics_lengths_mad(lengths, 4, 48000000), 500 / 48.0, 1e-12);
    expect_near(statistics_lengths_median(halves, 2, 48000000), 93.75, 0);
    expect_near(statistics_lengths_median(halves, 2, TICKS_OF_NS), 94, 0);
    expect_near(statistics_lengths_median(NULL, 0, 48000000), 0, 0);
    expect_near(statistics_lengths_mad(NULL, 0, 48000000), 0, 0);
    const int64_t longest[] = {INT64_MAX - 1, INT64_MAX,
                               INT64_MAX}; /* more than 2^62 ticks: twice of them is too much */
    expect_near(statistics_lengths_mad(longest, 3, 800000001), 0, 4);
    expect_near(ticks_whole_ns(INT64_C(100000000000), INT64_C(99999999999)), 999999999.99, 1e-6);
    for (size_t clock = 0; clock < 3; clock++) {
        for (size_t n = 1; n < 40; n++) {
            int64_t ticks[40], ns[40], twice[40];
            unsigned seed = (unsigned)(n + 100 * clock);
            const double tick = 1e9 / (double)clocks[clock];
            for (size_t i = 0; i < n; i++)
                ticks[i] = rand_r(&seed) % 500;
            statistics_sort(ticks, n);
            for (size_t i = 0; i < n; i++)
                ns[i] = ticks_ns(clocks[clock], ticks[i]);
            const double median = statistics_median(ticks, n);
            for (size_t i = 0; i < n; i++)
                twice[i] = (int64_t)(2 * fabs((double)ticks[i] - median));
            statistics_sort(twice, n);
            expect_near(statistics_lengths_median(ns, n, clocks[clock]), median * tick, 1e-9);
            expect_near(statistics_lengths_mad(ns, n, clocks[clock]), statistics_median(twice, n) / 2 * tick, 1e-9);
        }
    }
}

static void test_a_series_keeps_evenly_ranked_samples(void **state)
{
    (void)state;
    int64_t values[1000];
    struct series series;
    struct err err = ERR_INIT;

    for (int i = 0; i < 1000; i++)
        values[i] = 999 - i;
    assert_int_equal(series_make(&series, values, 1000, TICKS_OF_NS, &err), 0);
    assert_int_equal(series.n, 1000);
    assert_int_equal(series.sample_count, SAMPLES_MAX);
    assert_int_equal(series.samples[0], 0);
    assert_int_equal(series.samples[SAMPLES_MAX - 1], 999);
    assert_int_equal(series.samples[51], 199); /* 51 * 999 / 255 */
    expect_near(series.median, 499.5, 0);
    expect_near(series.total, 499500, 0);
    series_release(&series);
    assert_int_equal(series_make(&series, values, 3, TICKS_OF_NS, &err), 0);
    assert_int_equal(series.sample_count, 3);
    series_release(&series);
}

static void test_values_that_do_not_scatter_have_the_scale_of_the_clock(void **state)
{
    (void)state;
    int64_t values[] = {100, 100, 100, 100, 120, 120, 120};
    struct series series;
    struct err err = ERR_INIT;

    assert_int_equal(series_make(&series, values, 4, TICKS_OF_NS, &err), 0);
    expect_near(series_scale(&series, 20), 20, 0);
    series_release(&series);
}

static void test_durations_fall_into_bins_of_1_2_5(void **state)
{
    (void)state;
    struct histogram histogram;

    histogram_init(&histogram);
    histogram_add(&histogram, 999);
    histogram_add(&histogram, 1000);
    histogram_add(&histogram, 19999);
    histogram_add(&histogram, (double)INT64_MAX);
    assert_int_equal(histogram.bins[0].count, 1);
    assert_int_equal(histogram.bins[1].from_ns, 1000);
    assert_int_equal(histogram.bins[1].count, 1);
    assert_int_equal(histogram.bins[4].until_ns, 20000);
    assert_int_equal(histogram.bins[4].count, 1);
    assert_int_equal(histogram.bins[HISTOGRAM_BINS - 1].count, 1);
}

/* Values of printed tables of Student's t (two-sided) and F (upper 5 %). */
static void test_probabilities_are_those_of_printed_tables(void **state)
{
    (void)state;
    expect_near(statistics_student_p(2.228, 10), 0.05, 1e-4);
    expect_near(statistics_student_p(-63.657, 1), 0.01, 1e-6);
    expect_near(statistics_student_p(0, 7), 1, 0);
    expect_near(statistics_student_quantile(0.05, 4), 2.776, 1e-3);
    expect_near(statistics_student_quantile(0.01, 30), 2.750, 1e-3);
    expect_near(statistics_fisher_p(4.96, 1, 10), 0.05, 1e-3);
    expect_near(statistics_fisher_p(2.98, 10, 10), 0.05, 1e-3);
    expect_near(statistics_chi_square_median(4), 3.357, 2e-2);
}

static void test_cliffs_delta_counts_ties_half(void **state)
{
    (void)state;
    const int64_t low[] = {1, 2, 3}, high[] = {4, 5, 6, 7}, a[] = {1, 2}, b[] = {2, 3};

    expect_near(statistics_cliff_delta(low, 3, high, 4), 1, 0);
    expect_near(statistics_cliff_delta(high, 4, low, 3), -1, 0);
    expect_near(statistics_cliff_delta(a, 2, a, 2), 0, 0);
    expect_near(statistics_cliff_delta(a, 2, b, 2), 3.0 / 4, 1e-12); /* three pairs of four are larger, one is equal */
    expect_near(statistics_cliff_delta(a, 2, b, 0), 0, 0);
}

/* Benjamini and Hochberg (1995), section 3.2: fifteen p values, of which four are found at 0.05. */
static void test_false_discoveries_of_the_first_paper(void **state)
{
    (void)state;
    const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                        0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    double q[15];
    int found = 0;
    struct err err = ERR_INIT;

    assert_int_equal(statistics_false_discovery(p, 15, q, &err), 0);
    for (int i = 0; i < 15; i++)
        found += q[i] <= 0.05;
    assert_int_equal(found, 4);
    expect_near(q[0], 0.0015, 1e-12);
    expect_near(q[3], 0.0095 * 15 / 4, 1e-12);
    expect_near(q[14], 1, 0);
}

static void test_the_count_that_most_operators_have_is_the_number_of_steps(void **state)
{
    (void)state;
    const size_t counts[] = {1, 14, 14, 28, 14, 1};
    const uint64_t first[] = {0, 7, 3, 4, 9, 1};
    struct period period;
    struct err err = ERR_INIT;

    assert_int_equal(workload_find_period(counts, first, 6, NULL, NULL, &period, &err), 0);
    assert_int_equal(period.count, 14);
    assert_int_equal(period.divider, 2);
    expect_near(period.share, 4.0 / 6, 1e-12);
    const size_t once[] = {1, 1, 1}, odd[] = {1, 1, 1, 1, 1, 2};
    assert_int_equal(workload_find_period(once, first, 3, NULL, NULL, &period, &err), 0);
    assert_int_equal(period.count, 0);
    assert_int_equal(workload_find_period(odd, first, 6, NULL, NULL, &period, &err), 0);
    assert_int_equal(period.count, 0);
    assert_int_equal(workload_find_period(counts, first, 0, NULL, NULL, &period, &err), 0);
    assert_int_equal(period.count, 0);
}

static void test_numbers_at_the_end_of_names_are_taken_off(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t stem;
    } cases[] = {
        {"MatMul-op123", 6},      {"MatMul_456", 6}, {"conv1", 4}, {"conv", 4}, {"7", 1}, {"12345", 5}, {"", 0},
        {"layer1/Conv-op3_2", 11}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(match_stem(cases[i].name), cases[i].stem);
}

static void test_operators_are_matched_by_name_then_by_order(void **state)
{
    (void)state;
    struct match_operator base[] = {
        {.key = "a", .name = "a", .type = "Conv", .shapes = "1,2", .order = 0},
        {.key = "mm-op1", .name = "mm-op1", .type = "MatMul", .shapes = "4,4", .order = 1},
        {.key = "old", .name = "old", .type = "Add", .shapes = "4,4", .order = 2},
        {.key = "gone", .name = "gone", .type = "Relu", .shapes = "", .order = 3},
    };
    struct match_operator other[] = {
        {.key = "renamed", .name = "renamed", .type = "Add", .shapes = "4,4", .order = 2},
        {.key = "mm-op77", .name = "mm-op77", .type = "MatMul", .shapes = "4,4", .order = 1},
        {.key = "a", .name = "a", .type = "Conv", .shapes = "9,9", .order = 0},
        {.key = "added", .name = "added", .type = "Cast", .shapes = "", .order = 4},
    };
    struct err err = ERR_INIT;

    assert_int_equal(match_operators(base, 4, other, 4, &err), 0);
    assert_int_equal(base[0].kind, MATCH_EXACT);
    assert_int_equal(base[0].other, 2);
    assert_int_equal(base[1].kind, MATCH_NAME);
    assert_int_equal(base[1].other, 1);
    assert_int_equal(base[2].kind, MATCH_ORDER);
    assert_int_equal(base[2].other, 0);
    assert_int_equal(base[3].kind, MATCH_NONE);
    assert_int_equal(other[3].kind, MATCH_NONE);
    assert_int_equal(other[0].other, 2);
}

/* Add, Mul, Add against Mul, Add, Add under other names: the longest common subsequence is Mul, Add or Add, Add. */
static void test_order_is_kept_when_types_repeat(void **state)
{
    (void)state;
    struct match_operator base[] = {{.key = "p", .name = "p", .type = "Add", .shapes = "", .order = 0},
                                    {.key = "q", .name = "q", .type = "Mul", .shapes = "", .order = 1},
                                    {.key = "r", .name = "r", .type = "Sub", .shapes = "", .order = 2}};
    struct match_operator other[] = {{.key = "x", .name = "x", .type = "Mul", .shapes = "", .order = 0},
                                     {.key = "y", .name = "y", .type = "Add", .shapes = "", .order = 1},
                                     {.key = "z", .name = "z", .type = "Sub", .shapes = "", .order = 2}};
    struct err err = ERR_INIT;
    int matched = 0;

    assert_int_equal(match_operators(base, 3, other, 3, &err), 0);
    for (int i = 0; i < 3; i++)
        matched += base[i].kind == MATCH_ORDER;
    assert_int_equal(matched, 2);
    assert_int_equal(base[2].other, 2);
}

/* A workload of three operators on one device. */
static uint32_t add_operator(struct workload *workload, const char *name, enum work work)
{
    struct workload_key key = {.shapes = NO_TEXT, .work = work};
    struct err err = ERR_INIT;
    uint32_t index;

    assert_int_equal(workload_add_text(workload, name, &key.name, &err), 0);
    assert_int_equal(workload_add_text(workload, name, &key.type, &err), 0);
    assert_int_equal(workload_add_operator(workload, &key, &index, &err), 0);
    return index;
}

static void run(struct workload *workload, uint32_t op, int64_t start_ns, int64_t duration_ns)
{
    struct err err = ERR_INIT;
    bool taken;

    assert_int_equal(workload_add(workload, op, 0, op, start_ns, duration_ns, &taken, &err), 0);
}

static void test_a_step_divides_into_computing_exposed_copies_and_free(void **state)
{
    (void)state;
    struct workload workload;
    struct splits splits;
    struct gaps gaps;
    struct err err = ERR_INIT;

    workload_init(&workload);
    uint32_t op = add_operator(&workload, "conv", WORK_CUBE), all = add_operator(&workload, "sum", WORK_COMMUNICATION),
             copy = add_operator(&workload, "copy", WORK_COPY);
    run(&workload, op, 100, 50);
    run(&workload, all, 140, 40);
    run(&workload, copy, 190, 5);
    run(&workload, op, 200, 20);
    const struct workload_step step = {
        .start_ns = 100, .end_ns = 240, .model_id = 1, .source = STEPS_MARKED, .model = NO_TEXT};
    assert_int_equal(workload_add_step(&workload, 0, &step, &err), 0);
    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
    assert_int_equal(splits_make(&workload, &splits, &err), 0);
    assert_int_equal(splits.count, 1);
    assert_int_equal(splits.items[0].own.time_ns, 140);
    assert_int_equal(splits.items[0].own.computing_ns, 70);
    assert_int_equal(splits.items[0].own.communication_ns, 40);
    assert_int_equal(splits.items[0].own.exposed_ns, 30);
    assert_int_equal(splits.items[0].own.copy_ns, 5);
    assert_int_equal(splits.items[0].own.busy_ns, 105);
    assert_int_equal(splits.items[0].own.free_ns, 35);
    assert_int_equal(gaps_make(&workload, &gaps, &err), 0);
    assert_int_equal(gaps.count, 2);
    assert_int_equal(gaps.items[0].start_ns, 180);
    assert_int_equal(gaps.items[0].end_ns, 190);
    assert_int_equal(gap_length_ns(&gaps.items[0]), 10);
    assert_int_equal(workload.executions[gaps.items[0].before].op, all);
    assert_int_equal(workload.executions[gaps.items[1].after].op, op);
    assert_string_equal(execution_name(&workload, gaps.items[1].after), "conv");
    gaps_release(&gaps);
    splits_release(&splits);
    workload_release(&workload);
}

static void test_steps_without_marks_are_found_by_the_period(void **state)
{
    (void)state;
    struct workload workload;
    struct err err = ERR_INIT;

    workload_init(&workload);
    uint32_t load = add_operator(&workload, "load", WORK_CUBE), a = add_operator(&workload, "a", WORK_CUBE),
             b = add_operator(&workload, "b", WORK_CUBE), c = add_operator(&workload, "c", WORK_CUBE);
    run(&workload, load, 0, 5);
    for (int i = 0; i < 6; i++) {
        run(&workload, a, 10 + i * 100, 10);
        run(&workload, b, 30 + i * 100, 10);
        run(&workload, b, 50 + i * 100, 10);
        run(&workload, c, 70 + i * 100, 20);
    }
    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
    assert_int_equal(workload.step_source, STEPS_PERIOD);
    assert_int_equal(workload.step_count, 6);
    assert_int_equal(workload.steps[0].start_ns, 10);
    assert_int_equal(workload.steps[0].end_ns, 110);
    assert_int_equal(workload.steps[5].end_ns, 590);
    workload_release(&workload);
}

static void test_times_that_are_none_are_counted_and_left_out(void **state)
{
    (void)state;
    struct workload workload;
    struct err err = ERR_INIT;

    workload_init(&workload);
    uint32_t op = add_operator(&workload, "a", WORK_CUBE);
    run(&workload, op, INT64_MAX - 5, 10);
    run(&workload, op, 10, -1);
    run(&workload, op, INT64_MIN, 1);
    run(&workload, op, INT64_MAX - 5, 5);
    assert_int_equal(workload.refused, 3);
    assert_int_equal(workload.execution_count, 1);
    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
    workload_release(&workload);
}

static void test_slow_first_steps_are_warmup(void **state)
{
    (void)state;
    struct workload workload;
    struct splits splits;
    struct err err = ERR_INIT;
    int64_t start_ns = 0;

    workload_init(&workload);
    uint32_t op = add_operator(&workload, "a", WORK_CUBE);
    for (int i = 0; i < 12; i++) {
        int64_t time_ns = (i == 0 ? 9000 : 1000) + i % 3;
        run(&workload, op, start_ns, time_ns);
        const struct workload_step step = {
            .start_ns = start_ns, .end_ns = start_ns + time_ns, .number = i, .source = STEPS_MARKED, .model = NO_TEXT};
        assert_int_equal(workload_add_step(&workload, 0, &step, &err), 0);
        start_ns += time_ns;
    }
    assert_int_equal(workload_finish(&workload, &err), 0);
    assert_int_equal(splits_relate_steps(&workload, &err), 0);
    assert_int_equal(splits_make(&workload, &splits, &err), 0);
    assert_int_equal(splits.warmup, 1);
    assert_true(splits_is_warmup(&splits, 0));
    assert_false(splits_is_warmup(&splits, 1));
    splits_release(&splits);
    workload_release(&workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_that_overlap_or_touch_become_one),
        cmocka_unit_test(test_exposed_communication_is_what_no_computing_covers),
        cmocka_unit_test(test_lengths_within_ranges_are_found_with_one_cursor),
        cmocka_unit_test(test_lengths_past_the_end_of_the_clock_stay_at_the_end),
        cmocka_unit_test(test_median_and_mad_of_a_published_example),
        cmocka_unit_test(test_mad_is_the_median_of_the_distances_for_any_values),
        cmocka_unit_test(test_a_median_of_lengths_is_of_their_ticks),
        cmocka_unit_test(test_a_series_keeps_evenly_ranked_samples),
        cmocka_unit_test(test_values_that_do_not_scatter_have_the_scale_of_the_clock),
        cmocka_unit_test(test_durations_fall_into_bins_of_1_2_5),
        cmocka_unit_test(test_probabilities_are_those_of_printed_tables),
        cmocka_unit_test(test_cliffs_delta_counts_ties_half),
        cmocka_unit_test(test_false_discoveries_of_the_first_paper),
        cmocka_unit_test(test_the_count_that_most_operators_have_is_the_number_of_steps),
        cmocka_unit_test(test_numbers_at_the_end_of_names_are_taken_off),
        cmocka_unit_test(test_operators_are_matched_by_name_then_by_order),
        cmocka_unit_test(test_order_is_kept_when_types_repeat),
        cmocka_unit_test(test_a_step_divides_into_computing_exposed_copies_and_free),
        cmocka_unit_test(test_steps_without_marks_are_found_by_the_period),
        cmocka_unit_test(test_times_that_are_none_are_counted_and_left_out),
        cmocka_unit_test(test_slow_first_steps_are_warmup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
