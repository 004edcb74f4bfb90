/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that a mark says were begun, and of which a part was not recorded: a log can begin late, or be full. */
#ifndef MSPROF_ANALYSIS_CUT_STEPS_H
#define MSPROF_ANALYSIS_CUT_STEPS_H

#include "analysis/split.h"

enum cut_part { CUT_HEAD, CUT_TAIL, CUT_END }; /* CUT_END: its end is not marked */

struct cut_step {
    uint16_t device; /* index */
    uint8_t source;
    int64_t number, start_ns;
    enum cut_part part;
    size_t expected, seen; /* operators, communication operators and copies: of most steps, of this one */
    size_t split;          /* SIZE_MAX: it is among those that were begun */
};
struct cut_steps {
    struct cut_step *items;
    size_t count, capacity;
};

/* The first and the last step of a group whose executions are a tail, or a head, of what at least two others have; and
 * the steps that were begun and not ended. free(ret->items). */
int cut_steps_find(const struct workload *workload, const struct splits *splits, struct cut_steps *ret,
                   struct err *err);
/* "step 7 (marked): its head was not recorded, 3 of 6 operators seen" */
#define CUT_TEXT_SIZE 160
void cut_step_text(const struct cut_step *cut, char text[CUT_TEXT_SIZE]);
/* All of them in one text, as cut_step_text has each, apart by "; ", the first five and how many more; "" without any.
 */
#define CUT_STEPS_TEXT_SIZE (6 * CUT_TEXT_SIZE)
void cut_steps_text(const struct cut_steps *cuts, char text[CUT_STEPS_TEXT_SIZE]);

#endif
