/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of the host started which inference: only what times decide. */
#include "exporters/timeline/timeline_svp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NONE (-1)

/* The start of the call that started the inference of this start, of these calls and starts; NONE: not decided. */
static int64_t found(const struct execute_call *calls, size_t count, const int64_t *starts, size_t start_count,
                     int64_t start_ns)
{
    struct err err = ERR_INIT;
    struct execute_calls list = {0};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(execute_calls_add(&list, &calls[i], &err), 0);
    execute_calls_prepare(&list, starts, start_count);
    const struct execute_call *call = execute_calls_find(&list, start_ns);
    int64_t result = call != NULL ? call->start_ns : NONE;
    free(list.items);
    return result;
}

static void a_call_that_waits_started_what_begins_while_it_runs(void **state)
{
    (void)state;
    const struct execute_call calls[] = {{.start_ns = 200, .end_ns = 300}, {.start_ns = 100, .end_ns = 150}};
    const int64_t starts[] = {110, 250};
    assert_int_equal(found(calls, 2, starts, 2, 110), 100);
    assert_int_equal(found(calls, 2, starts, 2, 250), 200);
}

static void a_call_that_does_not_wait_started_what_begins_before_the_next_one(void **state)
{
    (void)state;
    const struct execute_call calls[] = {{.start_ns = 100, .end_ns = 101}, {.start_ns = 200, .end_ns = 201}};
    const int64_t starts[] = {150, 230};
    assert_int_equal(found(calls, 2, starts, 2, 150), 100);
    assert_int_equal(found(calls, 2, starts, 2, 230), 200);
}

static void two_calls_that_run_at_the_time_decide_nothing(void **state)
{
    (void)state;
    const struct execute_call calls[] = {{.start_ns = 100, .end_ns = 300}, {.start_ns = 110, .end_ns = 290}};
    const int64_t starts[] = {150, 160};
    assert_int_equal(found(calls, 2, starts, 2, 150), NONE);
    assert_int_equal(found(calls, 2, starts, 2, 160), NONE);
}

static void two_inferences_behind_one_call_decide_nothing(void **state)
{
    (void)state;
    const struct execute_call calls[] = {{.start_ns = 100, .end_ns = 101}, {.start_ns = 102, .end_ns = 103}};
    const int64_t starts[] = {150, 160};
    assert_int_equal(found(calls, 2, starts, 2, 150), NONE);
    assert_int_equal(found(calls, 2, starts, 2, 160), NONE);
}

static void what_begins_before_every_call_was_started_by_none(void **state)
{
    (void)state;
    const struct execute_call calls[] = {{.start_ns = 100, .end_ns = 101}};
    const int64_t starts[] = {50};
    assert_int_equal(found(calls, 1, starts, 1, 50), NONE);
    assert_int_equal(found(NULL, 0, starts, 1, 50), NONE);
}

static void only_calls_that_execute_count(void **state)
{
    (void)state;
    assert_true(execute_calls_has("svp_acl_mdl_execute"));
    assert_true(execute_calls_has("svp_acl_mdl_execute_async"));
    assert_false(execute_calls_has("svp_acl_mdl_load"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_waits_started_what_begins_while_it_runs),
        cmocka_unit_test(a_call_that_does_not_wait_started_what_begins_before_the_next_one),
        cmocka_unit_test(two_calls_that_run_at_the_time_decide_nothing),
        cmocka_unit_test(two_inferences_behind_one_call_decide_nothing),
        cmocka_unit_test(what_begins_before_every_call_was_started_by_none),
        cmocka_unit_test(only_calls_that_execute_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
