/* SPDX-License-Identifier: Apache-2.0 */
/* What SQLite makes of a number that is stored as a text and read again: the nearest of 15 digits. */
#ifndef MSPROF_EXPORTERS_COUNTERS_DIGITS_2022_H
#define MSPROF_EXPORTERS_COUNTERS_DIGITS_2022_H

double digits_2022(double value);
/* The same by SQLite itself, which is slow: for what is nearly between two numbers, and for tests. */
double digits_2022_plainly(double value);

#endif
