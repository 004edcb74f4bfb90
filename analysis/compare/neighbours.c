/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/neighbours.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"

#include <stdlib.h>

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
        return -(int)err->code;
    if (added) {
        if (array_reserve(search->list, 1, err) < 0)
            return -(int)err->code;
        known->place = (uint32_t)search->list->count;
        search->list->items[search->list->count++] =
            (struct neighbours){.op = last->op, .before = stream->before, .after = after};
    }
    search->list->items[known->place].count++;
    search->list->items[known->place].total_ns += (double)last->duration_ns;
    return 0;
}

static int by_total(const void *a, const void *b)
{
    const struct neighbours *x = a, *y = b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->before != y->before)
        return x->before < y->before ? -1 : 1;
    return (x->after > y->after) - (x->after < y->after);
}

static int walk(struct search *search, struct err *err)
{
    const struct workload *workload = search->workload;
    struct stream *streams = calloc(workload->stream_count + 1, sizeof *streams);
    int status = streams != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

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
    free(streams);
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
        failed = err_set(err, ERR_NO_MEMORY, "out of memory") < 0;
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
    return failed ? -(int)err->code : 0;
}

void neighbours_release(struct neighbour_list *list)
{
    free(list->items);
    *list = (struct neighbour_list){.items = NULL};
}
