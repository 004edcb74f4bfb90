/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the profiled process to the system and to the library of threads: what their kinds have in common. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_OS_CALL_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_OS_CALL_H

#include "parsers/kinds/common/sample_columns.h"
#include "parsers/kinds/common/text/text_lines.h"

#define OS_CALL_COLUMNS 5

extern const struct column os_call_columns[OS_CALL_COLUMNS];

#endif
