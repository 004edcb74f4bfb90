/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, directories and bounded reading of files. */
#ifndef MSPROF_BASE_FILE_FSUTIL_H
#define MSPROF_BASE_FILE_FSUTIL_H

#include "base/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* directory + "/" + name in a new string (free() it), with one slash between them and none after an empty directory;
 * NULL when memory ran out. */
char *path_join(const char *directory, const char *name);
/* Joins two paths likewise, with err set when memory is out. */
char *path_joined(const char *directory, const char *name, struct err *err);

/* The last part of a path, inside of it. */
const char *path_name(const char *path);

/* The absolute path of an existing file or directory (free() it); NULL with err set. */
char *path_absolute(const char *path, struct err *err);
/* An absolute path of what need not exist (free() it); NULL with err set. */
char *path_from_here(const char *path, struct err *err);

/* Renames a file or directory, and replaces nothing: 0, or the errno, EEXIST when something has the name already. */
int path_move(const char *from, const char *to);

/* Creates a directory and its parents with mode 0750; one that exists is fine. */
int path_make_directories(const char *path, struct err *err);
/* Makes, likewise, a directory of results inside a directory that others may have prepared (a capture): when its last
 * part is a symbolic link, -ERR_ACCESS, because results would go where the link says. */
int path_make_result_directory(const char *path, struct err *err);
/* Whether the directory `name` of a parent can be written to, or made where it is missing. */
bool path_can_hold(const char *parent, const char *name);
/* Removes a directory of our own with all that it holds, on its file system. Best effort. */
void path_remove_tree(const char *directory);

/* Reads a whole regular file of at most limit bytes; *ret_data is NUL-terminated (the NUL is not counted) and to be
 * freed by the caller. -ERR_LIMIT when it is longer, -ERR_FORMAT when it is not a regular file (never blocks on a
 * pipe). */
int path_read_file(const char *path, size_t limit, char **ret_data, size_t *ret_length, struct err *err);

/* All of these bytes of an open file, however often that takes. Reading: how many there are, fewer at its end, -1 with
 * errno. Writing: 0, or an errno. */
ssize_t file_read_at(int fd, void *bytes, size_t size, uint64_t offset);
int file_write_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* Where data goes on in an open file, at `offset` or further, in a block that begins at a multiple of `block`: what is
 * left out is a hole, which reads as zeros. -1: nothing but a hole is left. */
off_t file_skip_hole(int fd, off_t offset, size_t block);
/* Whether two open files have the same bytes. -1 with errno: one cannot be read, or the work was interrupted (EINTR).
 */
int file_same_bytes(int a, int b);

/* Closes what a local, -1 or an open file, is when its scope ends. */
#define SCOPED_CLOSE SCOPED(path_scope_end)
static inline void path_scope_end(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Closes what a local, NULL or an open directory, is when its scope ends. */
#define SCOPED_DIRECTORY SCOPED(path_directory_end)
static inline void path_directory_end(DIR *const *directory)
{
    if (*directory != NULL)
        closedir(*directory);
}

/* The next entry of an open directory. NULL: there is no further one or, as *status and err say then, it cannot be
 * read.
 */
struct dirent *path_next_entry(DIR *stream, const char *directory, int *status, struct err *err);

/* What an entry of a directory is itself, not what a link leads to. *ret_there false: it is gone. */
int path_look(const char *path, struct stat *ret, bool *ret_there, struct err *err);

/* Opens a regular file for reading, without waiting for who writes into a pipe. */
int path_open_regular(const char *path, struct err *err);

#endif
