/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interval.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/ticks.h"

int64_t interval_length(int64_t start_ns, int64_t end_ns)
{
    int64_t length;

    if (end_ns <= start_ns)
        return 0;
    return __builtin_sub_overflow(end_ns, start_ns, &length) ? INT64_MAX : length;
}

static int64_t add_lengths(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int intervals_add(struct intervals *list, int64_t start_ns, int64_t end_ns, struct err *err)
{
    if (end_ns <= start_ns)
        return 0;
    if (large_reserve(list, 1, err) < 0)
        return err_status(err);
    list->items[list->count++] = (struct interval){start_ns, end_ns};
    return 0;
}

int intervals_extend(struct intervals *list, int64_t start_ns, int64_t end_ns, struct err *err)
{
    if (end_ns <= start_ns)
        return 0;
    if (list->count == 0 || start_ns > list->items[list->count - 1].end_ns)
        return intervals_add(list, start_ns, end_ns, err);
    struct interval *last = &list->items[list->count - 1];
    if (end_ns > last->end_ns)
        last->end_ns = end_ns;
    return 0;
}

ARRAY_COMPARE(by_start, struct interval, ARRAY_BY(start_ns), ARRAY_BY(end_ns))

void intervals_unite(struct intervals *list)
{
    size_t kept = 0;

    if (list->count == 0)
        return;
    large_sort(list->items, list->count, sizeof *list->items, by_start);
    for (size_t i = 1; i < list->count; i++) {
        large_pass(i);
        if (list->items[i].start_ns > list->items[kept].end_ns)
            list->items[++kept] = list->items[i];
        else if (list->items[i].end_ns > list->items[kept].end_ns)
            list->items[kept].end_ns = list->items[i].end_ns;
    }
    list->count = kept + 1;
}

int64_t intervals_length(const struct intervals *list)
{
    int64_t sum = 0;

    for (size_t i = 0; i < list->count; i++) {
        large_pass(i);
        sum = add_lengths(sum, interval_length(list->items[i].start_ns, list->items[i].end_ns));
    }
    return sum;
}

int64_t length_ns(struct length length, int64_t hz)
{
    return number_add(ticks_ns(hz, length.ticks), length.ns);
}

struct length length_without(struct length all, struct length part)
{
    return (struct length){number_subtract(all.ticks, part.ticks), number_subtract(all.ns, part.ns)};
}

struct length intervals_exact_within(const struct intervals *list, int64_t from_ns, int64_t until_ns, size_t *cursor,
                                     int64_t hz, bool bounds_tick)
{
    struct length sum = {0, 0};

    while (*cursor < list->count && list->items[*cursor].end_ns <= from_ns)
        large_pass((*cursor)++);
    for (size_t i = *cursor; i < list->count && list->items[i].start_ns < until_ns; i++) {
        large_pass(i);
        const bool begins = list->items[i].start_ns >= from_ns, ends = list->items[i].end_ns <= until_ns;
        const int64_t start_ns = begins ? list->items[i].start_ns : from_ns,
                      length_ns = interval_length(start_ns, ends ? list->items[i].end_ns : until_ns);
        if (bounds_tick || (begins && ends))
            sum.ticks = add_lengths(sum.ticks, ticks_of(hz, start_ns, length_ns));
        else
            sum.ns = add_lengths(sum.ns, length_ns);
    }
    return sum;
}

int64_t intervals_length_within(const struct intervals *list, int64_t from_ns, int64_t until_ns, size_t *cursor)
{
    return intervals_exact_within(list, from_ns, until_ns, cursor, TICKS_OF_NS, true).ticks;
}

int intervals_subtract(const struct intervals *a, const struct intervals *b, struct intervals *ret, struct err *err)
{
    size_t first = 0;
    int status = 0;

    for (size_t i = 0; status == 0 && i < a->count; i++) {
        int64_t now = a->items[i].start_ns;
        large_pass(i);
        while (first < b->count && b->items[first].end_ns <= now)
            large_pass(first++);
        for (size_t k = first; status == 0 && k < b->count && b->items[k].start_ns < a->items[i].end_ns; k++) {
            status = intervals_add(ret, now, b->items[k].start_ns, err);
            if (b->items[k].end_ns > now)
                now = b->items[k].end_ns;
        }
        if (status == 0)
            status = intervals_add(ret, now, a->items[i].end_ns, err);
    }
    return status;
}

int intervals_join(const struct intervals *a, const struct intervals *b, struct intervals *ret, struct err *err)
{
    size_t i = 0, k = 0;
    int status = 0;

    while (status == 0 && (i < a->count || k < b->count)) {
        bool from_a = k == b->count || (i < a->count && a->items[i].start_ns <= b->items[k].start_ns);
        large_pass(i + k);
        const struct interval *next = from_a ? &a->items[i++] : &b->items[k++];
        status = intervals_extend(ret, next->start_ns, next->end_ns, err);
    }
    return status;
}

void intervals_release(struct intervals *list)
{
    large_free(list->items);
    *list = (struct intervals){.items = NULL};
}
