/* SPDX-License-Identifier: Apache-2.0 */
/* The guide's sample of marks. */
#include "tests/acl/sample.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    aclprofConfig *config = sample_start(argv[1], ACL_PROF_ACL_API | ACL_PROF_MSPROFTX);
    void *stamp = aclprofCreateStamp();
    if (stamp == NULL)
        sample_check(ACL_ERROR_FAILURE, "aclprofCreateStamp");
    const char *message = "model_load_mark";
    CHECK(aclprofSetStampTraceMessage(stamp, message, (uint32_t)strlen(message)));
    CHECK(aclprofMark(stamp));
    aclprofDestroyStamp(stamp);
    int stream; /* any address: there is no device that looks at it */
    message = "model_execute_mark";
    CHECK(aclprofMarkEx(message, strlen(message), &stream));
    sample_stop(config);
    return 0;
}
