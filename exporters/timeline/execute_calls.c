/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/execute_calls.h"

#include "base/array.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

bool is_execute_call(const char *name)
{
    static const char prefix[] = "svp_acl_mdl_execute";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err)
{
    if (array_reserve(calls, 1, err) < 0)
        return -(int)err->code;
    calls->items[calls->count++] = *call;
    return 0;
}

static int compare_calls(const void *a, const void *b)
{
    const struct execute_call *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* How many calls begin at this time or before. */
static size_t begun(const struct execute_calls *calls, int64_t time_ns)
{
    return search_until(calls->items, calls->count, sizeof *calls->items, offsetof(struct execute_call, start_ns),
                        time_ns);
}

/* The last call that began before, unless another one runs at the time too. */
static struct execute_call *last_call(const struct execute_calls *calls, int64_t start_ns)
{
    size_t count = begun(calls, start_ns);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    if (count == 0 || (count > 1 && calls->items[count - 2].latest_end_ns > start_ns))
        return NULL;
    return &calls->items[count - 1];
}

void execute_calls_prepare(struct execute_calls *calls, const int64_t *starts_ns, size_t count)
{
    int64_t latest_ns = INT64_MIN;
    if (calls->count > 0)
        qsort(calls->items, calls->count, sizeof *calls->items, compare_calls);
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].end_ns > latest_ns)
            latest_ns = calls->items[i].end_ns;
        calls->items[i].latest_end_ns = latest_ns;
        calls->items[i].started = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct execute_call *call = last_call(calls, starts_ns[i]);
        if (call != NULL)
            call->started++;
    }
}

const struct execute_call *execute_calls_find(const struct execute_calls *calls, int64_t start_ns)
{
    const struct execute_call *call = last_call(calls, start_ns);
    return call != NULL && call->started == 1 ? call : NULL;
}
