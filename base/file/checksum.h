/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of files as sha256sum(1), md5sum(1), cksum(1) and xxh128sum(1) print them. */
#ifndef MSPROF_BASE_FILE_CHECKSUM_H
#define MSPROF_BASE_FILE_CHECKSUM_H

#include "base/library.h"

#include <stddef.h>

#define CHECKSUM_TEXT_SIZE 65

enum checksum_kind {
    CHECKSUM_SHA256, /* 64 hex digits */
    CHECKSUM_MD5,    /* 32 */
    CHECKSUM_CKSUM,  /* the CRC of POSIX, decimal */
    /* XXH3, 32 hex digits: notices that bytes changed, in a tenth of SHA-256's time. Whoever makes the bytes can make
     * others of the same sum, so files of equal sums are equal only when their bytes are. */
    CHECKSUM_XXH128,
};

struct checksum; /* opaque */

/* Every other function takes a NULL checksum too, and then gives an empty text. */
struct checksum *checksum_new(void); /* SHA-256; checksum_free() it; NULL when memory ran out */
struct checksum *checksum_new_kind(enum checksum_kind kind);
void checksum_add(struct checksum *sum, const void *bytes, size_t length);
/* Writes its text in lower case and starts anew; an empty text when there is no checksum. */
void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE]);
void checksum_free(struct checksum *sum);
/* Those of a text, likewise: SHA-256, and any. */
void checksum_of(const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE]);
void checksum_of_kind(enum checksum_kind kind, const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE]);

/* Versions of the libraries below: OpenSSL and xxHash. */
struct library_version checksum_library(void);
struct library_version checksum_xxhash_library(void);

#endif
