/* SPDX-License-Identifier: Apache-2.0 */
/* Options that were pasted out of a script, where they are a string. */
#ifndef MSPROF_PARSERS_SWITCHES_SCRIPT_TEXT_H
#define MSPROF_PARSERS_SWITCHES_SCRIPT_TEXT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends what the string of a Python or shell script holds: the first one that begins with '{', joined with those that
 * follow it directly, escapes resolved; or, when there is none, the text without the backslashes that end its lines.
 * false: it holds no '{', or memory ran out. */
bool script_text_read(const char *text, size_t length, struct strbuf *ret);

#endif
