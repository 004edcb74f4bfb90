/* SPDX-License-Identifier: Apache-2.0 */
/* What --diff names, read to be compared with: a capture, a directory of captures, or a baseline. */
#ifndef MSPROF_FEATURES_DIFF_COMMANDS_BASES_H
#define MSPROF_FEATURES_DIFF_COMMANDS_BASES_H

#include "cli/options/options.h"
#include "features/answers/analysis/profile.h"

#include <stddef.h>

/* All zero: of nothing. */
struct bases {
    struct profile *items;
    size_t count, capacity;
    const struct profile **pointers; /* to them; NULL: nothing is compared */
};

/* Reads settings->report.base, which is not NULL, and prints what goes wrong; an exit status. Release it whatever that
 * is. */
int bases_read(const struct settings *settings, struct bases *bases);
void bases_release(struct bases *bases);

#endif
