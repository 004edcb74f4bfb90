/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/period.h"
#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* The most frequent value of at least 2 in a sorted array; 0: there is none. */
static size_t most_frequent(const size_t *sorted, size_t n)
{
    size_t best = 0, best_run = 0;

    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && sorted[end] == sorted[i])
            end++;
        if (sorted[i] >= 2 && end - i >= best_run) {
            best = sorted[i];
            best_run = end - i;
        }
        i = end;
    }
    return best;
}

int period_find(const size_t *counts, const uint64_t *first, size_t operators, struct period *ret, struct err *err)
{
    size_t *sorted = malloc((operators > 0 ? operators : 1) * sizeof *sorted);
    size_t regular = 0, used = 0, divider = SIZE_MAX;

    *ret = (struct period){.count = 0};
    if (sorted == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (operators > 0)
        memcpy(sorted, counts, operators * sizeof *sorted);
    array_sort(sorted, operators, sizeof *sorted, by_count);
    size_t steps = most_frequent(sorted, operators);
    free(sorted);
    if (steps < 2)
        return 0;
    for (size_t i = 0; i < operators; i++) {
        used += counts[i] > 0;
        regular += counts[i] > 0 && counts[i] % steps == 0;
        if (counts[i] == steps && (divider == SIZE_MAX || first[i] < first[divider]))
            divider = i;
    }
    if (2 * regular < used)
        return 0;
    *ret = (struct period){steps, (uint32_t)divider, (double)regular / (double)used};
    return 0;
}
