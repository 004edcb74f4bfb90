/* Are the values of two sides from one distribution? By ranks, so that no distribution is assumed. */
#ifndef MSPROF_ANALYSIS_DIFF_RANK_TEST_H
#define MSPROF_ANALYSIS_DIFF_RANK_TEST_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct rank_test {
    double u;     /* pairs in which the new value is larger, ties counted half */
    double p;     /* two-sided: how often chance alone gives a U as far from the middle; 1 when a side is empty */
    double cliff; /* Cliff's delta, 2U/(n1 n2) - 1: -1 all new values are smaller, 1 all are larger */
};

/* Mann-Whitney U with ties. Exact (over all ways to divide the values there are) when the smaller side has fewer than
 * eight values and the larger at most 64; else by the normal distribution, corrected for ties and continuity. */
int rank_test(const int64_t *base_sorted, size_t base_count, const int64_t *new_sorted, size_t new_count,
              struct rank_test *ret, struct err *err);

/* Benjamini and Hochberg: q[i] is the share of false findings when everything with a p up to p[i] counts as one. p and
 * q may be the same array. */
int false_discovery(const double *p, size_t n, double *q, struct err *err);

#endif
