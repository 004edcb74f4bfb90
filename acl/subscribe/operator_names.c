/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/operator_names.h"

#include "acl/subscribe/operator_record.h"
#include "base/bytes.h"
#include "base/file/crc32c.h"

const char *operator_names_read_header(const unsigned char *bytes, struct operator_names_header *ret)
{
    const struct operator_names_header header = {
        .record_size = (uint32_t)bytes_load(bytes + OPERATOR_NAMES_AT_RECORD_SIZE, 4, false),
        .body_sum = (uint32_t)bytes_load(bytes + OPERATOR_NAMES_AT_BODY_SUM, 4, false),
        .first = bytes_load(bytes + OPERATOR_NAMES_AT_FIRST, 8, false),
        .count = bytes_load(bytes + OPERATOR_NAMES_AT_COUNT, 8, false),
        .texts_length = bytes_load(bytes + OPERATOR_NAMES_AT_TEXTS, 8, false),
    };
    if (memcmp(bytes, OPERATOR_NAMES_MAGIC, strlen(OPERATOR_NAMES_MAGIC)) != 0)
        return "it is not a table of operator names";
    if (bytes_load(bytes + OPERATOR_NAMES_AT_HEADER_SUM, 4, false) !=
        crc32c_add(CRC32C_INIT, bytes, OPERATOR_NAMES_AT_HEADER_SUM))
        return "its header is damaged";
    if (bytes_load(bytes + OPERATOR_NAMES_AT_VERSION, 4, false) != OPERATOR_NAMES_VERSION)
        return "it is of another version";
    if (header.count > OPERATOR_NAMES_MAX_SIZE / OPERATOR_NAMES_ENTRY_SIZE ||
        header.texts_length > OPERATOR_NAMES_MAX_SIZE ||
        OPERATOR_NAMES_HEADER_SIZE + header.count * OPERATOR_NAMES_ENTRY_SIZE + header.texts_length >
            OPERATOR_NAMES_MAX_SIZE)
        return "it is longer than 1 GiB";
    if (!operator_record_size_known(header.record_size))
        return "its records have an unknown size";
    if (header.first == 0 || header.first - 1 > UINT64_MAX - header.count)
        return "its operator indexes do not exist";
    *ret = header;
    ret->size = OPERATOR_NAMES_HEADER_SIZE + header.count * OPERATOR_NAMES_ENTRY_SIZE + header.texts_length;
    return NULL;
}

static uint64_t text_offset(const struct operator_names *names, uint64_t i, enum operator_text which)
{
    return bytes_load(names->entries + i * OPERATOR_NAMES_ENTRY_SIZE + (which == OPERATOR_NAME ? 4 : 0), 4, false);
}

const char *operator_names_read(const unsigned char *bytes, size_t length, struct operator_names *ret)
{
    struct operator_names names;
    if (length < OPERATOR_NAMES_HEADER_SIZE)
        return "it is truncated";
    const char *wrong = operator_names_read_header(bytes, &names.header);
    if (wrong != NULL)
        return wrong;
    if (length != names.header.size)
        return length < names.header.size ? "it is truncated" : "it is longer than its header says";
    names.entries = bytes + OPERATOR_NAMES_HEADER_SIZE;
    names.texts = (const char *)names.entries + names.header.count * OPERATOR_NAMES_ENTRY_SIZE;
    if (crc32c_add(CRC32C_INIT, names.entries, length - OPERATOR_NAMES_HEADER_SIZE) != names.header.body_sum)
        return "it is damaged";
    if (names.header.texts_length > 0 && names.texts[names.header.texts_length - 1] != '\0')
        return "its last text has no end";
    for (uint64_t i = 0; i < names.header.count; i++) {
        if (text_offset(&names, i, OPERATOR_TYPE) >= names.header.texts_length ||
            text_offset(&names, i, OPERATOR_NAME) >= names.header.texts_length)
            return "a text lies outside of it";
    }
    *ret = names;
    return NULL;
}

const char *operator_names_text(const struct operator_names *names, uint64_t i, enum operator_text which)
{
    return names->texts + text_offset(names, i, which);
}
