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
    for (int64_t i = 0; i < NESTING_LANES_MAX; i++)
        assert_int_equal(place(i, 1000 + i), (size_t)i);
    assert_int_equal(place(500, 2000), NESTING_LANES_MAX);
    assert_int_equal(nesting.count, NESTING_LANES_MAX);
    assert_int_equal(place(1000, 3000), 0);
    nesting_clear(&nesting);
    assert_int_equal(place(0, 1), 0);
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
        cmocka_unit_test_setup(random_ranges_are_nested_on_every_lane, setup),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nesting_release(&nesting);
    return failed;
}
