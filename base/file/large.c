/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/large.h"

#include "base/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One that stands in a file. */
struct mapping {
    struct mapping *next;
    void *bytes;
    size_t size;
    int file;
};

/* All of the process: few, because they are large. */
static struct mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Where the mapping of these bytes hangs; the caller holds the lock. */
static struct mapping **find(const void *bytes)
{
    struct mapping **at = &mappings;
    while (*at != NULL && (*at)->bytes != bytes)
        at = &(*at)->next;
    return at;
}

/* Room that is there: without it a full disk would end the process when a page is touched. */
static bool make_room(int file, size_t size)
{
    int failure;
    do
        failure = posix_fallocate(file, 0, (off_t)size);
    while (failure == EINTR);
    return failure == 0;
}

/* NULL: no file can be made, or mapped. */
static void *map_new(size_t size)
{
    struct err ignored = ERR_INIT; /* memory is taken then */
    struct mapping *mapping = malloc(sizeof *mapping);
    int file = mapping != NULL ? temporary_open_unnamed(&ignored) : -1;
    void *bytes =
        file >= 0 && make_room(file, size) ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED) {
        if (file >= 0)
            close(file);
        free(mapping);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    *mapping = (struct mapping){mappings, bytes, size, file};
    mappings = mapping;
    pthread_mutex_unlock(&lock);
    return bytes;
}

/* Whether the bytes are mapped; *ret is then where they are with the new size, or NULL. */
static bool map_larger(void *bytes, size_t size, void **ret)
{
    pthread_mutex_lock(&lock);
    struct mapping *mapping = *find(bytes);
    *ret = NULL;
    if (mapping != NULL && make_room(mapping->file, size)) {
        void *moved = mremap(bytes, mapping->size, size, MREMAP_MAYMOVE);
        if (moved != MAP_FAILED) {
            mapping->bytes = *ret = moved;
            mapping->size = size;
        }
    }
    pthread_mutex_unlock(&lock);
    return mapping != NULL;
}

/* From memory to a file, or larger in either. NULL: there is no room. */
static void *larger(void *old, size_t used, size_t size)
{
    void *bytes;
    if (old != NULL && map_larger(old, size, &bytes))
        return bytes;
    bytes = size >= LARGE_LEAST ? map_new(size) : NULL;
    if (bytes == NULL)
        return realloc(old, size);
    if (old != NULL && used > 0)
        memcpy(bytes, old, used);
    free(old);
    return bytes;
}

int large_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size, struct err *err)
{
    enum { FIRST_ITEMS = 16 };
    void *old, *bytes = NULL;
    size_t wanted = *capacity > FIRST_ITEMS / 2 ? *capacity : FIRST_ITEMS / 2;
    memcpy(&old, items, sizeof old); /* through its bytes: it is a pointer to another type */
    if (extra <= SIZE_MAX / 4 / item_size - count && wanted <= SIZE_MAX / 4 / item_size) {
        /* Mappings grow without a copy. */
        const size_t grown = wanted * item_size < LARGE_LEAST ? wanted * 2 : wanted + wanted / 4;
        wanted = grown > count + extra ? grown : count + extra;
        bytes = larger(old, count * item_size, wanted * item_size);
    }
    if (bytes == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu items of %zu bytes", count, item_size);
    memcpy(items, &bytes, sizeof bytes);
    *capacity = wanted;
    return 0;
}

void *large_new(size_t count, size_t item_size, struct err *err)
{
    size_t size;
    void *bytes = NULL;
    if (!__builtin_mul_overflow(count > 0 ? count : 1, item_size, &size)) {
        bytes = size >= LARGE_LEAST ? map_new(size) : NULL;
        bytes = bytes != NULL ? bytes : calloc(1, size);
    }
    if (bytes == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu items of %zu bytes", count, item_size);
    return bytes;
}

void large_free(void *items)
{
    if (items == NULL)
        return;
    pthread_mutex_lock(&lock);
    struct mapping **at = find(items), *mapping = *at;
    if (mapping != NULL)
        *at = mapping->next;
    pthread_mutex_unlock(&lock);
    if (mapping == NULL) {
        free(items);
        return;
    }
    munmap(mapping->bytes, mapping->size);
    close(mapping->file);
    free(mapping);
}

static size_t count_sorted(const char *items, size_t count, size_t item_size,
                           int (*order)(const void *a, const void *b))
{
    size_t sorted = 1;
    while (sorted < count && order(items + (sorted - 1) * item_size, items + sorted * item_size) <= 0)
        large_pass(sorted++);
    return sorted;
}

/* Merges the items up to `middle` with those behind, both of which are sorted. Those that stand right already are left
 * where they are: of items nearly in order that is most. */
static int merge(char *items, size_t middle, size_t end, size_t item_size, int (*order)(const void *a, const void *b),
                 struct err *err)
{
    const char *right = items + middle * item_size;
    size_t first = 0, last = middle;
    while (first < last) { /* the first one that is behind one of the others */
        const size_t at = first + (last - first) / 2;
        if (order(items + at * item_size, right) <= 0)
            first = at + 1;
        else
            last = at;
    }
    const size_t count = middle - first;
    char *left = count > 0 ? large_new(count, item_size, err) : NULL;
    if (left == NULL)
        return count > 0 ? err_status(err) : 0;
    memcpy(left, items + first * item_size, count * item_size);
    for (size_t taken = 0, next = middle, to = first; taken < count; to++) {
        const bool is_left = next == end || order(left + taken * item_size, items + next * item_size) <= 0;
        large_pass(to);
        memcpy(items + to * item_size, is_left ? left + taken++ * item_size : items + next++ * item_size, item_size);
    }
    large_free(left);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): large_free() frees what is no mapping
    return 0;
}

void large_sort(void *items, size_t count, size_t item_size, int (*order)(const void *a, const void *b))
{
    struct err ignored = ERR_INIT; /* sorted in memory then */
    size_t run = LARGE_LEAST / item_size;
    bool failed = false;
    if (count < 2 || count_sorted(items, count, item_size, order) == count)
        return;
    for (size_t i = 0; i < count; i += run) {
        qsort((char *)items + i * item_size, count - i < run ? count - i : run, item_size, order);
        large_passed(run);
    }
    for (; !failed && run < count; run *= 2)
        for (size_t i = 0; !failed && i + run < count; i += 2 * run)
            failed = merge((char *)items + i * item_size, run, count - i < 2 * run ? count - i : 2 * run, item_size,
                           order, &ignored) < 0;
    if (failed)
        qsort(items, count, item_size, order);
}

static void forget_above(size_t kept)
{
    size_t mapped = 0;
    pthread_mutex_lock(&lock);
    for (const struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next)
        mapped += mapping->size;
    for (const struct mapping *mapping = mappings; mapped > kept && mapping != NULL; mapping = mapping->next)
        madvise(mapping->bytes, mapping->size, MADV_DONTNEED); /* no matter if it fails */
    pthread_mutex_unlock(&lock);
}

void large_forget(void)
{
    forget_above(LARGE_KEPT);
}

void large_put_away(void)
{
    forget_above(0);
}

void large_passed(size_t items)
{
    static atomic_size_t passed;
    if (atomic_fetch_add(&passed, items) + items < LARGE_ITEMS_AT_ONCE)
        return;
    atomic_store(&passed, 0);
    large_forget();
}
