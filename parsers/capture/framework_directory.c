/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/framework_directory.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/words.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void framework_paths_release(struct framework_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    *paths = (struct framework_paths){.count = 0};
}

/* "PROF_", a number, "_", a number, "_", letters or digits. */
static bool is_prof(const char *name)
{
    if (strncmp(name, "PROF_", 5) != 0)
        return false;
    const char *p = name + 5;
    for (int i = 0; i < 2; i++) {
        size_t digits = strspn(p, "0123456789");
        if (digits == 0 || p[digits] != '_')
            return false;
        p += digits + 1;
    }
    return isalnum((unsigned char)*p) != 0;
}

static bool is_capture_part(const char *name)
{
    return strcmp(name, "FRAMEWORK") == 0 || is_prof(name);
}

static bool any_name(const char *name)
{
    return name[0] != '.';
}

static bool leads_to_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Takes the path over. */
static int add_path(struct framework_paths *paths, char *path, struct err *err)
{
    int status = array_reserve(paths, 1, err);
    if (status == 0)
        paths->items[paths->count++] = path;
    else
        free(path);
    return status;
}

static int add_entry(const char *path, struct framework_paths *paths, struct framework_paths *links, struct err *err)
{
    struct stat info;
    bool there;
    if (path_look(path, &info, &there, err) < 0)
        return err_status(err);
    const bool is_link = there && S_ISLNK(info.st_mode) && links != NULL && leads_to_directory(path);
    if (!is_link && (!there || !S_ISDIR(info.st_mode)))
        return 0;
    char *copy = strdup(path);
    return copy != NULL ? add_path(is_link ? links : paths, copy, err) : err_no_memory(err);
}

/* Adds the directories inside of a directory whose names fit, and links to some (NULL: not wanted). */
static int add_directories(const char *path, bool (*fits)(const char *name), struct framework_paths *paths,
                           struct framework_paths *links, struct err *err)
{
    SCOPED_DIRECTORY DIR *directory = opendir(path);
    size_t first = paths->count;
    int status = directory != NULL ? 0 : err_set_errno(err, errno, "cannot read '%s'", path);
    for (struct dirent *entry; status == 0 && (entry = path_next_entry(directory, path, &status, err)) != NULL;) {
        if (!fits(entry->d_name))
            continue;
        SCOPED_FREE char *inner = path_joined(path, entry->d_name, err);
        status = inner != NULL ? add_entry(inner, paths, links, err) : err_status(err);
    }
    if (paths->count > first)
        array_sort(paths->items + first, paths->count - first, sizeof *paths->items, array_compare_texts);
    return status;
}

static int is_capture(const char *path, bool *ret, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths parts = {.count = 0}, links = {.count = 0};
    int status = add_directories(path, is_capture_part, &parts, &links, err);
    *ret = parts.count > 0 || links.count > 0;
    return status;
}

/* Keeps the links that lead to captures. */
static void keep_captures(struct framework_paths *links)
{
    size_t kept = 0;
    for (size_t i = 0; i < links->count; i++) {
        struct err ignored = ERR_INIT;
        bool found = false;
        if (is_capture(links->items[i], &found, &ignored) == 0 && found)
            links->items[kept++] = links->items[i];
        else
            free(links->items[i]);
    }
    links->count = kept;
}

static bool is_called_like_capture(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    return strstr(name, "_ascend_ms") != NULL || strstr(name, "_ascend_pt") != NULL;
}

int framework_find(const char *path, struct framework_paths *paths, struct framework_paths *links,
                   struct framework_paths *empty, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths inside = {.count = 0};
    bool found = false;
    char *absolute = path_absolute(path, err);
    if (absolute == NULL)
        return err_status(err);
    int status = is_capture(absolute, &found, err);
    if (status == 0 && found)
        return add_path(paths, absolute, err);
    if (status < 0) {
        free(absolute);
        return status;
    }
    status = add_directories(absolute, any_name, &inside, links, err);
    if (status == 0 && links != NULL)
        keep_captures(links);
    for (size_t i = 0; status == 0 && i < inside.count; i++) {
        struct err ignored = ERR_INIT; /* not readable: not one that is asked for */
        bool is_one = is_capture(inside.items[i], &found, &ignored) == 0 && found;
        if (!is_one && (empty == NULL || !is_called_like_capture(inside.items[i])))
            continue;
        status = add_path(is_one ? paths : empty, inside.items[i], err);
        inside.items[i] = NULL;
    }
    free(absolute);
    return status;
}

int framework_find_prof(const char *directory, struct framework_paths *paths, struct framework_paths *links,
                        struct err *err)
{
    return add_directories(directory, is_prof, paths, links, err);
}

static bool has_file(const char *directory, const char *name)
{
    SCOPED_FREE char *path = path_join(directory, name);
    return path != NULL && access(path, F_OK) == 0;
}

bool framework_has_records(const char *directory)
{
    static const char *const names[] = {
        "torch.op_range",           "torch.op_mark",   "torch.memory_usage", "torch.python_tracer_func",
        "torch.python_tracer_hash", "torch.gc_record", "mindspore.op_range", "mindspore.memory_usage",
        "mindspore.record_shapes"};
    SCOPED_FREE char *records = path_join(directory, "FRAMEWORK");
    bool found = records == NULL; /* who goes on says that memory is out */
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = has_file(records, names[i]);
    return found;
}

int framework_kind_of(const char *directory, enum framework_kind *ret, struct err *err)
{
    if (words_end_in(directory, "_ascend_ms") || has_file(directory, "FRAMEWORK/mindspore.op_range")) {
        *ret = FRAMEWORK_MINDSPORE;
        return 0;
    }
    if (words_end_in(directory, "_ascend_pt") || has_file(directory, "FRAMEWORK/torch.op_range")) {
        *ret = FRAMEWORK_PYTORCH;
        return 0;
    }
    err_set(err, ERR_FORMAT, "the framework of '%s' is unknown", directory);
    return err_hint(err, "expected a name that ends with _ascend_ms or _ascend_pt");
}
