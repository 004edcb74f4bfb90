/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a long file past the page cache (O_DIRECT), some pieces at a time: a disk is faster with more than one to do,
 * and who makes the pieces does not wait for it. */
#ifndef MSPROF_BASE_FILE_DIRECT_H
#define MSPROF_BASE_FILE_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct direct; /* opaque */

/* For a file that is open for writing and not used by others meanwhile; pieces are made of `capacity` bytes. NULL: the
 * file system does not do that, or there is no memory or thread for it; nothing has changed then. */
struct direct *direct_new(int fd, size_t block, size_t capacity);

/* Takes a buffer with `length` bytes, whole blocks, for the file from `at` on, and gives another one; waits until one
 * is free. *ret_failure: an errno of what was written so far, or 0. */
char *direct_give(struct direct *direct, char *buffer, size_t length, uint64_t at, int *ret_failure);

/* Bytes a microsecond so far; 0: not known yet. */
uint64_t direct_speed(struct direct *direct, uint64_t least_bytes);

/* Waits for all pieces and lets the file be written as usual, from `at` on, where it ends. Frees it; 0 or an errno. */
int direct_end(struct direct *direct, uint64_t at);

#endif
