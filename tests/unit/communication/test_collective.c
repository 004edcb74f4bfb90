/* SPDX-License-Identifier: Apache-2.0 */
/* Times of a communication operator: by hand, on tasks whose answer is known. */
#include "features/communication/collective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct collective collective;

static int begin(void **state)
{
    (void)state;
    collective_init(&collective);
    return 0;
}

static int end(void **state)
{
    (void)state;
    collective_release(&collective);
    return 0;
}

#define ANALYSE(tasks, point_to_point)                                                                                 \
    do {                                                                                                               \
        struct err failure = ERR_INIT;                                                                                 \
        const struct collective_tasks all = {tasks, sizeof(tasks) / sizeof *(tasks), 0};                               \
        assert_int_equal(collective_analyse(&all, (point_to_point), PLANES_BY_NUMBER, &collective, &failure), 0);      \
    } while (0)

static void waits_before_the_first_data_are_synchronization(void **state)
{
    static struct collective_task tasks[] = {
        {.kind = COLLECTIVE_WAIT, .master = true, .start_ns = 1000, .duration_ns = 50},
        {.kind = COLLECTIVE_COPY,
         .start_ns = 1100,
         .duration_ns = 200,
         .bytes = 4000,
         .link = MEDIUM_HCCS,
         .remote_rank = 1},
        {.kind = COLLECTIVE_WAIT, .start_ns = 1400, .duration_ns = 30},
        {.kind = COLLECTIVE_COPY,
         .start_ns = 1450,
         .duration_ns = 10,
         .bytes = 6,
         .link = MEDIUM_LOCAL,
         .remote_rank = COLLECTIVE_NO_RANK},
    };
    (void)state;
    ANALYSE(tasks, false);
    assert_int_equal(collective.times.start_ns, 1000);
    assert_int_equal(collective.times.elapse_ticks, 460);
    assert_int_equal(collective.times.transit_ticks, 200); /* what stays on the chip goes nowhere */
    assert_int_equal(collective.times.wait_ticks, 80);
    assert_int_equal(collective.times.synchronization_ticks, 50);
    assert_int_equal(collective.media[MEDIUM_HCCS].bytes, 4000);
    assert_int_equal(collective.media[MEDIUM_SDMA].ticks, 200);
    assert_int_equal(collective.pairs.count, 2);
    assert_int_equal(collective.pairs.items[1].to, 0);
    assert_int_equal(collective.pairs.items[1].medium, MEDIUM_LOCAL);
}

/* As a real mesh of eight ranks: plane 0, of the main stream, only copies on the chip. */
static void the_main_plane_is_one_that_moves_data_between_ranks(void **state)
{
    static struct collective_task tasks[] = {
        {.kind = COLLECTIVE_COPY, .master = true, .start_ns = 100, .duration_ns = 7, .link = MEDIUM_LOCAL},
        {.kind = COLLECTIVE_WAIT, .plane = 2, .start_ns = 110, .duration_ns = 900},
        {.kind = COLLECTIVE_COPY, .plane = 2, .start_ns = 1010, .duration_ns = 9, .bytes = 8, .link = MEDIUM_HCCS},
        {.kind = COLLECTIVE_WAIT, .plane = 1, .start_ns = 120, .duration_ns = 30},
        {.kind = COLLECTIVE_COPY, .plane = 1, .start_ns = 150, .duration_ns = 40, .bytes = 8, .link = MEDIUM_HCCS},
        {.kind = COLLECTIVE_WAIT, .plane = 1, .start_ns = 200, .duration_ns = 5},
        {.kind = COLLECTIVE_COPY, .master = true, .start_ns = 300, .duration_ns = 7, .link = MEDIUM_LOCAL},
    };
    (void)state;
    ANALYSE(tasks, false);
    assert_int_equal(collective.times.transit_ticks, 40);
    assert_int_equal(collective.times.wait_ticks, 35);
    assert_int_equal(collective.times.synchronization_ticks, 30);
    assert_int_equal(collective.times.start_ns, 100);
    assert_int_equal(collective.times.elapse_ticks, 105);
}

static void times_are_of_the_main_plane_and_links_of_all(void **state)
{
    static struct collective_task tasks[] = {
        {.kind = COLLECTIVE_COPY, .plane = 1, .start_ns = 0, .duration_ns = 900, .bytes = 10, .link = MEDIUM_PCIE},
        {.kind = COLLECTIVE_COPY,
         .plane = 0,
         .master = true,
         .start_ns = 100,
         .duration_ns = 20,
         .bytes = 10,
         .link = MEDIUM_SIO},
        {.kind = COLLECTIVE_COPY, .plane = 1, .start_ns = 950, .duration_ns = 1, .bytes = 10, .link = MEDIUM_PCIE},
    };
    (void)state;
    ANALYSE(tasks, false);
    assert_int_equal(collective.times.start_ns, 100);
    assert_int_equal(collective.times.elapse_ticks, 20);
    assert_int_equal(collective.times.transit_ticks, 20);
    assert_int_equal(collective.media[MEDIUM_PCIE].ticks, 901);
    assert_int_equal(collective.media[MEDIUM_PCIE].sizes.count, 1);
    assert_int_equal(collective.media[MEDIUM_PCIE].sizes.items[0].count, 2);
    assert_int_equal(collective.media[MEDIUM_SDMA].bytes, 30);
}

static struct collective_task run[] = {
    {.kind = COLLECTIVE_PAYLOAD, .master = true, .start_ns = 0, .duration_ns = 5, .bytes = 600000},
    {.kind = COLLECTIVE_PAYLOAD, .start_ns = 10, .duration_ns = 5, .bytes = 400000},
    {.kind = COLLECTIVE_OTHER, .start_ns = 20, .duration_ns = 5},
    {.kind = COLLECTIVE_WAIT, .start_ns = 30, .duration_ns = 70},
    {.kind = COLLECTIVE_WAIT, .start_ns = 200, .duration_ns = 7},
};

static void a_run_by_rdma_ends_with_what_confirms_it(void **state)
{
    (void)state;
    ANALYSE(run, true);
    assert_int_equal(collective.times.transit_ticks, 100); /* to the end of the wait that is the confirmation */
    assert_int_equal(collective.times.wait_ticks, 7);
    assert_int_equal(collective.media[MEDIUM_RDMA].bytes, 1000000);
    assert_int_equal(collective.media[MEDIUM_RDMA].packets, 1);
    assert_int_equal(collective.media[MEDIUM_RDMA].large, 1);
    assert_int_equal(collective.media[MEDIUM_SDMA].bytes, 0);
    assert_int_equal(collective.runs.count, 2);
    assert_int_equal(collective.runs.items[1].task, 1);
    assert_int_equal(collective.runs.items[1].bytes, 1000000);
    assert_int_equal(collective.runs.items[1].ticks, 100);
}

static void a_run_that_is_not_confirmed_moves_nothing(void **state)
{
    (void)state;
    ANALYSE(run, false); /* needs two tasks more */
    assert_int_equal(collective.times.transit_ticks, 0);
    assert_int_equal(collective.times.wait_ticks, 77);
    assert_int_equal(collective.times.synchronization_ticks, 77);
    assert_int_equal(collective.media[MEDIUM_RDMA].packets, 0);
    assert_int_equal(collective.runs.count, 0);
}

static void sums_unite_sizes_and_pairs(void **state)
{
    struct err err = ERR_INIT;
    struct collective sum;
    (void)state;
    ANALYSE(run, true);
    collective_init(&sum);
    assert_int_equal(collective_add(&sum, &collective, &err), 0);
    assert_int_equal(collective_add(&sum, &collective, &err), 0);
    assert_int_equal(sum.times.start_ns, 0);
    assert_int_equal(sum.times.transit_ticks, 200);
    assert_int_equal(sum.media[MEDIUM_RDMA].sizes.count, 1);
    assert_int_equal(sum.media[MEDIUM_RDMA].sizes.items[0].count, 2);
    assert_int_equal(sum.pairs.count, 1);
    assert_int_equal(sum.pairs.items[0].bytes, 2000000);
    collective_release(&sum);
}

static void damaged_numbers_do_not_wrap(void **state)
{
    static struct collective_task tasks[] = {
        {.kind = COLLECTIVE_COPY,
         .start_ns = INT64_MIN,
         .duration_ns = INT64_MAX,
         .bytes = INT64_MAX,
         .link = MEDIUM_HCCS},
        {.kind = COLLECTIVE_COPY,
         .start_ns = INT64_MAX,
         .duration_ns = INT64_MAX,
         .bytes = INT64_MAX,
         .link = MEDIUM_HCCS},
    };
    (void)state;
    ANALYSE(tasks, false);
    assert_int_equal(collective.media[MEDIUM_HCCS].bytes, INT64_MAX);
    assert_int_equal(collective.times.elapse_ticks, INT64_MAX);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_before_the_first_data_are_synchronization, begin, end),
        cmocka_unit_test_setup_teardown(the_main_plane_is_one_that_moves_data_between_ranks, begin, end),
        cmocka_unit_test_setup_teardown(times_are_of_the_main_plane_and_links_of_all, begin, end),
        cmocka_unit_test_setup_teardown(a_run_by_rdma_ends_with_what_confirms_it, begin, end),
        cmocka_unit_test_setup_teardown(a_run_that_is_not_confirmed_moves_nothing, begin, end),
        cmocka_unit_test_setup_teardown(sums_unite_sizes_and_pairs, begin, end),
        cmocka_unit_test_setup_teardown(damaged_numbers_do_not_wrap, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
