/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that begin with a row of the whole network: its numbers are what the other rows add up to. */
#ifndef MSPROF_PARSERS_LAYOUTS_TOTALS_H
#define MSPROF_PARSERS_LAYOUTS_TOTALS_H

#include "base/strbuf.h"
#include "parsers/layouts/printed.h"

struct totals {
    struct printed_row whole; /* of the table in hand */
    bool known;
    uint64_t rows;
    double sums[PRINTED_STORED]; /* of shares: each times its row's time */
    bool missing[PRINTED_STORED];
    uint8_t decimals[PRINTED_STORED]; /* the most of any row of any table */
    uint64_t wrong;                   /* tables whose rows do not add up */
    struct strbuf first;              /* what the first of them is */
};

void totals_init(struct totals *totals);
void totals_release(struct totals *totals);
/* Before a table; its whole network; each of its rows; behind it. */
void totals_begin(struct totals *totals);
void totals_set(struct totals *totals, const struct printed_row *whole);
void totals_add(struct totals *totals, const struct printed_row *row);
void totals_end(struct totals *totals, const char *path);

#endif
