/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder's inverse, from the same tables: for tests, benchmark data and fuzz seeds. */
#ifndef MSPROF_PARSERS_DECODE_ENCODE_H
#define MSPROF_PARSERS_DECODE_ENCODE_H

#include "base/err.h"
#include "parsers/record.h"

/* Writes one record of layout->record_size bytes at out: magics, then every column that the layout has and the row
 * gives; all other bytes 0. -ERR_LIMIT when a value does not fit its field (naming the column and the range), is not a
 * multiple of its scale, or shares bits with a magic or another column that needs them otherwise; a text that is too
 * long is cut on a character boundary. After a failure the content of out is undefined. The layout must have passed
 * layout_check. */
int encode_record(const struct record_kind *kind, const struct layout *layout, const struct row *row,
                  unsigned char *out, struct err *err);

/* Plan to encode many records likewise: the columns are looked up once. Plain memory, no release; keeps pointers to
 * kind and layout. */
struct encode_plan {
    const struct record_kind *kind;
    const struct layout *layout;
    uint8_t columns[RECORD_MAX_COLUMNS]; /* of each field of the layout */
    uint8_t others[RECORD_MAX_COLUMNS];  /* of each field that is made with another column */
    int64_t sums[RECORD_MAX_COLUMNS];    /* of each field that accumulates: what its records have so far */
};

void encode_plan_init(struct encode_plan *plan, const struct record_kind *kind, const struct layout *layout);
int encode_planned(struct encode_plan *plan, const struct row *row, unsigned char *out, struct err *err);

#endif
