/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays larger than memory should hold keep what is in them when their memory is given back. */
#include "base/file/large.h"

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
    enum { LEAST = 96 }; /* bytes of an item */
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

struct placed {
    uint64_t key, place;
    char rest[8]; /* items need not be powers of two long */
};

static int by_key(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void sort_and_check(size_t count, uint64_t keys)
{
    struct err err = ERR_INIT;
    struct placed *items = large_new(count, sizeof *items, &err);
    uint64_t sum = 0, found = 0, state = 88172645463325252;
    assert_non_null(items);
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        items[i] = (struct placed){.key = (state >> 33) % keys, .place = i};
        sum += items[i].key * (i + 1);
    }
    large_sort(items, count, sizeof *items, by_key);
    for (size_t i = 0; i < count; i++) {
        found += items[i].key * (items[i].place + 1);
        if (i > 0 && items[i - 1].key == items[i].key)
            assert_true(items[i - 1].place < items[i].place);
        else if (i > 0)
            assert_true(items[i - 1].key < items[i].key);
    }
    assert_true(found == sum);
    large_free(items);
}

static void runs_are_merged_in_order_and_what_is_equal_stays_in_its_order(void **state)
{
    (void)state;
    const size_t run = LARGE_LEAST / sizeof(struct placed);
    const size_t counts[] = {0, 1, 2, 1000, run, run + 1, 2 * run, 2 * run + 1, 3 * run, 5 * run + 7};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sort_and_check(counts[i], UINT32_MAX);
        sort_and_check(counts[i], 5);
    }
    sort_and_check(3 * run, 1); /* in order already */
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
        cmocka_unit_test(runs_are_merged_in_order_and_what_is_equal_stays_in_its_order),
        cmocka_unit_test(small_arrays_and_what_malloc_gave_are_freed_alike),
        cmocka_unit_test(numbers_stand_at_any_place_whatever_of_it_is_in_memory),
    };
    return cmocka_run_group_tests_name("large arrays", tests, NULL, NULL);
}
