/* SPDX-License-Identifier: Apache-2.0 */
/* A library for LD_PRELOAD that makes one call fail: FAULT_CALL=memory|read|write|rename|sync and FAULT_AT=k, the
 * k-th of them. Without FAULT_AT it only counts; at the end the number of calls goes to the file FAULT_COUNT, if
 * given, and a line for each, with a number of the callers that it had, to the file FAULT_SITES (not of allocations).
 * FAULT_PROGRAM names one of several programs. Allocations inside libcrypto are left alone: it makes
 * thousands when it starts, and whether they work is its own matter. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call { MEMORY, READ, WRITE, RENAME, SYNC, NONE };

static enum call chosen = NONE;
static bool is_meant; /* this program */
static unsigned long fail_at;
static atomic_ulong calls;
static int sites = -1; /* FAULT_SITES */

static void *next(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    if (address == NULL)
        abort();
    return address;
}

static uintptr_t crypto_start, crypto_end;

static int find_crypto(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    if (strstr(info->dlpi_name, "/libcrypto.") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
            crypto_start = info->dlpi_addr + header->p_vaddr;
            crypto_end = crypto_start + header->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(find_crypto, NULL);
    void *volatile first = malloc(1); /* the system's free is found while nothing fails: finding it frees */
    free(first);
    static const char *const names[] = {"memory", "read", "write", "rename", "sync"};
    const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *program = getenv("FAULT_PROGRAM");
    is_meant = program == NULL || strcmp(program, program_invocation_short_name) == 0;
    for (int i = 0; call != NULL && is_meant && i < NONE; i++) {
        if (strcmp(call, names[i]) == 0)
            chosen = (enum call)i;
    }
    fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
    const char *path = chosen != NONE && chosen != MEMORY ? getenv("FAULT_SITES") : NULL;
    if (path != NULL)
        sites = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = is_meant ? getenv("FAULT_COUNT") : NULL;
    char text[32];
    chosen = NONE;
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
        if (write(fd, text, (size_t)length) != length)
            abort();
        close(fd);
    }
}

/* Tells who made a call: what it calls itself is no call of the program's. */
static void tell_site(unsigned long number)
{
    void *callers[32];
    const int count = backtrace(callers, sizeof callers / sizeof *callers);
    uint64_t hash = 0;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)callers[i]) * UINT64_C(0x9e3779b97f4a7c15);
    char text[64];
    const int length = snprintf(text, sizeof text, "%lu %llx\n", number, (unsigned long long)hash);
    if (syscall(SYS_write, sites, text, (size_t)length) != length)
        abort();
}

static bool fails(enum call call)
{
    static _Thread_local bool telling;
    if (call != chosen || telling)
        return false;
    const unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    if (sites >= 0) {
        telling = true;
        tell_site(number);
        telling = false;
    }
    return number == fail_at;
}

#define REAL(type, name, ...)                                                                                          \
    static type (*real)(__VA_ARGS__);                                                                                  \
    if (real == NULL)                                                                                                  \
        *(void **)&real = next(name);

#ifndef WITHOUT_MEMORY /* a sanitizer has its own malloc, which bears no other before it */

/* dlsym may allocate before it has told where malloc is. */
static char early[65536];
static size_t early_used;

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static bool memory_fails(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    if ((address >= crypto_start && address < crypto_end) || !fails(MEMORY))
        return false;
    errno = ENOMEM;
    return true;
}

static void *allocate(size_t size)
{
    static bool resolving;
    static void *(*real)(size_t);
    if (real != NULL)
        return real(size);
    if (resolving) {
        size_t used = (size + 15) & ~(size_t)15;
        if (sizeof early - early_used < used)
            abort();
        early_used += used;
        return early + early_used - used;
    }
    resolving = true;
    *(void **)&real = next("malloc");
    resolving = false;
    return real(size);
}

static void *reallocate(void *old, size_t size)
{
    if (is_early(old)) {
        size_t most = (size_t)(early + sizeof early - (char *)old);
        void *p = allocate(size);
        return p != NULL ? memcpy(p, old, size < most ? size : most) : NULL;
    }
    REAL(void *, "realloc", void *, size_t)
    return real(old, size);
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return memory_fails(CALLER) ? NULL : allocate(size);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || memory_fails(CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = allocate(bytes);
    return p != NULL ? memset(p, 0, bytes) : NULL;
}

void *realloc(void *old, size_t size)
{
    return memory_fails(CALLER) ? NULL : reallocate(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || memory_fails(CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (memory_fails(CALLER))
        return NULL;
    REAL(void *, "aligned_alloc", size_t, size_t)
    return real(alignment, size);
}

void free(void *p)
{
    if (p == NULL || is_early(p))
        return;
    REAL(void, "free", void *)
    real(p);
}

#endif

ssize_t read(int fd, void *buffer, size_t size)
{
    REAL(ssize_t, "read", int, void *, size_t)
    if (fails(READ)) {
        errno = EIO;
        return -1;
    }
    return real(fd, buffer, size);
}

ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t)
    if (fails(READ)) {
        errno = EIO;
        return -1;
    }
    return real(fd, buffer, size, offset);
}

/* Names of the two above where the compiler checks the buffer's size. */
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t buffer_size);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t buffer_size);

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t buffer_size)
{
    if (size > buffer_size)
        abort();
    return read(fd, buffer, size);
}

ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t buffer_size)
{
    if (size > buffer_size)
        abort();
    return pread64(fd, buffer, size, offset);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t)
    if (fd > STDERR_FILENO && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return real(fd, buffer, size);
}

ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)
    if (fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return real(fd, buffer, size, offset);
}

/* Calls with which the SSH libraries read and writes. */
ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
    REAL(ssize_t, "recv", int, void *, size_t, int)
    if (fails(READ)) {
        errno = ECONNRESET;
        return -1;
    }
    return real(fd, buffer, size, flags);
}

ssize_t send(int fd, const void *buffer, size_t size, int flags)
{
    REAL(ssize_t, "send", int, const void *, size_t, int)
    if (fails(WRITE)) {
        errno = ECONNRESET;
        return -1;
    }
    return real(fd, buffer, size, flags);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *)
    if (fails(RENAME)) {
        errno = EIO;
        return -1;
    }
    return real(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    REAL(int, "renameat", int, const char *, int, const char *)
    if (fails(RENAME)) {
        errno = EIO;
        return -1;
    }
    return real(from_directory, from, to_directory, to);
}

int fsync(int fd)
{
    REAL(int, "fsync", int)
    if (fails(SYNC)) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}

int syncfs(int fd)
{
    REAL(int, "syncfs", int)
    if (fails(SYNC)) {
        errno = EIO;
        return -1;
    }
    return real(fd);
}
