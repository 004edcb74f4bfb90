/* SHA-256, as sha256sum(1) prints it. */
#ifndef MSPROF_BASE_CHECKSUM_H
#define MSPROF_BASE_CHECKSUM_H

#include <stddef.h>

#define CHECKSUM_TEXT_SIZE 65

struct checksum; /* opaque */

struct checksum *checksum_new(void); /* NULL when memory ran out */
void checksum_add(struct checksum *sum, const void *bytes, size_t length);
/* Writes 64 hex digits and a NUL and starts anew. */
void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE]);
void checksum_free(struct checksum *sum);

#endif
