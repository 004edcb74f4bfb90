/* SPDX-License-Identifier: Apache-2.0 */
/* An output file that appears whole or not at all. */
#ifndef MSPROF_BASE_FILE_OUTFILE_H
#define MSPROF_BASE_FILE_OUTFILE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How the bytes of an output file reach the disk. A long file goes past the page cache (O_DIRECT) where the file system
 * lets it and the disk is fast: taking fresh pages from the system can cost more than formatting what goes into them.
 */
enum outfile_way {
    OUTFILE_UNDECIDED, /* short so far */
    OUTFILE_DIRECT,
    OUTFILE_CACHED, /* cannot be, or was not worth it */
};

/* Takes bytes on their way; returns 0, or an errno. */
typedef int outfile_take(void *arg, const char *bytes, size_t length);

/* An output file that appears under its name only when it is complete: written as a temporary file beside it.
 * All zero, or after a failed open, a commit or an abort, it is closed and owns nothing. */
struct outfile {
    char *path;
    char *temporary; /* NULL when path is written directly */
    int fd;
    int lock_fd;  /* holds the temporary file's lock until it has its name; -1: none */
    char *buffer; /* NULL when closed */
    size_t used, capacity;
    uint64_t written;  /* bytes already given to the system, or on their way to it */
    uint64_t expected; /* bytes that it will have about, where that is known */
    int failure;       /* errno of the first failed write that is known, else 0 */
    enum outfile_way way;
    struct direct *direct; /* of OUTFILE_DIRECT: some of what is written may still be on its way */
    outfile_take *take;    /* who gets the bytes in place of a file; NULL: a file */
    void *take_arg;
};

/* Opens the temporary file, mode 0640; the directory must exist. A symbolic link at path is replaced, not followed.
 * A path that is an existing character device (/dev/full, /dev/null), or a name of an open descriptor (/dev/stdout,
 * /dev/stderr, /dev/fd/N), is written directly. A directory, a pipe, a socket or a block device is refused. */
int outfile_open(struct outfile *out, const char *path, struct err *err);

/* Opens one whose bytes go to take, in pieces of the buffer's size, instead of into a file; path names it in messages.
 */
int outfile_open_pipe(struct outfile *out, const char *path, outfile_take *take, void *arg, struct err *err);

/* Gives the buffer's whole blocks to the system (or drops them after a failure): afterwards the buffer holds less than
 * OUTFILE_BLOCK bytes (none, of one of outfile_open_pipe). */
#define OUTFILE_BLOCK 4096
void outfile_flush(struct outfile *out);

/* outfile_write for what does not fit in the buffer's free end. */
void outfile_write_long(struct outfile *out, const void *bytes, size_t length);

/* outfile_write for so many that they are not copied, where they go into the page cache. */
void outfile_write_many(struct outfile *out, const void *bytes, size_t length);

/* Buffered append. Errors are kept until outfile_commit reports them, so that hot loops need no check; outfile_failed
 * checks for one. */
static inline void outfile_write(struct outfile *out, const void *bytes, size_t length)
{
    if (length > out->capacity - out->used) {
        outfile_write_long(out, bytes, length);
        return;
    }
    memcpy(out->buffer + out->used, bytes, length);
    out->used += length;
}

/* A text for the file that lost a part (see strbuf.h) makes it fail: it never appears. */
static inline void outfile_check(struct outfile *out, const struct strbuf *buf)
{
    if (buf->failed && out->failure == 0)
        out->failure = ENOMEM;
}

/* Checks buf and appends its content. */
static inline void outfile_add(struct outfile *out, const struct strbuf *buf)
{
    outfile_check(out, buf);
    outfile_write(out, buf->data, buf->length);
}

static inline bool outfile_failed(const struct outfile *out)
{
    return out->failure != 0;
}

/* Hands out the buffer's free end for at least length bytes (length <= OUTFILE_RESERVE_MAX), to format into directly;
 * outfile_advance sets how many were used. Never NULL after a successful open. */
#define OUTFILE_RESERVE_MAX 65536
static inline char *outfile_reserve(struct outfile *out, size_t length)
{
    if (length > out->capacity - out->used)
        outfile_flush(out);
    return out->buffer + out->used;
}

static inline void outfile_advance(struct outfile *out, size_t length)
{
    out->used += length;
}

/* The file will have about so many bytes: long ones are written past the page cache from the first on. A wrong number
 * costs time alone. */
static inline void outfile_expect(struct outfile *out, uint64_t bytes)
{
    out->expected = bytes;
}

/* Flushes, closes with checks and renames into place; on failure nothing remains. Either this or outfile_abort ends it.
 * A full disk gives -ERR_NO_SPACE with a hint. Not synchronised to the disk: after a power cut the file may be empty.
 */
int outfile_commit(struct outfile *out, struct err *err);
/* Another name for a file that is still open, in the same directory: the one under which it will appear. A file that is
 * written directly keeps its own. */
int outfile_rename(struct outfile *out, const char *path, struct err *err);
/* Asked before a finished temporary file gets a name that may be another's: it can put that one aside. 0, or an errno,
 * which fails the file. temporary NULL: the name is to be free, and no file takes it. NULL: nobody is asked. To be set
 * while no file is written; threads call it. */
typedef int outfile_spare(void *arg, const char *temporary, const char *path);
void outfile_set_spare(outfile_spare *spare, void *arg);
/* Renames a finished temporary file to its name, after asking: 0, or an errno. */
int outfile_put_in_place(const char *temporary, const char *path);
/* Removes a file that would belong to a finished one, such as a journal that another program left, after asking: 0, or
 * an errno. */
int outfile_free_name(const char *path);

/* Drops everything; harmless on a closed outfile. */
void outfile_abort(struct outfile *out);

#endif
