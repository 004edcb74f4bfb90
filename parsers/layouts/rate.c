/* SPDX-License-Identifier: Apache-2.0 */
/* How a board forms the rate of cache misses that the names of its tables have. */
#include "parsers/decode/layout_rate.h"
#include "parsers/layouts/problem.h"

#include <string.h>

#define HIT "icache_hit"
#define MISS "icache_miss"

/* The built-in way is the first. */
const struct layout_rate infer_rate_ways[INFER_RATES] = {
    {.given = true, .part = MISS, .whole = {HIT, MISS}},
    {.given = true, .part = MISS, .whole = {HIT, MISS}, .multiply = 100},
    {.given = true, .part = MISS, .whole = {HIT, MISS}, .multiply = 1000},
    {.given = true, .part = MISS, .whole = {HIT}},
    {.given = true, .part = MISS, .whole = {HIT}, .multiply = 100},
    {.given = true, .part = MISS, .whole = {HIT}, .multiply = 1000},
    {.given = true, .part = MISS},
    {.given = true, .part = HIT, .whole = {HIT, MISS}},
    {.given = true, .part = HIT, .whole = {HIT, MISS}, .multiply = 100},
    {.given = true, .part = HIT, .whole = {MISS}},
    {.given = true, .part = HIT},
    {.given = true}, /* none */
};

static int64_t number_of_done(const void *arg, const char *column)
{
    const struct done_info *done = arg;
    return strcmp(column, HIT) == 0 ? done->icache_hit : strcmp(column, MISS) == 0 ? done->icache_miss : -1;
}

/* What a table's inference says of its cache; NULL: nothing. */
static const struct done_info *done_of(const struct problem *problem, const struct printed_file *table)
{
    const struct inference_mark *mark = capture_mark(problem->capture, table->device_id, table->model_id,
                                                     table->batch_num, table->input_pic_num, table->current_pic_count);
    return mark != NULL && mark->done.icache_hit >= 0 && mark->done.icache_miss >= 0 ? &mark->done : NULL;
}

/* Whether a way gives the rate of every table that something is known of; else *ret_printed is the first it does not
 * give. */
static bool gives_all(const struct problem *problem, const struct layout_rate *way, int64_t *ret_printed)
{
    for (size_t i = 0; i < problem->tables->count; i++) {
        const struct printed_file *table = &problem->tables->items[i];
        const struct done_info *done = done_of(problem, table);
        if (table->miss_ppm < 0 || done == NULL || layout_rate_millionths(way, number_of_done, done) == table->miss_ppm)
            continue;
        *ret_printed = table->miss_ppm;
        return false;
    }
    return true;
}

void find_rate(const struct problem *problem, struct infer_result *result)
{
    struct infer_rate *rate = &result->rate;
    bool unknown = false;
    *rate = (struct infer_rate){.state = RATE_UNSAID};
    for (size_t i = 0; i < problem->tables->count; i++) {
        const struct printed_file *table = &problem->tables->items[i];
        bool known = done_of(problem, table) != NULL;
        rate->tables += known && table->miss_ppm >= 0;
        if (!known && table->miss_ppm > 0 && !unknown) {
            unknown = true;
            rate->printed = table->miss_ppm;
        }
    }
    if (unknown)
        rate->state = RATE_MISSING;
    if (unknown || rate->tables == 0)
        return;
    for (size_t i = 0; i < INFER_RATES; i++)
        if (gives_all(problem, &infer_rate_ways[i], &rate->printed))
            rate->ways[rate->way_count++] = i;
    rate->state = rate->way_count == 0   ? RATE_MISSING
                  : rate->ways[0] == 0   ? RATE_BUILT_IN
                  : rate->way_count == 1 ? RATE_FOUND
                                         : RATE_AMBIGUOUS;
}
