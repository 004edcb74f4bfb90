/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of more records than memory holds. */
#include "base/file/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct record {
    struct spool_key key;
    uint64_t tie, added;
    char rest[40]; /* as many of them as the size says */
};

static int by_tie(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return (x->tie > y->tie) - (x->tie < y->tie);
}

static int by_everything(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key.major != y->key.major)
        return x->key.major < y->key.major ? -1 : 1;
    if (x->key.minor != y->key.minor)
        return x->key.minor < y->key.minor ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return x->added < y->added ? -1 : 1;
}

static size_t size_of(const struct record *record)
{
    return offsetof(struct record, rest) + record->added % sizeof record->rest;
}

static uint64_t next_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Keys that use all of their bytes, many of them equal. */
static struct record *make_records(size_t count)
{
    struct record *records = calloc(count, sizeof *records);
    uint64_t state = 7;
    assert_non_null(records);
    for (size_t i = 0; i < count; i++) {
        records[i].key.major = next_number(&state) % 5 << next_number(&state) % 60;
        records[i].key.minor = next_number(&state) % 40 * UINT64_C(0x0101010101010101);
        records[i].tie = next_number(&state) % 3;
        records[i].added = i;
        memset(records[i].rest, (int)(i % 251), sizeof records[i].rest);
    }
    return records;
}

static void check_sorted(size_t count, size_t memory)
{
    struct err err = ERR_INIT;
    struct record *records = make_records(count);
    struct spool *spool = spool_new(memory, by_tie, &err);
    struct spool_item item;
    assert_non_null(spool);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(spool_add(spool, &records[i].key, &records[i], size_of(&records[i]), &err), 0);
    qsort(records, count, sizeof *records, by_everything);
    assert_int_equal(spool_finish(spool, &err), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(spool_next(spool, &item, &err), 1);
        assert_int_equal(item.size, size_of(&records[i]));
        assert_memory_equal(item.record, &records[i], item.size);
        assert_memory_equal(&item.key, &records[i].key, sizeof item.key);
    }
    assert_int_equal(spool_next(spool, &item, &err), 0);
    assert_int_equal(spool_next(spool, &item, &err), 0);
    spool_free(spool);
    free(records);
}

static void records_that_fit_in_memory_come_in_order(void **state)
{
    (void)state;
    check_sorted(0, 1 << 20);
    check_sorted(1, 1 << 20);
    check_sorted(5000, 1 << 20);
}

static void records_that_do_not_fit_come_in_the_same_order(void **state)
{
    (void)state;
    check_sorted(20000, 1 << 20);
    check_sorted(20000, 1 << 14); /* more runs than a read buffer of the usual size is given to */
    check_sorted(300, 1);         /* a run for each record */
}

static void without_ties_equal_keys_stay_as_they_were_added(void **state)
{
    struct err err = ERR_INIT;
    struct spool *spool = spool_new(1000, NULL, &err);
    const struct spool_key key = {1, 1};
    struct spool_item item;
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(spool_add(spool, &key, &i, sizeof i, &err), 0);
    assert_int_equal(spool_finish(spool, &err), 0);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(spool_next(spool, &item, &err), 1);
        assert_memory_equal(item.record, &i, sizeof i);
    }
    spool_free(spool);
}

static void records_come_again_from_the_first_on(void **state)
{
    static const size_t memories[] = {1 << 20, 1000}; /* in one piece, and in runs */
    (void)state;
    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
        struct err err = ERR_INIT;
        struct spool *spool = spool_new(memories[m], NULL, &err);
        struct spool_item item;
        for (uint64_t i = 0; i < 3000; i++) {
            const struct spool_key key = {i * 7919 % 3000, 0};
            assert_int_equal(spool_add(spool, &key, &i, sizeof i, &err), 0);
        }
        assert_int_equal(spool_finish(spool, &err), 0);
        for (uint64_t given = 3000; given > 0; given /= 10) { /* also from the middle on */
            for (uint64_t i = 0; i < given; i++) {
                assert_int_equal(spool_next(spool, &item, &err), 1);
                assert_int_equal(item.key.major, i);
            }
            if (given == 3000)
                assert_int_equal(spool_next(spool, &item, &err), 0);
            assert_int_equal(spool_rewind(spool, &err), 0);
        }
        spool_free(spool);
    }
}

static void a_record_that_is_too_long_is_refused(void **state)
{
    static char record[SPOOL_RECORD_MAX + 1];
    struct err err = ERR_INIT;
    struct spool *spool = spool_new(1, NULL, &err);
    const struct spool_key key = {0, 0};
    struct spool_item item;
    (void)state;
    assert_int_equal(spool_add(spool, &key, record, sizeof record, &err), -ERR_LIMIT);
    for (int i = 0; i < 2; i++)
        assert_int_equal(spool_add(spool, &key, record, sizeof record - 1, &err), 0);
    assert_int_equal(spool_finish(spool, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(spool_next(spool, &item, &err), 1);
        assert_int_equal(item.size, SPOOL_RECORD_MAX);
    }
    spool_free(spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_fit_in_memory_come_in_order),
        cmocka_unit_test(records_that_do_not_fit_come_in_the_same_order),
        cmocka_unit_test(without_ties_equal_keys_stay_as_they_were_added),
        cmocka_unit_test(records_come_again_from_the_first_on),
        cmocka_unit_test(a_record_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
