/* SPDX-License-Identifier: Apache-2.0 */
/* The record of one operator in the pipe of a subscription, as the library reads it and "msprof replay" writes it.
 *
 * Source: the record ProfOpDesc of Ascend's collector, 72 bytes in 2022 to 2024, 80 bytes (with the device) since.
 * Little-endian at these offsets:
 *
 *      0  u32 signature       24  u64 duration, ns         56  u64 cube operations
 *      4  u32 model           32  u64 start, ns            64  u64 vector operations
 *      8  u32 flag            40  u64 end, ns              72  u32 device   (80 bytes only)
 *     12  u32 thread          48  u64 execution time, ns   76  u32 zero     (80 bytes only)
 *     16  u64 operator index, from 1
 *
 * The signature is the CRC-32C (base/file/crc32c.h) of all bytes behind it. Names and types are not in the record: they
 * are found by the operator index (acl/subscribe/operator_names.h). */
#ifndef MSPROF_ACL_SUBSCRIBE_OPERATOR_RECORD_H
#define MSPROF_ACL_SUBSCRIBE_OPERATOR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPERATOR_RECORD_OLD_SIZE 72
#define OPERATOR_RECORD_SIZE 80 /* the larger one: room for either */

enum {
    OPERATOR_FLAG_OPERATOR = 0,
    OPERATOR_FLAG_SUBGRAPH = 1,
    OPERATOR_FLAG_THREAD = 2, /* the part of an operator that one thread ran */
};

struct operator_record {
    uint32_t model_id, flag, thread_id, device_id; /* device 0 in a record of 72 bytes */
    uint64_t index;
    uint64_t duration_ns, start_ns, end_ns, execution_ns;
    uint64_t cube_operations, vector_operations;
};

/* Whether records of this size exist. */
bool operator_record_size_known(size_t size);

/* Writes a record of a known size at bytes, with its signature. */
void operator_record_encode(const struct operator_record *record, unsigned char *bytes, size_t size);

/* Whether the signature of the record of a known size at bytes is right. */
bool operator_record_is_sound(const unsigned char *bytes, size_t size);

/* Reads the record of a known size at bytes; false, and *ret untouched, when its signature is wrong. */
bool operator_record_decode(const unsigned char *bytes, size_t size, struct operator_record *ret);

#endif
