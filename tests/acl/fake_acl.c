/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/acl/fake_acl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int aclInit(const char *config)
{
    return config == NULL ? 0 : (int)strlen(config);
}

int aclFinalize(void)
{
    return 0;
}

int aclrtSetDevice(int32_t device)
{
    return device;
}

int aclrtMalloc(void **memory, size_t size, int policy)
{
    (void)policy;
    *memory = malloc(size);
    return *memory != NULL ? 0 : 1;
}

int aclrtFree(void *memory)
{
    free(memory);
    return 0;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind)
{
    (void)kind;
    if (size > room)
        return 100000;
    if (size > 0)
        memcpy(to, from, size);
    return 0;
}

int aclrtMemcpy2dAsync(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       int kind, void *stream)
{
    for (size_t row = 0; row < height; row++)
        memcpy((char *)to + row * pitch, (const char *)from + row * from_pitch, width);
    return stream == to ? kind : -1;
}

int aclrtSynchronizeStream(void *stream)
{
    return stream == NULL ? 0 : 1;
}

int aclmdlLoadFromFile(const char *path, uint32_t *model)
{
    *model = (uint32_t)strlen(path);
    return 0;
}

int aclmdlExecute(uint32_t model, const void *input, void *output)
{
    int result = aclrtMemcpy(output, sizeof model, &model, sizeof model, 0);
    (void)input;
    return result + aclrtSynchronizeStream(NULL);
}

float aclFloat16ToFloat(uint16_t value)
{
    return (float)value / 2;
}

uint16_t aclFloatToFloat16(float value)
{
    return (uint16_t)(value * 2);
}

double aclAppLog(int count, ...)
{
    va_list arguments;
    double sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++) {
        sum += va_arg(arguments, double);
        sum += (double)va_arg(arguments, int64_t);
    }
    va_end(arguments);
    return sum;
}

struct fake_pair aclopSetAttrFloat(struct fake_pair pair, float factor)
{
    return (struct fake_pair){pair.first * 3, pair.second * (double)factor};
}

struct fake_doubles aclopSetAttrListFloat(struct fake_doubles pair, double factor)
{
    return (struct fake_doubles){pair.second * factor, pair.first * factor};
}

struct fake_large aclopExecuteV2(struct fake_large large, int64_t factor, struct fake_large more)
{
    for (size_t i = 0; i < sizeof large.values / sizeof large.values[0]; i++)
        large.values[i] = large.values[i] * factor + more.values[i];
    return large;
}

long double aclopCompileAndExecute(long double value, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                                   int64_t g, int64_t h)
{
    return value + (long double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h);
}

double aclrtEventElapsedTime(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                             int64_t j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + (double)j;
}

int aclrtLaunchCallback(int (*function)(void *arg), void *arg)
{
    return function(arg) + 1;
}

int aclrtGetLastError(int value)
{
    errno = value;
    return value;
}

int svp_acl_init(const char *config)
{
    return aclInit(config);
}

int svp_acl_finalize(void)
{
    return 0;
}

int svp_acl_mdl_execute(uint32_t model, const void *input, void *output)
{
    return aclmdlExecute(model, input, output);
}
