/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-or-nothing output files: the outfile_ part of fsutil.h. */
#include "base/file/outfile.h"
#include "base/clock.h"
#include "base/file/temporary.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes a long file past the page cache (O_DIRECT), some pieces at a time: a disk is faster with more than one to do,
 * and who makes the pieces does not wait for it. */

struct direct; /* opaque */

#define WRITERS 2
#define RESERVED_BYTES ((uint64_t)64 * 1024 * 1024) /* of the disk at a time; pieces that make a file longer wait */

enum piece_state { PIECE_FREE, PIECE_READY, PIECE_BUSY };

struct piece {
    enum piece_state state;
    char *bytes;
    size_t length;
    uint64_t at;
};

struct direct {
    int fd;
    bool reserves; /* the file system lets it */
    uint64_t reserved;
    pthread_t threads[WRITERS];
    size_t started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Shared: */
    struct piece pieces[WRITERS];
    bool closed;
    int failure;
    uint64_t bytes;
    int64_t busy_ns; /* of all writers */
};

static bool set_direct(int fd, bool direct)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

/* 0 or an errno. */
static int write_piece(int fd, const struct piece *piece)
{
    size_t done = 0;
    while (done < piece->length) {
        ssize_t n = pwrite(fd, piece->bytes + done, piece->length - done, (off_t)(piece->at + done));
        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            return EIO;
        else if (errno == EINVAL && (fcntl(fd, F_GETFL) & O_DIRECT) != 0 && set_direct(fd, false))
            continue; /* the file system wants another alignment, or a write was cut */
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* With the lock held: a piece in this state, of those that are ready the first one; NULL: there is none. */
static struct piece *find_piece(struct direct *direct, enum piece_state state)
{
    struct piece *found = NULL;
    for (size_t i = 0; i < WRITERS; i++) {
        struct piece *piece = &direct->pieces[i];
        if (piece->state == state && (found == NULL || piece->at < found->at))
            found = piece;
    }
    return found;
}

static void *write_loop(void *opaque)
{
    struct direct *direct = opaque;
    pthread_mutex_lock(&direct->lock);
    for (;;) {
        struct piece *piece = find_piece(direct, PIECE_READY);
        if (piece == NULL && direct->closed)
            break;
        if (piece == NULL) {
            pthread_cond_wait(&direct->changed, &direct->lock);
            continue;
        }
        piece->state = PIECE_BUSY;
        const bool failed = direct->failure != 0;
        pthread_mutex_unlock(&direct->lock);
        const int64_t start_ns = clock_now_ns();
        const int failure = failed ? 0 : write_piece(direct->fd, piece);
        const int64_t busy_ns = clock_now_ns() - start_ns;
        pthread_mutex_lock(&direct->lock);
        if (direct->failure == 0)
            direct->failure = failure;
        direct->bytes += piece->length;
        direct->busy_ns += busy_ns;
        piece->state = PIECE_FREE;
        pthread_cond_broadcast(&direct->changed);
    }
    pthread_mutex_unlock(&direct->lock);
    return NULL;
}

/* Returns the failure. */
static int stop(struct direct *direct)
{
    pthread_mutex_lock(&direct->lock);
    direct->closed = true;
    pthread_cond_broadcast(&direct->changed);
    pthread_mutex_unlock(&direct->lock);
    for (size_t i = 0; i < direct->started; i++)
        pthread_join(direct->threads[i], NULL);
    const int failure = direct->failure;
    for (size_t i = 0; i < WRITERS; i++)
        free(direct->pieces[i].bytes);
    pthread_cond_destroy(&direct->changed);
    pthread_mutex_destroy(&direct->lock);
    free(direct);
    return failure;
}

/* For a file that is open for writing and not used by others meanwhile; pieces are made of `capacity` bytes. NULL: the
 * file system does not do that, or there is no memory or thread for it; nothing has changed then. */
static struct direct *direct_new(int fd, size_t block, size_t capacity)
{
    struct direct *direct = calloc(1, sizeof *direct);
    if (direct == NULL)
        return NULL;
    direct->fd = fd;
    direct->reserves = true;
    pthread_mutex_init(&direct->lock, NULL);
    pthread_cond_init(&direct->changed, NULL);
    bool made = true;
    for (size_t i = 0; i < WRITERS && made; i++)
        made = (direct->pieces[i].bytes = aligned_alloc(block, capacity)) != NULL;
    while (made && direct->started < WRITERS &&
           thread_start(&direct->threads[direct->started], write_loop, direct) == 0)
        direct->started++;
    if (direct->started > 0 && set_direct(fd, true))
        return direct;
    (void)stop(direct);
    return NULL;
}

static void reserve(struct direct *direct, uint64_t end)
{
    while (direct->reserves && end > direct->reserved) {
        if (direct->reserved == 0)
            direct->reserved = end;
        direct->reserves = fallocate(direct->fd, 0, (off_t)direct->reserved, (off_t)RESERVED_BYTES) == 0;
        if (direct->reserves)
            direct->reserved += RESERVED_BYTES;
    }
}

/* Takes a buffer with `length` bytes, whole blocks, for the file from `at` on, and gives another one; waits until one
 * is free. *ret_failure: an errno of what was written so far, or 0. */
static char *direct_give(struct direct *direct, char *buffer, size_t length, uint64_t at, int *ret_failure)
{
    struct piece *piece;
    reserve(direct, at + length);
    pthread_mutex_lock(&direct->lock);
    while ((piece = find_piece(direct, PIECE_FREE)) == NULL)
        pthread_cond_wait(&direct->changed, &direct->lock);
    char *given = piece->bytes;
    *piece = (struct piece){PIECE_READY, buffer, length, at};
    *ret_failure = direct->failure;
    pthread_cond_broadcast(&direct->changed);
    pthread_mutex_unlock(&direct->lock);
    return given;
}

/* Bytes a microsecond so far; 0: not known yet. */
static uint64_t direct_speed(struct direct *direct, uint64_t least_bytes)
{
    pthread_mutex_lock(&direct->lock);
    const uint64_t bytes = direct->bytes;
    const int64_t us = direct->busy_ns / 1000 / (int64_t)direct->started;
    pthread_mutex_unlock(&direct->lock);
    return bytes < least_bytes || us <= 0 ? 0 : bytes / (uint64_t)us + 1;
}

/* Waits for all pieces and lets the file be written as usual, from `at` on, where it ends. Frees it; 0 or an errno. */
static int direct_end(struct direct *direct, uint64_t at)
{
    const int fd = direct->fd;
    const bool longer = direct->reserved > 0;
    const int failure = stop(direct);
    if (failure != 0)
        return failure;
    return !set_direct(fd, false) || (longer && ftruncate(fd, (off_t)at) < 0) || lseek(fd, (off_t)at, SEEK_SET) < 0
               ? errno
               : 0;
}

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
        return err_set(err, ERR_FAILED, "cannot write '%s': not a file name", path);
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

static struct {
    outfile_spare *ask;
    void *arg;
} spare;

void outfile_set_spare(outfile_spare *ask, void *arg)
{
    spare.ask = ask;
    spare.arg = arg;
}

int outfile_put_in_place(const char *temporary, const char *path)
{
    int failure = spare.ask != NULL ? spare.ask(spare.arg, temporary, path) : 0;
    if (failure == 0 && rename(temporary, path) < 0)
        failure = errno;
    return failure;
}

int outfile_free_name(const char *path)
{
    const int failure = spare.ask != NULL ? spare.ask(spare.arg, NULL, path) : 0;
    if (failure != 0)
        return failure;
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
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
    if (out->failure == 0 && out->temporary != NULL)
        out->failure = outfile_put_in_place(out->temporary, out->path);
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
