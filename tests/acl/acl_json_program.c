/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose ACL gets an acl.json: acl_json_program cann|svp acl.json [api|crash]. With "api" it looks
 * libmsprof_acl up and tries the API's file mode between init and finalize, and prints the code. */
#include "tests/acl/fake_acl.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void try_api(void)
{
    int (*init)(const char *path, size_t length);
    void *library = dlopen(getenv("LIBMSPROF_ACL"), RTLD_NOW);
    void *symbol = library == NULL ? NULL : dlsym(library, "aclprofInit");
    *(void **)(void *)&init = symbol;
    if (init == NULL)
        exit(1);
    printf("%d\n", init("api", 3));
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const char *last = argc > 3 ? argv[3] : "";
    if (strcmp(argv[1], "svp") == 0) {
        uint32_t output;
        svp_acl_init(argv[2]);
        svp_acl_mdl_execute(4, NULL, &output);
        svp_acl_finalize();
        return 0;
    }
    aclInit(argv[2]);
    aclrtSetDevice(0);
    if (strcmp(last, "api") == 0)
        try_api();
    if (strcmp(last, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(last, "_exit") == 0)
        _Exit(0);
    aclFinalize();
    aclrtSetDevice(0);
    return 0;
}
