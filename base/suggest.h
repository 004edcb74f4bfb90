/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest spelling to a mistyped word. */
#ifndef MSPROF_BASE_SUGGEST_H
#define MSPROF_BASE_SUGGEST_H

#include <stddef.h>

#define SUGGESTION_SIZE 40

struct suggestion {
    const char *word;              /* what was typed */
    char nearest[SUGGESTION_SIZE]; /* "" while nothing near was offered */
    size_t distance;
};

void suggestion_init(struct suggestion *suggestion, const char *word);
/* Takes the candidate when it is nearer than those before it, and near enough to be meant. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

#endif
