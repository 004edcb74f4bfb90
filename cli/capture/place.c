/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/place.h"

#include "base/file/fsutil.h"
#include "parsers/capture/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The nearest directory that exists, without links (free() it); NULL with err set. *ret_length: how much of the path
 * named it. */
static char *existing_part(const char *path, size_t *ret_length, struct err *err)
{
    struct err missing = ERR_INIT;
    char *absolute = NULL, *slash;
    SCOPED_FREE char *part = path != NULL ? scoped_text(path, SIZE_MAX) : NULL;

    if (part == NULL)
        err_no_memory(err);
    while (part != NULL && (absolute = path_absolute(part, &missing)) == NULL && missing.code == ERR_NOT_FOUND &&
           (slash = strrchr(part, '/')) != NULL) {
        missing = (struct err)ERR_INIT;
        slash[slash == part] = '\0';
    }
    if (part != NULL && absolute == NULL)
        *err = missing;
    *ret_length = part != NULL ? strlen(part) : 0;
    return absolute;
}

char *place_resolve(const char *path, struct err *err)
{
    size_t length = 0;
    SCOPED_FREE char *whole = path_from_here(path, err);
    char *there = whole != NULL ? existing_part(whole, &length, err) : NULL;
    const char *rest = whole != NULL ? whole + length + strspn(whole + length, "/") : "";
    if (there == NULL || *rest == '\0')
        return there;
    char *joined = path_joined(there, rest, err);
    free(there);
    return joined;
}

bool place_is_inside(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

int place_check_results(const char *results, const char *own, struct err *err)
{
    size_t length;
    SCOPED_FREE char *place = existing_part(results, &length, err), *outer = NULL;
    enum directory_class class = DIRECTORY_OTHER;
    int result = place != NULL ? capture_find_outer(place, &outer, err) : err_status(err);

    bool elsewhere = place != NULL && own != NULL && strcmp(place, own) != 0;
    if (result == 0 && outer != NULL) {
        result = err_set(err, ERR_USAGE, "'%s' is inside the capture '%s'", results, outer);
    } else if (result == 0 && elsewhere) {
        result = capture_classify(place, &class, err);
        if (result == 0 && class == DIRECTORY_CAPTURE)
            result = err_set(err, ERR_USAGE, "'%s' is a capture", place);
    }
    if (result == -ERR_USAGE)
        err_hint(err, "choose another directory with --output, or omit it to write into each capture");
    return result;
}

/* ---- files that the user names ---- */

#define LEVELS 3 /* from a file in data/ of a part up to its capture */

static int refuse(const char *path, const char *owner, struct err *err)
{
    err_set(err, ERR_USAGE, "'%s' is, or would be among, raw data of '%s'", path, owner);
    return err_hint(err, "choose a file outside the data of captures");
}

/* Whether a directory is one of a framework's profiler: it has a FRAMEWORK/ or is called like one. */
static bool is_framework_directory(const char *directory)
{
    struct stat info;
    SCOPED_FREE char *part = path_join(directory, "FRAMEWORK");
    return part == NULL || stat(part, &info) == 0 || strstr(path_name(directory), "_ascend_") != NULL;
}

/* Looks at the directory of the file that is there; parent is resolved. */
static int check_framework(const char *path, const char *parent, const char *name, struct err *err)
{
    const char *records = strstr(parent, "/FRAMEWORK");
    if (records != NULL && (records[10] == '/' || records[10] == '\0'))
        return refuse(path, parent, err);
    return (strncmp(name, "profiler_info", 13) == 0 || strcmp(name, "profiler_metadata.json") == 0) &&
                   is_framework_directory(parent)
               ? refuse(path, parent, err)
               : 0;
}

/* Looks at the directories above the file that is there. */
static int check_captures(const char *path, const char *resolved, struct err *err)
{
    SCOPED_FREE char *directory = scoped_text(resolved, SIZE_MAX);
    if (directory == NULL)
        return err_no_memory(err);
    char *slash;
    for (int level = 0; level < LEVELS && (slash = strrchr(directory, '/')) != NULL && slash != directory; level++) {
        enum directory_class class = DIRECTORY_OTHER;
        struct err unreadable = ERR_INIT;
        bool raw = false;
        *slash = '\0';
        if (capture_classify(directory, &class, &unreadable) == 0 && class == DIRECTORY_CAPTURE &&
            capture_reads(directory, resolved + strlen(directory) + 1, &raw, &unreadable) == 0 && raw)
            return refuse(path, directory, err);
    }
    return 0;
}

int place_check_file(const char *path, struct err *err)
{
    struct stat info;
    const bool there = lstat(path, &info) == 0;
    SCOPED_FREE char *whole = path_from_here(path, err), *parent = NULL, *resolved = NULL, *outer = NULL;
    char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    if (whole == NULL)
        return err_status(err);
    if (slash == NULL || slash == whole || (there && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)))
        return 0; /* who opens it says what is wrong */
    *slash = '\0';
    parent = place_resolve(whole, err);
    resolved = parent != NULL ? path_joined(parent, slash + 1, err) : NULL;
    if (resolved == NULL || capture_find_outer(parent, &outer, err) < 0)
        return err_status(err);
    if (outer != NULL)
        return refuse(path, outer, err);
    return !there                                              ? 0
           : check_framework(path, parent, slash + 1, err) < 0 ? err_status(err)
                                                               : check_captures(path, resolved, err);
}
