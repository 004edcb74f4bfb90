/* SPDX-License-Identifier: Apache-2.0 */
/* Steps, and how each divides, as bars. */
#ifndef MSPROF_EXPORTERS_HTML_TIME_BARS_H
#define MSPROF_EXPORTERS_HTML_TIME_BARS_H

#include "analysis/time_parts.h"
#include "exporters/html/page.h"

struct time_bar {
    struct time_parts parts;
    size_t split, group; /* of the page's splits */
    size_t steps;        /* that it stands for */
    bool counts;         /* it is neither warm-up nor cut, and all of it was recorded */
};

/* One for each split of the leading family, in their order. time_bars_release() it. */
struct time_bars {
    struct time_bar *items;
    size_t count, capacity;
};
int time_bars_make(const struct html_page *page, struct time_bars *ret, struct err *err);
void time_bars_release(struct time_bars *bars);

/* All parts together. */
int64_t time_bar_ns(const struct time_parts *parts);

/* The class of the style that a part is drawn in. */
const char *time_part_class(enum time_part part);
/* Which colour is which part. */
void time_legend_put(struct html_page *page);
/* One bar as wide as the page. */
void time_bar_put(struct html_page *page, const char *caption, const struct time_bar *bar);

#endif
