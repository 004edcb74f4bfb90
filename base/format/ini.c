/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/ini.h"

#include "base/array.h"
#include "base/file/fsutil.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A piece of the text. */
struct span {
    const char *start;
    size_t length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct span trim(struct span s)
{
    while (s.length > 0 && is_blank(s.start[0])) {
        s.start++;
        s.length--;
    }
    while (s.length > 0 && is_blank(s.start[s.length - 1]))
        s.length--;
    return s;
}

static void entry_release(struct ini_entry *entry)
{
    free(entry->section);
    free(entry->key);
    if (entry->value != NULL)
        explicit_bzero(entry->value, strlen(entry->value));
    free(entry->value);
}

/* key and value NULL: the line that opens the section. */
static int add_entry(struct ini *ini, struct span section, const struct span *key, const struct span *value,
                     size_t line, struct err *err)
{
    struct ini_entry entry = {.section = strndup(section.start, section.length), .line = line};
    struct err ignored = ERR_INIT;

    if (key != NULL) {
        entry.key = strndup(key->start, key->length);
        entry.value = strndup(value->start, value->length);
    }
    if (entry.section == NULL || (key != NULL && (entry.key == NULL || entry.value == NULL)) ||
        (ini->count == ini->capacity &&
         array_grow(&ini->entries, &ini->capacity, ini->count, 1, sizeof *ini->entries, &ignored) < 0)) {
        entry_release(&entry);
        return err_no_memory(err);
    }
    ini->entries[ini->count++] = entry;
    return 0;
}

static const struct ini_entry *find_span(const struct ini *ini, struct span section, const struct span *key)
{
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_entry *entry = &ini->entries[i];

        if (strlen(entry->section) != section.length || memcmp(entry->section, section.start, section.length) != 0 ||
            (entry->key == NULL) != (key == NULL))
            continue;
        if (key == NULL || (strlen(entry->key) == key->length && strncasecmp(entry->key, key->start, key->length) == 0))
            return entry;
    }
    return NULL;
}

static int parse_section(struct ini *ini, struct span text, struct span *section, size_t line, const char *name,
                         struct err *err)
{
    if (text.length < 2 || text.start[text.length - 1] != ']')
        return err_set(err, ERR_FORMAT, "'%s', line %zu: missing ']' after the section name", name, line);
    struct span inner = trim((struct span){text.start + 1, text.length - 2});
    if (inner.length == 0)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: empty section name", name, line);
    const struct ini_entry *before = find_span(ini, inner, NULL);
    if (before != NULL)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: duplicate section [%s], first in line %zu", name, line,
                       before->section, before->line);
    *section = inner;
    return add_entry(ini, inner, NULL, NULL, line, err);
}

static int parse_value(struct ini *ini, struct span text, struct span section, size_t line, const char *name,
                       struct err *err)
{
    size_t at = 0;

    while (at < text.length && text.start[at] != '=' && text.start[at] != ':')
        at++;
    struct span key = trim((struct span){text.start, at});
    /* the content of a wrong line may be a secret, so no message shows it */
    if (at == text.length || key.length == 0)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: expected '[section]' or 'key = value'", name, line);
    if (section.length == 0)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: value before the first [section]", name, line);
    struct span value = trim((struct span){text.start + at + 1, text.length - at - 1});
    const struct ini_entry *before = find_span(ini, section, &key);
    if (before != NULL)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: duplicate key '%s', first in line %zu", name, line,
                       before->key, before->line);
    return add_entry(ini, section, &key, &value, line, err);
}

static int parse_line(struct ini *ini, struct span text, struct span *section, size_t line, const char *name,
                      struct err *err)
{
    text = trim(text);
    if (text.length == 0 || text.start[0] == ';' || text.start[0] == '#')
        return 0;
    if (memchr(text.start, '\0', text.length) != NULL)
        return err_set(err, ERR_FORMAT, "'%s', line %zu: a NUL byte", name, line);
    if (text.start[0] == '[')
        return parse_section(ini, text, section, line, name, err);
    return parse_value(ini, text, *section, line, name, err);
}

int ini_parse(struct ini *ini, const char *text, size_t length, const char *name, struct err *err)
{
    static const char byte_order_mark[] = {'\xEF', '\xBB', '\xBF'};
    struct span section = {"", 0};
    size_t at = 0, line = 1;
    int result = 0;

    *ini = (struct ini){.entries = NULL};
    if (length > INI_FILE_LIMIT)
        return err_set(err, ERR_LIMIT, "'%s' is too large: expected at most %zu bytes", name, INI_FILE_LIMIT);
    if (length >= sizeof byte_order_mark && memcmp(text, byte_order_mark, sizeof byte_order_mark) == 0)
        at = sizeof byte_order_mark;
    for (; at < length && result == 0; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t line_length = end != NULL ? (size_t)(end - (text + at)) : length - at;

        result = parse_line(ini, (struct span){text + at, line_length}, &section, line, name, err);
        at += line_length + 1;
    }
    if (result != 0)
        ini_release(ini);
    return result;
}

int ini_load(struct ini *ini, const char *path, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length = 0;
    int result = path_read_file(path, INI_FILE_LIMIT, &text, &length, err);

    *ini = (struct ini){.entries = NULL};
    if (result != 0)
        return result;
    result = ini_parse(ini, text, length, path, err);
    explicit_bzero(text, length);
    return result;
}

void ini_forget_values(struct ini *ini, const char *key)
{
    for (size_t i = 0; i < ini->count; i++)
        if (ini->entries[i].key != NULL && strcasecmp(ini->entries[i].key, key) == 0)
            explicit_bzero(ini->entries[i].value, strlen(ini->entries[i].value));
}

void ini_release(struct ini *ini)
{
    for (size_t i = 0; i < ini->count; i++)
        entry_release(&ini->entries[i]);
    free(ini->entries);
    *ini = (struct ini){.entries = NULL};
}

bool ini_has_section(const struct ini *ini, const char *section)
{
    return find_span(ini, (struct span){section, strlen(section)}, NULL) != NULL;
}

const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key)
{
    struct span name = {key, strlen(key)};

    return find_span(ini, (struct span){section, strlen(section)}, &name);
}
