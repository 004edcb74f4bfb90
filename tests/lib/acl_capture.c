/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/acl_capture.h"

#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define RECORD_SIZE 256

struct tx_record tx_records[TX_RECORDS_MAX];

static aclprofConfig *config;

void start_capture(uint64_t mask)
{
    uint32_t device = 0;
    const char *path = in_scratch("out");
    assert_int_equal(aclprofInit(path, strlen(path)), ACL_SUCCESS);
    config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, mask);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
}

aclError stop_capture_quietly(void)
{
    aclError code = aclprofStop(config);
    aclError end = aclprofFinalize();
    aclError destroyed = aclprofDestroyConfig(config);
    return code != ACL_SUCCESS ? code : end != ACL_SUCCESS ? end : destroyed;
}

void stop_capture(void)
{
    assert_int_equal(stop_capture_quietly(), ACL_SUCCESS);
}

void *stamp_of(const char *message)
{
    void *stamp = aclprofCreateStamp();
    assert_non_null(stamp);
    assert_int_equal(aclprofSetStampTraceMessage(stamp, message, (uint32_t)strlen(message)), ACL_SUCCESS);
    return stamp;
}

void assert_acl_message(const char *part)
{
    if (strstr(msprof_acl_message(), part) == NULL)
        fail_msg("'%s' is not in: %s", part, msprof_acl_message());
}

size_t read_tx_records(void)
{
    struct err err = ERR_INIT;
    char directory[2048];
    char path[4096];
    char *data;
    size_t length;
    msprof_acl_capture_path(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/host/data/unaging.additional.msproftx.slice_0", directory);
    if (path_read_file(path, RECORD_SIZE * TX_RECORDS_MAX, &data, &length, &err) < 0)
        return 0;
    assert_int_equal(length % RECORD_SIZE, 0);
    for (size_t i = 0; i < length / RECORD_SIZE; i++) {
        const unsigned char *p = (const unsigned char *)data + i * RECORD_SIZE;
        assert_int_equal(bytes_load(p, 4, false), 20500U << 16 | 0x5a5a);
        assert_int_equal(bytes_load(p + 36, 4, false), getpid());
        tx_records[i].event = (uint32_t)bytes_load(p + 48, 4, false);
        tx_records[i].thread = (uint32_t)bytes_load(p + 40, 4, false);
        tx_records[i].begin = bytes_load(p + 64, 8, false);
        tx_records[i].end = bytes_load(p + 72, 8, false);
        tx_records[i].mark_id = bytes_load(p + 80, 8, false);
        memcpy(tx_records[i].message, p + 100, sizeof tx_records[i].message);
    }
    free(data);
    return length / RECORD_SIZE;
}

void assert_tx_record(size_t index, uint32_t event, const char *message)
{
    assert_int_equal(tx_records[index].event, event);
    assert_string_equal(tx_records[index].message, message);
    assert_int_equal(tx_records[index].thread, gettid());
}
