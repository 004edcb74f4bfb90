/* SPDX-License-Identifier: Apache-2.0 */
/* The table of names beside a pipe of subscription records: which operator index stands for which type and name. The
 * producer writes it whole before the first record; the library reads it.
 *
 * Source: this project's own format, version 1, documented in msprof-replay(1). Little-endian:
 *
 *      0  8 bytes "MSPROFON"                      32  u64 bytes of texts
 *      8  u32 version, 1                          40  u32 CRC-32C of everything behind the header
 *     12  u32 bytes of a record, 72 or 80         44  u32 CRC-32C of the 44 bytes before
 *     16  u64 first operator index, 1 or more     48  entries: for each operator u32 type, u32 name: offsets
 *     24  u64 number of operators                     of NUL-terminated texts, from the start of the texts
 *                                                  ..  texts, the last byte of which is a NUL
 *
 * Both sums are base/file/crc32c.h's. */
#ifndef MSPROF_ACL_SUBSCRIBE_OPERATOR_NAMES_H
#define MSPROF_ACL_SUBSCRIBE_OPERATOR_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define OPERATOR_NAMES_MAGIC "MSPROFON"
#define OPERATOR_NAMES_VERSION 1
#define OPERATOR_NAMES_HEADER_SIZE 48
#define OPERATOR_NAMES_ENTRY_SIZE 8
#define OPERATOR_NAMES_MAX_SIZE ((uint64_t)1 << 30) /* bytes of a whole table that is read */

enum {
    OPERATOR_NAMES_AT_VERSION = 8,
    OPERATOR_NAMES_AT_RECORD_SIZE = 12,
    OPERATOR_NAMES_AT_FIRST = 16,
    OPERATOR_NAMES_AT_COUNT = 24,
    OPERATOR_NAMES_AT_TEXTS = 32,
    OPERATOR_NAMES_AT_BODY_SUM = 40,
    OPERATOR_NAMES_AT_HEADER_SUM = 44,
};

/* Content of a header. */
struct operator_names_header {
    uint32_t record_size, body_sum;
    uint64_t first, count, texts_length;
    uint64_t size; /* of the whole table, header included; at most OPERATOR_NAMES_MAX_SIZE */
};

/* A whole table that is sound: every offset in it is inside of the texts. Points into the bytes that it was read from.
 */
struct operator_names {
    struct operator_names_header header;
    const unsigned char *entries;
    const char *texts;
};

/* Reads the first OPERATOR_NAMES_HEADER_SIZE bytes of a table. NULL when they are sound, else what is wrong with them
 * (a constant text), and *ret untouched. */
const char *operator_names_read_header(const unsigned char *bytes, struct operator_names_header *ret);

/* Checks a whole table of length bytes. NULL when it is sound, else what is wrong (a constant text), and *ret
 * untouched. */
const char *operator_names_read(const unsigned char *bytes, size_t length, struct operator_names *ret);

enum operator_text { OPERATOR_TYPE, OPERATOR_NAME };

/* A text of the i-th operator of the table, i < header.count. */
const char *operator_names_text(const struct operator_names *names, uint64_t i, enum operator_text which);

#endif
