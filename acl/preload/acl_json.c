/* SPDX-License-Identifier: Apache-2.0 */
/* acl.json: what the program gives to aclInit may ask for a capture (docs/formats/acl-api.md B7). Reading it is the
 * affair of libmsprof_acl, which is loaded for that, because a JSON reader has no place in every program; only files
 * that mention a profiler at all are worth it. */
#include "acl/call_target.h"
#include "acl/preload/preload.h"
#include "base/file/fsutil.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)1024 * 1024)
#define LIBRARY "libmsprof_acl.so.1"

enum { NOT_THERE = -2 };
static int32_t init_index = NOT_THERE;
static int32_t svp_init_index = NOT_THERE;
static int32_t finalize_index = NOT_THERE;
static int32_t svp_finalize_index = NOT_THERE;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct call_target *loaded; /* libmsprof_acl, loaded here and not by the program */
static atomic_bool runs;

void acl_json_prepare(void)
{
    init_index = functions_find("aclInit");
    svp_init_index = functions_find("svp_acl_init");
    finalize_index = functions_find("aclFinalize");
    svp_finalize_index = functions_find("svp_acl_finalize");
}

void acl_json_in_forked_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

bool acl_json_runs(void)
{
    return atomic_load_explicit(&runs, memory_order_relaxed);
}

static void tell(const char *what, const char *why)
{
    char line[1200];
    int length = snprintf(line, sizeof line, "msprof: acl.json is ignored: %s%s\n", what, why);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    ssize_t ignored = write(STDERR_FILENO, line, size);
    (void)ignored;
}

/* Whether a file holds the word; of one that is too long, which libmsprof_acl refuses, whether its beginning does. */
static bool mentions_profiler(const char *path)
{
    static const char word[] = "profiler";
    size_t length = 0;
    ssize_t n = 0;
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    SCOPED_FREE char *text = fd < 0 ? NULL : scoped_memory(FILE_LIMIT, 1);
    while (text != NULL && length < FILE_LIMIT && (n = read(fd, text + length, FILE_LIMIT - length)) > 0)
        length += (size_t)n;
    return text != NULL && memmem(text, length, word, sizeof word - 1) != NULL;
}

/* In the directory of this library (a build) or the one above (an installation), else where the system looks. */
static void *open_library(void)
{
    static const char *const places[] = {"/", "/../"};
    Dl_info info;
    char path[PATH_MAX];
    void *handle = NULL;
    const char *slash = NULL;
    if (dladdr(&loaded, &info) != 0 && info.dli_fname != NULL)
        slash = strrchr(info.dli_fname, '/');
    for (size_t i = 0; slash != NULL && handle == NULL && i < sizeof places / sizeof places[0]; i++) {
        int length =
            snprintf(path, sizeof path, "%.*s%s%s", (int)(slash - info.dli_fname), info.dli_fname, places[i], LIBRARY);
        if (length > 0 && (size_t)length < sizeof path)
            handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle != NULL ? handle : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

/* The program's libmsprof_acl, else one that is loaded now and stays: it announces itself to system.c. */
static const struct call_target *find_target(void)
{
    const struct call_target *target = call_target();
    if (target != NULL || loaded != NULL)
        return target != NULL ? target : loaded;
    if (open_library() == NULL) {
        const char *why = dlerror();
        tell("cannot load " LIBRARY ": ", why == NULL ? "" : why);
        return NULL;
    }
    loaded = call_target();
    if (loaded == NULL)
        tell(LIBRARY, " is of another version");
    return loaded;
}

void *acl_json_profiling_function(const char *name)
{
    void *library = open_library();
    void *found = library != NULL ? preload_system_dlsym(library, name) : NULL;
    if (found != NULL)
        dlerror(); /* of lookups before this one */
    return found;
}

/* One of the two functions may call the other: the capture of the outer one is running then. */
static void begin(const char *path, bool svp)
{
    const struct call_target *target = acl_json_runs() ? NULL : find_target();
    if (target == NULL)
        return;
    int result = target->json_begin(path, svp, svp ? "svp_acl_init" : "aclInit");
    if (result < 0)
        tell(target->message(), "");
    if (result == 1)
        atomic_store(&runs, true);
    /* what the file begins goes there; otherwise only a program that brings the library decides */
    if (target == loaded)
        call_target_set(acl_json_runs() ? loaded : NULL);
}

void acl_json_before(uint32_t index, const char *argument)
{
    if ((int32_t)index != init_index && (int32_t)index != svp_init_index)
        return;
    int saved_errno = errno;
    if (argument != NULL && *argument != '\0' && mentions_profiler(argument)) {
        pthread_mutex_lock(&lock);
        begin(argument, (int32_t)index == svp_init_index);
        pthread_mutex_unlock(&lock);
    }
    errno = saved_errno;
}

void acl_json_after(uint32_t index)
{
    if (((int32_t)index != finalize_index && (int32_t)index != svp_finalize_index) || !acl_json_runs())
        return;
    int saved_errno = errno;
    pthread_mutex_lock(&lock);
    const struct call_target *target = call_target();
    if (target != NULL)
        target->json_end();
    atomic_store(&runs, false);
    if (target == loaded)
        call_target_set(NULL);
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
}
