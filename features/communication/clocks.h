/* SPDX-License-Identifier: Apache-2.0 */
/* How far clocks stand from each other, by moments that both have recorded: arithmetic alone.
 *
 *     struct clocks clocks;
 *     int status = clocks_open(&clocks, hosts, err);
 *     ... status = clocks_pair(&clocks, a, b, a_ns, b_ns, err);
 *     clocks_align(&clocks, shifts);
 *     clocks_release(&clocks);
 */
#ifndef MSPROF_FEATURES_COMMUNICATION_CLOCKS_H
#define MSPROF_FEATURES_COMMUNICATION_CLOCKS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define CLOCKS_MOST 64
#define CLOCKS_NOBODY SIZE_MAX

struct clocks {
    size_t count;
    struct clock_pair {
        int64_t *items; /* how much later b must be made so that it stands where a does */
        size_t count, capacity;
        uint64_t seen, stride; /* of all moments one of stride is kept */
    } * pairs;                 /* count * count, of a < b */
};

/* One clock against that of its group which has the smallest number. */
struct clock_shift {
    int64_t shift_ns;  /* to be added to its times */
    int64_t error_ns;  /* half of the moments differ by no more after that; along several clocks the sum */
    uint64_t moments;  /* from which it was calculated */
    size_t by, anchor; /* the clock that it was compared with, CLOCKS_NOBODY: none; the one that stays as it is */
};

/* count: at most CLOCKS_MOST. clocks_release it whatever the result. */
int clocks_open(struct clocks *clocks, size_t count, struct err *err);
/* A moment recorded by two different clocks. */
int clocks_pair(struct clocks *clocks, size_t a, size_t b, int64_t a_ns, int64_t b_ns, struct err *err);
/* Takes the median of each pair, and goes from clock to clock by the pairs with the most moments. */
void clocks_align(struct clocks *clocks, struct clock_shift *ret);
void clocks_release(struct clocks *clocks);

#endif
