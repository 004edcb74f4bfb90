/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that captures of one operator are compared by: a few times, shares and bytes of each launch, by name. */
#ifndef MSPROF_FEATURES_DIFF_MEASURES_H
#define MSPROF_FEATURES_DIFF_MEASURES_H

#include "base/intern.h"
#include "features/diff/gate.h"

#include <stdint.h>
#include <stdio.h>

/* A measure of one launch. */
struct measure_sample {
    const char *operator_name;
    const char *key; /* "op_time", "pipe:aiv_vec", "bytes:gm_to_ub": as gates call it */
    double value;    /* ns, or bytes */
};

/* All zero: empty. Those of several captures may be in one. */
struct measures {
    struct measure_sample *items;
    size_t count, capacity;
    struct intern texts;
};

int measures_add(struct measures *measures, const char *operator_name, const char *key, double value, struct err *err);
void measures_release(struct measures *measures);

enum measure_verdict { MEASURE_SAME, MEASURE_NOISE, MEASURE_LESS, MEASURE_MORE, MEASURE_MISSING };

/* Both sides of one measure. */
struct measure_row {
    const char *operator_name, *key;
    size_t n_base, n_new;
    double base, new_value; /* medians; NAN: not there */
    double change;          /* of the median, as a share of the base; NAN: not known */
    double noise;           /* the spread of the launches of a side, the larger of both; NAN: one launch a side */
    enum measure_verdict verdict;
};

struct measures_comparison {
    struct measure_row *rows; /* in the order of the base's measures; free() it */
    size_t count;
};

/* Sorts both. Where both sides have one operator each, they are compared whatever their names. A change of less than
 * least (a share), or than the noise, is none. */
int measures_compare(struct measures *base, struct measures *other, double least, struct measures_comparison *ret,
                     struct err *err);

/* Checks a gate; *ret_worst is the row that stands for all. False: it failed. known false: no row has it. */
bool measures_hold(const struct measures_comparison *comparison, const struct gate *gate, bool *ret_known,
                   const struct measure_row **ret_worst);

/* Adds a comparison alone to a page. */
struct html_report;
int measures_add_page(struct html_report *report, const struct measures_comparison *comparison, struct err *err);

/* Samples as a file that stands for their captures later. */
int measures_write(const char *path, const struct measures *measures, struct err *err);
/* Adds those of a file; *ret_is false: it is no such file, and nothing was read. */
int measures_read(const char *path, struct measures *measures, bool *ret_is, struct err *err);

enum measures_format { MEASURES_TABLE, MEASURES_JSON, MEASURES_CSV, MEASURES_MARKDOWN };
/* Write errors stay with the stream. */
int measures_print(const struct measures_comparison *comparison, enum measures_format format, int width, bool ascii,
                   FILE *stream, struct err *err);

#endif
