/* SPDX-License-Identifier: Apache-2.0 */
/* Critical paths and slack: of graphs made by hand, and of random ones against what happens when a node takes longer.
 */
#include "features/answers/analysis/step_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct path_node node_of(int64_t start_ns, int64_t end_ns, bool ends)
{
    struct path_node node;

    step_path_clear(&node);
    node.start_ns = start_ns;
    node.end_ns = end_ns;
    node.ends = ends;
    return node;
}

/* Tells the path from its last node to its first: "4 2 0". */
static const char *path_of(struct path_node *nodes, size_t count)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t node = step_path_mark(nodes, count); node != PATH_NONE; node = step_path_binding(nodes, node)) {
        assert_true(nodes[node].critical);
        used += (size_t)snprintf(text + used, sizeof text - used, used > 0 ? " %u" : "%u", node);
    }
    return text;
}

static void a_chain_is_its_own_path(void **state)
{
    struct path_node nodes[] = {node_of(0, 10, true), node_of(12, 20, true), node_of(20, 50, true)};

    (void)state;
    step_path_wait(nodes, 1, 0);
    step_path_wait(nodes, 2, 1);
    assert_string_equal(path_of(nodes, 3), "2 1 0");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(step_path_slack_ns(&nodes[i]), 0);
}

/* 0 forks into 1 and 2, which 3 waits for; 4 nobody waits for. */
static void the_shorter_side_of_a_fork_has_the_difference_as_slack(void **state)
{
    struct path_node nodes[] = {node_of(0, 10, true), node_of(10, 40, true), node_of(10, 33, true),
                                node_of(42, 50, true), node_of(12, 20, true)};
    struct path_node sorted[] = {nodes[0], nodes[1], nodes[2], nodes[4], nodes[3]};

    (void)state;
    step_path_wait(sorted, 1, 0);
    step_path_wait(sorted, 2, 0);
    step_path_wait(sorted, 3, 0);
    step_path_wait(sorted, 4, 1);
    step_path_wait(sorted, 4, 2);
    assert_string_equal(path_of(sorted, 5), "4 1 0");
    assert_int_equal(step_path_slack_ns(&sorted[2]), 7);
    assert_int_equal(step_path_slack_ns(&sorted[3]), 30);
    assert_false(sorted[2].critical);
}

static void a_call_that_launches_is_on_the_path_where_the_device_waited_for_it(void **state)
{
    /* call, task, late call, task of it, call that leads to nothing */
    struct path_node nodes[] = {node_of(0, 4, false), node_of(5, 20, true), node_of(30, 36, false),
                                node_of(37, 60, true), node_of(40, 90, false)};

    (void)state;
    step_path_wait(nodes, 1, 0);
    step_path_wait(nodes, 2, 0);
    step_path_wait(nodes, 3, 1);
    step_path_wait(nodes, 3, 2);
    step_path_wait(nodes, 4, 2);
    assert_string_equal(path_of(nodes, 5), "3 2 0");
    assert_int_equal(step_path_slack_ns(&nodes[1]), 16);
    assert_int_equal(step_path_slack_ns(&nodes[4]), PATH_NO_SLACK);
}

static void what_ended_behind_a_begin_was_not_waited_for(void **state)
{
    struct path_node nodes[] = {node_of(0, 30, true), node_of(20, 40, true)};

    (void)state;
    step_path_wait(nodes, 1, 0);
    step_path_wait(nodes, 0, 1);
    assert_int_equal(step_path_binding(nodes, 1), PATH_NONE);
    assert_int_equal(step_path_binding(nodes, 0), PATH_NONE);
    assert_string_equal(path_of(nodes, 2), "1");
    assert_int_equal(step_path_slack_ns(&nodes[0]), 10);
}

static void one_node_is_a_path_and_none_is_none(void **state)
{
    struct path_node node = node_of(3, 3, true);

    (void)state;
    assert_string_equal(path_of(&node, 1), "0");
    assert_int_equal(step_path_mark(&node, 0), PATH_NONE);
    node.ends = false;
    assert_int_equal(step_path_mark(&node, 1), PATH_NONE);
}

#define NODES 40

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* When the last that may end it ends, when node `longer` takes so much longer: every node begins as long behind the
 * last of those that it waits for as it did. */
static int64_t end_with(const struct path_node *nodes, uint32_t longer, int64_t by_ns)
{
    int64_t ends[NODES] = {0}, last = INT64_MIN;

    for (size_t i = 0; i < NODES; i++) {
        int64_t before = INT64_MIN, moved = INT64_MIN;
        for (size_t k = 0; k < PATH_BEFORE; k++) {
            uint32_t at = nodes[i].before[k];
            if (at == PATH_NONE)
                continue;
            before = nodes[at].end_ns > before ? nodes[at].end_ns : before;
            moved = ends[at] > moved ? ends[at] : moved;
        }
        int64_t delay = before == INT64_MIN ? 0 : moved - before;
        ends[i] = nodes[i].end_ns + delay + (i == longer ? by_ns : 0);
        if (nodes[i].ends && ends[i] > last)
            last = ends[i];
    }
    return last;
}

static void slack_is_how_much_longer_a_node_can_take_until_the_end_moves(void **state)
{
    uint32_t chance = 7;
    struct path_node nodes[NODES];

    (void)state;
    for (int round = 0; round < 50; round++) {
        int64_t at = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            at += next_random(&chance) % 20;
            nodes[i] = node_of(at, at + next_random(&chance) % 50, next_random(&chance) % 4 != 0 || i == 0);
            for (int k = 0; k < PATH_BEFORE && i > 0; k++)
                step_path_wait(nodes, i, next_random(&chance) % i);
        }
        uint32_t last = step_path_mark(nodes, NODES);
        int64_t end = end_with(nodes, NODES, 0), sum = 0;
        assert_int_equal(nodes[last].end_ns, end);
        for (uint32_t i = 0; i < NODES; i++) {
            int64_t slack = step_path_slack_ns(&nodes[i]);
            if (slack == PATH_NO_SLACK) {
                assert_int_equal(end_with(nodes, i, 1000000), end);
                continue;
            }
            assert_int_equal(end_with(nodes, i, slack), end);
            assert_int_equal(end_with(nodes, i, slack + 1), end + 1);
            if (nodes[i].critical) {
                assert_int_equal(slack, 0);
                sum += nodes[i].end_ns - nodes[i].start_ns;
            }
        }
        assert_true(sum <= end - nodes[0].start_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_its_own_path),
        cmocka_unit_test(the_shorter_side_of_a_fork_has_the_difference_as_slack),
        cmocka_unit_test(a_call_that_launches_is_on_the_path_where_the_device_waited_for_it),
        cmocka_unit_test(what_ended_behind_a_begin_was_not_waited_for),
        cmocka_unit_test(one_node_is_a_path_and_none_is_none),
        cmocka_unit_test(slack_is_how_much_longer_a_node_can_take_until_the_end_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
