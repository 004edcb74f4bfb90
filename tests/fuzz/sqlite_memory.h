/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's own memory from libc, past ASan: an import's schema is thousands of small blocks, which took ASan longer
 * than all that the import does itself. Memory of ours is watched as before. */
#ifndef MSPROF_TESTS_FUZZ_SQLITE_MEMORY_H
#define MSPROF_TESTS_FUZZ_SQLITE_MEMORY_H

#include "tests/fuzz/support.h"

#include <sqlite3.h>

#ifdef __SANITIZE_ADDRESS__
#define PAST_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define PAST_ASAN 1
#endif
#endif

#ifdef PAST_ASAN
void *__libc_malloc(size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

/* In front of each block stands how long it is. */
struct sqlite_block {
    _Alignas(16) size_t size;
};

static inline void *sqlite_memory_new(int size)
{
    struct sqlite_block *block = __libc_malloc(sizeof *block + (size_t)size);
    if (block == NULL)
        return NULL;
    block->size = (size_t)size;
    return block + 1;
}

static inline void sqlite_memory_free(void *memory)
{
    if (memory != NULL)
        __libc_free((struct sqlite_block *)memory - 1);
}

static inline void *sqlite_memory_resize(void *memory, int size)
{
    struct sqlite_block *block = __libc_realloc((struct sqlite_block *)memory - 1, sizeof *block + (size_t)size);
    if (block == NULL)
        return NULL;
    block->size = (size_t)size;
    return block + 1;
}

static inline int sqlite_memory_size(void *memory)
{
    return memory != NULL ? (int)((struct sqlite_block *)memory - 1)->size : 0;
}

static inline int sqlite_memory_round(int size)
{
    return (size + 7) & ~7;
}

static inline int sqlite_memory_begin(void *arg)
{
    (void)arg;
    return SQLITE_OK;
}

static inline void sqlite_memory_end(void *arg)
{
    (void)arg;
}
#endif

/* At first use, before SQLite has begun. */
static inline void sqlite_memory_past_asan(void)
{
#ifdef PAST_ASAN
    static bool done;
    static const sqlite3_mem_methods methods = {
        sqlite_memory_new,   sqlite_memory_free,  sqlite_memory_resize, sqlite_memory_size,
        sqlite_memory_round, sqlite_memory_begin, sqlite_memory_end,    NULL};
    if (!done)
        EXPECT(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
    done = true;
#endif
}

#endif
