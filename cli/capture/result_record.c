/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/result_record.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/interrupt.h"
#include "base/strbuf.h"
#include "parsers/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RECORD_LIMIT ((size_t)64 * 1024 * 1024) /* bytes of one record */
#define OWNER_RECORD "log/capture"

/* The text of a record; NULL: there is none that can be read. */
static char *read_record(const char *results, const char *name)
{
    struct err ignored = ERR_INIT;
    char *path = path_join(results, name), *text = NULL;
    size_t length;
    if (path == NULL || read_whole_file(path, RECORD_LIMIT, &text, &length, &ignored) < 0)
        text = NULL;
    free(path);
    return text;
}

static int write_record(const char *results, const char *name, const struct strbuf *text, struct err *err)
{
    struct outfile out = {.path = NULL};
    char *path = path_joined(results, name, err);
    int status = path == NULL   ? -(int)err->code
                 : text->failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                                : outfile_open(&out, path, err);
    if (status == 0) {
        if (text->length > 0)
            outfile_add(&out, text);
        status = outfile_commit(&out, err);
    }
    free(path);
    return status;
}

/* ---- whose results ---- */

int result_owner_check(const char *results, const char *capture, struct err *err)
{
    struct err ignored = ERR_INIT;
    char fingerprint[65], *text = read_record(results, OWNER_RECORD);
    char *line_end = text != NULL ? strchr(text, '\n') : NULL;
    int status = 0;
    if (line_end != NULL) {
        char *other = line_end + 1;
        *line_end = '\0';
        other[strcspn(other, "\n")] = '\0';
        /* The fingerprint stands first: a path may hold anything. */
        if (strcmp(other, capture) != 0 &&
            (capture_fingerprint(capture, fingerprint, &ignored) < 0 || strcmp(text, fingerprint) != 0)) {
            err_set(err, ERR_USAGE, "'%s' holds the results of another capture, '%s'", results, other);
            status = err_hint(err, "give another directory with --output, or remove that one");
        }
    }
    free(text);
    return status;
}

int result_owner_record(const char *results, const char *capture, struct err *err)
{
    char fingerprint[65];
    struct strbuf text;
    bool failed = capture_fingerprint(capture, fingerprint, err) < 0;
    strbuf_init(&text, RECORD_LIMIT);
    strbuf_addf(&text, "%s\n%s\n", fingerprint, capture);
    failed = failed || write_record(results, OWNER_RECORD, &text, err) < 0;
    strbuf_release(&text);
    return failed ? -(int)err->code : 0;
}

/* ---- which files ---- */

int result_files_add(struct result_files *files, const char *path, struct err *err)
{
    if (files->count == files->capacity &&
        array_grow(&files->paths, &files->capacity, files->count, 1, sizeof *files->paths, err) < 0)
        return -(int)err->code;
    char *copy = strdup(path);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    files->paths[files->count++] = copy;
    return 0;
}

void result_files_release(struct result_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (struct result_files){.paths = NULL};
}

static void describe(const struct stat *info, char *text, size_t size)
{
    snprintf(text, size, "%lld %lld.%09ld", (long long)info->st_size, (long long)info->st_mtim.tv_sec,
             info->st_mtim.tv_nsec);
}

/* A line "<size> <time> <name>" for a file in results. */
static void add_line(struct strbuf *text, const char *results, const char *path)
{
    struct stat info;
    char description[80];
    size_t length = strlen(results);
    if (strncmp(path, results, length) != 0 || path[length] != '/' || strchr(path, '\n') != NULL ||
        lstat(path, &info) != 0)
        return;
    describe(&info, description, sizeof description);
    strbuf_addf(text, "%s %s\n", description, path + length + 1);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a name of a record stays below the results. */
static bool stays_inside(const char *name)
{
    return *name != '\0' && *name != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 &&
           strstr(name, "/../") == NULL;
}

/* One line of the record of an earlier export. */
static void drop_file(const struct result_files *files, const char *results, const char *line, struct strbuf *keep)
{
    struct stat info;
    char description[80];
    const char *name = strchr(line, ' ');
    name = name != NULL ? strchr(name + 1, ' ') : NULL;
    if (name == NULL || !stays_inside(name + 1))
        return;
    char *path = path_join(results, name + 1);
    if (path == NULL || lstat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        (files->count > 0 && bsearch(&path, files->paths, files->count, sizeof *files->paths, compare_paths) != NULL)) {
        free(path);
        return;
    }
    describe(&info, description, sizeof description);
    bool ours = strncmp(line, description, strlen(description)) == 0 && line[strlen(description)] == ' ';
    if (ours && keep != NULL)
        add_line(keep, results, path);
    else if (ours)
        unlink(path); /* one that stays is no worse than before */
    free(path);
}

int result_files_replace(const struct result_files *files, const char *results, const char *record, bool complete,
                         struct err *err)
{
    struct strbuf text;
    char *before = read_record(results, record);
    strbuf_init(&text, RECORD_LIMIT);
    if (files->count > 0)
        qsort(files->paths, files->count, sizeof *files->paths, compare_paths);
    for (char *line = before, *next; line != NULL && *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next == '\n')
            *next++ = '\0';
        drop_file(files, results, line, complete ? NULL : &text);
    }
    for (size_t i = 0; i < files->count; i++)
        add_line(&text, results, files->paths[i]);
    int status = write_record(results, record, &text, err);
    strbuf_release(&text);
    free(before);
    return status;
}

#define POLL_NS 20000000 /* 20 ms */

/* Whether the lock is taken, or the file system has none. */
static bool lock(int fd, int how)
{
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            return true;
    }
    return true;
}

int pin_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = directory != NULL ? open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY) : -1;
    free(directory);
    /* who removes it holds the lock for a moment only */
    if (fd >= 0 && !lock(fd, LOCK_SH)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err)
{
    bool told = false;
    while (fd >= 0 && !lock(fd, LOCK_EX)) {
        if (!told)
            waiting(path);
        told = true;
        if (interrupted())
            return interrupt_error(err);
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return unlink(path) == 0 || errno == ENOENT ? 0 : err_set_errno(err, errno, "'%s' is not removed", path);
}

void pin_close(int fd)
{
    if (fd >= 0)
        close(fd);
}
