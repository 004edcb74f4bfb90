/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct quantity_unit quantity_times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
const struct quantity_unit quantity_sizes[] = {
    {"KB", INT64_C(1) << 10}, {"MB", INT64_C(1) << 20}, {"GB", INT64_C(1) << 30}, {NULL, 0}};

bool quantity_read(const char *text, const struct quantity_unit *units, int64_t *ret)
{
    const size_t digits = strspn(text, "0123456789.");
    const struct quantity_unit *unit = units;
    int64_t scaled, decimals = 1;
    while (unit->name != NULL && strcmp(unit->name, text + digits) != 0)
        unit++;
    if (digits == 0 || unit->name == NULL)
        return false;
    *ret = 0;
    for (size_t i = 0, point = 0; i < digits; i++) {
        if (text[i] == '.') {
            if (point++ > 0)
                return false;
            continue;
        }
        if (point > 0 && (decimals *= 10) > unit->size)
            return text[i] == '0'; /* finer than a unit has parts */
        if (__builtin_mul_overflow(text[i] - '0', unit->size / decimals, &scaled))
            return false;
        if (point == 0 && __builtin_mul_overflow(*ret, (int64_t)10, ret))
            return false;
        if (__builtin_add_overflow(*ret, scaled, ret))
            return false;
    }
    return true;
}

int quantity_read_time(const char *option, const char *text, int64_t *ret, struct err *err)
{
    *ret = 0;
    if (text == NULL || quantity_read(text, quantity_times, ret))
        return 0;
    err_set(err, ERR_USAGE, "%s '%s' is not a time", option, text);
    return err_hint(err, "expected a number and s, ms, us or ns since the start of the capture, as in 1.5s");
}

static const char *put_time(double ns, const char *sign, char text[QUANTITY_MAX])
{
    const struct quantity_unit *unit = &quantity_times[ns == 0];

    while (unit[1].name != NULL && fabs(ns) / (double)unit->size >= 999.95) /* which four digits would round to 1000 */
        unit++;
    const double value = ns / (double)unit->size, size = fabs(value);
    const int decimals = unit->size == 1 || ns == 0 ? 0 : size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
    snprintf(text, QUANTITY_MAX, "%s%.*f %s", sign, decimals, value, unit->name);
    return text;
}

const char *quantity_time(double ns, char text[QUANTITY_MAX])
{
    return put_time(ns, "", text);
}

const char *quantity_change(double ns, char text[QUANTITY_MAX])
{
    return put_time(ns, ns < 0 ? "" : "+", text);
}
