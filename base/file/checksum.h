/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of files as sha256sum(1), md5sum(1) and cksum(1) print them. */
#ifndef MSPROF_BASE_FILE_CHECKSUM_H
#define MSPROF_BASE_FILE_CHECKSUM_H

#include "base/library.h"

#include <stddef.h>

#define CHECKSUM_TEXT_SIZE 65

enum checksum_kind {
    CHECKSUM_SHA256, /* 64 hex digits */
    CHECKSUM_MD5,    /* 32 */
    CHECKSUM_CKSUM,  /* the CRC of POSIX, decimal */
};

struct checksum; /* opaque */

/* Every other function takes a NULL checksum too, and then gives an empty text. */
struct checksum *checksum_new(void); /* SHA-256; checksum_free() it; NULL when memory ran out */
struct checksum *checksum_new_kind(enum checksum_kind kind);
void checksum_add(struct checksum *sum, const void *bytes, size_t length);
/* Writes its text in lower case (SHA-256: 64 hex digits) and starts anew; an empty text when there is no checksum to
 * tell. */
void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE]);
void checksum_free(struct checksum *sum);
/* SHA-256 of a text, likewise. */
void checksum_of(const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE]);

/* Version of the library below. */
struct library_version checksum_library(void);

#endif
