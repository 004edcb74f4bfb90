/* SPDX-License-Identifier: Apache-2.0 */
/* Real numbers as text. */
#ifndef MSPROF_BASE_REAL_H
#define MSPROF_BASE_REAL_H

#include <stddef.h>

#define REAL_SHORTEST_MAX 32 /* bytes of a number with 17 digits, its sign, point and exponent, ".0" and a NUL */

/* The shortest of 15 to 17 digits that reads back the same, as %g has it; its length, without the NUL. */
size_t real_print(char text[REAL_SHORTEST_MAX], double real);
/* The same with ".0" behind a whole number, as Python prints a float. */
size_t real_print_float(char text[REAL_SHORTEST_MAX], double real);

#endif
