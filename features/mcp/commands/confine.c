/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/confine.h"

#include "base/file/fsutil.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *confine_root(const char *directory, struct err *err)
{
    struct stat info;
    char *root = realpath(directory, NULL);
    if (root == NULL || stat(root, &info) != 0)
        err_set_errno(err, errno, "cannot use '%s' as the root", directory);
    else if (!S_ISDIR(info.st_mode))
        err_set(err, ERR_USAGE, "the root '%s' is not a directory", directory);
    else
        return root;
    free(root);
    return NULL;
}

static bool is_below(const char *root, const char *path)
{
    const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    return strncmp(root, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* One message for what is not there and what is elsewhere: a client learns nothing of the rest of the machine. */
static int fail_path(const char *path, struct err *err)
{
    err_set(err, ERR_NOT_FOUND, "'%s' is not below the root, or does not exist", path);
    return err_hint(err, "paths are absolute or relative to the directory of --root");
}

static int check_link(const char *root, const char *link, const char *given, struct err *err)
{
    SCOPED_FREE char *target = realpath(link, NULL);
    if (target != NULL && is_below(root, target))
        return 0;
    return err_set(err, ERR_ACCESS, "'%s' holds a link that leads out of the root: '%s'", given, link);
}

#define DEPTH_MAX 64

static int check_tree(const char *root, const char *path, const char *given, int depth, struct err *err);

/* One that goes away meanwhile is no link any more. */
static int check_entry(const char *root, const char *path, const char *given, int depth, struct err *err)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read '%s'", given);
    if (S_ISLNK(info.st_mode))
        return check_link(root, path, given, err);
    return S_ISDIR(info.st_mode) ? check_tree(root, path, given, depth + 1, err) : 0;
}

/* Every link in a directory leads to a place below the root. */
static int check_tree(const char *root, const char *path, const char *given, int depth, struct err *err)
{
    SCOPED_DIRECTORY DIR *stream = opendir(path);
    int status = 0;
    if (stream == NULL)
        return errno == ENOTDIR ? 0 : err_set_errno(err, errno, "cannot read '%s'", given);
    if (depth > DEPTH_MAX)
        return err_set(err, ERR_LIMIT, "'%s' has directories more than %d deep", given, DEPTH_MAX);
    for (const struct dirent *entry; status == 0 && (entry = path_next_entry(stream, path, &status, err)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        SCOPED_FREE char *inside = path_joined(path, entry->d_name, err);
        status = inside != NULL ? check_entry(root, inside, given, depth, err) : err_status(err);
    }
    return status;
}

/* A capture in a directory of a framework's profiler belongs together with the FRAMEWORK beside it. */
static int check_framework(const char *root, const char *path, const char *given, struct err *err)
{
    struct stat info;
    SCOPED_FREE char *parent = scoped_text(path, (size_t)(path_name(path) - path));
    SCOPED_FREE char *framework = parent != NULL ? path_joined(parent, "FRAMEWORK", err) : NULL;
    if (framework == NULL)
        return err_no_memory(err);
    if (lstat(framework, &info) != 0)
        return 0;
    if (is_below(root, framework))
        return check_tree(root, framework, given, 0, err);
    err_set(err, ERR_ACCESS, "'%s' belongs to the FRAMEWORK beside it, which is not below the root", given);
    return err_hint(err, "start 'msprof mcp' with the directory above it as --root");
}

char *confine_path(const char *root, const char *path, struct err *err)
{
    SCOPED_FREE char *whole = path[0] == '/' ? scoped_text(path, SIZE_MAX) : path_joined(root, path, err);
    char *ret = whole != NULL ? realpath(whole, NULL) : NULL;
    if (ret == NULL || !is_below(root, ret))
        fail_path(path, err);
    else if (check_tree(root, ret, path, 0, err) == 0 && check_framework(root, ret, path, err) == 0)
        return ret;
    free(ret);
    return NULL;
}
