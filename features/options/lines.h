/* SPDX-License-Identifier: Apache-2.0 */
/* Options in lines of a key and a value: YAML, ini files and lists of shell variables. */
#ifndef MSPROF_FEATURES_OPTIONS_LINES_H
#define MSPROF_FEATURES_OPTIONS_LINES_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the options as a JSON object. Of several sections, which a header or the indentation divides, it takes the
 * one with most known options. Returns false if no line has an option, or if memory ran out. */
bool switch_lines_read(const char *text, size_t length, struct strbuf *ret);

/* Appends the options of a command line of Ascend's msprof, such as --aic-metrics=Memory, as an acl.json. Returns false
 * if there are none. */
bool switch_command_line_read(const char *text, size_t length, struct strbuf *ret);

#endif
