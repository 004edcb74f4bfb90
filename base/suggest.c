/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <stdint.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

size_t suggestion_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[EDIT_DISTANCE_MAX_LENGTH + 1];
    if (a_length > EDIT_DISTANCE_MAX_LENGTH || b_length > EDIT_DISTANCE_MAX_LENGTH)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0));
            diagonal = above;
        }
    }
    return row[b_length];
}

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
        distance = suggestion_edit_distance(suggestion->word, typed, candidate, offered);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        memcpy(suggestion->nearest, candidate, offered + 1);
    }
}
