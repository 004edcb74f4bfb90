/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the sample programs. They follow the samples of the pyACL guide, without the calls that need a
 * device. */
#ifndef MSPROF_TESTS_ACL_SAMPLE_H
#define MSPROF_TESTS_ACL_SAMPLE_H

#include "msprof/acl_prof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program, with the library's message, unless the call was successful. */
#define CHECK(call) sample_check((call), #call)

static inline void sample_check(aclError code, const char *call)
{
    if (code == ACL_SUCCESS)
        return;
    (void)fprintf(stderr, "%s: %d: %s\n", call, code, msprof_acl_message());
    exit(1);
}

static inline aclprofConfig *sample_start(const char *directory, uint64_t mask)
{
    uint32_t devices[] = {0};
    CHECK(aclprofInit(directory, strlen(directory)));
    aclprofConfig *config = aclprofCreateConfig(devices, 1, ACL_AICORE_PIPE_UTILIZATION, NULL, mask);
    if (config == NULL)
        sample_check(ACL_ERROR_FAILURE, "aclprofCreateConfig");
    CHECK(aclprofStart(config));
    return config;
}

static inline void sample_stop(aclprofConfig *config)
{
    CHECK(aclprofStop(config));
    CHECK(aclprofFinalize());
    CHECK(aclprofDestroyConfig(config));
}

#endif
