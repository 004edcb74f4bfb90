/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the tables of the host's usage. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_USAGE_SERIES_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_USAGE_SERIES_H

#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

/* How much is recommended: what 98 of a hundred samples (of those above 0) stay below, and a quarter more. */
#define USAGE_RECOMMENDED(value, from)                                                                                 \
    "coalesce((SELECT value FROM (SELECT " value " AS value, row_number() OVER (ORDER BY " value ") - 1 AS place,"     \
    " count(*) OVER () AS n FROM " from " WHERE " value " > 0) WHERE place = ((n - 1) * 98 + 99) / 100) / 0.8, 0.0)"

/* Calls of the profiled process to the system and to the library of threads: what their kinds have in common. */

#define OS_CALL_COLUMNS 5

extern const struct column os_call_columns[OS_CALL_COLUMNS];

#endif
