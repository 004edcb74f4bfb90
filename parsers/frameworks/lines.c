/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/lines.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "parsers/frameworks/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
    struct hashed_name *names;
    size_t count;
};

static uint64_t calculated(const char *name)
{
    uint32_t high = 0, low = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0'; p++) {
        high = high * 29 + *p;
        low = low * 131 + *p;
    }
    return (uint64_t)high << 32 | low;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct hashed_name *)a)->name, ((const struct hashed_name *)b)->name);
}

static int take_line(void *arg, const struct framework_line *line, struct err *err)
{
    const struct reading *reading = arg;
    const char *colon = strchr(line->text, ':');
    char *end;
    (void)err;
    if (colon == NULL)
        return 0; /* import has told of it */
    const struct hashed_name key = {colon + 1, 0};
    struct hashed_name *name = bsearch(&key, reading->names, reading->count, sizeof key, compare_names);
    uint64_t number = name != NULL ? strtoull(line->text, &end, 10) : 0;
    if (name != NULL && end == colon)
        name->number = number;
    return 0;
}

int hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag, struct err *err)
{
    struct reading reading = {names, count};
    char *data = prof != NULL ? path_join(prof, "host/data") : NULL;
    DIR *directory = data != NULL && count > 0 ? opendir(data) : NULL;
    int status = 0;
    for (size_t i = 0; i < count; i++)
        names[i].number = calculated(names[i].name);
    for (struct dirent *entry; status == 0 && directory != NULL && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strstr(entry->d_name, ".hash_dic.") == NULL || dot == NULL || strcmp(dot, ".done") == 0)
            continue;
        char *path = path_join(data, entry->d_name);
        status = path != NULL ? framework_read_lines(path, take_line, &reading, NULL, diag, err) : err_no_memory(err);
        free(path);
    }
    if (directory != NULL)
        closedir(directory);
    free(data);
    return status;
}

#define FRAMEWORK_LINE_LIMIT ((size_t)16 * 1024 * 1024) /* bytes */

/* NULL: told, or not there. */
static FILE *open_regular(const char *path, bool *ret_found, struct diagnostics *diag)
{
    const struct place place = {path, -1, -1, NULL};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *ret_found = fd >= 0;
    if (fd < 0) {
        if (errno != ENOENT)
            diag_report(diag, errno == ELOOP ? DIAG_FILE_TYPE : DIAG_FILE_UNREADABLE, &place, "%s", strerror(errno));
        return NULL;
    }
    FILE *file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "r") : NULL;
    if (file != NULL && info.st_size == 0)
        diag_report(diag, DIAG_FILE_EMPTY, &place, "0 bytes; expected lines");
    if (file == NULL) {
        diag_report(diag, DIAG_FILE_TYPE, &place, "not a regular file");
        close(fd);
        *ret_found = false;
    }
    return file;
}

/* Reads one line into *buffer; *ret_length counts bytes past the limit too. false: the file ended. */
static bool read_line(FILE *file, char **buffer, size_t *capacity, size_t *ret_length, bool *ret_failed)
{
    struct err ignored = ERR_INIT;
    size_t length = 0;
    int c = 0;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (length < FRAMEWORK_LINE_LIMIT && length + 1 >= *capacity) {
            *ret_failed = array_grow(buffer, capacity, length, 2, 1, &ignored) < 0;
            if (*ret_failed)
                return false;
        }
        if (length < FRAMEWORK_LINE_LIMIT)
            (*buffer)[length] = (char)c;
        length++;
    }
    *ret_length = length;
    return c != EOF || length > 0;
}

int framework_read_lines(const char *path, int (*take)(void *arg, const struct framework_line *line, struct err *err),
                         void *arg, bool *ret_found, struct diagnostics *diag, struct err *err)
{
    bool found, failed = false;
    FILE *file = open_regular(path, &found, diag);
    size_t capacity = 4096, length = 0;
    char *buffer = malloc(capacity);
    int status = buffer != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for '%s'", path);
    for (uint64_t number = 1; status == 0 && file != NULL && read_line(file, &buffer, &capacity, &length, &failed);
         number++) {
        const struct place place = {path, (int64_t)number, -1, NULL};
        if (length >= FRAMEWORK_LINE_LIMIT || memchr(buffer, '\0', length) != NULL) {
            diag_report(diag, DIAG_TEXT_LINE, &place, "%zu bytes, or a NUL among them", length);
            continue;
        }
        length -= length > 0 && buffer[length - 1] == '\r';
        buffer[length] = '\0';
        framework_check_text(buffer, length, &place, diag);
        const struct framework_line line = {path, buffer, length, number};
        status = number % 4096 == 0 && interrupted() ? interrupt_error(err) : take(arg, &line, err);
    }
    if (status == 0 && failed)
        status = err_set(err, ERR_NO_MEMORY, "out of memory for a line of '%s'", path);
    if (status == 0 && file != NULL && ferror(file))
        status = err_set(err, ERR_IO, "cannot read '%s'", path);
    if (file != NULL)
        fclose(file);
    free(buffer);
    if (ret_found != NULL)
        *ret_found = found;
    return status;
}
