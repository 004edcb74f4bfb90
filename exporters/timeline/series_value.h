/* SPDX-License-Identifier: Apache-2.0 */
/* Values of counters and slices that record kinds declare, from rows to JSON. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SERIES_VALUE_H
#define MSPROF_EXPORTERS_TIMELINE_SERIES_VALUE_H

#include "parsers/series.h"

#include <sqlite3.h>

struct series_value {
    int type; /* SQLITE_INTEGER and so on; SQLITE_NULL: it does not exist */
    int64_t integer;
    double real;
    const char *text; /* of the row */
    size_t length;
};

struct series_value series_value_read(sqlite3_stmt *row, int column);

static inline bool series_value_is_number(const struct series_value *value)
{
    return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT;
}

/* Puts a number as its column says; room for SERIES_NUMBER_MAX bytes. Returns the end. */
#define SERIES_NUMBER_MAX 448
char *series_value_put(char *p, const struct series_value *number, const struct report_column *column);

/* Whether a number is more than b; one that does not exist is less than any. */
bool series_value_is_more(const struct series_value *a, const struct series_value *b);

#endif
