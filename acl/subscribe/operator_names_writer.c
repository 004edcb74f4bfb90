/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/operator_names_writer.h"

#include "acl/subscribe/operator_names.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/file/crc32c.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof *((struct operator_names_writer *)0)->entries.items == OPERATOR_NAMES_ENTRY_SIZE, "an entry");

static int keep_text(struct operator_names_writer *writer, const char *text, uint32_t *ret_offset, struct err *err)
{
    size_t length = strlen(text) + 1;
    uint32_t number;
    if (length > OPERATOR_NAMES_MAX_SIZE)
        return err_set(err, ERR_LIMIT, "the names of the operators take more than 1 GiB");
    if (array_reserve(&writer->offsets, 1, err) < 0 || intern_add(&writer->texts, text, length - 1, &number, err) < 0)
        return err_status(err);
    if (number == writer->offsets.count) {
        if (writer->texts_length > OPERATOR_NAMES_MAX_SIZE - length)
            return err_set(err, ERR_LIMIT, "the names of the operators take more than 1 GiB");
        writer->offsets.items[writer->offsets.count++] = (uint32_t)writer->texts_length;
        writer->texts_length += length;
    }
    *ret_offset = writer->offsets.items[number];
    return 0;
}

int operator_names_writer_add(struct operator_names_writer *writer, const char *type, const char *name, struct err *err)
{
    uint32_t type_at = 0, name_at = 0;
    if (keep_text(writer, type, &type_at, err) < 0 || keep_text(writer, name, &name_at, err) < 0)
        return err_status(err);
    if (OPERATOR_NAMES_HEADER_SIZE + (writer->entries.count + 1) * OPERATOR_NAMES_ENTRY_SIZE + writer->texts_length >
        OPERATOR_NAMES_MAX_SIZE)
        return err_set(err, ERR_LIMIT, "the table of operator names takes more than 1 GiB");
    if (array_reserve(&writer->entries, 1, err) < 0)
        return err_status(err);
    unsigned char *entry = writer->entries.items[writer->entries.count++];
    bytes_store(entry, 4, false, type_at);
    bytes_store(entry + 4, 4, false, name_at);
    return 0;
}

static uint32_t sum_of_texts(const struct operator_names_writer *writer, uint32_t sum)
{
    for (size_t i = 0; i < writer->offsets.count; i++)
        sum = crc32c_add(sum, writer->texts.items[i].bytes, writer->texts.items[i].length + 1);
    return sum;
}

void operator_names_writer_write(const struct operator_names_writer *writer, uint32_t record_size, uint64_t first,
                                 struct outfile *out)
{
    unsigned char header[OPERATOR_NAMES_HEADER_SIZE];
    size_t entries = writer->entries.count * OPERATOR_NAMES_ENTRY_SIZE;
    uint32_t body = crc32c_add(CRC32C_INIT, writer->entries.items, entries);

    memcpy(header, OPERATOR_NAMES_MAGIC, strlen(OPERATOR_NAMES_MAGIC));
    bytes_store(header + OPERATOR_NAMES_AT_VERSION, 4, false, OPERATOR_NAMES_VERSION);
    bytes_store(header + OPERATOR_NAMES_AT_RECORD_SIZE, 4, false, record_size);
    bytes_store(header + OPERATOR_NAMES_AT_FIRST, 8, false, first);
    bytes_store(header + OPERATOR_NAMES_AT_COUNT, 8, false, writer->entries.count);
    bytes_store(header + OPERATOR_NAMES_AT_TEXTS, 8, false, writer->texts_length);
    bytes_store(header + OPERATOR_NAMES_AT_BODY_SUM, 4, false, sum_of_texts(writer, body));
    bytes_store(header + OPERATOR_NAMES_AT_HEADER_SUM, 4, false,
                crc32c_add(CRC32C_INIT, header, OPERATOR_NAMES_AT_HEADER_SUM));
    outfile_write(out, header, sizeof header);
    if (entries > 0)
        outfile_write(out, writer->entries.items, entries);
    for (size_t i = 0; i < writer->offsets.count; i++)
        outfile_write(out, writer->texts.items[i].bytes, writer->texts.items[i].length + 1);
}

void operator_names_writer_release(struct operator_names_writer *writer)
{
    free(writer->entries.items);
    free(writer->offsets.items);
    intern_release(&writer->texts);
    *writer = (struct operator_names_writer){.texts_length = 0};
}
