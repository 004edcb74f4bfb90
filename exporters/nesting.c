#include "exporters/nesting.h"

#include <stdbool.h>

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

size_t nesting_place(struct nesting *nesting, int64_t start_ns, int64_t end_ns, unsigned *ret_shared_ends)
{
    for (size_t i = 0; i < nesting->lane_count; i++) {
        if (push(&nesting->lanes[i], start_ns, end_ns, ret_shared_ends))
            return i;
    }
    if (nesting->lane_count == NESTING_LANES_MAX)
        return NESTING_LANES_MAX;
    struct nesting_lane *lane = &nesting->lanes[nesting->lane_count];
    lane->depth = 0;
    push(lane, start_ns, end_ns, ret_shared_ends);
    return nesting->lane_count++;
}
