/* SPDX-License-Identifier: Apache-2.0 */
/* What an import depends on beside the files of a capture. */
#ifndef MSPROF_PARSERS_DECODE_PARAMETERS_H
#define MSPROF_PARSERS_DECODE_PARAMETERS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

struct layout_set;

/* Appends it as text, as a database remembers it: equal for layouts that decode alike. */
int parameters_add(struct strbuf *text, const struct layout_set *layouts, int64_t clock_khz, struct err *err);
#define IMPORT_PARAMETERS_LIMIT 1024

#endif
