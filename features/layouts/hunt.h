/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a layout: what is tried, and the best so far. */
#ifndef MSPROF_FEATURES_LAYOUTS_HUNT_H
#define MSPROF_FEATURES_LAYOUTS_HUNT_H

#include "features/layouts/problem.h"

struct sums;

struct hunt {
    struct problem *problem;
    struct infer_result best;
    struct interval *firsts; /* of the first column, a sample row each */
    struct search_column first;
    size_t frames;
    size_t facts;            /* of the notes, the length of those that are of no order of rows */
    const struct sums *sums; /* while rows sum up records; else NULL */
};

enum effort { EFFORT_PLAIN, EFFORT_MINUS, EFFORT_DELTA, EFFORT_COUNT };

/* Makes the first column of the sample ready; again when the sample, the frequency or the rounding has changed. */
int hunt_prepare(struct hunt *hunt, struct err *err);
void hunt_release(struct hunt *hunt);
/* Finds the first column and then all others in a frame whose matrix is filled; keeps the result when it is the best.
 */
int hunt_frame(struct hunt *hunt, struct frame *frame, enum effort effort, struct err *err);
/* Whether the first column was found at a scale so small that it may be a number that is only near: the printed digits
 * do not distinguish them. */
bool hunt_is_coarse(const struct hunt *hunt);
/* Every frame with as many records as rows: both byte orders of each size. */
int hunt_each_frame(struct hunt *hunt, int (*each)(struct hunt *hunt, struct frame *frame, void *arg, struct err *err),
                    void *arg, struct err *err);
/* Fills the matrix with the records of the sample's rows; false when one is outside of its file. */
bool hunt_fill(const struct problem *problem, struct frame *frame);

/* Rows that sum up records. */
int hunt_sums(struct hunt *hunt, struct err *err);
/* Rows in another order than records: matched by their first columns. */
int hunt_sorted(struct hunt *hunt, struct err *err);
/* Rows of some of the records that follow each other: where the .done files say, or, with EFFORT_PLAIN, anywhere. */
int hunt_window(struct hunt *hunt, bool by_done, enum effort effort, struct err *err);

#endif
