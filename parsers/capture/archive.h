/* SPDX-License-Identifier: Apache-2.0 */
/* Captures in archives: .tar, .tar.gz, .tgz and .zip, as they are sent around. What an archive holds is not trusted:
 * names and links that lead out of it are errors, links are never made, and its size is bounded. libarchive is loaded
 * with the first archive, so that other runs do not load it and the libraries that it needs.
 *
 *     struct archive_content content;
 *     if (archive_unpack("run.tar.gz", directory, &archive_limits_default, &content, err) < 0) ... */
#ifndef MSPROF_PARSERS_CAPTURE_ARCHIVE_H
#define MSPROF_PARSERS_CAPTURE_ARCHIVE_H

#include "base/err.h"
#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_limits {
    uint64_t bytes; /* of all files together */
    uint64_t files;
    uint64_t ratio;      /* the most bytes of files for each byte of the archive, */
    uint64_t free_bytes; /* once there are more than these */
};
/* 64 GiB, a million files, 200 bytes for each beyond 64 MiB. */
extern const struct archive_limits archive_limits_default;

struct archive_content {
    uint64_t bytes, files;
    uint64_t left_out;   /* symbolic links, devices, pipes */
    char first_left[96]; /* the start of the name of the first */
};

/* Whether a file is called like an archive that can be read; *ret_stem (NULL: not wanted): how long its path is without
 * the ending. */
bool archive_has_name(const char *path, size_t *ret_stem);

/* Writes the directories and files of an archive into a directory, which exists and is nobody else's, one after the
 * other as they are read. Times of files are kept, so that the same archive gives the same capture. Ends early when a
 * signal asks to stop. */
int archive_unpack(const char *path, const char *directory, const struct archive_limits *limits,
                   struct archive_content *ret, struct err *err);

/* Whether libarchive is there, and which one. */
bool archive_library(struct library_version *ret);

#endif
