/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/names.h"

#include "acl/recorder/recorder_options.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_u32(char *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

void names_write_calls(struct capture_writer *writer, const char *records, size_t length)
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

#define TYPE_SLOTS ((size_t)2 * RECORDER_TYPES_MAX) /* a power of two, at most half full */
#define TEXT_SLOTS ((size_t)2 * RECORDER_NAMES_MAX)

_Static_assert((TYPE_SLOTS & (TYPE_SLOTS - 1)) == 0, "a mask needs a power of two");
_Static_assert((TEXT_SLOTS & (TEXT_SLOTS - 1)) == 0, "a mask needs a power of two");

static struct type_name {
    uint64_t key;     /* level and type */
    const char *name; /* NULL: empty */
    bool written;     /* into the current capture */
} types[TYPE_SLOTS];
static size_t type_count;

static struct text_name {
    uint64_t id;
    char *text; /* NULL: empty */
    size_t length;
} texts[TEXT_SLOTS];
static size_t text_count;

uint64_t names_hash(const char *text, size_t length)
{
    uint32_t high = 0, low = 0;
    if (length == 0)
        return UINT64_MAX;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = (uint32_t)(int32_t)(signed char)text[i];
        high = high * 29 + c;
        low = low * 131 + c;
    }
    return (uint64_t)high << 32 | low;
}

static uint64_t type_key(uint16_t level, uint32_t type)
{
    return (uint64_t)level << 32 | type;
}

static size_t home(uint64_t key, size_t slots)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (slots - 1);
}

static struct type_name *find_type(uint64_t key)
{
    size_t i = home(key, TYPE_SLOTS);
    while (types[i].name != NULL && types[i].key != key)
        i = (i + 1) & (TYPE_SLOTS - 1);
    return &types[i];
}

int names_add_type(uint16_t level, uint32_t type, const char *name)
{
    struct type_name *entry = find_type(type_key(level, type));
    if (entry->name == NULL && type_count == RECORDER_TYPES_MAX)
        return -ERR_LIMIT;
    type_count += entry->name == NULL;
    entry->key = type_key(level, type);
    entry->name = name;
    return 0;
}

const char *names_type(uint16_t level, uint32_t type)
{
    return find_type(type_key(level, type))->name;
}

bool names_add_text(uint64_t id, const char *text, size_t length)
{
    size_t i = home(id, TEXT_SLOTS);
    while (texts[i].text != NULL && texts[i].id != id)
        i = (i + 1) & (TEXT_SLOTS - 1);
    if (texts[i].text != NULL || text_count == RECORDER_NAMES_MAX || length > RECORDER_NAME_MAX ||
        memchr(text, '\n', length) != NULL)
        return false;
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    texts[i] = (struct text_name){id, copy, length};
    text_count++;
    return true;
}

static void write_type(struct capture_writer *writer, const struct type_name *entry)
{
    char line[512], *p = number_put_unsigned(line, entry->key >> 32);
    size_t length = strlen(entry->name);
    if (length > RECORDER_NAME_MAX)
        length = RECORDER_NAME_MAX;
    *p++ = '_';
    p = number_put_unsigned(p, (uint32_t)entry->key);
    *p++ = ':';
    memcpy(p, entry->name, length);
    p += length;
    *p++ = '\n';
    capture_writer_add(writer, STREAM_TYPE_NAMES, line, (size_t)(p - line));
}

void names_write_text(struct capture_writer *writer, uint64_t id, const char *text, size_t length)
{
    char line[512], *p = number_put_unsigned(line, id);
    *p++ = ':';
    memcpy(p, text, length);
    p += length;
    *p++ = '\n';
    capture_writer_add(writer, STREAM_TEXT_NAMES, line, (size_t)(p - line));
}

void names_begin(struct capture_writer *writer)
{
    for (size_t i = 0; i < TYPE_SLOTS; i++)
        types[i].written = false;
    for (size_t i = 0; i < TEXT_SLOTS; i++)
        if (texts[i].text != NULL)
            names_write_text(writer, texts[i].id, texts[i].text, texts[i].length);
}

void names_write_used(struct capture_writer *writer, const char *records, size_t length)
{
    for (; length >= CAPTURE_CALL_SIZE; records += CAPTURE_CALL_SIZE, length -= CAPTURE_CALL_SIZE) {
        uint16_t level;
        uint32_t type;
        memcpy(&level, records + 2, sizeof level);
        memcpy(&type, records + 4, sizeof type);
        struct type_name *entry = find_type(type_key(level, type));
        if (entry->name != NULL && !entry->written) {
            entry->written = true;
            write_type(writer, entry);
        }
    }
}
