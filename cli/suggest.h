/* The nearest spelling to a mistyped word. */
#ifndef MSPROF_CLI_SUGGEST_H
#define MSPROF_CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *word; /* what was typed */
    char nearest[40]; /* "" while nothing near was offered */
    size_t distance;
};

void suggestion_init(struct suggestion *suggestion, const char *word);
/* Takes the candidate when it is nearer than those before it, and near enough to be meant. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

#endif
