/* SPDX-License-Identifier: Apache-2.0 */
/* The guide's sample of ranges that other threads may end: sample_range DIRECTORY [COUNT [STORAGE_LIMIT]]. */
#include "tests/acl/sample.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 200000;
    if (argc > 3)
        CHECK(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, argv[3], strlen(argv[3])));
    aclprofConfig *config = sample_start(argv[1], ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
    for (long i = 0; i < count; i++) {
        void *stamp = aclprofCreateStamp();
        if (stamp == NULL)
            sample_check(ACL_ERROR_FAILURE, "aclprofCreateStamp");
        const char *message = "test msprof tx";
        uint32_t range = 0;
        CHECK(aclprofSetStampTraceMessage(stamp, message, (uint32_t)strlen(message)));
        CHECK(aclprofRangeStart(stamp, &range));
        CHECK(aclprofRangeStop(range));
        aclprofDestroyStamp(stamp);
    }
    sample_stop(config);
    return 0;
}
