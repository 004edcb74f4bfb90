/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const unsigned char sample[] = {0x81, 0x02, 0x83, 0x04, 0x85, 0x06, 0x87, 0x08};

static void every_width_is_loaded_in_either_byte_order(void **state)
{
    (void)state;
    static const uint64_t little[] = {0x81,         0x0281,         0x830281,         0x04830281,
                                      0x8504830281, 0x068504830281, 0x87068504830281, 0x0887068504830281};
    static const uint64_t big[] = {0x81,         0x8102,         0x810283,         0x81028304,
                                   0x8102830485, 0x810283048506, 0x81028304850687, 0x8102830485068708};
    for (unsigned width = 1; width <= 8; width++) {
        assert_int_equal(bytes_load(sample, width, false), little[width - 1]);
        assert_int_equal(bytes_load(sample, width, true), big[width - 1]);
    }
}

static void a_load_needs_no_alignment(void **state)
{
    (void)state;
    assert_int_equal(bytes_load(sample + 1, 4, false), 0x85048302);
    assert_int_equal(bytes_load(sample + 3, 2, true), 0x0485);
}

static void a_store_is_loaded_back_and_touches_only_its_width(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 8; width++) {
        for (int big_endian = 0; big_endian <= 1; big_endian++) {
            unsigned char out[10];
            memset(out, 0xAA, sizeof out);
            bytes_store(out + 1, width, big_endian, UINT64_C(0xF1E2D3C4B5A69788));
            uint64_t kept = UINT64_C(0xF1E2D3C4B5A69788) & (UINT64_MAX >> (64 - 8 * width));
            assert_int_equal(bytes_load(out + 1, width, big_endian), kept);
            assert_int_equal(out[0], 0xAA);
            assert_int_equal(out[1 + width], 0xAA);
            assert_int_equal(out[big_endian ? width : 1], 0x88);
        }
    }
}

static void a_read_inside_the_window_succeeds(void **state)
{
    (void)state;
    const struct bytes window = {sample, sizeof sample};
    uint64_t value = 0;
    assert_true(bytes_read(&window, 0, 8, false, &value));
    assert_int_equal(value, 0x0887068504830281);
    assert_true(bytes_read(&window, 7, 1, false, &value));
    assert_int_equal(value, 0x08);
    assert_true(bytes_read(&window, 5, 3, true, &value));
    assert_int_equal(value, 0x068708);
}

static void a_read_that_leaves_the_window_changes_nothing(void **state)
{
    (void)state;
    const struct bytes window = {sample, sizeof sample};
    const struct bytes empty = {sample, 0};
    static const struct {
        size_t offset;
        unsigned width;
    } cases[] = {{8, 1}, {7, 2}, {1, 8}, {0, 9}, {0, 0}, {9, 1}, {SIZE_MAX, 1}, {SIZE_MAX - 3, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value = 77;
        assert_false(bytes_read(&window, cases[i].offset, cases[i].width, false, &value));
        assert_int_equal(value, 77);
    }
    uint64_t value = 77;
    assert_false(bytes_read(&empty, 0, 1, false, &value));
    assert_int_equal(value, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_is_loaded_in_either_byte_order),
        cmocka_unit_test(a_load_needs_no_alignment),
        cmocka_unit_test(a_store_is_loaded_back_and_touches_only_its_width),
        cmocka_unit_test(a_read_inside_the_window_succeeds),
        cmocka_unit_test(a_read_that_leaves_the_window_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
