/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/found.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/words.h"
#include "cli/capture/private_results.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "exporters/table/report.h"
#include "parsers/capture/archive.h"
#include "parsers/capture/capture.h"
#include "parsers/capture/capture_find.h"
#include "parsers/capture/framework_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- archives ---- */

#define DEPTH_IN_ARCHIVES 4

static void tell_passed_over(const char *why)
{
    console_warning("passed over: %s", why);
}

/* Those of this run: the captures of several commands, or of several passes, are unpacked once. */
static struct archives {
    struct unpacked {
        char *path;      /* of the archive, absolute */
        char *directory; /* that holds what was in it */
        struct private_results room;
        struct archive_content content;
    } * items;
    size_t count, capacity;
} archives;

static void unpacked_release(struct unpacked *unpacked)
{
    private_results_remove(&unpacked->room);
    free(unpacked->path);
    free(unpacked->directory);
}

void found_archives_release(void)
{
    for (size_t i = 0; i < archives.count; i++)
        unpacked_release(&archives.items[i]);
    free(archives.items);
    archives = (struct archives){.items = NULL};
}

/* A directory that is called like the archive: a capture that is all that the archive holds has its name of it. */
static char *name_directory(const char *room, const char *archive, struct err *err)
{
    size_t stem = 0;
    const char *name = path_name(archive);
    archive_has_name(name, &stem);
    SCOPED_FREE char *word = name[0] != '.' ? scoped_text(name, stem) : scoped_text("archive", SIZE_MAX);
    return word != NULL ? path_joined(room, word, err) : (err_no_memory(err), NULL);
}

static const struct unpacked *unpack(const char *absolute, struct err *err)
{
    for (size_t i = 0; i < archives.count; i++)
        if (strcmp(archives.items[i].path, absolute) == 0)
            return &archives.items[i];
    struct unpacked unpacked = {.path = strdup(absolute)};
    if (unpacked.path == NULL || array_reserve(&archives, 1, err) < 0) {
        free(unpacked.path);
        err_no_memory(err);
        return NULL;
    }
    bool failed = private_results_make(&unpacked.room, err) < 0 ||
                  (unpacked.directory = name_directory(unpacked.room.path, absolute, err)) == NULL ||
                  path_make_directories(unpacked.directory, err) < 0 ||
                  archive_unpack(absolute, unpacked.directory, &archive_limits_default, &unpacked.content, err) < 0;
    if (failed) {
        unpacked_release(&unpacked);
        return NULL;
    }
    console_detail("'%s': %" PRIu64 " file%s unpacked", absolute, unpacked.content.files,
                   console_plural(unpacked.content.files));
    archives.items[archives.count] = unpacked;
    return &archives.items[archives.count++];
}

/* Captures that were unpacked are shown as parts of their archive. */
static int show_as_parts(struct found_captures *found, size_t first, const struct unpacked *unpacked, const char *path,
                         struct err *err)
{
    const size_t length = strlen(unpacked->directory);
    for (size_t i = first; i < found->count; i++) {
        struct found_capture *capture = &found->items[i];
        char *shown;
        if (asprintf(&shown, "%s%s", path, capture->path + length) < 0)
            return err_no_memory(err);
        capture->shown = shown;
        capture->is_unpacked = true;
    }
    return 0;
}

/* Commands that leave results beside the data have nowhere to leave them. */
static int check_output(const struct settings *settings, const char *path, struct err *err)
{
    const enum command_id command = settings->command;
    const bool prints = command == COMMAND_CLUSTER && settings->show.tables.count > 0;
    const bool writes = command == COMMAND_IMPORT || command == COMMAND_ANALYSE || command == COMMAND_CLUSTER ||
                        command_is_within(command, COMMAND_EXPORT);
    if (settings->output != NULL || !writes || prints)
        return 0;
    err_set(err, ERR_USAGE, "'%s' is an archive; results cannot be written into it", path);
    return err_hint(err, "choose another directory with --output DIR");
}

static int find_in_archive(struct found_captures *found, const struct settings *settings, const char *path,
                           const char *absolute, bool *ret_none, struct err *err)
{
    const size_t before = found->count;
    const bool from_parent = found->from_parent;
    if (check_output(settings, path, err) < 0)
        return err_status(err);
    const struct unpacked *unpacked = unpack(absolute, err);
    if (unpacked == NULL)
        return err_status(err);
    SCOPED_FREE char *directory = path_absolute(unpacked->directory, err); /* as captures in it have it */
    if (directory == NULL ||
        found_captures_find(found, path, directory, settings->depth > 0 ? settings->depth : DEPTH_IN_ARCHIVES, ret_none,
                            err) < 0)
        return err_status(err);
    if (found->count == before + 1) /* the archive is that capture */
        found->from_parent = from_parent;
    return show_as_parts(found, before, unpacked, absolute, err);
}

/* Links are never made, and what they would have led to is missing. */
static int tell_left_out(const char *absolute)
{
    for (size_t i = 0; i < archives.count; i++) {
        const struct archive_content *content = &archives.items[i].content;
        if (strcmp(archives.items[i].path, absolute) != 0 || content->left_out == 0)
            continue;
        console_warning("'%s': %" PRIu64 " link%s, device%s or pipe%s left out, the first is '%s'", absolute,
                        content->left_out, console_plural(content->left_out), console_plural(content->left_out),
                        content->left_out == 1 ? " is" : "s are", content->first_left);
        return STATUS_DATA_PROBLEMS;
    }
    return STATUS_DONE;
}

/* Whether a directory is or holds captures, also those of frameworks. */
static bool holds_captures(const char *directory, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths paths = {.count = 0};
    enum directory_class class = DIRECTORY_OTHER;
    return capture_classify(directory, &class, err) != 0 || class != DIRECTORY_OTHER ||
           framework_find(directory, &paths, NULL, NULL, err) != 0 || paths.count > 0;
}

/* The only entry of a directory, when that is a directory (NULL: it is not, or err says why). */
static char *lone_directory(const char *directory, struct err *err)
{
    SCOPED(words_release) struct words names = {.items = NULL};
    SCOPED_DIRECTORY DIR *stream = opendir(directory);
    struct stat info;
    int status = 0;
    if (stream == NULL)
        return (void)err_set_errno(err, errno, "cannot open '%s'", directory), NULL;
    for (const struct dirent *item;
         status == 0 && names.count < 2 && (item = path_next_entry(stream, directory, &status, err)) != NULL;)
        if (item->d_name[0] != '.')
            status = words_add(&names, item->d_name, err);
    char *path = status == 0 && names.count == 1 ? path_joined(directory, names.items[0], err) : NULL;
    if (path != NULL && lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return path;
    free(path);
    return NULL;
}

static int enter_archive(const struct settings *settings, const char *path, const char *absolute, char **ret,
                         struct err *err)
{
    const struct unpacked *unpacked = check_output(settings, path, err) == 0 ? unpack(absolute, err) : NULL;
    if (unpacked == NULL || (*ret = scoped_text(unpacked->directory, SIZE_MAX)) == NULL)
        return unpacked == NULL ? err_status(err) : err_no_memory(err);
    for (char *inside; !holds_captures(*ret, err) && (inside = lone_directory(*ret, err)) != NULL; *ret = inside)
        free(*ret);
    return err_status(err);
}

int found_directory(const struct settings *settings, const char *path, char **ret)
{
    struct err err = ERR_INIT;
    struct stat info;
    SCOPED_FREE char *absolute = path_absolute(path, &err);
    const bool is_archive =
        absolute != NULL && stat(absolute, &info) == 0 && S_ISREG(info.st_mode) && archive_has_name(absolute, NULL);
    *ret = NULL;
    if (absolute == NULL || (is_archive ? enter_archive(settings, path, absolute, ret, &err) < 0
                                        : (*ret = scoped_text(path, SIZE_MAX)) == NULL && err_no_memory(&err) < 0)) {
        free(*ret);
        *ret = NULL;
        return console_error(&err);
    }
    return is_archive ? tell_left_out(absolute) : STATUS_DONE;
}

static bool has_results(const char *directory)
{
    struct stat info;
    SCOPED_FREE char *results = path_join(directory, "ASCEND_PROFILER_OUTPUT");

    return results != NULL && stat(results, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Whether a directory, or one in it, has what a framework's analysis wrote: of a job, texts can be all that is left. */
static bool holds_results(const char *directory)
{
    DIR *stream = !has_results(directory) ? opendir(directory) : NULL;
    bool found = stream == NULL && has_results(directory);

    for (const struct dirent *entry; stream != NULL && !found && (entry = readdir(stream)) != NULL;) {
        SCOPED_FREE char *inside = path_join(directory, entry->d_name);
        found = inside != NULL && entry->d_name[0] != '.' && has_results(inside);
    }
    if (stream != NULL)
        closedir(stream);
    return found;
}

/* Names the option for a table, if its name stands in the place of a capture. */
static void hint_of_table(const char *word, struct err *err)
{
    struct err ignored = ERR_INIT;
    const struct report *const *all = report_all(&ignored);

    for (; all != NULL && *all != NULL; all++)
        if (strcmp((*all)->name, word) == 0) {
            err_hint(err, "a table follows its option: msprof show CAPTURE --table %s", word);
            return;
        }
}

int found_captures_add(struct found_captures *found, const struct settings *settings, const char *path)
{
    struct err err = ERR_INIT;
    struct stat info;
    SCOPED_FREE char *absolute = path_absolute(path, &err);
    const bool is_file = absolute != NULL && stat(absolute, &info) == 0 && S_ISREG(info.st_mode);
    const bool is_archive = is_file && archive_has_name(absolute, NULL);
    bool is_none = false;
    found->passed_over = tell_passed_over;
    const bool failed = absolute == NULL ||
                        (is_archive ? find_in_archive(found, settings, path, absolute, &is_none, &err)
                                    : found_captures_find(found, path, absolute, settings->depth, &is_none, &err)) != 0;

    if (failed) {
        if (is_file && !is_archive)
            options_hint_of_file(path, &err);
        else if (settings->command == COMMAND_SHOW)
            hint_of_table(path, &err);
        err_wrap(&err, "cannot use '%s' as a capture", path);
        return console_error(&err);
    }
    if (is_none)
        return console_fail(
            ERR_NOT_FOUND,
            settings->sought != NULL ? settings->sought
            : holds_results(absolute)
                ? "it contains results of a framework's analysis, but no capture: 'msprof cluster DIR' reads those"
                : "pass a directory with data/ and info.json, or one that contains JOB*, PROF* or OPPROF* directories; "
                  "--depth N searches further down",
            "'%s' is not a capture and contains none", path);
    return is_archive ? tell_left_out(absolute) : STATUS_DONE;
}
