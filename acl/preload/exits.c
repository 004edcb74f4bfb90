/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of the process that run no exit handlers, beside those of system.c: what was recorded is written first. */
#include "acl/preload/preload.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Flushes and finds the system's function, once for each caller. */
#define NEXT(type, name)                                                                                               \
    static type *next;                                                                                                 \
    recording_flush();                                                                                                 \
    if (__atomic_load_n(&next, __ATOMIC_ACQUIRE) == NULL) {                                                            \
        void *found = system_function(name);                                                                           \
        __atomic_store(&next, (type **)(void *)&found, __ATOMIC_RELEASE); /* as POSIX has it */                        \
    }

typedef int daemon_function(int nochdir, int noclose);

/* The parent ends inside the C library. */
EXPORT int daemon(int nochdir, int noclose)
{
    NEXT(daemon_function, "daemon")
    return next(nochdir, noclose);
}

/* ---- exec ---- */

typedef int exec_function(const char *path, char *const argv[]);
typedef int exec_environment_function(const char *path, char *const argv[], char *const envp[]);

typedef int fexecve_function(int fd, char *const argv[], char *const envp[]);

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    NEXT(exec_environment_function, "execve")
    return next(path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
    NEXT(exec_function, "execv")
    return next(path, argv);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    NEXT(exec_function, "execvp")
    return next(file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    NEXT(exec_environment_function, "execvpe")
    return next(file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    NEXT(fexecve_function, "fexecve")
    return next(fd, argv, envp);
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const envp[], int flags)
{
    recording_flush();
    return (int)syscall(SYS_execveat, directory, path, argv, envp, flags);
}

static size_t count_arguments(va_list arguments)
{
    size_t count = 1; /* the first one is named */
    while (va_arg(arguments, char *) != NULL)
        count++;
    return count;
}

/* argv[0..count] of the arguments, the last one NULL. */
static void take_arguments(char **argv, size_t count, const char *first, va_list arguments)
{
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= count; i++)
        argv[i] = va_arg(arguments, char *);
}

/* The functions with a list are those with an array: a child of vfork() may call them, so memory comes from the stack.
 * A program may give no argument at all, which the declarations of the C library do not expect. */
#define WITH_ARGUMENTS(first, statement)                                                                               \
    va_list arguments;                                                                                                 \
    const char *volatile head = first;                                                                                 \
    va_start(arguments, first);                                                                                        \
    size_t count = head != NULL ? count_arguments(arguments) : 0;                                                      \
    va_end(arguments);                                                                                                 \
    char **argv = __builtin_alloca((count + 1) * sizeof *argv);                                                        \
    va_start(arguments, first);                                                                                        \
    if (head != NULL)                                                                                                  \
        take_arguments(argv, count, head, arguments);                                                                  \
    else                                                                                                               \
        argv[0] = NULL;                                                                                                \
    statement;                                                                                                         \
    va_end(arguments)

EXPORT int execl(const char *path, const char *first, ...)
{
    int result;
    WITH_ARGUMENTS(first, result = execv(path, argv));
    return result;
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    int result;
    WITH_ARGUMENTS(first, result = execvp(file, argv));
    return result;
}

EXPORT int execle(const char *path, const char *first, ...)
{
    int result;
    WITH_ARGUMENTS(first, result = execve(path, argv, va_arg(arguments, char **)));
    return result;
}
