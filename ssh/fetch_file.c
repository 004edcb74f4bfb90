#include "ssh/fetch_file.h"

#include "base/fsutil.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MODE 0640

void fetched_init(struct fetched *file, const char *path, uint64_t size)
{
    *file = (struct fetched){.path = path, .size = size, .fd = -1};
}

static int local_error(struct fetched *file, int errnum, struct err *err)
{
    err_set_errno(err, errnum, "cannot write '%s'", file->target);
    if (err->code == ERR_NO_SPACE)
        err_hint(err, "free some space, or choose another file system with --output; the capture is still on the "
                      "board");
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

int fetched_open(struct fetched *file, const char *local, struct err *err)
{
    int result;

    if (file->fd >= 0)
        return 0;
    file->target = path_join(local, file->path);
    if (file->target != NULL)
        file->temporary = temporary_path(file->target);
    if (file->target == NULL || file->temporary == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (file->fd < 0 && errno == ENOENT) {
        result = make_parents(file->target, err);
        if (result != 0)
            return result;
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    }
    return file->fd >= 0 ? 0 : local_error(file, errno, err);
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
    return 0;
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
    if (!file->is_done) {
        file->received = 0;
        file->is_complete = file->is_wrong = false;
        file->checksum[0] = file->expected[0] = '\0';
    }
}
