/* Files: whole-or-nothing output, bounded reading, directories. */
#ifndef MSPROF_BASE_FSUTIL_H
#define MSPROF_BASE_FSUTIL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* directory + "/" + name in a new string (free() it); NULL when memory ran out. */
char *path_join(const char *directory, const char *name);

/* The absolute path of an existing file or directory (free() it); NULL with err set. */
char *path_absolute(const char *path, struct err *err);

/* Creates a directory and its parents with mode 0750; one that exists is fine. */
int make_directories(const char *path, struct err *err);

/* Reads a whole regular file of at most limit bytes; *ret_data is NUL-terminated (the NUL is not counted) and to be
 * freed by the caller. -ERR_LIMIT when it is longer, -ERR_FORMAT when it is not a regular file (never blocks on a pipe). */
int read_whole_file(const char *path, size_t limit, char **ret_data, size_t *ret_length, struct err *err);

/* An output file that appears under its name only when it is complete: written as ".<name>.<pid>.tmp" beside it. */
struct outfile {
    char *path;
    char *temporary;
    int fd;
    char *buffer;
    size_t used, capacity;
    uint64_t written; /* bytes already given to the system */
    int failure;      /* errno of the first failed write, else 0 */
};

/* Opens the temporary file, mode 0640; the directory must exist. A path that is an existing character device
 * (/dev/full, /dev/stdout) is written directly. */
int outfile_open(struct outfile *out, const char *path, struct err *err);

/* Buffered append. Errors are kept and told by outfile_commit (so that hot loops need no check); outfile_failed asks. */
void outfile_write(struct outfile *out, const void *bytes, size_t length);
bool outfile_failed(const struct outfile *out);

/* Hands out the buffer's free end for at least length bytes (length <= OUTFILE_RESERVE_MAX), to format into directly;
 * outfile_advance tells how many were used. Never NULL after a successful open. */
#define OUTFILE_RESERVE_MAX 65536
char *outfile_reserve(struct outfile *out, size_t length);
void outfile_advance(struct outfile *out, size_t length);

/* Flushes, closes with checks and renames into place; on failure nothing remains. Either this or outfile_abort ends it. */
int outfile_commit(struct outfile *out, struct err *err);
void outfile_abort(struct outfile *out);

/* Removes ".<anything>.<pid>.tmp" leftovers in a directory whose process does not exist any more. Best effort. */
void remove_stale_temporaries(const char *directory);

#endif
