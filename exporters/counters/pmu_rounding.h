/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of binary floating point to decimals, correct for the exact binary value, exact ties to even: as the round()
 * of Python does. */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_ROUNDING_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_ROUNDING_H

#include <stdint.h>

/* value * 10^decimals as a whole number; INT64_MIN when it is not a number, held at the ends otherwise. decimals 0..9.
 */
int64_t pmu_round_decimal(double value, unsigned decimals);
/* Rounds likewise to a floating-point number again: the one nearest to the decimal. */
double pmu_round_binary(double value, unsigned decimals);

/* The number that SQLite makes of one that is stored as a text and read again: the nearest of 15 digits. */

double pmu_digits_2022(double value);
/* Does that by SQLite itself, which is slow: for what is nearly between two numbers, and for tests. */
double pmu_digits_2022_plainly(double value);

#endif
