/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for ACL's library: functions with names of ACL, and signatures that try every way of handing arguments
 * and results over. The arguments of each are checked, so a wrapper that loses something is noticed. */
#ifndef MSPROF_TESTS_ACL_FAKE_ACL_H
#define MSPROF_TESTS_ACL_FAKE_ACL_H

#include <stddef.h>
#include <stdint.h>

struct fake_pair {
    int64_t first;
    double second;
};

struct fake_doubles {
    double first, second;
};

struct fake_large {
    int64_t values[6];
};

int aclInit(const char *config);
int aclFinalize(void);
int aclrtSetDevice(int32_t device);
int aclrtMalloc(void **memory, size_t size, int policy);
int aclrtFree(void *memory);
int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind);
/* Further arguments than there are registers. */
int aclrtMemcpy2dAsync(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       int kind, void *stream);
int aclrtSynchronizeStream(void *stream);
int aclmdlLoadFromFile(const char *path, uint32_t *model);
/* Calls aclrtMemcpy and aclrtSynchronizeStream through the linker, as a library does whose functions use each other. */
int aclmdlExecute(uint32_t model, const void *input, void *output);
float aclFloat16ToFloat(uint16_t value);
uint16_t aclFloatToFloat16(float value);
/* Variable arguments: the sum of count doubles and of as many int64_t, alternating. */
double aclAppLog(int count, ...);
struct fake_pair aclopSetAttrFloat(struct fake_pair pair, float factor);
struct fake_doubles aclopSetAttrListFloat(struct fake_doubles pair, double factor);
struct fake_large aclopExecuteV2(struct fake_large large, int64_t factor, struct fake_large more);
long double aclopCompileAndExecute(long double value, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                                   int64_t g, int64_t h);
double aclrtEventElapsedTime(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                             int64_t j);
/* Calls back, twice nested. */
int aclrtLaunchCallback(int (*function)(void *arg), void *arg);
/* Sets errno and leaves it. */
int aclrtGetLastError(int value);

int svp_acl_init(const char *config);
int svp_acl_finalize(void);
int svp_acl_mdl_execute(uint32_t model, const void *input, void *output);

#endif
