/* The decoder's inverse, from the same tables: for tests, benchmark data and fuzz seeds. */
#ifndef MSPROF_PARSERS_ENCODE_H
#define MSPROF_PARSERS_ENCODE_H

#include "base/err.h"
#include "parsers/record.h"

/* Writes one record of layout->record_size bytes at out: magics, then every column that the layout has and the row gives;
 * all other bytes 0. -ERR_LIMIT when a value does not fit its field (naming the column and the range) or is not a
 * multiple of its scale; a text that is too long is cut on a character boundary. */
int encode_record(const struct record_kind *kind, const struct layout *layout, const struct row *row, unsigned char *out,
                  struct err *err);

#endif
