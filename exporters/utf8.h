/* Strict UTF-8 decoding: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#ifndef MSPROF_EXPORTERS_UTF8_H
#define MSPROF_EXPORTERS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at text (length > 0 bytes are there) into *ret; returns its bytes, 1 to 4, or 0 with *ret
 * untouched when the bytes are no valid character. The caller then skips one byte. */
size_t utf8_decode(const char *text, size_t length, uint32_t *ret);

#endif
