/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"

#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_MODE 0750
#define FIRST_READ ((size_t)64 * 1024) /* bytes, for files without a known size */

char *path_join(const char *directory, const char *name)
{
    size_t length = strlen(directory);
    size_t name_size = strlen(name) + 1;
    bool slash = length > 0 && directory[length - 1] != '/';
    char *path = malloc(length + slash + name_size);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, length);
    if (slash)
        path[length] = '/';
    memcpy(path + length + slash, name, name_size);
    return path;
}

char *path_joined(const char *directory, const char *name, struct err *err)
{
    char *path = path_join(directory, name);
    if (path == NULL)
        err_no_memory(err);
    return path;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *path_absolute(const char *path, struct err *err)
{
    char *absolute = realpath(path, NULL);
    if (absolute == NULL)
        err_set_errno(err, errno, "cannot find '%s'", path);
    return absolute;
}

char *path_from_here(const char *path, struct err *err)
{
    SCOPED_FREE char *here = path[0] != '/' ? path_absolute(".", err) : NULL;
    char *absolute = here != NULL ? path_joined(here, path, err) : NULL;
    if (path[0] == '/' && (absolute = strdup(path)) == NULL)
        err_no_memory(err);
    return absolute;
}

bool path_can_hold(const char *parent, const char *name)
{
    char *path = path_join(parent, name);
    const bool can = path != NULL && (access(path, W_OK) == 0 || (errno == ENOENT && access(parent, W_OK) == 0));
    free(path);
    return can;
}

/* Creates one directory whose parent exists. */
static int make_directory(const char *path, struct err *err)
{
    struct stat st;
    if (mkdir(path, DIRECTORY_MODE) == 0)
        return 0;
    int errnum = errno;
    if (stat(path, &st) < 0) /* whatever mkdir says, also on a read-only disk: one that exists is fine */
        return err_set_errno(err, errnum, "cannot create the directory '%s'", path);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_FAILED, "cannot create the directory '%s': a file of this name exists", path);
    return 0;
}

int path_move(const char *from, const char *to)
{
    struct stat there;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (lstat(to, &there) == 0) /* a file system without such a rename */
        return EEXIST;
    return errno == ENOENT && rename(from, to) == 0 ? 0 : errno;
}

int path_make_directories(const char *path, struct err *err)
{
    int r = 0;
    SCOPED_FREE char *copy = scoped_text(path, SIZE_MAX);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "cannot create the directory '%s': out of memory", path);
    for (char *p = copy; *p != '\0' && r == 0; p++) {
        if (*p != '/' || p == copy || p[-1] == '/')
            continue;
        *p = '\0';
        r = make_directory(copy, err);
        *p = '/';
    }
    return r == 0 ? make_directory(path, err) : r;
}

int path_make_result_directory(const char *path, struct err *err)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        err_set(err, ERR_ACCESS, "'%s' is a symbolic link; expected a directory of results", path);
        err_hint_caller(err, "remove the link, or choose another directory for results");
        return err_hint(err, "remove the link, or choose another directory with --output DIR");
    }
    return path_make_directories(path, err);
}

static int limit_error(const char *path, size_t limit, struct err *err)
{
    return err_set(err, ERR_LIMIT, "'%s' is too large: expected at most %zu bytes", path, limit);
}

static int type_error(const char *path, struct err *err)
{
    return err_set(err, ERR_FORMAT, "'%s' is not a regular file", path);
}

/* Opens a regular file for reading; *ret_size is what it says of its size. Returns the descriptor or -code. */
static int open_regular(const char *path, size_t limit, size_t *ret_size, struct err *err)
{
    struct stat st;
    int r;
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO) /* how a socket answers */
        return type_error(path, err);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0)
        r = err_set_errno(err, errno, "cannot read '%s'", path);
    else if (!S_ISREG(st.st_mode))
        r = type_error(path, err);
    else if ((uint64_t)st.st_size > limit)
        r = limit_error(path, limit, err);
    else {
        *ret_size = (size_t)st.st_size;
        return fd;
    }
    close(fd);
    return r;
}

/* Reads until the end of the file or until length bytes are there; how many there are is in *ret. Returns 0 or errno.
 */
static int read_up_to(int fd, char *data, size_t length, size_t *ret)
{
    while (*ret < length) {
        ssize_t n = read(fd, data + *ret, length - *ret);
        if (n == 0)
            return 0;
        if (n > 0)
            *ret += (size_t)n;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

int path_read_file(const char *path, size_t limit, char **ret_data, size_t *ret_length, struct err *err)
{
    SCOPED_FREE char *data = NULL;
    size_t length = 0;
    size_t size = 0;
    if (limit > SSIZE_MAX - 1)
        limit = SSIZE_MAX - 1;
    SCOPED_CLOSE int fd = open_regular(path, limit, &size, err);
    if (fd < 0)
        return fd;
    /* Reading one byte more than the size detects the end. A file may also grow meanwhile, or have no size (/proc). */
    size_t capacity = size > 0 ? size + 1 : FIRST_READ;
    for (;;) {
        if (capacity > limit + 1)
            capacity = limit + 1;
        char *grown = realloc(data, capacity);
        if (grown == NULL)
            return err_set(err, ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
        data = grown;
        int errnum = read_up_to(fd, data, capacity, &length);
        if (errnum != 0)
            return err_set_errno(err, errnum, "cannot read '%s'", path);
        if (length < capacity)
            break;
        if (length > limit)
            return limit_error(path, limit, err);
        capacity = capacity > limit / 2 ? limit + 1 : capacity * 2;
    }
    data[length] = '\0';
    *ret_data = data;
    *ret_length = length;
    data = NULL;
    return 0;
}

ssize_t file_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

int file_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = pwrite(fd, (const char *)bytes + done, size - done, (off_t)(offset + done));
        if (written < 0 && errno != EINTR)
            return errno;
        if (written == 0)
            return ENOSPC;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

off_t file_skip_hole(int fd, off_t offset, size_t block)
{
    off_t data = lseek(fd, offset, SEEK_DATA), size = (off_t)block;
    if (data < 0)
        return errno == ENXIO ? -1 : offset;
    return data - data % size > offset ? data - data % size : offset;
}

#define COMPARED_SIZE ((size_t)64 * 1024)

/* Where one of them has data; both may have their holes in different places. -1: neither has more. */
static off_t next_data(int a, int b, off_t offset)
{
    off_t x = file_skip_hole(a, offset, COMPARED_SIZE), y = file_skip_hole(b, offset, COMPARED_SIZE);
    return x < 0 || (y >= 0 && y < x) ? y : x;
}

int file_same_bytes(int a, int b)
{
    struct stat x, y;
    SCOPED_FREE unsigned char *bytes = scoped_memory(2, COMPARED_SIZE);
    if (bytes == NULL || fstat(a, &x) < 0 || fstat(b, &y) < 0)
        return -1;
    if (x.st_size != y.st_size)
        return 0;
    ssize_t length, other;
    for (off_t offset = 0; (offset = next_data(a, b, offset)) >= 0; offset += length) {
        length = file_read_at(a, bytes, COMPARED_SIZE, (uint64_t)offset);
        other = file_read_at(b, bytes + COMPARED_SIZE, COMPARED_SIZE, (uint64_t)offset);
        if (length < 0 || other < 0)
            return -1;
        if (length != other || memcmp(bytes, bytes + COMPARED_SIZE, (size_t)length) != 0)
            return 0;
        if (length == 0)
            return 1;
        if (interrupted()) {
            errno = EINTR;
            return -1;
        }
    }
    return 1;
}

int path_look(const char *path, struct stat *ret, bool *ret_there, struct err *err)
{
    *ret_there = lstat(path, ret) == 0;
    return *ret_there || errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read '%s'", path);
}

int path_open_regular(const char *path, struct err *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open it");
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return fd;
    close(fd);
    return err_set(err, ERR_FORMAT, "not a regular file");
}

struct dirent *path_next_entry(DIR *stream, const char *directory, int *status, struct err *err)
{
    errno = 0;
    struct dirent *entry = readdir(stream);
    if (entry == NULL && errno != 0)
        *status = err_set_errno(err, errno, "cannot read the directory '%s'", directory);
    return entry;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

void path_remove_tree(const char *directory)
{
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
