/* SPDX-License-Identifier: Apache-2.0 */
/* JSON for people: the same document with a line for each value, indented. */
#ifndef MSPROF_EXPORTERS_JSON_INDENT_H
#define MSPROF_EXPORTERS_JSON_INDENT_H

#include "base/err.h"

/* Replaces a file of sound JSON by itself with four blanks for each level. It is read in pieces; its values do not
 * change by a byte. */
int json_indent_file(const char *path, struct err *err);

#endif
