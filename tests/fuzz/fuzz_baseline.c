/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines of msprof diff, with whatever digest is theirs: what is accepted can be compared, and is like itself. */
#include "tests/fuzz/support.h"

#include "base/file/checksum.h"
#include "features/diff/compare.h"
#include "features/diff/diff_output.h"

static void try_comparison(const struct profile *profile, FILE *nowhere)
{
    const struct profile *const items[] = {profile};
    const struct side side = {items, 1};

    for (int by = BY_OP; by <= BY_API; by++) {
        struct compare_options options = COMPARE_DEFAULTS;
        struct comparison comparison;
        struct err err = ERR_INIT;
        options.by = (enum subject)by;
        if (comparison_make(&side, &side, &options, NULL, 0, &comparison, &err) != 0) {
            EXPECT(err.code != ERR_NONE && *err_message(&err) != '\0');
            continue;
        }
        EXPECT(comparison.verdict != VERDICT_REGRESSION);
        for (int format = DIFF_TABLE; format <= DIFF_MARKDOWN; format++) {
            const struct diff_output output = {
                .comparison = &comparison, .base = &side, .new_side = &side, .width = 60, .ascii = true};
            EXPECT(diff_print(&output, (enum diff_format)format, nowhere, &err) == 0);
        }
        comparison_release(&comparison);
    }
}

static void try_text(const char *text, size_t length, FILE *nowhere)
{
    struct profile *profiles = NULL;
    size_t count = 0;
    struct err err = ERR_INIT;

    if (baseline_parse(text, length, &profiles, &count, &err) != 0) {
        EXPECT(profiles == NULL && err.code != ERR_NONE && *err_message(&err) != '\0');
        return;
    }
    for (size_t i = 0; i < count; i++) {
        try_comparison(&profiles[i], nowhere);
        profile_release(&profiles[i]);
    }
    free(profiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = ",\n\"sha256\":\"", tail[] = "\"}\n";
    const uint8_t *end = memmem(data, size, mark, sizeof mark - 1);
    size_t length = end != NULL ? (size_t)(end - data) : size;
    char digest[CHECKSUM_TEXT_SIZE], *text = malloc(size + sizeof mark + sizeof digest + sizeof tail);
    FILE *nowhere = fopen("/dev/null", "we");
    struct checksum *sum = checksum_new();

    EXPECT(text != NULL && nowhere != NULL);
    memcpy(text, data, size); /* a baseline that is read from a file has a NUL behind it */
    text[size] = '\0';
    try_text(text, size, nowhere);
    /* the same with the digest that is right for it */
    checksum_add(sum, data, length);
    checksum_finish(sum, digest);
    checksum_free(sum);
    memcpy(text, data, length);
    int more = sprintf(text + length, "%s%s%s", mark, digest, tail);
    try_text(text, length + (size_t)more, nowhere);
    fclose(nowhere);
    free(text);
    return 0;
}
