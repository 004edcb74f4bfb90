/* SPDX-License-Identifier: Apache-2.0 */
/* The guide's first sample: a capture in files, and another one in the same process with other settings. */
#include "tests/acl/sample.h"

static void capture(const char *directory, uint64_t mask, int destroy_first)
{
    uint32_t devices[] = {0};
    CHECK(aclprofInit(directory, strlen(directory)));
    aclprofConfig *config = aclprofCreateConfig(devices, 1, ACL_AICORE_ARITHMETIC_UTILIZATION, NULL, mask);
    CHECK(aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "15", 2));
    CHECK(aclprofStart(config));
    /* here the model would be loaded and executed */
    CHECK(aclprofStop(config));
    if (destroy_first)
        CHECK(aclprofDestroyConfig(config));
    CHECK(aclprofFinalize());
    if (!destroy_first)
        CHECK(aclprofDestroyConfig(config));
    char path[4096];
    (void)msprof_acl_capture_path(path, sizeof path);
    puts(path);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    capture(argv[1], ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS, 1);
    capture(argv[1], ACL_PROF_ACL_API, 0);
    return 0;
}
