/* SPDX-License-Identifier: Apache-2.0 */
/* How often chance alone does as much: Student's t, Snedecor's F, false findings among many, and how far two sides
 * overlap. */
#ifndef MSPROF_ANALYSIS_COMPARE_SIGNIFICANCE_H
#define MSPROF_ANALYSIS_COMPARE_SIGNIFICANCE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* The probability that |T| is at least |t|, with df > 0 degrees of freedom. */
double student_p(double t, double df);
/* The t > 0 whose student_p() is p; p from 1e-12 to 1. */
double student_quantile(double p, double df);
/* The probability that F(df1, df2) is at least f. */
double fisher_p(double f, double df1, double df2);
/* ln of the density of F(df1, df2) at f > 0, without the terms that do not depend on df2. */
double fisher_log_likelihood(double f, double df1, double df2);
/* The median of chi-square with df degrees of freedom (Wilson and Hilferty). */
double chi_square_median(double df);

/* The probability that of n + m events at least as uneven a number falls into one of two stretches as n into one that
 * is share of both together: twice that of the rarer side, at most 1. */
double split_p(double n, double m, double share);

/* Benjamini and Hochberg: q[i] is the share of false findings when everything with a p up to p[i] counts as one. p and
 * q may be the same array. */
int false_discovery(const double *p, size_t n, double *q, struct err *err);

/* Cliff's delta of two ascending arrays: -1 all new values are smaller, 1 all are larger; 0 when one is empty. */
double cliff_delta(const int64_t *base, size_t base_count, const int64_t *new_side, size_t new_count);

#endif
