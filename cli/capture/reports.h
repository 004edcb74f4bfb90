/* SPDX-License-Identifier: Apache-2.0 */
/* The file of -reports: which layers a timeline of a new CANN capture has. */
#ifndef MSPROF_CLI_CAPTURE_REPORTS_H
#define MSPROF_CLI_CAPTURE_REPORTS_H

#include "base/err.h"

#include <stddef.h>

/* Names of layers; items is ended by NULL once it is loaded. All zero: none was asked for. */
struct layer_list {
    char **items;
    size_t count, capacity;
};
void layer_list_release(struct layer_list *list);

/* Reads the JSON file {"json_process": {"<layer>": true|false, ...}}; *ret, which must be empty, gets those that are
 * true. What is no path of a file is names with commas between. -ERR_FORMAT when the file says something else,
 * -ERR_USAGE when a name is none; the file's own errors. */
int reports_load(const char *path, struct layer_list *ret, struct err *err);

#endif
