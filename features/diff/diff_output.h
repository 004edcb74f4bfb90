/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and advice as text: tables of the terminal, CSV, Markdown, or JSON of the schemas msprof.diff/2 and
 * msprof.advice/1; and profiles in a file. */
#ifndef MSPROF_FEATURES_DIFF_DIFF_OUTPUT_H
#define MSPROF_FEATURES_DIFF_DIFF_OUTPUT_H

#include "base/err.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/analysis/profile.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"

#include <stdio.h>

/* DIFF_HTML is for pages (features/page) and not printed here. */
enum diff_format { DIFF_TABLE, DIFF_JSON, DIFF_CSV, DIFF_MARKDOWN, DIFF_HTML };

struct diff_output {
    const struct comparison *comparison;
    const struct side *base, *new_side;
    size_t top; /* rows at most, the others are added up in one; 0: all */
    int width;  /* of the terminal; 0: nothing is cut */
    bool ascii;
};

/* The causes of a regression: "step time, gaps"; "": it is none. */
#define DIFF_CAUSES_SIZE 96

void diff_causes_text(const struct comparison *comparison, char text[DIFF_CAUSES_SIZE]);

/* Write errors stay with the stream. */
int diff_print(const struct diff_output *output, enum diff_format format, FILE *stream, struct err *err);

/* Profiles in a file: what msprof diff --save writes and takes in place of captures. JSON of the schema
 * msprof.baseline/3, the digest of all that stands before it at the end. */

/* A longer file is refused. */
#define BASELINE_MAX_BYTES ((size_t)32 * 1024 * 1024)

/* -ERR_USAGE for a file with content that is no baseline: writing one there would lose it. One of another version, cut
 * or edited, is one. */
int baseline_check_target(const char *path, struct err *err);
/* The file appears whole or not at all. */
int baseline_write(const char *path, const struct profile *const *profiles, size_t count, struct err *err);
/* *ret is an array of *ret_count profiles, each to be released and the array freed. -ERR_FORMAT for what is no
 * baseline, of another version, cut or edited. */
int baseline_parse(const char *text, size_t length, struct profile **ret, size_t *ret_count, struct err *err);
/* Reads a file and parses it likewise. */
int baseline_read(const char *path, struct profile **ret, size_t *ret_count, struct err *err);

/* Advice as text: findings of the terminal, Markdown, or JSON of the schema msprof.advice/1. */

/* ADVICE_HTML is for pages (features/page) and not printed here. */
enum advice_format { ADVICE_TABLE, ADVICE_JSON, ADVICE_MARKDOWN, ADVICE_HTML };

/* Write errors stay with the stream. */
void advice_print(const struct advice *advice, const char *capture, enum advice_format format, FILE *stream);
/* Prints the rules that there are. */
void advice_print_rules(enum advice_format format, FILE *stream);

/* The answer about a capture without operators: what the program did, its ranges and calls, which took most time, how
 * long and how often. As text, Markdown, or JSON of the schema msprof.advice/1. */
struct program_answer {
    const struct named_times *ranges, *calls; /* those that took most time are printed */
    const char *capture;
    const char *problems; /* of the import, as of query_problems; the caller's */
    bool devices_ran;     /* tasks of devices are there, of which nobody knows the operators */
    int width;            /* width, ascii: as of grid_print */
    bool ascii;
};

/* Write errors stay with the stream. */
int advice_print_program(const struct program_answer *answer, enum advice_format format, FILE *stream, struct err *err);

#endif
