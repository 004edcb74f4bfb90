/* SPDX-License-Identifier: Apache-2.0 */
#include "db/temporary_files.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where SQLite would make a temporary file; false: that is not what it does. */
static bool is_temporary(const char *path, int flags, char *directory, size_t size)
{
    static const char head[] = "etilqs_"; /* of the names that SQLite gives them */
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    if ((flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) || length == 0 || length >= size ||
        strncmp(slash + 1, head, strlen(head)) != 0)
        return false;
    memcpy(directory, path, length);
    directory[length] = '\0';
    return true;
}

/* SQLite makes a temporary file and then removes its name: killed in between it would leave it. Without a name there is
 * nothing to leave. A file system that cannot do this gets SQLite's way. */
static int open_file(const char *path, int flags, int mode)
{
    char directory[4096];
    int fd = is_temporary(path, flags, directory, sizeof directory)
                 ? open(directory, O_TMPFILE | (flags & O_ACCMODE) | O_CLOEXEC, 0600)
                 : -1;
    return fd >= 0 ? fd : open(path, flags, mode);
}

int temporary_files_setup(void)
{
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    if (files == NULL || files->iVersion < 3 || files->xSetSystemCall == NULL)
        return SQLITE_ERROR;
    return files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_file);
}
