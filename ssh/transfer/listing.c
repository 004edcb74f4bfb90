#include "ssh/transfer/listing.h"

#include "base/array.h"
#include "base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_COMPONENT 255 /* bytes that file systems take as one name */
#define SIZE_MOST ((int64_t)1 << 50)

const char *remote_path_problem(const char *path)
{
    const char *at = path;

    if (path[0] == '\0')
        return "it is empty";
    if (path[0] == '/')
        return "it is absolute";
    if (strlen(path) >= LISTING_MAX_PATH)
        return "it is too long";
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return "it holds control characters";
    for (;;) {
        size_t length = strcspn(at, "/");

        if (length == 0)
            return "it has an empty component";
        if (length > MAX_COMPONENT)
            return "it is too long";
        if ((length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.'))
            return "it leaves the directory";
        if (at[length] == '\0')
            return NULL;
        at += length + 1;
    }
}

static void note_name(char *ret, size_t size, const char *name, size_t length)
{
    if (ret[0] != '\0')
        return;
    snprintf(ret, size, "%.*s", length < size ? (int)length : (int)size - 1, name);
    err_mask_text(ret);
}

static int add_file(struct listing *listing, const char *path, uint64_t size, struct err *err)
{
    struct listed_file file = {strdup(path), size};

    if (listing->count >= LISTING_MAX_FILES) {
        free(file.path);
        return err_set(err, ERR_REMOTE, "the board lists more than %d files", LISTING_MAX_FILES);
    }
    if (file.path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (listing->count == listing->capacity &&
        array_grow(&listing->files, &listing->capacity, listing->count, 1, sizeof *listing->files, err) < 0) {
        free(file.path);
        return -(int)err->code;
    }
    listing->files[listing->count++] = file;
    return 0;
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

static int parse_line(struct listing *listing, const char *line, size_t length, struct err *err)
{
    const char *at = line, *end = line + length, *word = NULL;
    char path[LISTING_MAX_PATH];
    size_t word_length = 0;
    unsigned mode = 0;
    int64_t size = 0;
    bool sound;

    sound = next_word(&at, end, &word, &word_length) && parse_mode(word, word_length, &mode) &&
            next_word(&at, end, &word, &word_length) && number_parse_integer(word, word_length, &size) == 0 &&
            size <= SIZE_MOST;
    if (sound && end - at > 2 && at[0] == '.' && at[1] == '/')
        at += 2;
    if (sound && (size_t)(end - at) < sizeof path && memchr(at, '\0', (size_t)(end - at)) == NULL) {
        memcpy(path, at, (size_t)(end - at));
        path[end - at] = '\0';
        sound = remote_path_problem(path) == NULL;
    } else {
        sound = false;
    }
    if (!sound) {
        listing->refused++;
        note_name(listing->first_refused, sizeof listing->first_refused, at, (size_t)(end - at));
        return 0;
    }
    if (!S_ISREG(mode)) {
        listing->skipped++;
        note_name(listing->first_skipped, sizeof listing->first_skipped, path, strlen(path));
        return 0;
    }
    return add_file(listing, path, (uint64_t)size, err);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct listed_file *)a)->path, ((const struct listed_file *)b)->path);
}

static void drop_repeated(struct listing *listing)
{
    size_t kept = 0;

    for (size_t i = 0; i < listing->count; i++) {
        struct listed_file *file = &listing->files[i];

        if (kept > 0 && strcmp(listing->files[kept - 1].path, file->path) == 0) {
            listing->refused++;
            note_name(listing->first_refused, sizeof listing->first_refused, file->path, strlen(file->path));
            free(file->path);
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
    if (listing->count > 0)
        qsort(listing->files, listing->count, sizeof *listing->files, compare_paths);
    drop_repeated(listing);
    return 0;
}

void listing_release(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->files[i].path);
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
    union { /* bsearch's key is not written to */
        const char *constant;
        char *path;
    } name = {path};
    struct listed_file key = {name.path, 0};

    if (listing->count == 0)
        return NULL;
    return bsearch(&key, listing->files, listing->count, sizeof *listing->files, compare_paths);
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

bool checksum_line_parse(const char *line, size_t length, char checksum[CHECKSUM_TEXT_SIZE],
                         char path[LISTING_MAX_PATH])
{
    const size_t digits = CHECKSUM_TEXT_SIZE - 1;
    const char *end = line + length;
    bool escaped = length > 0 && line[0] == '\\';

    line += escaped;
    if ((size_t)(end - line) < digits + 3 || line[digits] != ' ' ||
        (line[digits + 1] != ' ' && line[digits + 1] != '*'))
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!isxdigit((unsigned char)line[i]))
            return false;
        checksum[i] = (char)tolower((unsigned char)line[i]);
    }
    checksum[digits] = '\0';
    return take_name(line + digits + 2, end, escaped, path);
}
