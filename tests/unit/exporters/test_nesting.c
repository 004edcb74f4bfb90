/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges on lanes: nested ones share a lane, those that overlap in part do not. */
#include "exporters/timeline/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct nesting nesting;

static int setup(void **state)
{
    (void)state;
    nesting_clear(&nesting);
    nesting.apart = false;
    return 0;
}

static size_t place(int64_t start_ns, int64_t end_ns)
{
    struct err err = ERR_INIT;
    unsigned shared_ends;
    size_t lane;
    assert_int_equal(nesting_place(&nesting, start_ns, end_ns, &lane, &shared_ends, &err), 0);
    return lane;
}

static void what_is_inside_or_behind_shares_the_lane(void **state)
{
    (void)state;
    assert_int_equal(place(0, 100), 0);
    assert_int_equal(place(0, 50), 0);
    assert_int_equal(place(10, 50), 0);
    assert_int_equal(place(50, 50), 0);
    assert_int_equal(place(60, 100), 0);
    assert_int_equal(place(100, 300), 0);
    assert_int_equal(nesting.count, 1);
}

static void what_overlaps_in_part_goes_to_the_next_lane_that_is_free(void **state)
{
    (void)state;
    assert_int_equal(place(0, 100), 0);
    assert_int_equal(place(50, 150), 1);
    assert_int_equal(place(60, 160), 2);
    assert_int_equal(place(70, 90), 0);
    assert_int_equal(place(120, 150), 0);
    assert_int_equal(place(140, 155), 2);
    assert_int_equal(place(150, 170), 0);
}

static unsigned shared_ends_of(int64_t start_ns, int64_t end_ns)
{
    struct err err = ERR_INIT;
    unsigned shared_ends;
    size_t lane;
    assert_int_equal(nesting_place(&nesting, start_ns, end_ns, &lane, &shared_ends, &err), 0);
    return shared_ends;
}

static void ends_that_are_shared_are_counted(void **state)
{
    (void)state;
    assert_int_equal(shared_ends_of(0, 100), 0);
    assert_int_equal(shared_ends_of(10, 100), 1);
    assert_int_equal(shared_ends_of(20, 100), 2);
    assert_int_equal(shared_ends_of(30, 90), 0);
}

static void a_lane_holds_only_so_many_inside_of_each_other(void **state)
{
    (void)state;
    for (int64_t i = 0; i < NESTING_DEPTH_MAX; i++)
        assert_int_equal(place(i, 10000 - i), 0);
    assert_int_equal(place(NESTING_DEPTH_MAX, 5001), 1);
    assert_int_equal(place(6000, 7000), 1);
    assert_int_equal(place(9900, 9901), 0);
}

static void what_fits_on_no_lane_is_told_and_changes_nothing(void **state)
{
    (void)state;
    for (int64_t i = 0; i < NESTING_NESTED_LANES_MAX; i++)
        assert_int_equal(place(i, 1000 + i), (size_t)i);
    assert_int_equal(place(500, 2000), NESTING_LANES_MAX);
    assert_int_equal(nesting.count, NESTING_NESTED_LANES_MAX);
    assert_int_equal(place(1000, 3000), 0);
    nesting_clear(&nesting);
    assert_int_equal(place(0, 1), 0);
}

static void where_nothing_nests_ranges_that_overlap_never_share_a_lane(void **state)
{
    (void)state;
    nesting.apart = true;
    assert_int_equal(place(0, 10), 0);
    assert_int_equal(place(5, 8), 1);
    assert_int_equal(place(7, 9), 2);
    assert_int_equal(place(8, 12), 1);
    assert_int_equal(place(10, 11), 0);
    assert_int_equal(place(12, 12), 0);
}

static void lanes_where_nothing_nests_are_bounded_and_free_again_later(void **state)
{
    (void)state;
    nesting.apart = true;
    for (size_t i = 0; i < NESTING_LANES_MAX; i++)
        assert_int_equal(place(0, 100), i);
    assert_int_equal(place(0, 100), NESTING_LANES_MAX);
    assert_int_equal(place(99, 100), NESTING_LANES_MAX);
    assert_int_equal(place(100, 101), 0);
}

/* Threads below 10 have their number, others none; 100 is the first that nobody has. */
static int64_t number_below_ten(void *arg, int64_t number)
{
    (void)arg;
    return number < 10 ? number : -1;
}

static int first_is_hundred(void *arg, int64_t *ret, struct err *err)
{
    (void)arg;
    (void)err;
    *ret = 100;
    return 0;
}

static void a_thread_has_the_number_that_is_its_own_and_further_lanes_those_of_nobody(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    const struct trace_style style = trace_style_msprof;
    struct trace_lanes lanes;
    static const struct {
        int64_t thread, start_ns, duration_ns, tid;
    } slices[] = {{5, 0, 10, 5}, {50, 0, 10, 100}, {5, 5, 10, 101}, {50, 5, 2, 102}, {5, 10, 1, 5}, {50, 12, 1, 100}};
    trace_lanes_init(&lanes, &style, "", first_is_hundred, NULL);
    lanes.own = number_below_ten;
    lanes.apart = true;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct trace_slice slice = {.start_ns = slices[i].start_ns, .duration_ns = slices[i].duration_ns};
        int64_t first;
        assert_int_equal(trace_lanes_place(&lanes, slices[i].thread, &slice, &err), 0);
        assert_int_equal(slice.tid, slices[i].tid);
        assert_int_equal(trace_lanes_add(&lanes, 0, slices[i].thread, &first, &err), 0);
        assert_int_equal(first, slices[i].thread == 5 ? 5 : 100);
    }
    assert_true(trace_lanes_has(&lanes, 0, 50));
    assert_false(trace_lanes_has(&lanes, 0, 51));
    assert_false(trace_lanes_has(&lanes, 1, 50));
    trace_lanes_release(&lanes);
}

/* Whether every two ranges of a lane are nested or apart, for ranges of any shape. */
static void random_ranges_are_nested_on_every_lane(void **state)
{
    (void)state;
    enum { RANGES = 400 };
    int64_t starts[RANGES], ends[RANGES], start = 0;
    size_t lanes[RANGES];
    srandom(1);
    for (size_t i = 0; i < RANGES; i++) {
        start += 1 + random() % 3;
        starts[i] = start;
        ends[i] = start + random() % 60;
        lanes[i] = place(starts[i], ends[i]);
        assert_true(lanes[i] < NESTING_LANES_MAX);
        for (size_t k = 0; k < i; k++)
            assert_true(lanes[k] != lanes[i] || ends[k] <= starts[i] || ends[i] <= ends[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_inside_or_behind_shares_the_lane, setup),
        cmocka_unit_test_setup(what_overlaps_in_part_goes_to_the_next_lane_that_is_free, setup),
        cmocka_unit_test_setup(ends_that_are_shared_are_counted, setup),
        cmocka_unit_test_setup(a_lane_holds_only_so_many_inside_of_each_other, setup),
        cmocka_unit_test_setup(what_fits_on_no_lane_is_told_and_changes_nothing, setup),
        cmocka_unit_test_setup(where_nothing_nests_ranges_that_overlap_never_share_a_lane, setup),
        cmocka_unit_test_setup(lanes_where_nothing_nests_are_bounded_and_free_again_later, setup),
        cmocka_unit_test_setup(a_thread_has_the_number_that_is_its_own_and_further_lanes_those_of_nobody, setup),
        cmocka_unit_test_setup(random_ranges_are_nested_on_every_lane, setup),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nesting_release(&nesting);
    return failed;
}
