/* SPDX-License-Identifier: Apache-2.0 */
#include "base/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t real_print(char text[REAL_SHORTEST_MAX], double real)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REAL_SHORTEST_MAX, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    return strlen(text);
}

size_t real_print_float(char text[REAL_SHORTEST_MAX], double real)
{
    size_t length = real_print(text, real);
    if (strspn(text, "-0123456789") == length) {
        memcpy(text + length, ".0", 3);
        length += 2;
    }
    return length;
}
