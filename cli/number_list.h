/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of steps or ranks as messages list them. */
#ifndef MSPROF_CLI_NUMBER_LIST_H
#define MSPROF_CLI_NUMBER_LIST_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define NUMBERS_LISTED 8
#define NUMBERS_TEXT 1024

/* Adds "4", "4, 5" or "4 to 6" behind what is there. */
void number_list_add_range(struct strbuf *text, int64_t first, int64_t last);
/* Adds "1 to 8, 12" of numbers that ascend. */
void number_list_add(struct strbuf *text, const int64_t *numbers, size_t count);

#endif
