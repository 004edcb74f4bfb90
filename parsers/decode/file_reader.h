/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the decoder: reads the binary files of a capture ahead of it, on a thread of its own, which also sums up
 * the checksums of long ones. Blocks that were read wait in a ring of fixed size. A small capture is read when it is
 * asked for. */
#ifndef MSPROF_PARSERS_DECODE_FILE_READER_H
#define MSPROF_PARSERS_DECODE_FILE_READER_H

#include "base/file/checksum.h"
#include "parsers/capture/capture.h"

#include <sys/types.h>

struct file_reader; /* opaque */

/* Starts to read the files that have a kind and are no text, in their order, from the one of this index on. The
 * capture's list of files and its kinds must stay as they are. chosen: NULL, or of each file whether it is wanted.
 * NULL with err set. */
struct file_reader *file_reader_new(const struct capture *capture, size_t first, const bool *chosen, struct err *err);
/* Stops reading; NULL is fine. */
void file_reader_free(struct file_reader *reader);

/* Goes to the file of this index, which must be after the last one; what is left of that one is dropped. Returns 0, an
 * errno, or -1 when it is not a regular file any more. */
int file_reader_open(struct file_reader *reader, size_t index);
/* Opens it likewise and gives its SHA-256 before anything is read of it; NULL where that is not known yet: of files of
 * READER_WHOLE bytes and more. */
const char *file_reader_peek(struct file_reader *reader, size_t index);
/* The next bytes of the open file, at most size: as read(2), but that an interrupted read goes on, and that a hole of
 * 8 GiB or more ends the file with ENODATA. */
ssize_t file_reader_read(struct file_reader *reader, void *buffer, size_t size);
/* Gives them without copying them: they stay where they are until the next call, with READER_FRONT bytes in front of
 * them that may be written, too. */
#define READER_FRONT ((size_t)8 * 1024)
ssize_t file_reader_lend(struct file_reader *reader, unsigned char **ret);
/* The checksum of the open file; its end must have been read. */
const char *file_reader_checksum(const struct file_reader *reader);

#endif
