/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/listing.h"

#include "base/array.h"
#include "base/language.h"
#include "base/number.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_COMPONENT 255 /* bytes that file systems take as one name */
#define SIZE_MOST ((int64_t)1 << 50)

const char *listing_path_problem(const char *path)
{
    const char *at = path;

    if (path[0] == '\0')
        return language_said("it is empty");
    if (path[0] == '/')
        return language_said("it is absolute");
    if (strlen(path) >= LISTING_MAX_PATH)
        return language_said("it is too long");
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return language_said("it holds control characters");
    for (;;) {
        size_t length = strcspn(at, "/");

        if (length == 0)
            return language_said("it has an empty component");
        if (length > MAX_COMPONENT)
            return language_said("it is too long");
        if ((length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.'))
            return language_said("it leaves the directory");
        if (at[length] == '\0')
            return NULL;
        at += length + 1;
    }
}

void told_add(struct told *told, const char *name)
{
    told->count++;
    if (told->first[0] != '\0')
        return;
    snprintf(told->first, sizeof told->first, "%.*s", (int)sizeof told->first - 1, name);
    utf8_mask(told->first);
}

void paths_sort(void *items, size_t count, size_t item_size)
{
    if (count > 0)
        qsort(items, count, item_size, array_compare_texts);
}

void *paths_find(const void *items, size_t count, size_t item_size, const char *path)
{
    return count > 0 ? bsearch(&path, items, count, item_size, array_compare_texts) : NULL;
}

static void file_release(struct listed_file *file)
{
    free(file->path);
    free(file->state);
}

static int too_many(struct err *err)
{
    return err_set(err, ERR_REMOTE, "the board lists more than %d files", LISTING_MAX_FILES);
}

/* line: its state, NULL when it has none. */
static int add_file(struct listing *listing, const char *path, uint64_t size, const char *line, size_t length,
                    struct err *err)
{
    struct listed_file file = {.path = strdup(path), .size = size};
    int result = 0;

    if (line != NULL)
        file.state = strndup(line, length);
    if (file.path == NULL || (line != NULL && file.state == NULL))
        result = err_no_memory(err);
    else if (listing->count >= LISTING_MAX_FILES)
        result = too_many(err);
    else if (listing->count == listing->capacity)
        result = array_grow(&listing->files, &listing->capacity, listing->count, 1, sizeof *listing->files, err);
    if (result < 0) {
        file_release(&file);
        return err_status(err);
    }
    listing->files[listing->count++] = file;
    return 0;
}

static int add_skipped(struct listing *listing, const char *path, struct err *err)
{
    told_add(&listing->skipped, path);
    return listing->skipped.count > LISTING_MAX_FILES ? too_many(err) : words_add(&listing->skipped_paths, path, err);
}

/* The next word of a line up to a blank; false when there is none. */
static bool next_word(const char **at, const char *end, const char **ret, size_t *ret_length)
{
    const char *blank = memchr(*at, ' ', (size_t)(end - *at));

    if (blank == NULL || blank == *at)
        return false;
    *ret = *at;
    *ret_length = (size_t)(blank - *at);
    *at = blank + 1;
    return true;
}

static bool parse_mode(const char *text, size_t length, unsigned *ret)
{
    unsigned mode = 0;

    if (length > 6)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (!isxdigit(c))
            return false;
        mode = mode << 4 | (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    *ret = mode;
    return true;
}

/* Behind the size: the name, or a state and the name, which begins with the first "./" of a word. *ret_state
 * distinguishes them. */
static const char *find_name(const char *at, const char *end, bool *ret_state)
{
    static const char mark[] = " ./";
    const char *found;

    *ret_state = false;
    if (end - at > 2 && at[0] == '.' && at[1] == '/')
        return at + 2;
    found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
    if (found == NULL || at[0] == '/')
        return at;
    *ret_state = true;
    return found + sizeof mark - 1;
}

static int parse_line(struct listing *listing, const char *line, size_t length, struct err *err)
{
    const char *at = line, *end = line + length, *word = NULL;
    char path[LISTING_MAX_PATH];
    size_t word_length = 0;
    unsigned mode = 0;
    int64_t size = 0;
    bool sound, has_state = false;

    sound = next_word(&at, end, &word, &word_length) && parse_mode(word, word_length, &mode) &&
            next_word(&at, end, &word, &word_length) && number_parse_integer(word, word_length, &size) == 0 &&
            size <= SIZE_MOST;
    if (sound)
        at = find_name(at, end, &has_state);
    if (sound && (size_t)(end - at) < sizeof path && memchr(at, '\0', (size_t)(end - at)) == NULL) {
        memcpy(path, at, (size_t)(end - at));
        path[end - at] = '\0';
        sound = listing_path_problem(path) == NULL;
    } else {
        sound = false;
    }
    if (!sound) {
        snprintf(path, sizeof path, "%.*s", (int)(end - at), at);
        told_add(&listing->refused, path);
        return 0;
    }
    if (!S_ISREG(mode))
        return add_skipped(listing, path, err);
    return add_file(listing, path, (uint64_t)size, has_state ? line : NULL, length, err);
}

static void drop_repeated(struct listing *listing)
{
    size_t kept = 0;

    for (size_t i = 0; i < listing->count; i++) {
        struct listed_file *file = &listing->files[i];

        if (kept > 0 && strcmp(listing->files[kept - 1].path, file->path) == 0) {
            told_add(&listing->refused, file->path);
            file_release(file);
        } else {
            listing->files[kept++] = *file;
        }
    }
    listing->count = kept;
}

int listing_parse(struct listing *listing, const char *text, size_t length, struct err *err)
{
    const char *at = text, *end = text + length;
    int result = 0;

    *listing = (struct listing){.files = NULL};
    while (at < end && result == 0) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_length = (size_t)((newline != NULL ? newline : end) - at);

        if (line_length > 0)
            result = parse_line(listing, at, line_length, err);
        at += line_length + 1;
    }
    if (result != 0) {
        listing_release(listing);
        return result;
    }
    paths_sort(listing->files, listing->count, sizeof *listing->files);
    drop_repeated(listing);
    return 0;
}

void listing_release(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        file_release(&listing->files[i]);
    words_release(&listing->skipped_paths);
    free(listing->files);
    *listing = (struct listing){.files = NULL};
}

uint64_t listing_bytes(const struct listing *listing)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < listing->count; i++)
        if (__builtin_add_overflow(bytes, listing->files[i].size, &bytes))
            return UINT64_MAX;
    return bytes;
}

struct listed_file *listing_find(const struct listing *listing, const char *path)
{
    return paths_find(listing->files, listing->count, sizeof *listing->files, path);
}

/* The name behind the checksum; undoes the escapes of a line that began with a backslash. */
static bool take_name(const char *at, const char *end, bool escaped, char path[LISTING_MAX_PATH])
{
    size_t length = 0;

    if (end - at > 2 && at[0] == '.' && at[1] == '/')
        at += 2;
    for (; at < end; at++) {
        char c = *at;

        if (escaped && c == '\\' && at + 1 < end) {
            at++;
            c = *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at;
        }
        if (c == '\0' || length + 1 >= LISTING_MAX_PATH)
            return false;
        path[length++] = c;
    }
    path[length] = '\0';
    return length > 0;
}

/* "<number> <size> " of cksum; what follows is the name. */
static const char *take_cksum(const char *line, const char *end, char checksum[CHECKSUM_TEXT_SIZE])
{
    const char *at = line, *word = NULL, *size = NULL;
    size_t length = 0, size_length = 0;
    int64_t number;

    if (!next_word(&at, end, &word, &length) || !next_word(&at, end, &size, &size_length) ||
        length >= CHECKSUM_TEXT_SIZE || number_parse_integer(word, length, &number) != 0 || number < 0 ||
        number_parse_integer(size, size_length, &number) != 0)
        return NULL;
    memcpy(checksum, word, length);
    checksum[length] = '\0';
    return at;
}

static const char *take_digest(const char *line, const char *end, size_t digits, char checksum[CHECKSUM_TEXT_SIZE])
{
    if ((size_t)(end - line) < digits + 3 || line[digits] != ' ' ||
        (line[digits + 1] != ' ' && line[digits + 1] != '*'))
        return NULL;
    for (size_t i = 0; i < digits; i++) {
        if (!isxdigit((unsigned char)line[i]))
            return NULL;
        checksum[i] = (char)tolower((unsigned char)line[i]);
    }
    checksum[digits] = '\0';
    return line + digits + 2;
}

bool checksum_line_parse(enum checksum_kind kind, const char *line, size_t length, char checksum[CHECKSUM_TEXT_SIZE],
                         char path[LISTING_MAX_PATH])
{
    const size_t sha256_digits = 64, md5_digits = 32;
    const char *end = line + length, *name;
    bool escaped = length > 0 && line[0] == '\\';

    line += escaped;
    name = kind == CHECKSUM_CKSUM ? take_cksum(line, end, checksum)
                                  : take_digest(line, end, kind == CHECKSUM_MD5 ? md5_digits : sha256_digits, checksum);
    return name != NULL && take_name(name, end, escaped, path);
}
