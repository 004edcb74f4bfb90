/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/ranges.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

int parse_ranges(const char *option, const char *text, struct ranges *ret, struct err *err)
{
    *ret = (struct ranges){.count = 0};
    for (const char *p = text; text != NULL;) {
        size_t length = strcspn(p, ","), dash = strcspn(p, ",-");
        int64_t first = 0, last;
        bool sound = ret->count < MOST_RANGES && number_parse_integer(p, dash, &first) == 0;
        last = first;
        if (sound && dash < length)
            sound = number_parse_integer(p + dash + 1, length - dash - 1, &last) == 0;
        if (!sound || last < first) {
            err_set(err, ERR_USAGE, "%s '%s': expected numbers and ranges as in 0-63,128", option, text);
            return -ERR_USAGE;
        }
        ret->items[ret->count].first = first;
        ret->items[ret->count++].last = last;
        if (p[length] == '\0')
            break;
        p += length + 1;
    }
    return 0;
}

bool in_ranges(const struct ranges *ranges, int64_t number)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    }
    return ranges->count == 0;
}

void keep_ranks(struct cluster_sources *sources, const struct ranges *ranges)
{
    size_t kept = 0;
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->items[i].rank < 0 || in_ranges(ranges, sources->items[i].rank))
            sources->items[kept++] = sources->items[i];
        else
            free(sources->items[i].path);
    }
    sources->count = kept;
}
