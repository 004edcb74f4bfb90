/* SPDX-License-Identifier: Apache-2.0 */
/* The containers of base/: growth, hash tables, numbered strings. */
#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct numbers {
    int *items;
    size_t count, capacity;
};

static void array_keeps_its_items_as_it_grows(void **state)
{
    struct numbers numbers = {.items = NULL};
    struct err err = ERR_INIT;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(array_reserve(&numbers, 1, &err), 0);
        numbers.items[numbers.count++] = i;
    }
    for (int i = 0; i < 10000; i++)
        assert_int_equal(numbers.items[i], i);
    assert_true(numbers.capacity < 20001);
    free(numbers.items);
}

static void array_refuses_a_size_that_no_memory_has(void **state)
{
    struct numbers numbers = {.items = NULL};
    struct err err = ERR_INIT;
    (void)state;
    assert_int_equal(array_reserve(&numbers, 3, &err), 0);
    int *before = numbers.items;
    numbers.count = 3;
    assert_int_equal(array_reserve(&numbers, SIZE_MAX - 2, &err), -ERR_NO_MEMORY);
    assert_ptr_equal(numbers.items, before);
    free(numbers.items);
}

struct task {
    struct {
        int64_t stream, number;
    } key;
    int64_t runs;
};

/* Against the plainest list there is. */
static void map_finds_what_was_added_and_nothing_else(void **state)
{
    enum { KEYS = 700, STEPS = 40000 };
    static int64_t runs[KEYS]; /* 0: not in the map */
    struct map map = MAP_OF(struct task, key);
    struct err err = ERR_INIT;
    unsigned random = 7;
    (void)state;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1103515245u + 12345u;
        size_t number = random / 65536 % KEYS;
        struct task wanted = {.key = {(int64_t)number % 7, (int64_t)number}};
        struct task *found = map_get(&map, &wanted.key);
        assert_int_equal(found != NULL ? found->runs : 0, runs[number]);
        if (random % 3 == 0 && found != NULL) {
            map_remove(&map, found);
            runs[number] = 0;
        } else {
            bool added;
            found = map_add(&map, &wanted.key, &added, &err);
            assert_non_null(found);
            assert_int_equal(added, runs[number] == 0);
            assert_int_equal(found->runs, runs[number]);
            found->runs = runs[number] += 1;
        }
    }
    size_t expected = 0, seen = 0;
    for (size_t i = 0; i < KEYS; i++)
        expected += runs[i] != 0;
    for (struct task *task = map_next(&map, NULL); task != NULL; task = map_next(&map, task), seen++)
        assert_int_equal(task->runs, runs[task->key.number]);
    assert_int_equal(seen, expected);
    map_clear(&map);
    assert_null(map_next(&map, NULL));
    map_release(&map);
}

static void equal_strings_have_one_number(void **state)
{
    struct intern names = {.items = NULL};
    struct err err = ERR_INIT;
    char text[32];
    uint32_t number;
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5000; i++) {
            int length = snprintf(text, sizeof text, "operator%u", i);
            assert_int_equal(intern_add(&names, text, (size_t)length, &number, &err), 0);
            assert_int_equal(number, i);
        }
    }
    assert_int_equal(names.count, 5000);
    assert_string_equal(names.items[4321].bytes, "operator4321");
    assert_true(intern_find(&names, "operator17", 10, &number));
    assert_int_equal(number, 17);
    assert_false(intern_find(&names, "operator", 8, &number));
    intern_release(&names);
}

static void strings_may_hold_any_bytes(void **state)
{
    struct intern names = {.items = NULL};
    struct err err = ERR_INIT;
    uint32_t a, b, c;
    (void)state;
    assert_int_equal(intern_add(&names, "a\0b", 3, &a, &err), 0);
    assert_int_equal(intern_add(&names, "a\0c", 3, &b, &err), 0);
    assert_int_equal(intern_add(&names, "", 0, &c, &err), 0);
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    assert_int_equal(c, 2);
    intern_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_keeps_its_items_as_it_grows),
        cmocka_unit_test(array_refuses_a_size_that_no_memory_has),
        cmocka_unit_test(map_finds_what_was_added_and_nothing_else),
        cmocka_unit_test(equal_strings_have_one_number),
        cmocka_unit_test(strings_may_hold_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
