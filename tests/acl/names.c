/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the names that frameworks of several years use beside those of the guides: names DIRECTORY. */
#include "tests/acl/sample.h"

#define EXPECT(value, wanted)                                                                                          \
    do {                                                                                                               \
        long long got_ = (long long)(value);                                                                           \
        if (got_ != (long long)(wanted)) {                                                                             \
            fprintf(stderr, "line %d: %lld, not %lld\n", __LINE__, got_, (long long)(wanted));                         \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int before_start(const aclprofConfig *config, const char *directory)
{
    size_t size = 7;
    void *features = NULL, *taken = &size;
    EXPECT(aclprofWarmup(config), ACL_ERROR_PROF_NOT_RUN);
    EXPECT(aclprofWarmup(NULL), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofInit(directory, strlen(directory)), ACL_SUCCESS);
    EXPECT(aclprofWarmup(config), ACL_SUCCESS);
    EXPECT(aclprofGetSupportedFeatures(&size, &features), ACL_SUCCESS);
    EXPECT(size, 0);
    size = 7;
    EXPECT(aclprofGetSupportedFeaturesV2(&size, &features), ACL_SUCCESS);
    EXPECT(size, 0);
    EXPECT(features == NULL, 1);
    EXPECT(aclprofGetSupportedFeatures(NULL, &features), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofGetSupportedFeatures(&size, NULL), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofGetSupportedFeaturesV2(&size, &taken), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofRegisterDeviceCallback(), ACL_SUCCESS);
    EXPECT(aclprofSetConfig(ACL_PROF_SCALE, "MatMul", 6), ACL_SUCCESS);
    EXPECT(aclprofSetStampCategory(NULL, 1) != 0, 1);
    return 0;
}

static int with_stamps(void)
{
    double value = 2.5;
    uint32_t small = 9;
    void *stamp = aclprofCreateStamp();
    EXPECT(aclprofSetStampTraceMessage(stamp, "step", 4), ACL_SUCCESS);
    EXPECT(aclprofMark(stamp), ACL_SUCCESS);
    EXPECT(aclprofSetStampCategory(stamp, 3), ACL_SUCCESS);
    EXPECT(aclprofSetCategoryName(3, "forward"), ACL_SUCCESS);
    EXPECT(aclprofSetStampTagName(stamp, "tag", 3), ACL_SUCCESS);
    EXPECT(aclprofSetStampTagName(stamp, "tag", 2), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofSetStampCallStack(stamp, "a;b", 3), ACL_SUCCESS);
    EXPECT(aclprofSetStampCallStack(&small, "a;b", 3), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofSetStampPayload(stamp, 3, &small), ACL_SUCCESS);
    EXPECT(aclprofMark(stamp), ACL_SUCCESS);
    EXPECT(aclprofSetStampPayload(stamp, 2, &value), ACL_SUCCESS);
    EXPECT(aclprofMark(stamp), ACL_SUCCESS);
    EXPECT(aclprofSetStampPayload(stamp, 6, &value), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofSetStampPayload(stamp, -1, &value), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofSetStampPayload(stamp, 0, NULL), ACL_ERROR_INVALID_PARAM);
    EXPECT(aclprofMsproftxSwitch(false), ACL_SUCCESS);
    EXPECT(aclprofMark(stamp), ACL_SUCCESS);
    EXPECT(aclprofMsproftxSwitch(true), ACL_SUCCESS);
    EXPECT(aclprofReportStamp("tag", 3, (unsigned char *)&small, 4), ACL_ERROR_FEATURE_UNSUPPORTED);
    EXPECT(aclprofReportStamp("tag", 3, NULL, 4), ACL_ERROR_INVALID_PARAM);
    aclprofDestroyStamp(stamp);
    EXPECT(aclprofGetGraphId(NULL, 0, 0), 0);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t device = 0;
    if (argc < 2)
        return 2;
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    int status = before_start(config, argv[1]);
    if (status == 0 && aclprofStart(config) == ACL_SUCCESS && aclprofWarmup(config) == ACL_ERROR_PROF_ALREADY_RUN)
        status = with_stamps();
    if (aclprofStop(config) != ACL_SUCCESS || aclprofDestroyConfig(config) != ACL_SUCCESS)
        status = 1;
    return aclprofFinalize() != ACL_SUCCESS ? 1 : status;
}
