/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/direct.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

struct direct *direct_new(int fd, size_t block, size_t capacity)
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

char *direct_give(struct direct *direct, char *buffer, size_t length, uint64_t at, int *ret_failure)
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

uint64_t direct_speed(struct direct *direct, uint64_t least_bytes)
{
    pthread_mutex_lock(&direct->lock);
    const uint64_t bytes = direct->bytes;
    const int64_t us = direct->busy_ns / 1000 / (int64_t)direct->started;
    pthread_mutex_unlock(&direct->lock);
    return bytes < least_bytes || us <= 0 ? 0 : bytes / (uint64_t)us + 1;
}

int direct_end(struct direct *direct, uint64_t at)
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
