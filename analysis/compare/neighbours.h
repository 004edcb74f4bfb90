/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that run before and after those of one sort on the same stream. */
#ifndef MSPROF_ANALYSIS_COMPARE_NEIGHBOURS_H
#define MSPROF_ANALYSIS_COMPARE_NEIGHBOURS_H

#include "analysis/compare/workload.h"
#include "base/array.h"

/* The executions of an operator between the same two others. */
struct neighbours {
    uint32_t op;
    uint32_t before, after; /* operators; NO_TEXT: none on the stream */
    int64_t count;
    double total_ns;
};

struct neighbour_list ARRAY_OF(struct neighbours); /* the largest total first */

/* Finds those of the operators that wanted says. */
int neighbours_find(const struct workload *workload,
                    bool (*wanted)(const struct workload *workload, const struct workload_operator *op),
                    struct neighbour_list *ret, struct err *err);
void neighbours_release(struct neighbour_list *list);

#endif
