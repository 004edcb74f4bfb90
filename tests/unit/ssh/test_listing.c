/* SPDX-License-Identifier: Apache-2.0 */
/* Listings of a board: nothing of them leads anywhere else. */
#include "ssh/transfer/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void only_paths_that_stay_inside_are_taken(void **state)
{
    static const char *const bad[] = {"",     "/etc/passwd", "..",    "../x", "a/../x", "a/..", ".",
                                      "a//b", "a/",          "./a/.", "a\nb", "a\x7f",  "\033", "a/./b"};
    char component[300];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(listing_path_problem(bad[i]));
    assert_null(listing_path_problem("data/aicore.0.1.1"));
    assert_null(listing_path_problem("..."));
    assert_null(listing_path_problem("a b/\xe4\xbd\xa0\xe5\xa5\xbd"));
    memset(component, 'x', sizeof component);
    component[255] = '\0';
    assert_null(listing_path_problem(component));
    component[255] = 'x';
    component[256] = '\0';
    assert_non_null(listing_path_problem(component));
}

static void a_list_is_read_sorted_and_without_repetitions(void **state)
{
    static const char text[] = "81a4 7 ./b\n81a4 5 ./a with blanks\n81a4 9 ./b\na1ff 3 ./link\n";
    struct listing listing;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(listing_parse(&listing, text, sizeof text - 1, &err), 0);
    assert_int_equal(listing.count, 2);
    assert_string_equal(listing.files[0].path, "a with blanks");
    assert_int_equal(listing.refused.count, 1);
    assert_int_equal(listing.skipped.count, 1);
    assert_string_equal(listing.skipped.first, "link");
    assert_non_null(listing_find(&listing, "b"));
    assert_null(listing_find(&listing, "c"));
    listing_release(&listing);
}

static void lines_that_lie_or_are_no_lines_are_counted_and_not_taken(void **state)
{
    static const char text[] = "81a4 -1 ./a\n81a4 99999999999999999999 ./b\n81a4 1 ./../c\nnonsense\n81a4 1\n"
                               "81a4 1 /abs\nxyz 1 ./d\n81a4000 1 ./e\n\n81a4 1125899906842625 ./f\n";
    struct listing listing;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(listing_parse(&listing, text, sizeof text - 1, &err), 0);
    assert_int_equal(listing.count, 0);
    assert_int_equal(listing.refused.count, 9);
    listing_release(&listing);
}

static void lines_of_checksums_are_read_as_the_tools_write_them(void **state)
{
    static const char *const good[] = {HASH "  ./data/x", HASH " *./data/x", HASH "  data/x"};
    static const char *const bad[] = {"", HASH, HASH "  ", HASH " ./x", "e3b0  ./x", "x" HASH "  ./x"};
    char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(checksum_line_parse(CHECKSUM_SHA256, good[i], strlen(good[i]), checksum, path));
        assert_string_equal(checksum, HASH);
        assert_string_equal(path, "data/x");
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(checksum_line_parse(CHECKSUM_SHA256, bad[i], strlen(bad[i]), checksum, path));
    assert_true(checksum_line_parse(CHECKSUM_SHA256, "\\" HASH "  ./a\\\\b\\nc", 1 + 64 + 2 + 9, checksum, path));
    assert_string_equal(path, "a\\b\nc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_paths_that_stay_inside_are_taken),
        cmocka_unit_test(a_list_is_read_sorted_and_without_repetitions),
        cmocka_unit_test(lines_that_lie_or_are_no_lines_are_counted_and_not_taken),
        cmocka_unit_test(lines_of_checksums_are_read_as_the_tools_write_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
