/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the differences between captures is noise. Two levels: runs differ from each other, and executions
 * within a run do. The change that all operators of a run share (its drift: temperature, clock) is distinguished from
 * what one operator does alone. Everything is in logarithms: a difference of 0.1 is about 10 %. docs/answers.md has the
 * model.
 */
#ifndef MSPROF_FEATURES_DIFF_NOISE_H
#define MSPROF_FEATURES_DIFF_NOISE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNS_MAX 64 /* captures of a side */

/* A key in one capture. */
struct run {
    double center;     /* ln of a median or mean, ns */
    double executions; /* that the center is of */
    double scatter;    /* of one execution, as a share of the center; negative: as that of the other keys */
    double scatter_df; /* degrees of freedom of it */
    double excess;     /* how far one execution can move the center, as a share of it */
    uint8_t capture;   /* which of the side */
};

/* One key of one side: a run of each capture that has it. */
struct runs {
    struct run *items;
    size_t count;
};

struct noise_options {
    double alpha; /* 0.01 */
    double drift; /* what is assumed of the drift of a run as long as few were seen: 0.01, as a standard deviation */
};

struct noise {
    struct noise_options options;
    size_t captures[2], keys;
    double shared[2][RUNS_MAX]; /* what all keys of a capture share */
    bool separated;             /* false: too few keys for the common change; then shared is 0 */
    double between;             /* variance of a key's center between runs, beyond what the scatter within explains */
    double prior_df;            /* how much the keys agree about their noise */
    double typical_scatter;     /* variance of one execution of a typical key */
    double scatter_df;          /* how much the keys agree about it */
    double change;              /* what all keys share, new - base */
    double change_error, change_df, change_p;
};

/* Learns the noise from the keys that both sides have. base and new_side have count entries. */
int noise_learn(const struct runs *const *base, const struct runs *const *new_side, size_t count,
                const size_t captures[2], const struct noise_options *options, struct noise *ret, struct err *err);

/* The change of one key. */
struct noise_change {
    double whole;     /* new - base */
    double own;       /* without what all keys share */
    double error, df; /* of own */
};
struct noise_change noise_of(const struct noise *noise, const struct runs *base, const struct runs *new_side);

/* Whether what all keys share has changed by more than `least` and more than drift does. */
bool noise_is_told(const struct noise *noise, double least);
/* The smallest change that is found nine times of ten at this p: in logarithms. */
double noise_smallest(double error, double df, double p);
/* How many captures a side would detect a change at this p; 0: more than RUNS_MAX. */
size_t noise_captures_for(const struct noise *noise, double change, double error, double df, double p);

#endif
