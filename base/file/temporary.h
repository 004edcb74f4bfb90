/* SPDX-License-Identifier: Apache-2.0 */
/* Files under a temporary name, locked as long as somebody writes them: who finds one unlocked may remove it. Process
 * numbers would not show this, because containers that share a directory have the same ones. */
#ifndef MSPROF_BASE_FILE_TEMPORARY_H
#define MSPROF_BASE_FILE_TEMPORARY_H

#include "base/err.h"

/* Removes what others left in the directory of path (temporary_remove_stale) when it was another the last time, and
 * makes an empty file in it, to be renamed to path: ".msprof.<16 hex digits>.tmp", mode 0640, locked (where the file
 * system has locks). Returns a descriptor for writing, which holds the lock, as its duplicates do; or -code. The caller
 * frees *ret. */
int temporary_create(const char *path, char **ret, struct err *err);

/* Makes one that keeps its name: head (a path) and 16 hex digits. */
int temporary_create_named(const char *head, char **ret, struct err *err);

/* The directory for files and directories that have a name: that of TMPDIR when it is absolute, else /tmp. */
const char *temporary_parent(void);

/* Makes a directory there: head and six characters. Its path (free() it), or NULL with err set. */
char *temporary_directory(const char *head, struct err *err);

/* Opens a file without a name in the first directory of those that temporary files stand in, or in the current one:
 * nothing is left of it however the program ends. A descriptor for reading and writing, or -code. */
int temporary_open_unnamed(struct err *err);

/* Locks an open file that is not locked yet as temporary_create does: 0; or an errno, EAGAIN when somebody else has it.
 * The lock goes with the last duplicate of the descriptor. */
int temporary_lock(int fd);

/* Removes the files of a directory that are named as temporary_create names them (or as versions before named them) and
 * that nobody has locked; those of other users stay. Best effort: says nothing when it cannot. */
void temporary_remove_stale(const char *directory);
/* Removes those of temporary_create that this process has open: it ends without closing them. */
void temporary_remove_own(void);
/* Removes those of temporary_create_named likewise; head is a path. */
void temporary_remove_stale_named(const char *head);

#endif
