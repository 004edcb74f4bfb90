/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/job_calls.h"

#include "acl/recorder/names.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static void put_u32(char *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

void job_calls_write(struct capture_writer *writer, const char *records, size_t length)
{
    static const uint8_t api_types[] = {4, 1, 2, 3, 4}; /* by enum recorder_acl_group; the rest are "others" */
    const uint32_t process = (uint32_t)getpid();
    for (; length >= CAPTURE_CALL_SIZE; records += CAPTURE_CALL_SIZE, length -= CAPTURE_CALL_SIZE) {
        char record[CAPTURE_JOB_CALL_SIZE] = {0x5a, 0x5a};
        uint16_t level;
        uint32_t type;
        memcpy(&level, records + 2, sizeof level);
        memcpy(&type, records + 4, sizeof type);
        uint32_t group = type >> 16;
        const char *name = names_type(level, type);
        put_u32(record + 4, group < sizeof api_types ? api_types[group] : 4);
        memcpy(record + 8, records + 16, 16);
        put_u32(record + 24, process);
        memcpy(record + 28, records + 8, 4);
        if (name != NULL)
            memcpy(record + 32, name, strnlen(name, 63));
        capture_writer_add(writer, STREAM_CALLS, record, sizeof record);
    }
}
