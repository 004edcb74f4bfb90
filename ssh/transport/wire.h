/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as SSH's messages and keys hold them (RFC 4251): four bytes of length, the highest first, and the bytes. */
#ifndef MSPROF_SSH_TRANSPORT_WIRE_H
#define MSPROF_SSH_TRANSPORT_WIRE_H

#include "base/bytes.h"

#include <ctype.h>
#include <string.h>

/* Reads the text at *at, and steps over it; false when it is not all inside. */
static inline bool wire_read_text(const struct bytes *message, size_t *at, struct bytes *ret)
{
    uint64_t length;

    if (!bytes_read(message, *at, 4, true, &length) || length > message->length - *at - 4)
        return false;
    *ret = (struct bytes){message->data + *at + 4, (size_t)length};
    *at += 4 + (size_t)length;
    return true;
}

/* Whether the bytes are this text. */
static inline bool wire_is(const struct bytes *bytes, const char *text)
{
    return bytes->length == strlen(text) && memcmp(bytes->data, text, bytes->length) == 0;
}

/* "ssh-ed25519", as the form of a key begins; "" when that is malformed, or size bytes are too few. */
static inline void wire_key_type(const struct bytes *key, char *ret, size_t size)
{
    struct bytes type;
    size_t at = 0;

    ret[0] = '\0';
    if (!wire_read_text(key, &at, &type) || type.length >= size)
        return;
    for (size_t i = 0; i < type.length; i++)
        if (!isgraph(type.data[i]))
            return;
    memcpy(ret, type.data, type.length);
    ret[type.length] = '\0';
}

#endif
