/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/operator_record.h"

#include "base/bytes.h"
#include "base/file/crc32c.h"

enum {
    AT_SIGNATURE = 0,
    AT_MODEL = 4,
    AT_FLAG = 8,
    AT_THREAD = 12,
    AT_INDEX = 16,
    AT_DURATION = 24,
    AT_START = 32,
    AT_END = 40,
    AT_EXECUTION = 48,
    AT_CUBE = 56,
    AT_VECTOR = 64,
    AT_DEVICE = 72,
    AT_PADDING = 76,
    SIGNATURE_WIDTH = 4,
};

bool operator_record_size_known(size_t size)
{
    return size == OPERATOR_RECORD_SIZE || size == OPERATOR_RECORD_OLD_SIZE;
}

static uint32_t signature_of(const unsigned char *bytes, size_t size)
{
    return crc32c_add(CRC32C_INIT, bytes + SIGNATURE_WIDTH, size - SIGNATURE_WIDTH);
}

void operator_record_encode(const struct operator_record *record, unsigned char *bytes, size_t size)
{
    bytes_store(bytes + AT_MODEL, 4, false, record->model_id);
    bytes_store(bytes + AT_FLAG, 4, false, record->flag);
    bytes_store(bytes + AT_THREAD, 4, false, record->thread_id);
    bytes_store(bytes + AT_INDEX, 8, false, record->index);
    bytes_store(bytes + AT_DURATION, 8, false, record->duration_ns);
    bytes_store(bytes + AT_START, 8, false, record->start_ns);
    bytes_store(bytes + AT_END, 8, false, record->end_ns);
    bytes_store(bytes + AT_EXECUTION, 8, false, record->execution_ns);
    bytes_store(bytes + AT_CUBE, 8, false, record->cube_operations);
    bytes_store(bytes + AT_VECTOR, 8, false, record->vector_operations);
    if (size == OPERATOR_RECORD_SIZE) {
        bytes_store(bytes + AT_DEVICE, 4, false, record->device_id);
        bytes_store(bytes + AT_PADDING, 4, false, 0);
    }
    bytes_store(bytes + AT_SIGNATURE, SIGNATURE_WIDTH, false, signature_of(bytes, size));
}

bool operator_record_is_sound(const unsigned char *bytes, size_t size)
{
    return bytes_load(bytes + AT_SIGNATURE, SIGNATURE_WIDTH, false) == signature_of(bytes, size);
}

bool operator_record_decode(const unsigned char *bytes, size_t size, struct operator_record *ret)
{
    if (!operator_record_is_sound(bytes, size))
        return false;
    *ret = (struct operator_record){
        .model_id = (uint32_t)bytes_load(bytes + AT_MODEL, 4, false),
        .flag = (uint32_t)bytes_load(bytes + AT_FLAG, 4, false),
        .thread_id = (uint32_t)bytes_load(bytes + AT_THREAD, 4, false),
        .device_id = size == OPERATOR_RECORD_SIZE ? (uint32_t)bytes_load(bytes + AT_DEVICE, 4, false) : 0,
        .index = bytes_load(bytes + AT_INDEX, 8, false),
        .duration_ns = bytes_load(bytes + AT_DURATION, 8, false),
        .start_ns = bytes_load(bytes + AT_START, 8, false),
        .end_ns = bytes_load(bytes + AT_END, 8, false),
        .execution_ns = bytes_load(bytes + AT_EXECUTION, 8, false),
        .cube_operations = bytes_load(bytes + AT_CUBE, 8, false),
        .vector_operations = bytes_load(bytes + AT_VECTOR, 8, false),
    };
    return true;
}
