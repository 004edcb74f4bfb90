/* SPDX-License-Identifier: Apache-2.0 */
/* The L2 cache over all blocks. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    CORE_SHOWN,
    {"Requests", "kind", .doc = "The kind of requests."},
    {"Blocks", "blocks", .doc = "Rows that have them.", .flags = REPORT_NUMBER},
    {"Hits", "hits", .doc = "Hits of all blocks.", .flags = REPORT_NUMBER},
    {"Misses", "misses", .doc = "Misses of all blocks that were given a line of the cache.", .flags = REPORT_NUMBER},
    {"Hit Rate(%)", "100.0 * hits / nullif(hits + misses, 0)", FORM_SHORTEST, 4,
     .doc = "Hits by hits and misses, of the sums."},
    {"Mean of Rates(%)", "mean", FORM_SHORTEST, 4, .doc = "Mean of the rates of the blocks in the file."},
    {.title = NULL},
};

const struct report report_opprof_l2 = {
    .name = "l2",
    .title = "L2 cache",
    .doc = "Hits and misses of the L2 cache, over all blocks.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "L2Cache.csv: --aic-metrics=L2Cache",
    .show_order = 4,
    .query = {.from = "opprof_request_row", .order_by = "launch_id, core, n"},
    .columns = columns,
};
