/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays larger than memory should hold keep what is in them when their memory is given back. */
#include "base/file/large.h"
#include "base/file/slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ITEMS ((size_t)1000 * 1000)

/* Bytes of the process that are in memory. */
static size_t resident(void)
{
    size_t pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &all, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void an_array_grows_from_memory_into_a_file_and_keeps_its_items(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } numbers = {NULL, 0, 0};
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(large_reserve(&numbers, 1, &err), 0);
        numbers.items[numbers.count++] = i * UINT64_C(0x9e3779b97f4a7c15);
        if (i == LARGE_LEAST / sizeof *numbers.items)
            large_forget();
    }
    large_forget();
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(numbers.items[i] == i * UINT64_C(0x9e3779b97f4a7c15));
    large_free(numbers.items);
}

static void who_walks_gives_back_what_lies_behind(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    enum { LEAST = 48 }; /* bytes of an item */
    char(*items)[LEAST] = large_new(ITEMS, LEAST, &err);
    assert_non_null(items);
    size_t before = resident(), most = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(items[i][0], 0);
        large_pass(i);
        memset(items[i], (int)(i % 100) + 1, LEAST);
        if (i % 10000 == 0 && resident() > most)
            most = resident();
    }
    assert_true(most < before + ITEMS * LEAST / 4);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(items[i][LEAST - 1], i % 100 + 1);
    large_free(items);
}

static void small_arrays_and_what_malloc_gave_are_freed_alike(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    large_free(NULL);
    large_free(malloc(10));
    int *items = large_new(0, sizeof *items, &err);
    assert_non_null(items);
    large_free(items);
    assert_null(large_new(SIZE_MAX / 2, 8, &err));
    assert_int_equal(err.code, ERR_NO_MEMORY);
}

static void numbers_stand_at_any_place_whatever_of_it_is_in_memory(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct slots *slots = slots_new(&err);
    int64_t value;
    enum { NUMBERS = 20000 };
    const int64_t apart = 1009; /* places: each in another block than the one before */
    assert_non_null(slots);
    for (int64_t i = 0; i < NUMBERS; i++)
        assert_int_equal(slots_set(slots, i * apart, i - 7, &err), 0);
    for (int64_t i = NUMBERS - 1; i >= 0; i--) {
        assert_int_equal(slots_get(slots, i * apart, &value, &err), 0);
        assert_true(value == i - 7);
        assert_int_equal(slots_get(slots, i * apart + 1, &value, &err), 0);
        assert_true(value == 0);
    }
    assert_int_equal(slots_get(slots, INT64_MAX, &value, &err), 0);
    assert_true(value == 0);
    assert_int_equal(slots_get(slots, -1, &value, &err), 0);
    assert_true(value == 0);
    assert_int_equal(slots_set(slots, INT64_MAX, 1, &err), -ERR_LIMIT);
    slots_free(slots);
    slots_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_from_memory_into_a_file_and_keeps_its_items),
        cmocka_unit_test(who_walks_gives_back_what_lies_behind),
        cmocka_unit_test(small_arrays_and_what_malloc_gave_are_freed_alike),
        cmocka_unit_test(numbers_stand_at_any_place_whatever_of_it_is_in_memory),
    };
    return cmocka_run_group_tests_name("large arrays", tests, NULL, NULL);
}
