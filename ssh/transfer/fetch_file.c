#include "ssh/transfer/fetch_file.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE_HINT "free some space, or choose another file system with --output; the capture is still on the board"

void fetched_init(struct fetched *file, const char *path, uint64_t size)
{
    *file = (struct fetched){.path = path, .size = size, .fd = -1};
}

#define COMPARE_SIZE ((size_t)64 * 1024)

/* What is here is not touched: it may be all that is left of another capture. */
static int differs(const struct fetched *file, struct err *err)
{
    err_set(err, ERR_FAILED, "'%s' is here already, and it is not the board's file of this name", file->path);
    return err_hint(err, "two captures never go into one directory: choose another --output, or move that one away");
}

static int local_error(struct fetched *file, int errnum, struct err *err)
{
    err_set_errno(err, errnum, "cannot write '%s'", file->target);
    if (err->code == ERR_NO_SPACE)
        err_hint(err, SPACE_HINT);
    return -(int)err->code;
}

/* Directories of the path below local; local is there, and nothing in it was made by anybody else. */
static int make_parents(const char *target, struct err *err)
{
    const char *slash = strrchr(target, '/');
    char *parent = strndup(target, (size_t)(slash - target));
    int result;

    if (parent == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    result = make_directories(parent, err);
    free(parent);
    return result;
}

/* Reads a file here from its start: its checksum, and whether the bytes are those at the start of another. Either may
 * be left out. */
static int read_here(const char *path, struct checksum *sum, int other, bool *ret_equal, struct err *err)
{
    char *bytes = malloc(2 * COMPARE_SIZE);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), result = 0;
    off_t at = 0;
    ssize_t n = 0;

    if (bytes == NULL)
        result = err_set(err, ERR_NO_MEMORY, "out of memory");
    else if (fd < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", path);
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
    while (result == 0 && (n = read(fd, bytes, COMPARE_SIZE)) > 0) {
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
        checksum_add(sum, bytes, (size_t)n);
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
        if (other >= 0 && (pread(other, bytes + COMPARE_SIZE, (size_t)n, at) != n ||
                           // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
                           memcmp(bytes, bytes + COMPARE_SIZE, (size_t)n) != 0))
            *ret_equal = false;
        at += n;
    }
    if (result == 0 && n < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", path);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return result;
}

/* Before a file takes the place of a shorter one: that must be its beginning. */
static int check_beginning(struct fetched *file, struct err *err)
{
    bool is_equal = true;
    int fd = open(file->temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int result = fd < 0 ? local_error(file, errno, err) : read_here(file->target, NULL, fd, &is_equal, err);

    if (fd >= 0)
        close(fd);
    return result == 0 && !is_equal ? differs(file, err) : result;
}

int fetched_find(struct fetched *file, const char *local, bool awaits_checksum, struct err *err)
{
    char *target = path_join(local, file->path);
    struct checksum *sum = checksum_new();
    struct stat st;
    int result = 0;

    if (target == NULL || sum == NULL) {
        result = err_set(err, ERR_NO_MEMORY, "out of memory");
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
    free(target);
    return result;
}

int fetched_open(struct fetched *file, const char *local, struct err *err)
{
    int result;

    if (file->fd >= 0)
        return 0;
    file->target = path_join(local, file->path);
    if (file->target == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    result = make_parents(file->target, err);
    if (result == 0)
        result = temporary_create(file->target, &file->temporary, err);
    if (result >= 0) {
        file->fd = result;
        return 0;
    }
    if (err->code == ERR_NO_SPACE)
        err_hint(err, SPACE_HINT);
    return result;
}

int fetched_write(struct fetched *file, const char *bytes, size_t length, struct checksum *sum, struct err *err)
{
    checksum_add(sum, bytes, length);
    while (length > 0) {
        ssize_t n = write(file->fd, bytes, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return local_error(file, n < 0 ? errno : EIO, err);
        bytes += n;
        length -= (size_t)n;
        file->received += (uint64_t)n;
    }
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
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
    file->is_done = true;
    return 0;
}

static int compare(struct fetched *file, struct err *err)
{
    if (strcmp(file->checksum, file->expected) == 0)
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
    if (file->is_done) /* told again after the connection was made anew */
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
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
    if (!file->is_done && !file->is_here) {
        file->received = 0;
        file->is_complete = file->is_wrong = false;
        file->checksum[0] = file->expected[0] = '\0';
    }
}
