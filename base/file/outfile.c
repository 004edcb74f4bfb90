/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-or-nothing output files: the outfile_ part of fsutil.h. */
#include "base/file/outfile.h"
#include "base/file/direct.h"
#include "base/file/temporary.h"
#include "base/number.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)1024 * 1024)
#define SPACE_HINT "free some space on that file system, then run the same command again"

/* Files up to here are left to the page cache: others read them soon, and small files have little to gain. */
#define DIRECT_FROM ((uint64_t)8 * 1024 * 1024)
/* After so many direct bytes the disk is judged by all of them: below this speed the page cache serves better. */
#define DIRECT_TRIAL ((uint64_t)64 * 1024 * 1024)
#define DIRECT_MIN_BYTES_PER_US 300

_Static_assert(BUFFER_SIZE - OUTFILE_BLOCK >= OUTFILE_RESERVE_MAX, "a flushed buffer must satisfy every reservation");

/* Fills err for a failed write, close or rename of the file. */
static int output_error(struct err *err, int errnum, const char *path)
{
    if (errnum == EINTR)
        return interrupt_error(err);
    err_set_errno(err, errnum, "cannot write '%s'", path);
    if (err->code == ERR_NO_SPACE)
        err_hint(err, SPACE_HINT);
    return err_status(err);
}

/* The descriptor that a name of /dev stands for, or -1. Renaming over such a name would replace the link in /dev. */
static int named_descriptor(const char *path)
{
    static const char prefix[] = "/dev/fd/";
    int64_t number;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if (strncmp(path, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *digits = path + sizeof prefix - 1;
    if (number_parse_integer(digits, strlen(digits), &number) < 0 || number > INT32_MAX)
        return -1;
    return (int)number;
}

static int refuse_type(const char *path, mode_t mode, struct err *err)
{
    const char *type = S_ISDIR(mode)    ? "a directory"
                       : S_ISFIFO(mode) ? "a pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a block device";
    err_set(err, ERR_FAILED, "cannot write '%s': it is %s", path, type);
    return err_hint(err, "remove it or choose another place for the output");
}

/* Whether path is written directly; refuses what cannot be an output file. */
static int check_target(const char *path, bool *ret_direct, struct err *err)
{
    struct stat st;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return err_set(err, ERR_FAILED, "cannot write '%s': this is not the name of a file", path);
    *ret_direct = false;
    if (stat(path, &st) == 0 && S_ISCHR(st.st_mode)) {
        *ret_direct = true;
        return 0;
    }
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot write '%s'", path);
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return refuse_type(path, st.st_mode, err);
    return 0;
}

/* Creates a temporary file for out->path; sets out->temporary, out->fd and out->lock_fd. */
static int create_temporary(struct outfile *out, struct err *err)
{
    int fd = temporary_create(out->path, &out->temporary, err);
    if (fd < 0) {
        if (err->code == ERR_NO_SPACE)
            err_hint(err, SPACE_HINT);
        return fd;
    }
    out->fd = fd;
    out->lock_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (out->lock_fd >= 0)
        return 0;
    int errnum = errno;
    unlink(out->temporary);
    return output_error(err, errnum, out->path);
}

static int open_target(struct outfile *out, struct err *err)
{
    bool direct = false;
    int descriptor = named_descriptor(out->path);
    if (descriptor >= 0) {
        /* A duplicate shares the file offset with the original, so that nothing overwrites what came before. */
        out->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        return out->fd >= 0 ? 0 : err_set_errno(err, errno, "cannot write '%s'", out->path);
    }
    if (check_target(out->path, &direct, err) < 0)
        return err_status(err);
    if (!direct)
        return create_temporary(out, err);
    out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd >= 0 ? 0 : err_set_errno(err, errno, "cannot write '%s'", out->path);
}

/* Leaves it closed and owning nothing. */
static void reset(struct outfile *out)
{
    if (out->direct != NULL)
        (void)direct_end(out->direct, out->written);
    if (out->fd >= 0)
        close(out->fd);
    if (out->lock_fd >= 0)
        close(out->lock_fd);
    free(out->path);
    free(out->temporary);
    free(out->buffer);
    *out = (struct outfile){.fd = -1, .lock_fd = -1};
}

/* With its buffer, but without a file. */
static int prepare(struct outfile *out, const char *path, struct err *err)
{
    *out = (struct outfile){.fd = -1,
                            .lock_fd = -1,
                            .path = strdup(path),
                            .buffer = aligned_alloc(OUTFILE_BLOCK, BUFFER_SIZE),
                            .capacity = BUFFER_SIZE};
    if (out->path != NULL && out->buffer != NULL)
        return 0;
    reset(out);
    return err_set(err, ERR_NO_MEMORY, "cannot write '%s': out of memory", path);
}

int outfile_open(struct outfile *out, const char *path, struct err *err)
{
    int r = prepare(out, path, err);
    if (r == 0 && (r = open_target(out, err)) < 0)
        reset(out);
    return r;
}

int outfile_open_pipe(struct outfile *out, const char *path, outfile_take *take, void *arg, struct err *err)
{
    if (prepare(out, path, err) < 0)
        return err_status(err);
    out->take = take;
    out->take_arg = arg;
    return 0;
}

/* Waits until a descriptor that does not block takes more; false when an interrupt came first. */
static bool wait_writable(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    while (poll(&ready, 1, -1) < 0) {
        if (interrupted())
            return false;
    }
    return true;
}

/* ---- past the page cache ---- */

static void leave_direct(struct outfile *out)
{
    const int failure = direct_end(out->direct, out->written);
    out->direct = NULL;
    out->way = OUTFILE_CACHED;
    if (out->failure == 0)
        out->failure = failure;
}

/* Only a file of its own is written directly: the descriptor of another, and its offset, belong to others too. */
static void choose_way(struct outfile *out)
{
    if (out->way != OUTFILE_UNDECIDED || (out->written < DIRECT_FROM && out->expected < DIRECT_FROM))
        return;
    bool possible = out->temporary != NULL && out->written % OUTFILE_BLOCK == 0;
    out->direct = possible ? direct_new(out->fd, OUTFILE_BLOCK, out->capacity) : NULL;
    out->way = out->direct != NULL ? OUTFILE_DIRECT : OUTFILE_CACHED;
}

/* Gives the buffer away, and goes on in another one. */
static void write_direct(struct outfile *out, size_t length)
{
    int failure;
    const char *rest = out->buffer + length;
    char *buffer = direct_give(out->direct, out->buffer, length, out->written, &failure);
    memcpy(buffer, rest, out->used - length); /* nobody changes what was given */
    out->buffer = buffer;
    out->used -= length;
    out->written += length;
    if (out->failure == 0)
        out->failure = failure;
    const uint64_t speed = direct_speed(out->direct, DIRECT_TRIAL);
    if (speed > 0 && speed < DIRECT_MIN_BYTES_PER_US)
        leave_direct(out);
}

/* ---- writing ---- */

static void write_all(struct outfile *out, const char *bytes, size_t length)
{
    while (length > 0 && out->failure == 0) {
        ssize_t n = write(out->fd, bytes, length);
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
            out->written += (uint64_t)n;
        } else if (n == 0) {
            out->failure = EIO;
        } else if (errno == EAGAIN) {
            if (!wait_writable(out->fd))
                out->failure = EINTR;
        } else if (errno != EINTR || interrupted()) {
            out->failure = errno;
        }
    }
}

void outfile_flush(struct outfile *out)
{
    size_t length = out->used - out->used % OUTFILE_BLOCK;
    if (out->take != NULL) {
        if (out->failure == 0)
            out->failure = out->take(out->take_arg, out->buffer, out->used);
        out->written += out->used;
        out->used = 0;
        return;
    }
    choose_way(out);
    if (out->way == OUTFILE_DIRECT && out->failure == 0) {
        if (length > 0)
            write_direct(out, length);
        return;
    }
    write_all(out, out->buffer, length);
    out->used -= length;
    memmove(out->buffer, out->buffer + length, out->used);
}

void outfile_write_long(struct outfile *out, const void *bytes, size_t length)
{
    const char *p = bytes;
    while (length > 0) {
        size_t room = out->capacity - out->used, piece = length < room ? length : room;
        memcpy(out->buffer + out->used, p, piece);
        out->used += piece;
        p += piece;
        length -= piece;
        if (out->used == out->capacity)
            outfile_flush(out);
    }
}

void outfile_write_many(struct outfile *out, const void *bytes, size_t length)
{
    const size_t head = (OUTFILE_BLOCK - out->used % OUTFILE_BLOCK) % OUTFILE_BLOCK;
    choose_way(out);
    if (out->take != NULL || out->way == OUTFILE_DIRECT || length < (size_t)16 * OUTFILE_BLOCK) {
        outfile_write(out, bytes, length);
        return;
    }
    outfile_write(out, bytes, head);
    outfile_flush(out);
    const char *blocks = (const char *)bytes + head;
    const size_t rest = (length - head) % OUTFILE_BLOCK, whole = length - head - rest;
    write_all(out, blocks, whole);
    outfile_write(out, blocks + whole, rest);
}

int outfile_commit(struct outfile *out, struct err *err)
{
    int r = 0;
    outfile_flush(out);
    if (out->way == OUTFILE_DIRECT)
        leave_direct(out); /* the end is no whole block */
    write_all(out, out->buffer, out->used);
    /* Linux closes the descriptor also when it reports EINTR. */
    if (out->fd >= 0 && close(out->fd) < 0 && errno != EINTR && out->failure == 0)
        out->failure = errno;
    out->fd = -1;
    if (out->failure == 0 && out->temporary != NULL && rename(out->temporary, out->path) < 0)
        out->failure = errno;
    if (out->failure != 0) {
        r = output_error(err, out->failure, out->path);
        if (out->temporary != NULL)
            unlink(out->temporary);
    }
    reset(out);
    return r;
}

int outfile_rename(struct outfile *out, const char *path, struct err *err)
{
    bool direct = false;
    int status = out->temporary != NULL ? check_target(path, &direct, err) : 0;
    if (out->temporary == NULL || status < 0)
        return status;
    char *copy = strdup(path);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "cannot write '%s': out of memory", path);
    free(out->path);
    out->path = copy;
    return 0;
}

void outfile_abort(struct outfile *out)
{
    if (out->buffer == NULL)
        return;
    if (out->temporary != NULL)
        unlink(out->temporary);
    reset(out);
}
