/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of files and of checksums, as a board sends them. Nothing of it is trusted: a name is taken only when it
 * stays below the directory that it is relative to. */
#ifndef MSPROF_SSH_TRANSFER_LISTING_H
#define MSPROF_SSH_TRANSFER_LISTING_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LISTING_LIMIT ((size_t)256 * 1024 * 1024) /* bytes of a list's text */
#define LISTING_MAX_FILES 1000000
#define LISTING_MAX_PATH 1024 /* bytes */

/* Names in a message: their number, and the first of them. */
struct told {
    size_t count;
    char first[256]; /* masked; "" when there is none */
};
void told_add(struct told *told, const char *name);

/* Arrays of structs whose first member is a path: sorted by it; the one of a path, NULL when there is none. */
void paths_sort(void *items, size_t count, size_t item_size);
void *paths_find(const void *items, size_t count, size_t item_size, const char *path);

struct listed_file {
    char *path; /* relative, checked: "data/aicore.0.1.1" */
    uint64_t size;
    char *state; /* the line as the board prints it, by which it knows the file unchanged; NULL: it has no such line */
};

/* All zero: empty. */
struct listing {
    struct listed_file *files; /* sorted by path, each once */
    size_t count, capacity;
    struct words skipped_paths; /* of entries that are no regular files, checked */
    struct told refused;        /* lines with a name or a size that cannot be taken, or repeated */
    struct told skipped;        /* entries that are no regular files */
};

/* Why a relative path from a board is not used: NULL when it is fine, else a phrase ("it leaves the directory"). */
const char *listing_path_problem(const char *path);

/* Format for "stat -c": fields that change when a file's content does, and its name behind them. */
#define LISTING_FORMAT "%f %s %i %y %z %n"

/* Reads lines "<mode in hex> <size> ./<path>" or those of LISTING_FORMAT. -ERR_REMOTE (too many), -ERR_NO_MEMORY. On
 * failure the listing is empty. */
int listing_parse(struct listing *listing, const char *text, size_t length, struct err *err);
void listing_release(struct listing *listing);
uint64_t listing_bytes(const struct listing *listing);
struct listed_file *listing_find(const struct listing *listing, const char *path);

/* One line of sha256sum, md5sum, "openssl dgst -sha256 -r" or busybox ("<64 or 32 hex digits>  ./<path>", perhaps
 * escaped by a leading backslash), or of cksum ("<number> <size> ./<path>"). checksum gets lower case; path
 * (LISTING_MAX_PATH bytes) the name without "./". */
bool checksum_line_parse(enum checksum_kind kind, const char *line, size_t length, char checksum[CHECKSUM_TEXT_SIZE],
                         char path[LISTING_MAX_PATH]);

#endif
