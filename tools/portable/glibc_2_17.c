/* SPDX-License-Identifier: Apache-2.0 */
/* Lets programs built on a newer system run with glibc 2.17 (2012): 'make portable' links it into the program and the
 * libraries. Functions that glibc had then under an older version of their symbol are called by that version; for the
 * few that came later the system call, or what glibc offered instead, stands in. Everything here is hidden: no other
 * library sees it. Versions of symbols: glibc's own lists (objdump -T libc.so.6); system calls: Linux 3.10 has those
 * without a fallback below. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define OLDEST "GLIBC_2.2.5"
#define SINCE(x86_64) x86_64
#elif defined __aarch64__
#define OLDEST "GLIBC_2.17"
#define SINCE(x86_64) OLDEST
#else
#error "the oldest symbols of this machine are not listed here"
#endif

/* Weak: the preload library has functions of some of these names itself. */
#define HIDDEN __attribute__((visibility("hidden"), weak))

/* Defines name as a hidden function that calls name's older version of glibc. */
#define OLDER_AT(version, type, name, parameters, arguments)                                                           \
    extern type older_##name parameters;                                                                               \
    __asm__(".symver older_" #name "," #name "@" version);                                                             \
    HIDDEN type name parameters;                                                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return older_##name arguments;                                                                                 \
    }
#define OLDER(type, name, parameters, arguments) OLDER_AT(OLDEST, type, name, parameters, arguments)

/* --- threads and the loader: libpthread and libdl had them before glibc 2.34 --- */

OLDER(int, pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg),
      (thread, attributes, run, arg))
OLDER(int, pthread_join, (pthread_t thread, void **ret), (thread, ret))
OLDER(int, pthread_detach, (pthread_t thread), (thread))
OLDER(int, pthread_once, (pthread_once_t * once, void (*run)(void)), (once, run))
OLDER(int, pthread_key_create, (pthread_key_t * key, void (*release)(void *)), (key, release))
OLDER(int, pthread_key_delete, (pthread_key_t key), (key))
OLDER(void *, pthread_getspecific, (pthread_key_t key), (key))
OLDER(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
OLDER(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
OLDER(int, pthread_mutexattr_init, (pthread_mutexattr_t * attributes), (attributes))
OLDER_AT(SINCE("GLIBC_2.3.3"), int, pthread_condattr_setclock, (pthread_condattr_t * attributes, clockid_t clock),
         (attributes, clock))
OLDER(int, pthread_mutexattr_destroy, (pthread_mutexattr_t * attributes), (attributes))
OLDER(int, pthread_mutexattr_settype, (pthread_mutexattr_t * attributes, int type), (attributes, type))
OLDER(int, pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *attributes), (lock, attributes))
OLDER(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock), (lock))
OLDER(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
OLDER(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
OLDER(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
OLDER(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size), (attributes, size))
OLDER(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before))
OLDER_AT(SINCE("GLIBC_2.12"), int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name))
OLDER(void *, dlopen, (const char *name, int flags), (name, flags))
OLDER(int, dlclose, (void *handle), (handle))
OLDER(char *, dlerror, (void), ())
OLDER(void *, dlsym, (void *handle, const char *name), (handle, name))
OLDER(void *, dlvsym, (void *handle, const char *name, const char *version), (handle, name, version))
OLDER(int, dladdr, (const void *address, Dl_info *info), (address, info))
OLDER_AT(SINCE("GLIBC_2.3.3"), int, dladdr1, (const void *address, Dl_info *info, void **more, int flags),
         (address, info, more, flags))
OLDER_AT(SINCE("GLIBC_2.3.3"), int, dlinfo, (void *handle, int request, void *into), (handle, request, into))

/* --- files: this file is compiled without _FILE_OFFSET_BITS, so that both names of a function are seen --- */

/* The kernel's structure is glibc's on these machines, for stat and stat64 alike. */
#define STAT(name, structure)                                                                                          \
    HIDDEN int name(const char *restrict path, struct structure *restrict ret)                                         \
    {                                                                                                                  \
        return (int)syscall(SYS_newfstatat, AT_FDCWD, path, ret, 0);                                                   \
    }                                                                                                                  \
    HIDDEN int l##name(const char *restrict path, struct structure *restrict ret)                                      \
    {                                                                                                                  \
        return (int)syscall(SYS_newfstatat, AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);                                 \
    }                                                                                                                  \
    HIDDEN int f##name(int fd, struct structure *ret)                                                                  \
    {                                                                                                                  \
        return (int)syscall(SYS_fstat, fd, ret);                                                                       \
    }
STAT(stat, stat)
STAT(stat64, stat64)

HIDDEN int fstatat(int fd, const char *restrict path, struct stat *restrict ret, int flags)
{
    return (int)syscall(SYS_newfstatat, fd, path, ret, flags);
}

HIDDEN int fstatat64(int fd, const char *restrict path, struct stat64 *restrict ret, int flags)
{
    return (int)syscall(SYS_newfstatat, fd, path, ret, flags);
}

/* The third argument is an integer or a pointer: as wide as a register either way. */
HIDDEN int fcntl64(int fd, int command, ...)
{
    va_list rest;
    void *argument;

    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return fcntl(fd, command, argument);
}

HIDDEN FTS64 *fts64_open(char *const *paths, int options, int (*compare)(const FTSENT64 **, const FTSENT64 **))
{
    return (FTS64 *)fts_open(paths, options, (int (*)(const FTSENT **, const FTSENT **))compare);
}

HIDDEN FTSENT64 *fts64_read(FTS64 *tree)
{
    return (FTSENT64 *)fts_read((FTS *)tree);
}

HIDDEN int fts64_set(FTS64 *tree, FTSENT64 *entry, int instruction)
{
    return fts_set((FTS *)tree, (FTSENT *)entry, instruction);
}

HIDDEN int fts64_close(FTS64 *tree)
{
    return fts_close((FTS *)tree);
}

/* Linux 3.15; a caller falls back to rename() after ENOSYS or EINVAL. */
HIDDEN int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

/* Linux 3.17; before, no descriptor without a name in a file system. */
HIDDEN int memfd_create(const char *name, unsigned flags)
{
    char path[] = "/tmp/msprof-XXXXXX";
    int fd = (int)syscall(SYS_memfd_create, name, flags);

    if (fd >= 0 || errno != ENOSYS)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* --- random numbers and memory --- */

static ssize_t read_random(void *ret, size_t size)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t done = fd >= 0 ? read(fd, ret, size) : -1;

    if (fd >= 0)
        close(fd);
    return done;
}

/* Linux 3.17 */
HIDDEN ssize_t getrandom(void *ret, size_t size, unsigned flags)
{
    ssize_t done = syscall(SYS_getrandom, ret, size, flags);

    return done < 0 && errno == ENOSYS ? read_random(ret, size) : done;
}

HIDDEN int getentropy(void *ret, size_t size)
{
    if (size <= 256 && getrandom(ret, size, 0) == (ssize_t)size)
        return 0;
    errno = EIO;
    return -1;
}

HIDDEN void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (!__builtin_mul_overflow(count, size, &bytes))
        return realloc(old, bytes);
    errno = ENOMEM;
    return NULL;
}

HIDDEN void explicit_bzero(void *start, size_t size)
{
    memset(start, 0, size);
    __asm__ volatile("" : : "r"(start) : "memory");
}

HIDDEN void __explicit_bzero_chk(void *start, size_t size, size_t room)
{
    if (size > room)
        abort();
    explicit_bzero(start, size);
}

/* --- texts --- */

extern const char *const older_sys_errlist[];
extern const int older_sys_nerr;
__asm__(".symver older_sys_errlist,sys_errlist@" SINCE("GLIBC_2.12"));
__asm__(".symver older_sys_nerr,sys_nerr@" SINCE("GLIBC_2.12"));

HIDDEN const char *strerrordesc_np(int number)
{
    return number >= 0 && number < older_sys_nerr ? older_sys_errlist[number] : NULL;
}

HIDDEN const char *sigabbrev_np(int number)
{
    static const char *const names[] = {
        [SIGHUP] = "HUP",      [SIGINT] = "INT",   [SIGQUIT] = "QUIT",     [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
        [SIGABRT] = "ABRT",    [SIGBUS] = "BUS",   [SIGFPE] = "FPE",       [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
        [SIGSEGV] = "SEGV",    [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
        [SIGXCPU] = "XCPU",    [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGIO] = "POLL",
        [SIGPWR] = "PWR",      [SIGSYS] = "SYS",   [SIGCHLD] = "CHLD",     [SIGCONT] = "CONT", [SIGSTOP] = "STOP",
        [SIGTSTP] = "TSTP",    [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGWINCH] = "WINCH",
        [SIGSTKFLT] = "STKFLT"};

    return number > 0 && (size_t)number < sizeof names / sizeof *names ? names[number] : NULL;
}

/* --- processes --- */

/* Linux 5.3, as all three */
HIDDEN int pidfd_open(pid_t process, unsigned flags)
{
    return (int)syscall(SYS_pidfd_open, process, flags);
}

HIDDEN int pidfd_send_signal(int process, int number, siginfo_t *info, unsigned flags)
{
    return (int)syscall(SYS_pidfd_send_signal, process, number, info, flags);
}

/* Closes in the child what is open here now: glibc 2.34 has an action for all that will be. */
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first)
{
    DIR *open_now = opendir("/proc/self/fd");
    const struct dirent *entry;
    int code = open_now != NULL ? 0 : errno;

    while (open_now != NULL && code == 0 && (entry = readdir(open_now)) != NULL) {
        int fd = (int)strtol(entry->d_name, NULL, 10);

        if (fd >= first && fd != dirfd(open_now))
            code = posix_spawn_file_actions_addclose(actions, fd);
    }
    if (open_now != NULL)
        closedir(open_now);
    return code;
}

/* --- libm: later versions differ in how they tell errors, by errno --- */

#if defined PORTABLE_PROGRAM || defined PORTABLE_READ /* the others do without libm */
OLDER(double, log, (double x), (x))
OLDER(double, log2, (double x), (x))
OLDER(double, exp, (double x), (x))
OLDER(double, pow, (double x, double y), (x, y))
OLDER(double, hypot, (double x, double y), (x, y))
#endif

/* --- the program's start: glibc before 2.34 is told how to run the constructors --- */

#ifdef PORTABLE_PROGRAM
typedef void constructor(int argc, char **argv, char **environment);
/* The linker's names; hidden, or each would be a symbol of another library. */
extern constructor *const __preinit_array_start[] __attribute__((visibility("hidden")));
extern constructor *const __preinit_array_end[] __attribute__((visibility("hidden")));
extern constructor *const __init_array_start[] __attribute__((visibility("hidden")));
extern constructor *const __init_array_end[] __attribute__((visibility("hidden")));

extern int older_start(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **), void (*)(void),
                       void (*)(void), void *);
__asm__(".symver older_start,__libc_start_main@" OLDEST);

static int run_constructors(int argc, char **argv, char **environment)
{
    for (constructor *const *run = __preinit_array_start; run < __preinit_array_end; run++)
        (*run)(argc, argv, environment);
    for (constructor *const *run = __init_array_start; run < __init_array_end; run++)
        (*run)(argc, argv, environment);
    return 0;
}

HIDDEN int __libc_start_main(int (*run)(int, char **, char **), int argc, char **argv,
                             int (*init)(int, char **, char **), void (*fini)(void), void (*loader_fini)(void),
                             void *stack_end)
{
    (void)init;
    return older_start(run, argc, argv, run_constructors, fini, loader_fini, stack_end);
}

/* libssh's: later versions find links that lead nowhere, too. */
OLDER(int, glob, (const char *pattern, int flags, int (*tell)(const char *path, int errnum), glob_t *found),
      (pattern, flags, tell, found))

/* libanl's */
OLDER(int, getaddrinfo_a, (int mode, struct gaicb *requests[], int count, struct sigevent *event),
      (mode, requests, count, event))
OLDER(int, gai_suspend, (const struct gaicb *const *requests, int count, const struct timespec *limit),
      (requests, count, limit))
OLDER(int, gai_error, (struct gaicb * request), (request))
OLDER(int, gai_cancel, (struct gaicb * request), (request))

/* 'make portable SSH=libssh': Debian's libssh can log in by Kerberos, of which there is no static library: such a
 * login, which nothing here begins, fails. */
#define NO_GSSAPI(name)                                                                                                \
    HIDDEN unsigned gss_##name(void)                                                                                   \
    {                                                                                                                  \
        return 13U << 16;                                                                                              \
    }
NO_GSSAPI(accept_sec_context)
NO_GSSAPI(acquire_cred)
NO_GSSAPI(add_oid_set_member)
NO_GSSAPI(create_empty_oid_set)
NO_GSSAPI(display_name)
NO_GSSAPI(display_status)
NO_GSSAPI(get_mic)
NO_GSSAPI(import_name)
NO_GSSAPI(indicate_mechs)
NO_GSSAPI(init_sec_context)
NO_GSSAPI(inquire_cred)
NO_GSSAPI(inquire_cred_by_mech)
NO_GSSAPI(release_buffer)
NO_GSSAPI(release_cred)
NO_GSSAPI(release_name)
NO_GSSAPI(release_oid_set)
NO_GSSAPI(test_oid_set_member)
NO_GSSAPI(verify_mic)
HIDDEN void *GSS_C_NT_HOSTBASED_SERVICE;
HIDDEN void *GSS_C_NT_USER_NAME;
#endif
