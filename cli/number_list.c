/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/number_list.h"

#include "base/language.h"

#include <inttypes.h>

void number_list_add_range(struct strbuf *text, int64_t first, int64_t last)
{
    strbuf_addf(text, "%s%" PRId64, text->length > 0 ? ", " : "", first);
    if (last != first)
        strbuf_addf(text, "%s%" PRId64, last == first + 1 ? ", " : " to ", last);
}

void number_list_add(struct strbuf *text, const int64_t *numbers, size_t count)
{
    size_t i = 0;
    for (size_t listed = 0; i < count && listed < NUMBERS_LISTED; listed++) {
        size_t last = i;
        while (last + 1 < count && numbers[last + 1] <= numbers[last] + 1)
            last++;
        number_list_add_range(text, numbers[i], numbers[last]);
        i = last + 1;
    }
    if (i < count)
        strbuf_addf(text, language_said(" and %zu more, up to %" PRId64), count - i, numbers[count - 1]);
}
