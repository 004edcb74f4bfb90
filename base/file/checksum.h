/* SHA-256, as sha256sum(1) prints it. */
#ifndef MSPROF_BASE_FILE_CHECKSUM_H
#define MSPROF_BASE_FILE_CHECKSUM_H

#include <stddef.h>

#define CHECKSUM_TEXT_SIZE 65

struct checksum; /* opaque */

/* Every other function takes a NULL checksum too, and then gives an empty text. */
struct checksum *checksum_new(void); /* checksum_free() it; NULL when memory ran out */
void checksum_add(struct checksum *sum, const void *bytes, size_t length);
/* Writes 64 lower-case hex digits and a NUL and starts anew; an empty text when there is no checksum to tell. */
void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE]);
void checksum_free(struct checksum *sum);

#endif
