/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is not linked with ACL and loads it, or what is linked with it: acl_loader MODE [LIBRARY]. */
#include "tests/acl/fake_acl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma weak aclFinalize

static void fail(const char *what)
{
    fprintf(stderr, "acl_loader: %s\n", what);
    exit(70);
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail(#condition);                                                                                          \
    } while (0)

static void *load(const char *library, int flags)
{
    void *handle = dlopen(library, RTLD_NOW | flags);
    if (handle == NULL)
        fail(dlerror());
    return handle;
}

static void call(void *symbol, int value)
{
    int (*set_device)(int32_t);
    *(void **)(void *)&set_device = symbol;
    CHECK(set_device != NULL && set_device(value) == value);
}

/* Looks up names: those that are not there are not found, and those that are there work. */
static void look_up(const char *library)
{
    void *everything = dlopen(NULL, RTLD_NOW);
    CHECK(dlsym(RTLD_DEFAULT, "aclrtSetDevice") == NULL && dlerror() != NULL);
    CHECK(dlsym(everything, "aclrtSetDevice") == NULL);
    void *handle = load(library, RTLD_LOCAL);
    call(dlsym(handle, "aclrtSetDevice"), 12);
    CHECK(dlsym(handle, "aclrtSetDevice") == dlsym(handle, "aclrtSetDevice"));
    CHECK(dlsym(handle, "aclrtResetDevice") == NULL && dlerror() != NULL);
    CHECK(dlsym(handle, "no_such_function") == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "aclrtSetDevice") == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "malloc") != NULL && dlsym(RTLD_NEXT, "malloc") != NULL);
    load(library, RTLD_GLOBAL);
    call(dlsym(RTLD_DEFAULT, "aclrtSetDevice"), 13);
    call(dlsym(everything, "aclrtSetDevice"), 14);
    dlclose(handle);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *library = argc > 2 ? argv[2] : "";
    if (strcmp(mode, "dlsym") == 0) {
        look_up(library);
    } else if (strcmp(mode, "plugin") == 0) {
        call(dlsym(load(library, RTLD_LOCAL), "plugin_set_device"), 15);
    } else if (strcmp(mode, "missing") == 0) {
        printf("%s\n", aclFinalize == NULL ? "absent" : "present");
        fflush(stdout);
        if (aclFinalize != NULL)
            aclFinalize();
    } else {
        fail("unknown mode");
    }
    return 0;
}
