#include "acl/subscribe/operator_names_writer.h"

#include "acl/subscribe/operator_names.h"
#include "base/bytes.h"
#include "base/file/crc32c.h"

#include <stdlib.h>

#define FIRST_PLACES 1024 /* a power of two */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* Room for length bytes more behind used ones. */
static bool reserve(void **bytes, size_t used, size_t *capacity, size_t length)
{
    if (*capacity - used >= length)
        return true;
    size_t larger = 2 * *capacity + length + 4096;
    void *moved = realloc(*bytes, larger);
    if (moved == NULL)
        return false;
    *bytes = moved;
    *capacity = larger;
    return true;
}

/* Where the text stands among count places, or the free place for it. */
static uint32_t *find_place(uint32_t *places, size_t count, const char *texts, const char *text)
{
    uint32_t hash = crc32c_add(CRC32C_INIT, text, strlen(text));
    size_t i = hash & (count - 1);
    while (places[i] != 0 && strcmp(texts + places[i] - 1, text) != 0)
        i = (i + 1) & (count - 1);
    return &places[i];
}

/* Keeps at least half of the places free. */
static bool grow_places(struct operator_names_writer *writer)
{
    if (writer->places_used * 2 < writer->place_count)
        return true;
    size_t count = writer->place_count == 0 ? FIRST_PLACES : writer->place_count * 2;
    uint32_t *places = calloc(count, sizeof *places);
    if (places == NULL)
        return false;
    for (size_t i = 0; i < writer->place_count; i++) {
        uint32_t place = writer->places[i];
        if (place != 0)
            *find_place(places, count, writer->texts, writer->texts + place - 1) = place;
    }
    free(writer->places);
    writer->places = places;
    writer->place_count = count;
    return true;
}

static int keep_text(struct operator_names_writer *writer, const char *text, uint32_t *ret_offset, struct err *err)
{
    size_t length = strlen(text) + 1;
    void *texts = writer->texts;
    if (!grow_places(writer))
        return no_memory(err);
    uint32_t *place = find_place(writer->places, writer->place_count, writer->texts, text);
    if (*place != 0) {
        *ret_offset = *place - 1;
        return 0;
    }
    if (length > OPERATOR_NAMES_MAX_SIZE || writer->texts_length > OPERATOR_NAMES_MAX_SIZE - length)
        return err_set(err, ERR_LIMIT, "the names of the operators take more than 1 GiB");
    if (!reserve(&texts, writer->texts_length, &writer->texts_capacity, length))
        return no_memory(err);
    writer->texts = texts;
    memcpy(writer->texts + writer->texts_length, text, length);
    *ret_offset = (uint32_t)writer->texts_length;
    *place = *ret_offset + 1;
    writer->places_used++;
    writer->texts_length += length;
    return 0;
}

int operator_names_writer_add(struct operator_names_writer *writer, const char *type, const char *name, struct err *err)
{
    uint32_t type_at, name_at;
    void *entries = writer->entries;
    int status = keep_text(writer, type, &type_at, err);
    if (status == 0)
        status = keep_text(writer, name, &name_at, err);
    if (status < 0)
        return status;
    if (OPERATOR_NAMES_HEADER_SIZE + (writer->count + 1) * OPERATOR_NAMES_ENTRY_SIZE + writer->texts_length >
        OPERATOR_NAMES_MAX_SIZE)
        return err_set(err, ERR_LIMIT, "the table of operator names takes more than 1 GiB");
    size_t used = writer->count * OPERATOR_NAMES_ENTRY_SIZE;
    if (!reserve(&entries, used, &writer->entry_capacity, OPERATOR_NAMES_ENTRY_SIZE))
        return no_memory(err);
    writer->entries = entries;
    bytes_store(writer->entries + used, 4, false, type_at);
    bytes_store(writer->entries + used + 4, 4, false, name_at);
    writer->count++;
    return 0;
}

void operator_names_writer_write(const struct operator_names_writer *writer, uint32_t record_size, uint64_t first,
                                 struct outfile *out)
{
    unsigned char header[OPERATOR_NAMES_HEADER_SIZE];
    size_t entries = writer->count * OPERATOR_NAMES_ENTRY_SIZE;
    uint32_t body = crc32c_add(CRC32C_INIT, writer->entries, entries);

    memcpy(header, OPERATOR_NAMES_MAGIC, strlen(OPERATOR_NAMES_MAGIC));
    bytes_store(header + OPERATOR_NAMES_AT_VERSION, 4, false, OPERATOR_NAMES_VERSION);
    bytes_store(header + OPERATOR_NAMES_AT_RECORD_SIZE, 4, false, record_size);
    bytes_store(header + OPERATOR_NAMES_AT_FIRST, 8, false, first);
    bytes_store(header + OPERATOR_NAMES_AT_COUNT, 8, false, writer->count);
    bytes_store(header + OPERATOR_NAMES_AT_TEXTS, 8, false, writer->texts_length);
    bytes_store(header + OPERATOR_NAMES_AT_BODY_SUM, 4, false, crc32c_add(body, writer->texts, writer->texts_length));
    bytes_store(header + OPERATOR_NAMES_AT_HEADER_SUM, 4, false,
                crc32c_add(CRC32C_INIT, header, OPERATOR_NAMES_AT_HEADER_SUM));
    outfile_write(out, header, sizeof header);
    if (entries > 0)
        outfile_write(out, writer->entries, entries);
    if (writer->texts_length > 0)
        outfile_write(out, writer->texts, writer->texts_length);
}

void operator_names_writer_release(struct operator_names_writer *writer)
{
    free(writer->entries);
    free(writer->texts);
    free(writer->places);
    *writer = (struct operator_names_writer){.count = 0};
}
