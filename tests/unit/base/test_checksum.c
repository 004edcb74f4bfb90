/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/checksum.h"
#include "base/file/checksum_wide.h"

#define XXH_INLINE_ALL
#ifdef __SANITIZE_ADDRESS__
#define XXH_NO_INLINE_HINTS 1 /* as in checksum.c */
#endif

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <xxhash.h>

/* The examples of FIPS 180-4. */
#define SUM_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SUM_OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SUM_OF_A_MILLION "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

static void the_published_examples_come_out(void **state)
{
    (void)state;
    char text[CHECKSUM_TEXT_SIZE];
    struct checksum *sum = checksum_new();
    assert_non_null(sum);
    checksum_finish(sum, text);
    assert_string_equal(text, SUM_OF_NOTHING);
    checksum_add(sum, "abc", 3);
    checksum_finish(sum, text);
    assert_string_equal(text, SUM_OF_ABC);
    char piece[1000];
    memset(piece, 'a', sizeof piece);
    for (int i = 0; i < 1000; i++)
        checksum_add(sum, piece, sizeof piece);
    checksum_finish(sum, text);
    assert_string_equal(text, SUM_OF_A_MILLION);
    checksum_free(sum);
}

static void the_pieces_do_not_matter(void **state)
{
    (void)state;
    char text[CHECKSUM_TEXT_SIZE];
    struct checksum *sum = checksum_new();
    assert_non_null(sum);
    checksum_add(sum, NULL, 0);
    checksum_add(sum, "a", 1);
    checksum_add(sum, "", 0);
    checksum_add(sum, "bc", 2);
    checksum_finish(sum, text);
    assert_string_equal(text, SUM_OF_ABC);
    checksum_free(sum);
}

/* As xxh128sum(1) of xxHash 0.8.1 prints them. */
static void xxh128_is_that_of_xxhash(void **state)
{
    (void)state;
    char text[CHECKSUM_TEXT_SIZE], piece[1000];
    struct checksum *sum = checksum_new_kind(CHECKSUM_XXH128);
    assert_non_null(sum);
    checksum_finish(sum, text);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    checksum_add(sum, "a", 1);
    checksum_add(sum, "bc", 2);
    checksum_finish(sum, text);
    assert_string_equal(text, "06b05ab6733a618578af5f94892f3950");
    checksum_of_kind(CHECKSUM_XXH128, "abc", 3, text);
    assert_string_equal(text, "06b05ab6733a618578af5f94892f3950");
    memset(piece, 'a', sizeof piece);
    for (int i = 0; i < 1000; i++)
        checksum_add(sum, piece, sizeof piece);
    checksum_finish(sum, text);
    assert_string_equal(text, "a545df8e384a9579b1fd6fae5285c4eb");
    checksum_free(sum);
}

static void no_checksum_gives_an_empty_text(void **state)
{
    (void)state;
    char text[CHECKSUM_TEXT_SIZE] = "something";
    checksum_add(NULL, "abc", 3);
    checksum_finish(NULL, text);
    assert_string_equal(text, "");
    checksum_free(NULL);
}

/* Bytes of every length up to some blocks of XXH3, in pieces that do not fit them. */
static void wider_instructions_make_the_same_sum(void **state)
{
    (void)state;
    enum { MOST = 3000, PIECE = 37 };
    static unsigned char bytes[MOST];
    XXH3_state_t wide, plain;
    if (!xxh3_wide())
        skip();
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t length = 0; length <= MOST; length += length < 300 ? 1 : 71) {
        XXH3_128bits_reset(&wide);
        XXH3_128bits_reset(&plain);
        for (size_t at = 0, piece; at < length; at += piece) {
            piece = length - at < PIECE + at ? length - at : PIECE + at;
            xxh3_wide_add(&wide, bytes + at, piece);
            XXH3_128bits_update(&plain, bytes + at, piece);
        }
        assert_true(XXH128_isEqual(XXH3_128bits_digest(&wide), XXH3_128bits_digest(&plain)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_examples_come_out), cmocka_unit_test(the_pieces_do_not_matter),
        cmocka_unit_test(xxh128_is_that_of_xxhash),        cmocka_unit_test(wider_instructions_make_the_same_sum),
        cmocka_unit_test(no_checksum_gives_an_empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
