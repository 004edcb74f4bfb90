/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/match.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How many operators without a partner are compared place by place: the square of it in bytes is needed. */
#define ORDER_MAX 2000

ENUM_NAMES(match_kind_name, enum match_kind, "none", "exact", "name", "order")

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t match_stem(const char *name)
{
    size_t length = strlen(name);

    while (length > 1 && is_digit(name[length - 1])) {
        size_t digits = length;
        while (digits > 0 && is_digit(name[digits - 1]))
            digits--;
        if (digits == 0)
            return length; /* nothing but a number */
        length = digits;
        if (length > 3 && memcmp(name + length - 3, "-op", 3) == 0)
            length -= 3;
        else if (length > 1 && strchr("_-. ", name[length - 1]) != NULL)
            length--;
    }
    return length;
}

/* One side, sorted by something. */
struct entry {
    struct match_operator *op;
    size_t index, stem;
};

static int compare_stems(const struct entry *x, const struct entry *y)
{
    size_t shorter = x->stem < y->stem ? x->stem : y->stem;
    int order = memcmp(x->op->name, y->op->name, shorter);

    return order != 0 ? order : array_order(x->stem, y->stem);
}

ARRAY_COMPARE(by_key, struct entry, ARRAY_BY_TEXT(op->key))
ARRAY_COMPARE(by_order, struct entry, ARRAY_BY(op->order), ARRAY_BY_TEXT(op->key))
ARRAY_COMPARE(compare_kinds, struct entry, ARRAY_BY_TEXT(op->type), ARRAY_BY_TEXT(op->shapes))
ARRAY_COMPARE(compare_names, struct entry, compare_stems(left, right), compare_kinds(left, right))
ARRAY_COMPARE(compare_names_of_type, struct entry, compare_stems(left, right), ARRAY_BY_TEXT(op->type))
ARRAY_COMPARE(by_name, struct entry, compare_names(left, right), by_order(left, right))
ARRAY_COMPARE(by_name_of_type, struct entry, compare_names_of_type(left, right), by_order(left, right))

/* The operators that have no partner yet. */
static size_t collect(struct match_operator *side, size_t count, struct entry *entries)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (side[i].kind == MATCH_NONE)
            entries[n++] = (struct entry){&side[i], i, match_stem(side[i].name)};
    return n;
}

static void pair(const struct entry *a, const struct entry *b, enum match_kind kind)
{
    a->op->other = b->index;
    b->op->other = a->index;
    a->op->kind = b->op->kind = kind;
}

/* Pairs what a merge of two sorted sides finds equal: the first with the first, the second with the second. */
static void pair_equal(const struct entry *a, size_t na, const struct entry *b, size_t nb,
                       int (*compare)(const void *x, const void *y), enum match_kind kind)
{
    size_t i = 0, k = 0;

    while (i < na && k < nb) {
        int order = compare(&a[i], &b[k]);
        if (order == 0)
            pair(&a[i++], &b[k++], kind);
        else if (order < 0)
            i++;
        else
            k++;
    }
}

/* The longest common subsequence of types and shapes. */
static int pair_in_order(const struct entry *a, size_t na, const struct entry *b, size_t nb, struct err *err)
{
    na = na < ORDER_MAX ? na : ORDER_MAX;
    nb = nb < ORDER_MAX ? nb : ORDER_MAX;
    if (na == 0 || nb == 0)
        return 0;
    SCOPED_FREE uint16_t *length =
        scoped_memory((na + 1) * (nb + 1), sizeof *length); /* of what is left from (i, k) on */
    if (length == NULL)
        return err_no_memory(err);
    for (size_t i = na; i-- > 0;)
        for (size_t k = nb; k-- > 0;) {
            uint16_t down = length[(i + 1) * (nb + 1) + k], right = length[i * (nb + 1) + k + 1];
            bool equal = a[i].op->type[0] != '\0' && compare_kinds(&a[i], &b[k]) == 0;
            length[i * (nb + 1) + k] =
                equal ? (uint16_t)(length[(i + 1) * (nb + 1) + k + 1] + 1) : (down > right ? down : right);
        }
    for (size_t i = 0, k = 0; i < na && k < nb;) {
        if (a[i].op->type[0] != '\0' && compare_kinds(&a[i], &b[k]) == 0)
            pair(&a[i++], &b[k++], MATCH_ORDER);
        else if (length[(i + 1) * (nb + 1) + k] >= length[i * (nb + 1) + k + 1])
            i++;
        else
            k++;
    }
    return 0;
}

int match_operators(struct match_operator *base, size_t base_count, struct match_operator *new_side, size_t new_count,
                    struct err *err)
{
    static const struct {
        int (*sort)(const void *a, const void *b), (*compare)(const void *a, const void *b);
        enum match_kind kind;
    } passes[] = {{by_key, by_key, MATCH_EXACT},
                  {by_name, compare_names, MATCH_NAME},
                  {by_name_of_type, compare_names_of_type, MATCH_NAME}};
    SCOPED_FREE struct entry *a = scoped_memory(base_count + 1, sizeof *a);
    SCOPED_FREE struct entry *b = scoped_memory(new_count + 1, sizeof *b);
    size_t na, nb;

    if (a == NULL || b == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < base_count; i++) {
        base[i].kind = MATCH_NONE;
        base[i].other = SIZE_MAX;
    }
    for (size_t i = 0; i < new_count; i++) {
        new_side[i].kind = MATCH_NONE;
        new_side[i].other = SIZE_MAX;
    }
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        na = collect(base, base_count, a);
        nb = collect(new_side, new_count, b);
        array_sort(a, na, sizeof *a, passes[i].sort);
        array_sort(b, nb, sizeof *b, passes[i].sort);
        pair_equal(a, na, b, nb, passes[i].compare, passes[i].kind);
    }
    na = collect(base, base_count, a);
    nb = collect(new_side, new_count, b);
    array_sort(a, na, sizeof *a, by_order);
    array_sort(b, nb, sizeof *b, by_order);
    return pair_in_order(a, na, b, nb, err);
}

struct known {
    struct {
        uint32_t op, before, after;
    } key;
    uint32_t place; /* in the list */
};

/* The last execution of a stream, and what ran before it. */
struct stream {
    const struct execution *last;
    uint32_t before;
};

struct search {
    const struct workload *workload;
    bool *wanted; /* of each operator */
    struct map known;
    struct neighbour_list *list;
};

static int count_last(struct search *search, const struct stream *stream, uint32_t after, struct err *err)
{
    const struct execution *last = stream->last;
    struct known key = {.key = {0, stream->before, after}};
    bool added;

    if (last == NULL || !search->wanted[last->op])
        return 0;
    key.key.op = last->op;
    struct known *known = map_add(&search->known, &key.key, &added, err);
    if (known == NULL)
        return err_status(err);
    if (added) {
        if (array_reserve(search->list, 1, err) < 0)
            return err_status(err);
        known->place = (uint32_t)search->list->count;
        search->list->items[search->list->count++] =
            (struct neighbours){.op = last->op, .before = stream->before, .after = after};
    }
    search->list->items[known->place].count++;
    search->list->items[known->place].total_ns += workload_length(search->workload, last);
    return 0;
}

ARRAY_COMPARE(by_total, struct neighbours, ARRAY_BY_MOST(total_ns), ARRAY_BY(op), ARRAY_BY(before), ARRAY_BY(after))

static int walk(struct search *search, struct err *err)
{
    const struct workload *workload = search->workload;
    SCOPED_FREE struct stream *streams = scoped_memory(workload->stream_count + 1, sizeof *streams);
    int status = streams != NULL ? 0 : err_no_memory(err);

    for (size_t i = 0; status == 0 && i < workload->stream_count; i++)
        streams[i] = (struct stream){.before = NO_TEXT};
    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        struct stream *stream = &streams[execution->stream];
        status = count_last(search, stream, execution->op, err);
        stream->before = stream->last != NULL ? stream->last->op : NO_TEXT;
        stream->last = execution;
    }
    for (size_t i = 0; status == 0 && i < workload->stream_count; i++)
        status = count_last(search, &streams[i], NO_TEXT, err);
    return status;
}

int neighbours_find(const struct workload *workload,
                    bool (*wanted)(const struct workload *workload, const struct workload_operator *op),
                    struct neighbour_list *ret, struct err *err)
{
    struct search search = {.workload = workload, .known = MAP_OF(struct known, key), .list = ret};
    bool failed = false;

    *ret = (struct neighbour_list){.items = NULL};
    search.wanted = calloc(workload->operator_count + 1, sizeof *search.wanted);
    if (search.wanted == NULL)
        failed = err_no_memory(err) < 0;
    for (size_t i = 0; !failed && i < workload->operator_count; i++)
        search.wanted[i] = wanted(workload, &workload->operators[i]);
    failed = failed || walk(&search, err) < 0;
    if (!failed) {
        array_sort(ret->items, ret->count, sizeof *ret->items, by_total);
    } else {
        neighbours_release(ret);
    }
    map_release(&search.known);
    free(search.wanted);
    return failed ? err_status(err) : 0;
}

void neighbours_release(struct neighbour_list *list)
{
    free(list->items);
    *list = (struct neighbour_list){.items = NULL};
}
