/* SPDX-License-Identifier: Apache-2.0 */
/* Options that were pasted out of a script. Each function appends JSON to ret, and returns false where the text holds
 * no such thing, or memory ran out. */
#ifndef MSPROF_FEATURES_OPTIONS_SCRIPT_H
#define MSPROF_FEATURES_OPTIONS_SCRIPT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* The string of a Python or shell script: the first one that begins with '{', joined with those that follow it
 * directly, escapes resolved; or a text of a shell that has a backslash in front of each brace and quote; or the text
 * that begins with an opening brace, without the backslashes that end its lines. "{name}" or "%s" stands for an
 * expression between two strings. */
bool switch_script_read(const char *text, size_t length, struct strbuf *ret);

/* The first dict of Python, or call with keywords: names are texts, with their dots, variables are "{name}". */
bool switch_python_read(const char *text, size_t length, struct strbuf *ret);

/* Options as CANN of 2020 took them: PROFILING_OPTIONS=training_trace:task_trace. */
bool switch_colons_read(const char *text, size_t length, struct strbuf *ret);

#endif
