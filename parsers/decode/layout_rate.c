/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/layout_rate.h"

#include "parsers/decode/layout_text.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

enum { OF = 1, PLUS = 2, SCALE = 4 };

/* A number of the rated kind by its name; NULL with err set. */
static const char *take_column(struct text_line *line, const struct record_kind *rated, const struct word *word)
{
    const char *names[RECORD_MAX_COLUMNS];
    char owner[LAYOUT_NAME_MAX + 32];
    for (size_t i = 0; i < rated->column_count; i++)
        names[i] = rated->columns[i].type == COLUMN_INTEGER ? rated->columns[i].name : NULL;
    snprintf(owner, sizeof owner, "kind %s has: ", rated->name);
    int column = text_choose(line, word, names, rated->column_count, "column", owner);
    return column >= 0 ? names[column] : NULL;
}

/* One word behind the first column, with what belongs to it; moves *at behind it. */
static int take_attribute(struct text_line *line, const struct record_kind *rated, size_t *at, unsigned *seen,
                          struct layout_rate *rate)
{
    const struct word *word = &line->words[*at];
    unsigned bit = layout_word_is(word, "of")      ? OF
                   : layout_word_is(word, "plus")  ? PLUS
                   : layout_word_is(word, "scale") ? SCALE
                                                   : 0;
    if (bit == 0 || (*seen & bit) != 0 || (bit == PLUS && *seen != OF) || (bit == OF && *seen != 0))
        return text_mistake(line, "'%.*s' here, expected: %.*s none, or COLUMN [of COLUMN [plus COLUMN]] [scale N[/M]]",
                            SHOWN(word), SHOWN(&line->words[0]));
    *seen |= bit;
    if (bit == SCALE)
        return text_take_scale(line, at, &rate->multiply, &rate->divide);
    const struct word *name = text_take_word(line, at, "COLUMN");
    const char *column = name != NULL ? take_column(line, rated, name) : NULL;
    rate->whole[bit == PLUS] = column;
    return column != NULL ? 0 : -ERR_FORMAT;
}

int layout_rate_parse(struct text_line *line, const struct record_kind *rated, struct layout_rate *ret)
{
    struct layout_rate rate = {.given = true};
    size_t at = 0;
    unsigned seen = 0;
    const struct word *word = text_take_word(line, &at, "none or COLUMN");
    if (word == NULL)
        return -ERR_FORMAT;
    if (layout_word_is(word, "none")) {
        *ret = rate;
        return text_expect_words(line, 2, LAYOUT_MISS_RATE " none");
    }
    rate.part = take_column(line, rated, word);
    if (rate.part == NULL)
        return -ERR_FORMAT;
    while (at < line->word_count) {
        int r = take_attribute(line, rated, &at, &seen, &rate);
        if (r < 0)
            return r;
    }
    *ret = rate;
    return 0;
}

const struct layout_rate *layout_rate_of(const struct record_kind *kind, const struct layout *layout)
{
    return layout->icache_miss_rate.given ? &layout->icache_miss_rate : &kind->layouts[0].icache_miss_rate;
}

const char *layout_rate_text(const struct layout_rate *rate, char buffer[LAYOUT_RATE_SIZE])
{
    char scale[48] = "";
    int64_t multiply = rate->multiply > 0 ? rate->multiply : 1;
    if (rate->divide > 1)
        snprintf(scale, sizeof scale, " scale %" PRId64 "/%" PRId64, multiply, rate->divide);
    else if (multiply > 1)
        snprintf(scale, sizeof scale, " scale %" PRId64, multiply);
    snprintf(buffer, LAYOUT_RATE_SIZE, "%s%s%s%s%s%s", rate->part != NULL ? rate->part : "none",
             rate->whole[0] != NULL ? " of " : "", rate->whole[0] != NULL ? rate->whole[0] : "",
             rate->whole[1] != NULL ? " plus " : "", rate->whole[1] != NULL ? rate->whole[1] : "", scale);
    return buffer;
}

int64_t layout_rate_millionths(const struct layout_rate *rate, int64_t (*value)(const void *arg, const char *column),
                               const void *arg)
{
    if (rate->part == NULL)
        return 0;
    int64_t part = value(arg, rate->part), whole = rate->whole[0] != NULL ? 0 : 1;
    bool known = part >= 0;
    for (size_t i = 0; i < sizeof rate->whole / sizeof rate->whole[0] && rate->whole[i] != NULL; i++) {
        int64_t number = value(arg, rate->whole[i]);
        known = known && number >= 0;
        whole = number_add(whole, number);
    }
    if (!known)
        return -1;
    return number_ratio(number_multiply(part, rate->multiply > 0 ? rate->multiply : 1),
                        number_multiply(whole, rate->divide > 0 ? rate->divide : 1), 6);
}
