/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pin.h"

#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

bool pin_lock(int fd, int how)
{
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            return true;
    }
    return true;
}

int pin_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    SCOPED_FREE char *directory =
        scoped_text(slash != NULL ? path : ".", slash != NULL ? (size_t)(slash - path) + 1 : 1);
    int fd = directory != NULL ? open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY) : -1;
    /* who removes it holds the lock for a moment only */
    if (fd >= 0 && !pin_lock(fd, LOCK_SH)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err)
{
    bool told = false;
    while (fd >= 0 && !pin_lock(fd, LOCK_EX)) {
        if (!told)
            waiting(path);
        told = true;
        if (interrupted())
            return interrupt_error(err);
        nanosleep(&(struct timespec){.tv_nsec = PIN_POLL_NS}, NULL);
    }
    return unlink(path) == 0 || errno == ENOENT ? 0 : err_set_errno(err, errno, "'%s' is not removed", path);
}

void pin_close(int fd)
{
    if (fd >= 0)
        close(fd);
}
