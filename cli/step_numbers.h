/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of steps as messages list them. */
#ifndef MSPROF_CLI_STEP_NUMBERS_H
#define MSPROF_CLI_STEP_NUMBERS_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define STEPS_LISTED 8
#define STEPS_TEXT 1024

/* Adds "4", "4, 5" or "4 to 6" behind what is there. */
void step_numbers_add_range(struct strbuf *text, int64_t first, int64_t last);
/* Adds "1 to 8, 12" of numbers that ascend. */
void step_numbers_list(const int64_t *numbers, size_t count, struct strbuf *text);

#endif
