/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/savings.h"

#include "base/file/large.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Times are those since the begin of the step: nanoseconds since 1970 are no doubles. */
static double since(const struct step_path *path, int64_t time_ns)
{
    return (double)number_subtract(time_ns, path->start_ns);
}

/* The end of what a node waits for, by the ends of all before it, or, NULL, as it was; 0: it waits for nothing. */
static double ready(const struct step_path *path, const double *ends, size_t node)
{
    double last = 0;

    for (int k = 0; k < PATH_BEFORE; k++) {
        const uint32_t before = path->nodes[node].before[k];
        if (before != PATH_NONE)
            last = fmax(last, ends != NULL ? ends[before] : since(path, path->nodes[before].end_ns));
    }
    return last;
}

/* By how much the last end moves. ends: room for those of all nodes. */
static double shorten(const struct step_path *path, const struct workload *workload, const double *cut, double *ends)
{
    double was = 0, is = 0;

    for (size_t i = 0; i < path->count; i++) {
        const struct path_node *node = &path->nodes[i];
        double length = (double)interval_length(node->start_ns, node->end_ns);
        double lag = since(path, node->start_ns) - ready(path, NULL, i);
        if (!path->items[i].is_call)
            length *= 1 - cut[workload->executions[path->items[i].place].op];
        ends[i] = ready(path, ends, i) + lag + length;
        was = node->ends ? fmax(was, since(path, node->end_ns)) : was;
        is = node->ends ? fmax(is, ends[i]) : is;
    }
    return was - is;
}

/* Steps that run at the same time have the operators of each other in their paths: with more passes over all operators
 * than this there is no answer. */
#define MOST_PASSES 8

/* A path of more executions takes too much memory: steps divide it. */
#define MOST_AS_ONE 500000

int savings_of_operators(const struct workload *workload, const struct splits *splits, const struct launches *launches,
                         const double *cut, double *ret_ns, struct err *err)
{
    struct step_paths paths = {.tasks = 0};
    double *ends = NULL, sum = 0;
    size_t room = 0, left = MOST_PASSES * (workload->execution_count + launches->count);
    int status = 0;

    *ret_ns = -1;
    if (splits->whole && workload->execution_count > MOST_AS_ONE)
        return 0;
    for (size_t i = 0; status == 0 && i < splits->count; i++) {
        const struct step_path *path;
        if (splits->groups.items[splits->items[i].group].source != splits->source || !splits_counts(splits, i) ||
            !splits_is_recorded(splits, i, &splits->items[i].own))
            continue;
        status = step_path_find(&paths, workload, splits, i, launches, &path, err);
        if (status == 0 && path->count > room) {
            free(ends);
            room = 2 * path->count;
            ends = calloc(room, sizeof *ends);
            status = ends != NULL ? 0 : err_no_memory(err);
        }
        if (status != 0)
            break;
        large_passed(path->count);
        if (path->count > left) {
            *ret_ns = -1;
            break;
        }
        left -= path->count;
        sum += shorten(path, workload, cut, ends);
        *ret_ns = sum;
    }
    free(ends);
    step_paths_release(&paths);
    return status;
}
