/* SPDX-License-Identifier: Apache-2.0 */
/* The guide's sample of push and pop, in a loop: sample_push_pop DIRECTORY [COUNT [MASK]]. */
#include "tests/acl/sample.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 200000;
    uint64_t mask = argc > 3 ? strtoull(argv[3], NULL, 0) : ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX;
    aclprofConfig *config = sample_start(argv[1], mask);
    for (long i = 0; i < count; i++) {
        void *stamp = aclprofCreateStamp();
        if (stamp == NULL)
            sample_check(ACL_ERROR_FAILURE, "aclprofCreateStamp");
        const char *message = "test msprof tx";
        CHECK(aclprofSetStampTraceMessage(stamp, message, (uint32_t)strlen(message)));
        CHECK(aclprofPush(stamp));
        CHECK(aclprofPop());
        aclprofDestroyStamp(stamp);
    }
    sample_stop(config);
    return 0;
}
