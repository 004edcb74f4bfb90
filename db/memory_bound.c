/* SPDX-License-Identifier: Apache-2.0 */
#include "db/memory_bound.h"

#include "base/clock.h"

#include <sqlite3.h>
#include <stddef.h>

static sqlite3_mem_methods system_memory;
static _Thread_local struct memory_bound *current;

/* Whether so many bytes more are too many. */
static bool refuses(int64_t bytes)
{
    if (current->used + bytes > current->most)
        current->exceeded = true;
    else if (current->at_ns > 0 && clock_now_ns() > current->at_ns)
        current->late = true;
    return current->exceeded || current->late;
}

static void *allocate(int size)
{
    if (current == NULL)
        return system_memory.xMalloc(size);
    void *memory = refuses(size) ? NULL : system_memory.xMalloc(size);
    if (memory != NULL)
        current->used += size;
    return memory;
}

static void *reallocate(void *memory, int size)
{
    if (current == NULL)
        return system_memory.xRealloc(memory, size);
    const int64_t more = (int64_t)size - system_memory.xSize(memory);
    void *grown = refuses(more) ? NULL : system_memory.xRealloc(memory, size);
    if (grown != NULL)
        current->used += more;
    return grown;
}

static void release(void *memory)
{
    if (current != NULL && memory != NULL)
        current->used -= system_memory.xSize(memory);
    system_memory.xFree(memory);
}

int memory_bound_setup(void)
{
    const int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory);
    sqlite3_mem_methods bounded = system_memory;
    bounded.xMalloc = allocate;
    bounded.xRealloc = reallocate;
    bounded.xFree = release;
    return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MALLOC, &bounded) : code;
}

void memory_bound_set(struct memory_bound *bound)
{
    current = bound;
}
