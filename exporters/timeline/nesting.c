/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/nesting.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>

void nesting_clear(struct nesting *nesting)
{
    nesting->count = 0;
}

void nesting_release(struct nesting *nesting)
{
    free(nesting->items);
    *nesting = (struct nesting){0};
}

static bool push(struct nesting_lane *lane, int64_t start_ns, int64_t end_ns, unsigned *ret_shared_ends)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= start_ns)
        lane->depth--;
    if (lane->depth == NESTING_DEPTH_MAX || (lane->depth > 0 && end_ns > lane->ends[lane->depth - 1]))
        return false;
    *ret_shared_ends = 0;
    for (size_t i = lane->depth; i > 0 && lane->ends[i - 1] == end_ns; i--)
        ++*ret_shared_ends;
    lane->ends[lane->depth++] = end_ns;
    return true;
}

int nesting_place(struct nesting *nesting, int64_t start_ns, int64_t end_ns, size_t *ret_lane,
                  unsigned *ret_shared_ends, struct err *err)
{
    for (size_t i = 0; i < nesting->count; i++) {
        if (push(&nesting->items[i], start_ns, end_ns, ret_shared_ends)) {
            *ret_lane = i;
            return 0;
        }
    }
    *ret_lane = NESTING_LANES_MAX;
    *ret_shared_ends = 0;
    if (nesting->count == NESTING_LANES_MAX)
        return 0;
    if (array_reserve(nesting, 1, err) < 0)
        return -(int)err->code;
    struct nesting_lane *lane = &nesting->items[nesting->count];
    lane->depth = 0;
    push(lane, start_ns, end_ns, ret_shared_ends);
    *ret_lane = nesting->count++;
    return 0;
}
