/* SPDX-License-Identifier: Apache-2.0 */
/* The captures that the words of a command line name: directories, directories that hold some, archives. */
#ifndef MSPROF_CLI_CAPTURE_FOUND_H
#define MSPROF_CLI_CAPTURE_FOUND_H

#include "parsers/capture/capture_find.h"

struct settings;

/* Adds what one word names, reports what is wrong, and returns an exit status. An archive is unpacked into a temporary
 * directory, once for a run of the program, in which its databases are then made. */
int found_captures_add(struct found_captures *found, const struct settings *settings, const char *path);

/* Finds the directory that one word names, for commands whose directories are not captures; reports what is wrong, and
 * returns an exit status. *ret: a copy of the word, or for an archive the directory that everything in it stands in,
 * for free(); NULL after a failure. An archive is an error of usage where results would go into that directory. */
int found_directory(const struct settings *settings, const char *path, char **ret);

/* Removes what was unpacked: at the end of the program. However that ends, they go. */
void found_archives_release(void);

#endif
