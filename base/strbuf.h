/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte string with a mandatory maximum. data is never NULL and always NUL-terminated after init. */
#ifndef MSPROF_BASE_STRBUF_H
#define MSPROF_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *data;
    size_t length;
    size_t capacity; /* 0: nothing allocated */
    size_t maximum;
    bool failed; /* an append did not fit or memory ran out; the content is what was there before */
};

/* maximum: bytes, without the final NUL. Allocates nothing. */
void strbuf_init(struct strbuf *buf, size_t maximum);
void strbuf_release(struct strbuf *buf);
void strbuf_clear(struct strbuf *buf); /* empty again, memory kept, failed reset */

/* Truncates to `length` bytes; no effect if already shorter. */
void strbuf_cut(struct strbuf *buf, size_t length);

/* Each returns 0, or -1 with buf->failed set and the content unchanged. */
int strbuf_add(struct strbuf *buf, const void *bytes, size_t length);
int strbuf_adds(struct strbuf *buf, const char *text);
int strbuf_addc(struct strbuf *buf, char c);
int strbuf_add_integer(struct strbuf *buf, int64_t value);
int strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Where text lost a part, buf has lost one too. */
int strbuf_add_built(struct strbuf *buf, const struct strbuf *text);

/* Room for length bytes behind the content, of which strbuf_advance says how many were written; NULL as above. */
char *strbuf_reserve(struct strbuf *buf, size_t length);
void strbuf_advance(struct strbuf *buf, size_t length);

/* Gives the string to the caller (free() it) and empties buf; NULL when memory ran out or an append failed: what lost a
 * part is never handed on as whole. buf is empty afterwards in any case. */
char *strbuf_detach(struct strbuf *buf);

#endif
