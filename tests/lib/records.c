/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/records.h"

#include "base/bytes.h"
#include "tests/lib/scratch.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

static void put(unsigned char *p, unsigned offset, unsigned width, uint64_t value)
{
    bytes_store(p + offset, width, false, value);
}

unsigned char *put_pmu(unsigned char *p, unsigned task_id, uint64_t cycles, unsigned model_id, unsigned pic)
{
    memset(p, 0, PMU_SIZE);
    put(p, 6, 2, task_id);
    put(p, 16, 8, cycles);
    put(p, 100, 4, model_id);
    put(p, 120, 4, pic);
    return p + PMU_SIZE;
}

unsigned char *put_acl(unsigned char *p, const char *name, uint64_t start_ns, uint64_t end_ns)
{
    memset(p, 0, ACL_SIZE);
    put(p, 0, 2, 0x5a5a);
    put(p, 4, 4, 2);
    put(p, 8, 8, start_ns);
    put(p, 16, 8, end_ns);
    memcpy(p + 32, name, strnlen(name, 64));
    return p + ACL_SIZE;
}

unsigned char *put_aicpu(unsigned char *p, unsigned task_id, uint64_t start_ns, uint64_t end_ns)
{
    memset(p, 0, AICPU_SIZE);
    put(p, 0, 2, 0x5a5a);
    put(p, 2, 2, 60);
    put(p, 6, 2, task_id);
    put(p, 8, 8, start_ns);
    put(p, 48, 8, end_ns);
    return p + AICPU_SIZE;
}

unsigned char *put_hwts(unsigned char *p, unsigned type, unsigned counter, unsigned stream_id, unsigned task_id,
                        uint64_t tick)
{
    memset(p, 0, HWTS_SIZE);
    put(p, 0, 1, type | (counter & 15) << 4);
    put(p, 2, 2, 0x6bd3);
    put(p, 6, 2, task_id);
    put(p, 8, 8, tick);
    put(p, 16, 4, stream_id);
    return p + HWTS_SIZE;
}

const char *make_job(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", in_scratch("J"));
    assert_int_equal(mkdir(path, 0750), 0);
    assert_int_equal(mkdir(in_scratch("J/data"), 0750), 0);
    scratch_make_file("J/info.json.0", "{\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}");
    return path;
}

void put_file(const char *name, const void *bytes, size_t length)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/J/data/%s", scratch_directory, name);
    FILE *stream = fopen(path, "we");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

void put_text(const char *name, const char *text)
{
    put_file(name, text, strlen(text));
}

void put_one_task(const char *name)
{
    unsigned char bytes[PMU_SIZE];
    put_pmu(bytes, 0, 600, 1, 0);
    put_file(name, bytes, sizeof bytes);
}

void put_one_call(const char *name)
{
    unsigned char bytes[ACL_SIZE];
    put_acl(bytes, "call", 1, 2);
    put_file(name, bytes, sizeof bytes);
}

void put_layers(void)
{
    put_text("net.1.layer.info", "[{\"layer_id\":0,\"task_id\":0}]");
}
