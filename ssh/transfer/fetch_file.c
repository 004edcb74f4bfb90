/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/fetch.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE_HINT "free some space, or choose another file system with --output; the capture is still on the board"

#define COMPARE_SIZE ((size_t)64 * 1024)

/* The file here is not touched: it may be all that is left of another capture. */
static int differs(const struct fetched *file, struct err *err)
{
    err_set(err, ERR_FAILED, "'%s' already exists and differs from the board's file", file->path);
    return err_hint(err, "each capture needs its own directory: choose another --output, or move the other one away");
}

static int local_error(struct fetched *file, int errnum, struct err *err)
{
    err_set_errno(err, errnum, "cannot write '%s'", file->target);
    if (err->code == ERR_NO_SPACE)
        err_hint(err, SPACE_HINT);
    return err_status(err);
}

/* Directories of the path below local; local is there, and nothing in it was made by anybody else. */
static int make_parents(const char *target, struct err *err)
{
    const char *slash = strrchr(target, '/');
    SCOPED_FREE char *parent = scoped_text(target, (size_t)(slash - target));

    if (parent == NULL)
        return err_no_memory(err);
    return path_make_directories(parent, err);
}

/* Reads a file here from its start: its checksum, and whether the bytes are those at the start of another. Either may
 * be left out. */
static int read_here(const char *path, struct checksum *sum, int other, bool *ret_equal, struct err *err)
{
    SCOPED_FREE char *bytes = scoped_memory(2 * COMPARE_SIZE, 1);
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    off_t at = 0;
    ssize_t n = 0;

    if (bytes == NULL)
        return err_no_memory(err);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot read '%s'", path);
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
    while ((n = read(fd, bytes, COMPARE_SIZE)) > 0) {
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
        checksum_add(sum, bytes, (size_t)n);
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
        if (other >= 0 && (pread(other, bytes + COMPARE_SIZE, (size_t)n, at) != n ||
                           // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
                           memcmp(bytes, bytes + COMPARE_SIZE, (size_t)n) != 0))
            *ret_equal = false;
        at += n;
    }
    return n < 0 ? err_set_errno(err, errno, "cannot read '%s'", path) : 0;
}

/* Before a file takes the place of a shorter one: that must be its beginning. */
static int check_beginning(struct fetched *file, struct err *err)
{
    bool is_equal = true;
    SCOPED_CLOSE int fd = open(file->temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int result = fd < 0 ? local_error(file, errno, err) : read_here(file->target, NULL, fd, &is_equal, err);

    return result == 0 && !is_equal ? differs(file, err) : result;
}

int fetched_find(struct fetched *file, const char *local, bool awaits_checksum, struct err *err)
{
    SCOPED_FREE char *target = path_join(local, file->path);
    struct checksum *sum = checksum_new_kind(file->kind);
    struct stat st;
    int result = 0;

    if (target == NULL || sum == NULL) {
        result = err_no_memory(err);
    } else if (lstat(target, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            result = err_set_errno(err, errno, "cannot look at '%s'", target);
    } else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > file->size) {
        result = differs(file, err);
    } else if ((uint64_t)st.st_size < file->size) {
        file->replaces = true;
    } else {
        file->is_here = file->is_complete = true;
        file->received = file->size;
        if (awaits_checksum) {
            result = read_here(target, sum, -1, NULL, err);
            checksum_finish(sum, file->checksum);
        } else {
            file->is_done = true;
        }
    }
    checksum_free(sum);
    return result;
}

/* A number of a path: names of temporary files are made of it, so that the next fetch finds them again. */
static uint64_t hash_path(const char *path)
{
    const uint64_t prime = UINT64_C(1099511628211);
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *path != '\0'; path++)
        hash = (hash ^ (unsigned char)*path) * prime;
    return hash;
}

/* Beside the place of a file, of the shape that temporary_remove_stale knows. */
static char *temporary_name(const char *target, const char *path)
{
    int directory = (int)(strrchr(target, '/') - target);
    char *name = NULL;

    return asprintf(&name, "%.*s/.msprof.%016llx.tmp", directory, target, (unsigned long long)hash_path(path)) >= 0
               ? name
               : NULL;
}

/* Where beginnings of files wait for the next fetch: beside the capture, which holds nothing but its own files. */
static char *partial_directory(const char *local)
{
    const char *slash = strrchr(local, '/');
    char *name = NULL;

    return slash != NULL && asprintf(&name, "%.*s/.partial-%s", (int)(slash - local), local, slash + 1) >= 0 ? name
                                                                                                             : NULL;
}

#define PARTIAL_DIGITS 16

static char *partial_name(const char *local, const char *path)
{
    char *name = NULL;
    SCOPED_FREE char *directory = partial_directory(local);

    if (directory != NULL && asprintf(&name, "%s/%016llx", directory, (unsigned long long)hash_path(path)) < 0)
        name = NULL;
    return name;
}

static int set_names(struct fetched *file, const char *local, struct err *err)
{
    if (file->target == NULL)
        file->target = path_join(local, file->path);
    if (file->target != NULL && file->temporary == NULL)
        file->temporary = temporary_name(file->target, file->path);
    return file->temporary != NULL ? 0 : err_no_memory(err);
}

static void free_names(struct fetched *file)
{
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
}

int fetched_open(struct fetched *file, const char *local, struct err *err)
{
    int result;

    if (file->fd >= 0)
        return 0;
    result = set_names(file, local, err);
    if (result == 0)
        result = make_parents(file->target, err);
    if (result == 0) {
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
        if (file->fd < 0)
            err_set_errno(err, errno, "cannot write '%s'", file->target);
    }
    if (file->fd >= 0) {
        temporary_lock(file->fd); /* best effort: the directory has a lock of its own */
        return 0;
    }
    free_names(file);
    if (err->code == ERR_NO_SPACE)
        err_hint(err, SPACE_HINT);
    return err_status(err);
}

/* Opens what is there. False: it is of no use. */
static bool open_partial(struct fetched *file)
{
    struct stat st;
    int fd = open(file->temporary, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0 || (uint64_t)st.st_size >= file->size ||
        temporary_lock(fd) == EAGAIN) {
        close(fd);
        return false;
    }
    file->fd = fd;
    file->received = (uint64_t)st.st_size;
    return true;
}

int fetched_find_partial(struct fetched *file, const char *local, struct err *err)
{
    SCOPED_FREE char *left = partial_name(local, file->path);
    int result = left != NULL ? set_names(file, local, err) : err_no_memory(err);

    if (result == 0 && access(file->temporary, F_OK) != 0 && access(left, F_OK) == 0) {
        result = make_parents(file->target, err);
        if (result == 0 && rename(left, file->temporary) < 0)
            unlink(left); /* all of it is fetched then */
    }
    if (result != 0 || !open_partial(file))
        free_names(file);
    return result;
}

int fetched_shorten(struct fetched *file, uint64_t size, struct err *err)
{
    if (ftruncate(file->fd, (off_t)size) < 0)
        return local_error(file, errno, err);
    file->received = size;
    return 0;
}

void fetched_leave(struct fetched *file, const char *local)
{
    SCOPED_FREE char *directory = partial_directory(local), *left = partial_name(local, file->path);

    if (directory != NULL && left != NULL && file->temporary != NULL &&
        (mkdir(directory, 0750) == 0 || errno == EEXIST) && rename(file->temporary, left) == 0)
        free_names(file);
    fetched_drop(file);
}

void fetched_forget_partials(const char *local)
{
    SCOPED_FREE char *directory = partial_directory(local);
    /* what a link leads to is somebody else's */
    const int fd = directory != NULL ? open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    SCOPED_DIRECTORY DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *item;

    if (stream == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((item = readdir(stream)) != NULL)
        if (strlen(item->d_name) == PARTIAL_DIGITS && strspn(item->d_name, "0123456789abcdef") == PARTIAL_DIGITS)
            unlinkat(fd, item->d_name, 0);
    rmdir(directory);
}

int fetched_write(struct fetched *file, const char *bytes, size_t length, struct checksum *sum, struct err *err)
{
    int failure = file_write_at(file->fd, bytes, length, file->received);

    checksum_add(sum, bytes, length);
    if (failure != 0)
        return local_error(file, failure, err);
    file->received += length;
    return 0;
}

int fetched_keep(struct fetched *file, struct err *err)
{
    int result = file->replaces ? check_beginning(file, err) : 0;

    if (file->is_here)
        file->is_done = true;
    if (file->is_here || result != 0)
        return result;
    if (rename(file->temporary, file->target) < 0)
        return local_error(file, errno, err);
    free_names(file);
    file->is_done = true;
    return 0;
}

static int compare(struct fetched *file, struct err *err)
{
    file->is_verified = strcmp(file->checksum, file->expected) == 0;
    if (file->is_verified)
        return fetched_keep(file, err);
    file->is_wrong = true;
    return file->is_here ? differs(file, err) : 0;
}

int fetched_complete(struct fetched *file, struct checksum *sum, bool awaits_checksum, struct err *err)
{
    int fd = file->fd;

    checksum_finish(sum, file->checksum);
    file->fd = -1;
    if (close(fd) < 0 && errno != EINTR)
        return local_error(file, errno, err);
    if (file->checksum[0] == '\0')
        return err_set(err, ERR_NO_MEMORY, "cannot compute the checksum of '%s'", file->target);
    file->is_complete = true;
    if (!awaits_checksum)
        return fetched_keep(file, err);
    return file->expected[0] != '\0' ? compare(file, err) : 0;
}

int fetched_expect(struct fetched *file, const char *checksum, struct err *err)
{
    if (file->is_done) /* reported again after the connection was made anew */
        return 0;
    memcpy(file->expected, checksum, sizeof file->expected);
    return file->is_complete ? compare(file, err) : 0;
}

void fetched_drop(struct fetched *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
    if (file->temporary != NULL)
        unlink(file->temporary);
    free_names(file);
    if (!file->is_done && !file->is_here) {
        file->received = 0;
        file->is_complete = file->is_wrong = false;
        file->checksum[0] = file->expected[0] = '\0';
    }
}
