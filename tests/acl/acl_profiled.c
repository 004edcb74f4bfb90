/* SPDX-License-Identifier: Apache-2.0 */
/* A program that profiles itself with libmsprof_acl and uses ACL: acl_profiled DIRECTORY. Two calls before the
 * collection, three in it, four after it. */
#include "msprof/acl_prof.h"
#include "tests/acl/fake_acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "acl_profiled: %s: %d\n", what, code);
    exit(70);
}

static void call(int count)
{
    for (int i = 0; i < count; i++)
        aclrtSetDevice(i);
}

int main(int argc, char **argv)
{
    uint32_t device = 0;
    const char *directory = argc > 1 ? argv[1] : ".";
    call(2);
    check(aclprofInit(directory, strlen(directory)), "aclprofInit");
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API);
    check(config == NULL, "aclprofCreateConfig");
    check(aclprofStart(config), "aclprofStart");
    call(3);
    check(aclprofStop(config), "aclprofStop");
    call(4);
    check(aclprofDestroyConfig(config), "aclprofDestroyConfig");
    check(aclprofFinalize(), "aclprofFinalize");
    return 0;
}
