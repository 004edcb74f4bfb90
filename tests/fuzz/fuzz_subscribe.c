/* SPDX-License-Identifier: Apache-2.0 */
/* Input of a subscriber: a table of names and the bytes of records. First byte: bit 0, records of 72 bytes; bit 1,
 * the table's sums are made right; bit 2, the records' signatures are. Two bytes: length of the table. Then the
 * table, then the records. */
#include "acl/subscribe/operator_names.h"
#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "base/bytes.h"
#include "base/file/crc32c.h"
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"
#include "tests/fuzz/support.h"

#define SETTINGS 3
#define INVALID ACL_ERROR_INVALID_PARAM
enum { OLD_RECORDS = 1, RIGHT_SUMS = 2, RIGHT_SIGNATURES = 4 };

/* A copy of its own, so that the sanitizers see every byte read beyond its end. */
static unsigned char *copy_of(const uint8_t *data, size_t length)
{
    unsigned char *copy = malloc(length + (length == 0));
    EXPECT(copy != NULL);
    if (length > 0)
        memcpy(copy, data, length);
    return copy;
}

static void make_sums_right(unsigned char *table, size_t length)
{
    if (length < OPERATOR_NAMES_HEADER_SIZE)
        return;
    bytes_store(table + OPERATOR_NAMES_AT_BODY_SUM, 4, false,
                crc32c_add(CRC32C_INIT, table + OPERATOR_NAMES_HEADER_SIZE, length - OPERATOR_NAMES_HEADER_SIZE));
    bytes_store(table + OPERATOR_NAMES_AT_HEADER_SUM, 4, false,
                crc32c_add(CRC32C_INIT, table, OPERATOR_NAMES_AT_HEADER_SUM));
}

static void make_signatures_right(unsigned char *records, size_t length, size_t size)
{
    for (size_t at = 0; at + size <= length; at += size)
        bytes_store(records + at, 4, false, crc32c_add(CRC32C_INIT, records + at + 4, size - 4));
}

/* Every text of a sound table lies inside of it. */
static bool check_table(const unsigned char *table, size_t length, struct operator_names *ret)
{
    if (operator_names_read(table, length, ret) != NULL)
        return false;
    const char *end = (const char *)table + length;
    for (uint64_t i = 0; i < ret->header.count; i++) {
        const char *type = operator_names_text(ret, i, OPERATOR_TYPE),
                   *name = operator_names_text(ret, i, OPERATOR_NAME);
        EXPECT(type >= ret->texts && type + strlen(type) < end);
        EXPECT(name >= ret->texts && name + strlen(name) < end);
    }
    return true;
}

/* One of the two ways to get a text: the length that is told is the text's, which is cut where there is less room, and
 * given again. */
static void check_text(const unsigned char *records, size_t length, uint32_t i, bool board)
{
    size_t size = 0;
    char byte[1];
    if (aclprofGetOpNameLen(records, length, i, &size) != ACL_SUCCESS) {
        EXPECT(aclprofGetOpName(records, length, i, byte, sizeof byte) == INVALID);
        return;
    }
    char *name = malloc(size);
    EXPECT(name != NULL && size > 0);
    if (size > 1)
        EXPECT(aclprofGetOpName(records, length, i, name, size - 1) == ACL_SUCCESS && strlen(name) < size - 1);
    EXPECT((board ? svp_acl_prof_get_op_name(records, length, i, name, size)
                  : aclprofGetOpName(records, length, i, name, size)) == ACL_SUCCESS);
    EXPECT(strlen(name) == size - 1);
    size_t again = 0;
    EXPECT(aclprofGetOpNameLen(records, length, i, &again) == ACL_SUCCESS && again == size);
    EXPECT(svp_acl_prof_get_op_name(records, length, i, byte, sizeof byte) == ACL_SUCCESS && *byte == '\0');
    free(name);
}

static void check_records(const unsigned char *records, size_t length, size_t size)
{
    uint32_t count = 0;
    bool sound = aclprofGetOpNum(records, length, &count) == ACL_SUCCESS;
    EXPECT(!sound || count == length / size);
    for (uint32_t i = 0; i <= length / size; i++) {
        struct operator_record record;
        bool here =
            length % size == 0 && i < length / size && operator_record_decode(records + i * size, size, &record);
        EXPECT(here || !sound || i == count);
        EXPECT(aclprofGetOpStart(records, length, i) == (here ? record.start_ns : 0));
        EXPECT(aclprofGetOpEnd(records, length, i) == (here ? record.end_ns : 0));
        EXPECT(aclprofGetOpDuration(records, length, i) == (here ? record.duration_ns : 0));
        EXPECT(aclprofGetModelId(records, length, i) == (here ? record.model_id : 0));
        EXPECT((aclprofGetOpFlag(records, length, i) == ACL_SUBSCRIBE_NONE) == (!here || record.flag > 2));
        EXPECT((aclprofGetOpAttriValue(records, length, i, ACL_SUBSCRIBE_ATTRI_THREADID) != NULL) ==
               (here && record.flag == ACL_SUBSCRIBE_OP_THREAD));
        check_text(records, length, i, i % 2 == 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < SETTINGS)
        return 0;
    size_t record_size = data[0] & OLD_RECORDS ? OPERATOR_RECORD_OLD_SIZE : OPERATOR_RECORD_SIZE;
    size_t table_length = (size_t)bytes_load(data + 1, 2, false);
    if (table_length > size - SETTINGS)
        table_length = size - SETTINGS;
    size_t length = size - SETTINGS - table_length;
    unsigned char *table = copy_of(data + SETTINGS, table_length);
    unsigned char *records = copy_of(data + SETTINGS + table_length, length);
    struct operator_names names;
    char path[64];

    if (data[0] & RIGHT_SUMS)
        make_sums_right(table, table_length);
    if (data[0] & RIGHT_SIGNATURES)
        make_signatures_right(records, length, record_size);
    bool sound = check_table(table, table_length, &names);
    int fd = memory_file(table, table_length, path);
    subscribe_names_reset();
    setenv("MSPROF_OP_NAMES", path, 1);
    EXPECT(subscribe_record_size() == (sound ? names.header.record_size : OPERATOR_RECORD_SIZE));
    check_records(records, length, subscribe_record_size());
    subscribe_names_reset();
    close(fd);
    free(table);
    free(records);
    return 0;
}
