/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of more records than memory should hold: what does not fit waits in a temporary file that has no name. */
#ifndef MSPROF_BASE_FILE_SPOOL_H
#define MSPROF_BASE_FILE_SPOOL_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define SPOOL_RECORD_MAX 4000 /* bytes */

/* Records are ordered by major, then minor, then `ties`, then as they were added. */
struct spool_key {
    uint64_t major, minor;
};
/* Signed numbers as parts of keys, and back. */
static inline uint64_t spool_key_part(int64_t value)
{
    return (uint64_t)value ^ UINT64_C(1) << 63;
}
static inline int64_t spool_key_value(uint64_t part)
{
    return (int64_t)(part ^ UINT64_C(1) << 63);
}

struct spool_item {
    struct spool_key key;
    const void *record; /* aligned to 8; lives until the next spool_next */
    size_t size;
};

struct spool; /* opaque */

/* memory: bytes that it may take, about. ties: the order of records with equal keys; NULL: none. NULL with err set. */
struct spool *spool_new(size_t memory, int (*ties)(const void *a, const void *b), struct err *err);
void spool_free(struct spool *spool); /* NULL is fine */

/* Copies a record of at most SPOOL_RECORD_MAX bytes. -ERR_NO_MEMORY, -ERR_LIMIT, -ERR_IO. */
int spool_add(struct spool *spool, const struct spool_key *key, const void *record, size_t size, struct err *err);
/* Ends adding. */
int spool_finish(struct spool *spool, struct err *err);
/* Gives the records from the first on again. */
int spool_rewind(struct spool *spool, struct err *err);
/* The next record: 1, 0 at the end, or -code. */
int spool_next(struct spool *spool, struct spool_item *ret, struct err *err);

#endif
