/* SPDX-License-Identifier: Apache-2.0 */
/* Which operator of one capture is which of another: names change, numbers in them first. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_MATCH_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_MATCH_H

#include "base/array.h"
#include "base/err.h"
#include "features/answers/analysis/workload.h"

#include <stddef.h>
#include <stdint.h>

enum match_kind {
    MATCH_NONE,
    MATCH_EXACT, /* the same key */
    MATCH_NAME,  /* the same name once numbers are taken off, and type and shapes where both sides have them */
    MATCH_ORDER, /* the same type and shapes, in the order of a step */
};
const char *match_kind_name(enum match_kind kind); /* "exact" and so on */

struct match_operator {
    const char *key, *name, *type, *shapes; /* key is unique within its side; the others may be "" */
    uint64_t order;                         /* place in a step */
    size_t other;                           /* found: index on the other side; SIZE_MAX: none */
    enum match_kind kind;
};

/* Fills other and kind of both sides. */
int match_operators(struct match_operator *base, size_t base_count, struct match_operator *new_side, size_t new_count,
                    struct err *err);

/* The length of `name` without what counts executions and operators at its end: "-op123", "_456", "trailing 7". At
 * least 1 unless the name is empty. */
size_t match_stem(const char *name);

/* Operators that run before and after those of one sort on the same stream. */

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
