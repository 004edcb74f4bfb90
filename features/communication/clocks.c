/* SPDX-License-Identifier: Apache-2.0 */
#include "features/communication/clocks.h"

#include "base/array.h"
#include "base/number.h"
#include "base/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST_MOMENTS 16384 /* of a pair that are kept */

int clocks_open(struct clocks *clocks, size_t count, struct err *err)
{
    *clocks = (struct clocks){.count = count, .pairs = calloc(count * count + 1, sizeof *clocks->pairs)};
    return clocks->pairs != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for %zu clocks", count);
}

void clocks_release(struct clocks *clocks)
{
    for (size_t i = 0; clocks->pairs != NULL && i < clocks->count * clocks->count; i++)
        free(clocks->pairs[i].items);
    free(clocks->pairs);
    *clocks = (struct clocks){.count = 0};
}

/* Keeps every second of what is kept. */
static void thin_out(struct clock_pair *pair)
{
    pair->count /= 2;
    pair->stride *= 2;
    for (size_t i = 0; i < pair->count; i++)
        pair->items[i] = pair->items[2 * i];
}

int clocks_pair(struct clocks *clocks, size_t a, size_t b, int64_t a_ns, int64_t b_ns, struct err *err)
{
    struct clock_pair *pair = &clocks->pairs[a < b ? a * clocks->count + b : b * clocks->count + a];
    int64_t later = a < b ? number_subtract(a_ns, b_ns) : number_subtract(b_ns, a_ns);

    pair->stride = pair->stride > 0 ? pair->stride : 1;
    if (pair->seen++ % pair->stride != 0)
        return 0;
    if (pair->count == MOST_MOMENTS) {
        thin_out(pair);
        if ((pair->seen - 1) % pair->stride != 0)
            return 0;
    }
    return array_add(pair, err, later);
}

/* The pair of a clock that is placed and one that is not which has the most moments; of equal ones the first. */
static const struct clock_pair *find_pair(const struct clocks *clocks, const bool *placed, size_t *ret_from,
                                          size_t *ret_to)
{
    const struct clock_pair *best = NULL;

    for (size_t a = 0; a < clocks->count; a++)
        for (size_t b = a + 1; b < clocks->count; b++) {
            const struct clock_pair *pair = &clocks->pairs[a * clocks->count + b];
            if (placed[a] == placed[b] || pair->seen == 0 || (best != NULL && pair->seen <= best->seen))
                continue;
            best = pair;
            *ret_from = placed[a] ? a : b;
            *ret_to = placed[a] ? b : a;
        }
    return best;
}

static struct clock_shift place(const struct clock_pair *pair, const struct clock_shift *from, size_t from_index,
                                size_t to_index)
{
    double median = statistics_median(pair->items, pair->count);
    int64_t later = (int64_t)llround(from_index < to_index ? median : -median);
    double error = statistics_mad(pair->items, pair->count, median);

    return (struct clock_shift){.shift_ns = number_add(from->shift_ns, later),
                                .error_ns = number_add(from->error_ns, (int64_t)ceil(error)),
                                .moments = pair->seen,
                                .by = from_index,
                                .anchor = from->anchor};
}

void clocks_align(struct clocks *clocks, struct clock_shift *ret)
{
    bool placed[CLOCKS_MOST] = {false};
    size_t from = 0, to = 0;

    for (size_t i = 0; i < clocks->count * clocks->count; i++)
        if (clocks->pairs[i].count > 0)
            array_sort(clocks->pairs[i].items, clocks->pairs[i].count, sizeof(int64_t), array_compare_numbers);
    for (size_t anchor = 0; anchor < clocks->count; anchor++) {
        if (placed[anchor])
            continue;
        placed[anchor] = true;
        ret[anchor] = (struct clock_shift){.by = CLOCKS_NOBODY, .anchor = anchor};
        for (const struct clock_pair *pair; (pair = find_pair(clocks, placed, &from, &to)) != NULL;) {
            ret[to] = place(pair, &ret[from], from, to);
            placed[to] = true;
        }
    }
}
