/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include "base/edit_distance.h"

#include <string.h>

void suggestion_init(struct suggestion *suggestion, const char *word)
{
    size_t length = strlen(word);

    *suggestion = (struct suggestion){.word = word};
    suggestion->distance = length / 4 + 2; /* one more than the distance that still counts as near */
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate)
{
    size_t typed = strlen(suggestion->word), offered = strlen(candidate);
    size_t distance;

    if (offered >= sizeof suggestion->nearest)
        return;
    if (typed >= 3 && strncmp(candidate, suggestion->word, typed) == 0)
        distance = 0; /* an abbreviation */
    else
        distance = edit_distance(suggestion->word, typed, candidate, offered);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        memcpy(suggestion->nearest, candidate, offered + 1);
    }
}
