/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of one task as lists: what a row about a task says of them. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_LAYER_LISTS_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_LAYER_LISTS_H

#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/table/value.h"

struct svp_layer_lists {
    struct strbuf ids, names, types, ori_names;
    size_t layers;    /* how many; the lists are empty when none is known */
    int64_t first_id; /* a single id is a number, not a list */
};

void svp_layer_lists_init(struct svp_layer_lists *lists);
void svp_layer_lists_release(struct svp_layer_lists *lists);
/* Sets the lists for these layers: joined by commas for files or, with '\n' for the terminal, one item per line (then
 * original names, which are lists themselves, are split too). 0, or -ERR_LIMIT when a list is absurdly long. */
int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err);

/* One of the lists; missing when no layer is known. It must not be set again while the value is in use. */
struct report_value svp_layer_list_value(const struct svp_layer_lists *lists, const struct strbuf *list);
/* The ids: a list like the others, or the number of a single layer. */
struct report_value svp_layer_ids_value(const struct svp_layer_lists *lists);

#endif
