/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts with a unit behind them, as options give them and sentences have them. */
#ifndef MSPROF_BASE_QUANTITY_H
#define MSPROF_BASE_QUANTITY_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct quantity_unit {
    const char *name;
    int64_t size;
};
extern const struct quantity_unit quantity_times[], quantity_sizes[]; /* ended by no name */

/* "1.5s": digits, perhaps with decimals, and a unit. */
bool quantity_read(const char *text, const struct quantity_unit *units, int64_t *ret);
/* The time that an option gives; 0 for NULL. */
int quantity_read_time(const char *option, const char *text, int64_t *ret, struct err *err);

#define QUANTITY_MAX 32
/* "5.912 ms": the largest unit with a digit before the point, and four digits: what a reader compares. 0 is "0 us". */
const char *quantity_time(double ns, char text[QUANTITY_MAX]);
/* Likewise with a sign: "+5.912 ms". */
const char *quantity_change(double ns, char text[QUANTITY_MAX]);

#endif
