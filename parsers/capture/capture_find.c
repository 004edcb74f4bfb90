/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/capture_find.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/words.h"
#include "parsers/capture/capture.h"
#include "parsers/capture/framework_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The directory itself (free() it) when the framework's own part is there, without which it is one that holds captures;
 * else NULL. length: of its path. */
static int framework_of(const char *directory, size_t length, char **ret, struct err *err)
{
    struct stat info;
    char *part;

    *ret = NULL;
    if (asprintf(&part, "%.*s/FRAMEWORK", (int)length, directory) < 0)
        return err_no_memory(err);
    if (stat(part, &info) == 0 && S_ISDIR(info.st_mode)) {
        part[length] = '\0';
        *ret = part;
    } else {
        free(part);
    }
    return 0;
}

static void found_capture_release(struct found_capture *capture)
{
    free(capture->path);
    free(capture->framework);
    free(capture->shown);
}

void found_captures_release(struct found_captures *found)
{
    for (size_t i = 0; i < found->count; i++)
        found_capture_release(&found->items[i]);
    free(found->items);
}

/* Adds the capture at a path, found in a directory whose path has so many characters, unless it is there already. */
static int add_capture(struct found_captures *found, const char *path, const char *directory, size_t length,
                       struct err *err)
{
    struct found_capture capture = {.path = path_absolute(path, err)};

    if (capture.path == NULL)
        return err_status(err);
    found->named++;
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].path, capture.path) == 0) {
            free(capture.path);
            return 0;
        }
    if (framework_of(directory, length, &capture.framework, err) == 0 && array_add(found, err, capture) == 0)
        return 0;
    found_capture_release(&capture);
    return err_status(err);
}

static int find_in_parent(struct found_captures *found, const char *parent, struct err *err)
{
    SCOPED_FREE char **paths = NULL;
    size_t count = 0;
    int result = capture_list(parent, &paths, &count, err);

    if (result != 0)
        return result;
    found->from_parent = true;
    for (size_t i = 0; i < count; i++) {
        if (result == 0)
            result = add_capture(found, paths[i], parent, strlen(parent), err);
        free(paths[i]);
    }
    return result;
}

/* The captures in the directories of frameworks that a directory holds. */
static int find_in_frameworks(struct found_captures *found, const char *parent, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths directories = {.count = 0};
    int result = framework_find(parent, &directories, NULL, NULL, err);

    for (size_t i = 0; i < directories.count && result == 0; i++)
        result = find_in_parent(found, directories.items[i], err);
    return result;
}

/* Adds the captures that a directory is or holds. */
static int find_here(struct found_captures *found, const char *directory, enum directory_class class, struct err *err)
{
    const size_t before = found->named;
    if (class == DIRECTORY_CAPTURE)
        return add_capture(found, directory, directory, (size_t)(strrchr(directory, '/') - directory), err);
    if (class == DIRECTORY_PARENT && find_in_parent(found, directory, err) != 0)
        return err_status(err);
    return found->named == before ? find_in_frameworks(found, directory, err) : 0;
}

static int find_below(struct found_captures *found, const char *directory, int depth, struct err *err);

/* Searches each directory of a directory; links are not followed, and a name that begins with a dot is passed over. */
static int find_in_each(struct found_captures *found, const char *directory, int depth, struct err *err)
{
    SCOPED(words_release) struct words names = {.items = NULL};
    SCOPED_DIRECTORY DIR *stream = opendir(directory);
    struct stat info;
    int status = 0;

    if (stream == NULL)
        return err_set_errno(err, errno, "cannot open '%s'", directory);
    for (const struct dirent *item;
         status == 0 && (item = path_next_entry(stream, directory, &status, err)) != NULL && !interrupted();)
        if (item->d_name[0] != '.' && fstatat(dirfd(stream), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(info.st_mode))
            status = words_add(&names, item->d_name, err);
    if (names.count > 0)
        array_sort(names.items, names.count, sizeof *names.items, array_compare_texts);
    for (size_t i = 0; status == 0 && i < names.count; i++) {
        SCOPED_FREE char *path = path_joined(directory, names.items[i], err);
        status = path != NULL ? find_below(found, path, depth, err) : err_status(err);
        if (status == -ERR_ACCESS) { /* what others keep for themselves is no reason not to find the rest */
            if (found->passed_over != NULL)
                found->passed_over(err_message(err));
            *err = (struct err)ERR_INIT;
            status = 0;
        }
    }
    return status;
}

/* Adds what a directory is or holds, and what is so many levels below it. */
static int find_below(struct found_captures *found, const char *directory, int depth, struct err *err)
{
    enum directory_class class = DIRECTORY_OTHER;
    const size_t before = found->count;

    if (capture_classify(directory, &class, err) != 0)
        return err_status(err);
    if (class != DIRECTORY_CAPTURE && depth == 0) /* the directories in it are a level further down */
        return 0;
    if (find_here(found, directory, class, err) != 0)
        return err_status(err);
    found->from_parent |= found->count > before && class != DIRECTORY_CAPTURE;
    return class != DIRECTORY_CAPTURE ? find_in_each(found, directory, depth - 1, err) : 0;
}

int found_captures_find(struct found_captures *found, const char *path, const char *absolute, int depth, bool *ret_none,
                        struct err *err)
{
    enum directory_class class = DIRECTORY_OTHER;
    const size_t before = found->named;
    SCOPED_FREE char *outer = NULL;

    if (capture_find_outer(absolute, &outer, err) != 0)
        return err_status(err);
    if (outer != NULL) {
        err_set(err, ERR_USAGE, "'%s' is part of the capture '%s'", path, outer);
        err_hint(err, "pass the capture: -dir %s", outer);
        return err_status(err);
    }
    int status = depth > 0 ? find_below(found, absolute, depth, err) : capture_classify(absolute, &class, err);
    if (status == 0 && depth == 0)
        status = find_here(found, absolute, class, err);
    *ret_none = found->named == before;
    return status;
}
