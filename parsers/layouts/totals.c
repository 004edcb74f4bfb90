/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/totals.h"

#include <math.h>

void totals_init(struct totals *totals)
{
    *totals = (struct totals){.known = false};
    strbuf_init(&totals->first, 8192);
}

void totals_release(struct totals *totals)
{
    strbuf_release(&totals->first);
}

void totals_begin(struct totals *totals)
{
    totals->known = false;
    totals->rows = 0;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        totals->sums[i] = 0;
        totals->missing[i] = false;
    }
}

static void note_decimals(struct totals *totals, const struct printed_row *row)
{
    for (size_t i = 0; i < PRINTED_STORED; i++)
        if (row->values[i] != PRINTED_NONE && row->decimals[i] > totals->decimals[i])
            totals->decimals[i] = row->decimals[i];
}

void totals_set(struct totals *totals, const struct printed_row *whole)
{
    totals->known = true;
    totals->whole = *whole;
    note_decimals(totals, whole);
}

static bool is_share(size_t column)
{
    return printed_pmu.fields[column].role == PRINTED_SHARE;
}

void totals_add(struct totals *totals, const struct printed_row *row)
{
    double time = (double)row->values[PRINTED_TIME];
    note_decimals(totals, row);
    totals->rows++;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        if (row->values[i] == PRINTED_NONE || row->values[PRINTED_TIME] == PRINTED_NONE)
            totals->missing[i] = true;
        else
            totals->sums[i] += (double)row->values[i] * (is_share(i) ? time : 1);
    }
}

/* What the last digit that is printed of a column is worth. */
static double digit_of(const struct totals *totals, size_t column)
{
    return (double)printed_power(printed_pmu.fields[column].digits - totals->decimals[column]);
}

/* Whether the rows' numbers, each of which is rounded or cut at its last digit, make the whole's. */
static bool adds_up(const struct totals *totals, size_t column)
{
    double rows = (double)totals->rows, digit = digit_of(totals, column), time = totals->sums[PRINTED_TIME];
    double whole = (double)totals->whole.values[column];
    if (!is_share(column))
        return fabs(totals->sums[column] - whole) <= (rows + 1) * digit;
    /* A mean of shares, weighted by times that are rounded, too: no share is above the whole of 100 per cent by much.
     */
    double most = 100.0 * (double)printed_power(printed_pmu.fields[column].digits);
    double slack = 2 * digit * (time + rows) + digit_of(totals, PRINTED_TIME) * rows * (whole > most ? whole : most);
    return fabs(totals->sums[column] - whole * time) <= slack;
}

static bool is_summed(size_t column)
{
    return column == PRINTED_TIME || is_share(column) || printed_pmu.fields[column].role == PRINTED_AMOUNT;
}

void totals_end(struct totals *totals, const char *path)
{
    if (!totals->known || totals->rows == 0)
        return;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        if (!is_summed(i) || totals->missing[i] || totals->whole.values[i] == PRINTED_NONE || adds_up(totals, i))
            continue;
        double one = (double)printed_power(printed_pmu.fields[i].digits) * (is_share(i) ? totals->sums[0] : 1);
        if (totals->wrong++ == 0)
            (void)strbuf_addf(&totals->first,
                              "'%s': the rows make %.2f of %s, and the row of the whole network has %.2f", path,
                              totals->sums[i] / one, printed_pmu.fields[i].name,
                              (double)totals->whole.values[i] / (double)printed_power(printed_pmu.fields[i].digits));
        return;
    }
}
