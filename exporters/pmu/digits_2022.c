#include "exporters/pmu/digits_2022.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

double digits_2022_plainly(double value)
{
    char text[64];
    sqlite3_snprintf(sizeof text, text, "%!.15g", value);
    return strtod(text, NULL);
}

/* SQLite's arithmetic is no better than that of a long double: what is nearly between two numbers is left to it. */
#define NEAR_THE_MIDDLE 0.01L

double digits_2022(double value)
{
    /* the smallest numbers with so many digits before the point, and 10 to the power of those behind it */
    static const struct {
        double from;
        double scale;
    } sizes[] = {{1e14, 1}, {1e13, 10}, {1e12, 100}, {1e11, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!(value >= sizes[i].from && value < sizes[i].from * 10))
            continue;
        long double scaled = (long double)value * (long double)sizes[i].scale, whole = floorl(scaled);
        long double part = scaled - whole;
        if (fabsl(part - 0.5L) < NEAR_THE_MIDDLE)
            break;
        if (part > 0.5L)
            whole += 1;
        return (double)whole / sizes[i].scale; /* both are exact, so that this is the nearest to the text, too */
    }
    return digits_2022_plainly(value);
}
