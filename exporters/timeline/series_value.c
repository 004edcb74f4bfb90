/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/series_value.h"

#include "base/number.h"
#include "exporters/timeline/event.h"

#include <math.h>
#include <stdio.h>

#define REAL_MAX 400
_Static_assert(REAL_MAX + 32 <= SERIES_NUMBER_MAX, "a number and what its form adds");

struct series_value series_value_read(sqlite3_stmt *row, int column)
{
    struct series_value value = {.type = sqlite3_column_type(row, column)};
    switch (value.type) {
    case SQLITE_INTEGER:
        value.integer = sqlite3_column_int64(row, column);
        break;
    case SQLITE_FLOAT:
        value.real = sqlite3_column_double(row, column);
        if (!isfinite(value.real))
            value.type = SQLITE_NULL;
        break;
    case SQLITE_NULL:
        break;
    default:
        value.text = (const char *)sqlite3_column_text(row, column);
        value.length = (size_t)sqlite3_column_bytes(row, column);
    }
    return value;
}

static char *put_rounded(char *p, double real, const struct report_column *value)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[REAL_MAX];
    bool shortest = value->form == FORM_SHORTEST;
    if (shortest && value->decimals < sizeof powers / sizeof *powers && fabs(real) < 1e9) {
        /* What printf would print, but for numbers that are nearly half between two: those it prints. */
        double scaled = real * powers[value->decimals], nearest = nearbyint(scaled);
        if (fabs(fabs(scaled - nearest) - 0.5) > 1e-6)
            return number_put_shortest(p, (int64_t)nearest, value->decimals);
    }
    int length = snprintf(text, sizeof text, "%.*f", (int)value->decimals, real);
    size_t used = length > 0 && length < REAL_MAX ? (size_t)length : 0;
    if (shortest && strchr(text, '.') != NULL) {
        while (text[used - 1] == '0')
            used--;
        used -= text[used - 1] == '.';
    }
    return trace_put_bytes(p, text, used);
}

static char *put_real(char *p, double real, const struct report_column *value)
{
    return value->form == FORM_FIXED || value->form == FORM_SHORTEST ? put_rounded(p, real, value)
                                                                     : trace_put_float(p, real);
}

static char *put_integer(char *p, int64_t integer, const struct report_column *value)
{
    switch (value->form) {
    case FORM_SCALED:
        return number_put_shortest(p, integer, value->decimals);
    case FORM_TIME:
        return number_put_us(p, integer);
    case FORM_FLOAT:
        return trace_put_literal(number_put_signed(p, integer), ".0");
    case FORM_FIXED:
        p = number_put_signed(p, integer);
        if (value->decimals > 0)
            *p++ = '.';
        memset(p, '0', value->decimals);
        return p + value->decimals;
    default:
        return number_put_signed(p, integer);
    }
}

char *series_value_put(char *p, const struct series_value *number, const struct report_column *column)
{
    return number->type == SQLITE_INTEGER ? put_integer(p, number->integer, column) : put_real(p, number->real, column);
}

bool series_value_is_more(const struct series_value *a, const struct series_value *b)
{
    if (b->type == SQLITE_NULL || a->type == SQLITE_NULL)
        return a->type != SQLITE_NULL;
    if (a->type == SQLITE_INTEGER && b->type == SQLITE_INTEGER)
        return a->integer > b->integer;
    return (a->type == SQLITE_FLOAT ? a->real : (double)a->integer) >
           (b->type == SQLITE_FLOAT ? b->real : (double)b->integer);
}
