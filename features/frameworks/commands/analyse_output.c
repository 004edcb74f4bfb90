/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/commands/analyse_output.h"

#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/file/temporary.h"
#include "base/words.h"
#include "cli/capture/place.h"
#include "cli/capture/result_record.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "db/database.h"
#include "features/frameworks/framework.h"
#include "parsers/capture/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".msprof" /* in an output of ours; says what it was made without */
#define LOCK ".msprof_analyse.lock"
#define TEMPORARY "." FRAMEWORK_OUTPUT ".msprof"

int analyse_remove_directory(const char *path, struct err *err)
{
    char *paths[] = {(char *)(uintptr_t)path, NULL};
    struct stat info;
    int status = 0;
    if (lstat(path, &info) != 0)
        return 0;
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return err_set_errno(err, errno, "cannot remove '%s'", path);
    for (FTSENT *entry; status == 0 && (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info == FTS_D)
            continue;
        if (entry->fts_info == FTS_DP ? rmdir(entry->fts_accpath) : unlink(entry->fts_accpath))
            status = err_set_errno(err, errno, "cannot remove '%s'", entry->fts_path);
    }
    fts_close(tree);
    return status;
}

static int remove_file(const char *path, struct err *err)
{
    return unlink(path) == 0 || errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot remove '%s'", path);
}

static bool has_mark(const char *directory)
{
    SCOPED_FREE char *mark = path_join(directory, MARK);
    return mark != NULL && access(mark, F_OK) == 0;
}

static int take_lock(struct analyse_output *output, const char *results, struct err *err)
{
    output->lock_fd = open(output->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (output->lock_fd < 0) {
        err_set_errno(err, errno, "cannot write results into '%s'", results);
        return err->code == ERR_ACCESS ? err_hint(err, "choose another directory with --output DIR") : err_status(err);
    }
    struct stat held, named;
    int code = temporary_lock(output->lock_fd);
    /* Who had it may have removed it in between: then somebody else's next one counts. */
    bool same = fstat(output->lock_fd, &held) == 0 && stat(output->lock, &named) == 0 && held.st_ino == named.st_ino;
    if (code == EAGAIN || !same) {
        close(output->lock_fd);
        output->lock_fd = -1;
        err_set(err, ERR_ACCESS, "another process analyses '%s'", results);
        return err_hint(err, "wait until it has ended");
    }
    return 0;
}

int analyse_output_put(struct analyse_output *output, const char *name, const char *text, struct err *err)
{
    SCOPED_FREE char *path = path_join(output->temporary, name);
    SCOPED_CLOSE int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640) : -1;
    int code = fd >= 0 ? file_write_at(fd, text, strlen(text), 0) : errno;
    return code == 0 ? 0 : err_set_errno(err, code, "cannot write into '%s'", output->temporary);
}

static int check_owner(const struct analyse_output *output, bool force, struct err *err)
{
    struct stat info;
    if (lstat(output->final, &info) != 0 || force || has_mark(output->final))
        return 0;
    err_set(err, ERR_FAILED, "'%s' exists, and msprof did not write it", output->final);
    return err_hint(err, "replace it with --force, or choose another directory with --output DIR");
}

/* Whether results are there that were not made without what is missing now: it may have been removed since. */
static bool may_have_more(const struct analyse_output *output)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *mark = path_join(output->final, MARK), *without = NULL;
    size_t length;
    return output->without[0] != '\0' && mark != NULL && path_read_file(mark, 256, &without, &length, &ignored) == 0 &&
           strcmp(without, output->without) != 0;
}

/* ---- what stands in the place of the new results ---- */

#define LIST ".msprof_analyse.files" /* in the results: the files of ASCEND_PROFILER_OUTPUT */
#define NEW_LIST ".msprof_analyse.new"

/* Calls visit for each entry below a directory but itself, those inside before it; links are not followed. */
static int walk(const char *directory, int (*visit)(void *arg, const FTSENT *entry, struct err *err), void *arg,
                struct err *err)
{
    char *paths[] = {(char *)(uintptr_t)directory, NULL};
    struct stat info;
    int status = 0;
    if (lstat(directory, &info) != 0)
        return 0;
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return err_set_errno(err, errno, "cannot read '%s'", directory);
    for (FTSENT *entry; status == 0 && (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            status = err_set_errno(err, entry->fts_errno, "cannot read '%s'", entry->fts_path);
        else if (entry->fts_info != FTS_D && entry->fts_level > 0)
            status = visit(arg, entry, err);
    }
    fts_close(tree);
    return status;
}

struct listing {
    const struct analyse_output *output;
    struct strbuf text;
};

/* Under the name that it will have. */
static int list_entry(void *arg, const FTSENT *entry, struct err *err)
{
    struct listing *listing = arg;
    const struct analyse_output *output = listing->output;
    if (entry->fts_info != FTS_F)
        return 0;
    SCOPED_FREE char *path = path_joined(output->final, entry->fts_path + strlen(output->temporary) + 1, err);
    if (path == NULL)
        return err_status(err);
    written_add_at(&listing->text, output->results, path, entry->fts_path);
    return 0;
}

static int write_list(const struct analyse_output *output, struct err *err)
{
    struct listing listing = {.output = output};
    struct outfile out = {.path = NULL};
    SCOPED_FREE char *path = path_joined(output->results, NEW_LIST, err);
    strbuf_init(&listing.text, WRITTEN_LIMIT);
    bool failed = path == NULL || walk(output->temporary, list_entry, &listing, err) < 0 ||
                  (listing.text.failed && err_no_memory(err) < 0) || outfile_open(&out, path, err) < 0;
    if (!failed) {
        outfile_add(&out, &listing.text);
        failed = outfile_commit(&out, err) < 0;
    }
    strbuf_release(&listing.text);
    return failed ? err_status(err) : 0;
}

struct retiring {
    const struct analyse_output *output;
    struct written list;
};

/* Puts a file that is not msprof's own, or was changed since, from the old directory into the new one. */
static int keep_entry(const struct retiring *retiring, const FTSENT *entry, struct err *err)
{
    const char *name = entry->fts_path + strlen(retiring->output->temporary) + 1, *slash = strrchr(name, '/');
    SCOPED_FREE char *path = path_joined(retiring->output->final, name, err), *aside = NULL;
    if (path == NULL)
        return err_status(err);
    if (slash != NULL) {
        path[strlen(path) - strlen(slash)] = '\0';
        if (path_make_directories(path, err) < 0)
            return err_status(err);
        path[strlen(path)] = '/';
    }
    int failure = path_move(entry->fts_path, path);
    if (failure != 0) {
        path[path_name(path) - path - 1] = '\0';
        failure = written_put_aside(entry->fts_path, path, &aside);
    }
    if (failure != 0)
        return err_set_errno(err, failure, "cannot keep '%s'", name);
    console_note("a file that another program wrote or changed was kept as '%s'", aside != NULL ? aside : path);
    return 0;
}

/* The file would have this path in the new directory, which the list names. */
static int retire_entry(void *arg, const FTSENT *entry, struct err *err)
{
    const struct retiring *retiring = arg;
    const char *name = entry->fts_path + strlen(retiring->output->temporary) + 1;
    if (entry->fts_info == FTS_DP)
        return rmdir(entry->fts_accpath) == 0 ? 0 : err_set_errno(err, errno, "cannot remove '%s'", entry->fts_path);
    SCOPED_FREE char *path = path_joined(retiring->output->final, name, err);
    if (path == NULL)
        return err_status(err);
    if (strcmp(name, MARK) != 0 && !written_has_at(&retiring->list, path, entry->fts_path))
        return keep_entry(retiring, entry, err);
    return unlink(entry->fts_accpath) == 0 ? 0 : err_set_errno(err, errno, "cannot remove '%s'", entry->fts_path);
}

/* The directory was made by a version that kept no list, or the user gave --force for it: files whose names the new one
 * has, too, go. */
static int replace_entry(void *arg, const FTSENT *entry, struct err *err)
{
    const struct retiring *retiring = arg;
    struct stat info;
    SCOPED_FREE char *path =
        path_joined(retiring->output->final, entry->fts_path + strlen(retiring->output->temporary) + 1, err);
    if (path == NULL)
        return err_status(err);
    if (entry->fts_info != FTS_DP && (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)))
        return keep_entry(retiring, entry, err);
    return (entry->fts_info == FTS_DP ? rmdir(entry->fts_accpath) : unlink(entry->fts_accpath)) == 0
               ? 0
               : err_set_errno(err, errno, "cannot remove '%s'", entry->fts_path);
}

/* Removes the directory that the new one took the place of; lists: those of its files. */
static int retire_listed(const struct analyse_output *output, const char *const lists[2], struct err *err)
{
    struct retiring retiring = {.output = output};
    bool failed = false;
    for (size_t i = 0; i < 2 && !failed; i++)
        failed = lists[i] != NULL && written_read(&retiring.list, output->results, lists[i], err) < 0;
    written_sort(&retiring.list);
    failed = failed ||
             walk(output->temporary, retiring.list.lines.count > 0 ? retire_entry : replace_entry, &retiring, err) < 0;
    written_release(&retiring.list);
    return failed ? err_status(err) : analyse_remove_directory(output->temporary, err);
}

static int retire(const struct analyse_output *output, struct err *err)
{
    return retire_listed(output, (const char *const[2]){LIST}, err);
}

/* The new list is that of what is there. */
static int settle_list(const struct analyse_output *output, struct err *err)
{
    SCOPED_FREE char *list = path_joined(output->results, LIST, err),
                     *next = path_joined(output->results, NEW_LIST, err);
    if (list == NULL || next == NULL)
        return err_status(err);
    return rename(next, list) == 0 || errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot write '%s'", list);
}

/* What a run that was killed left in the temporary directory: NEW_LIST says what it had written, whole. */
enum left { LEFT_UNFINISHED, LEFT_NEW, LEFT_OLD };

/* LEFT_OLD: it had put its results in place, and those of the run before are not gone. */
static int what_is_left(const struct analyse_output *output, enum left *ret, struct err *err)
{
    struct written list = {.root = NULL};
    int status = written_read(&list, output->results, NEW_LIST, err);
    bool has_all = status == 0 && list.lines.count > 0;
    *ret = has_all ? LEFT_OLD : LEFT_UNFINISHED;
    for (size_t i = 0; has_all && i < list.lines.count; i++) {
        SCOPED_FREE char *path = path_joined(output->results, list.lines.items[i].name, err);
        has_all = path != NULL && written_line_holds(&list.lines.items[i], path);
    }
    if (*ret == LEFT_OLD && !has_all)
        *ret = LEFT_NEW; /* or a file of it was changed since: a user's are among those that are left, then */
    written_release(&list);
    return status;
}

#define OLD "." FRAMEWORK_OUTPUT ".old" /* where file systems cannot exchange: what was there meanwhile */

/* Both directories are there. 0, or an errno. */
static int exchange(const struct analyse_output *output)
{
    SCOPED_FREE char *old = path_join(output->results, OLD);
    if (old == NULL)
        return ENOMEM;
    if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->final, RENAME_EXCHANGE) == 0)
        return 0;
    if (rename(output->final, old) != 0)
        return errno;
    if (rename(output->temporary, output->final) != 0) {
        int failure = errno;
        rename(old, output->final); /* else the next run puts it back */
        return failure;
    }
    return rename(old, output->temporary) == 0 ? 0 : errno;
}

/* Puts back what a run that was killed had moved away. */
static int restore(const struct analyse_output *output, struct err *err)
{
    struct stat info;
    SCOPED_FREE char *old = path_joined(output->results, OLD, err);
    if (old == NULL)
        return err_status(err);
    if (lstat(old, &info) != 0)
        return 0;
    const char *to = lstat(output->final, &info) != 0 ? output->final : output->temporary;
    return rename(old, to) == 0 ? 0 : err_set_errno(err, errno, "cannot put '%s' in place", to);
}

static int clear_temporary(const struct analyse_output *output, struct err *err)
{
    enum left left = LEFT_UNFINISHED;
    SCOPED_FREE char *list = path_joined(output->results, NEW_LIST, err);
    if (list == NULL || restore(output, err) < 0 || what_is_left(output, &left, err) < 0)
        return err_status(err);
    if (left == LEFT_UNFINISHED)
        return analyse_remove_directory(output->temporary, err);
    if (left == LEFT_OLD)
        return retire(output, err) < 0 ? err_status(err) : settle_list(output, err);
    return retire_listed(output, (const char *const[2]){LIST, NEW_LIST}, err) < 0 ? err_status(err)
                                                                                  : remove_file(list, err);
}

int analyse_output_open(struct analyse_output *output, const char *results, const char *without, bool force,
                        struct err *err)
{
    *output = (struct analyse_output){
        .results = strdup(results),
        .final = path_join(results, FRAMEWORK_OUTPUT),
        .temporary = path_join(results, TEMPORARY),
        .lock = path_join(results, LOCK),
        .lock_fd = -1,
        .without = without,
    };
    if (output->results == NULL || output->final == NULL || output->temporary == NULL || output->lock == NULL)
        return err_no_memory(err);
    if (take_lock(output, results, err) < 0 || check_owner(output, force, err) < 0 || clear_temporary(output, err) < 0)
        return err_status(err);
    output->kept = !force && may_have_more(output);
    if (output->kept)
        return 0;
    output->is_begun = mkdir(output->temporary, 0750) == 0;
    return output->is_begun ? analyse_output_put(output, MARK, without, err)
                            : err_set_errno(err, errno, "cannot make '%s'", output->temporary);
}

int analyse_output_commit(struct analyse_output *output, struct err *err)
{
    struct stat info;
    if (write_list(output, err) < 0)
        return err_status(err);
    if (lstat(output->final, &info) == 0) {
        /* The old one goes where the next run finds it, should this one be killed in between. */
        int failure = exchange(output);
        if (failure != 0)
            return err_set_errno(err, failure, "cannot replace '%s'", output->final);
        output->is_begun = false; /* the temporary directory holds what was there before */
        return retire(output, err) < 0 ? err_status(err) : settle_list(output, err);
    }
    if (rename(output->temporary, output->final) != 0)
        return err_set_errno(err, errno, "cannot put '%s' in place", output->final);
    output->is_begun = false;
    return settle_list(output, err);
}

void analyse_output_close(struct analyse_output *output)
{
    struct err ignored = ERR_INIT;
    if (output->lock_fd >= 0) {
        if (output->is_begun)
            analyse_remove_directory(output->temporary, &ignored);
        unlink(output->lock);
        close(output->lock_fd);
    }
    free(output->results);
    free(output->final);
    free(output->temporary);
    free(output->lock);
    *output = (struct analyse_output){.lock_fd = -1};
}

/* ---- --simplify ---- */

int analyse_simplify_check(const char *directory, const char *results, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths profs = {.count = 0};
    SCOPED_FREE char *place = place_resolve(results, err), *whole = place_resolve(directory, err);
    SCOPED_FREE char *records = whole != NULL ? path_joined(whole, "FRAMEWORK", err) : NULL;
    if (place == NULL || records == NULL || framework_find_prof(whole, &profs, NULL, err) < 0)
        return err_status(err);
    bool inside = place_is_inside(place, records);
    for (size_t i = 0; i < profs.count && !inside; i++)
        inside = place_is_inside(place, profs.items[i]);
    if (!inside)
        return 0;
    err_set(err, ERR_USAGE, "--output '%s' is inside a directory that --simplify removes from '%s'", results,
            directory);
    return err_hint(err, "choose another --output, or omit --simplify");
}

/* Whether it is a directory itself, not a link to one: what a link leads to is somebody else's. */
static bool is_own_directory(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Removes the records that were read to their end; the others are added to kept. */
static int simplify_framework(const char *directory, struct words *kept, struct err *err)
{
    SCOPED_FREE char *records = path_joined(directory, "FRAMEWORK", err);
    if (records == NULL)
        return err_status(err);
    SCOPED_DIRECTORY DIR *opened = is_own_directory(records) ? opendir(records) : NULL;
    int status = 0;
    for (struct dirent *entry;
         status == 0 && opened != NULL && (entry = path_next_entry(opened, records, &status, err)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        SCOPED_FREE char *path = path_joined(records, entry->d_name, err);
        status = path == NULL                    ? err_status(err)
                 : framework_file_was_read(path) ? remove_file(path, err)
                                                 : words_add(kept, entry->d_name, err);
    }
    if (status < 0 || opened == NULL)
        return status;
    return rmdir(records) == 0 || errno == ENOTEMPTY || errno == EEXIST
               ? 0
               : err_set_errno(err, errno, "cannot remove '%s'", records);
}

static int simplify_log(const char *prof, struct err *err)
{
    SCOPED_FREE char *log = path_joined(prof, "log", err);
    if (log == NULL)
        return err_status(err);
    SCOPED_DIRECTORY DIR *opened = is_own_directory(log) ? opendir(log) : NULL;
    int status = 0;
    for (struct dirent *entry;
         status == 0 && opened != NULL && (entry = path_next_entry(opened, log, &status, err)) != NULL;) {
        if (!result_record_is_own(log, entry->d_name))
            continue;
        SCOPED_FREE char *path = path_joined(log, entry->d_name, err);
        status = path != NULL ? remove_file(path, err) : err_status(err);
    }
    return status;
}

/* Whether a file is in a directory of results that an analysis makes anew. */
static bool is_remade(const char *name)
{
    SCOPED_FREE char *directory = scoped_text(name, strcspn(name, "/"));
    return directory != NULL && strchr(name, '/') != NULL && capture_is_remade(directory);
}

/* Files that exports wrote there, and that are as they were written. */
static int simplify_reports(const char *prof, struct err *err)
{
    SCOPED(written_release) struct written list = {.root = NULL};
    int status = written_read_exports(&list, prof, err);
    for (size_t i = 0; status == 0 && i < list.lines.count; i++) {
        const struct written_line *line = &list.lines.items[i];
        SCOPED_FREE char *path = path_joined(prof, line->name, err);
        if (path == NULL)
            return err_status(err);
        if (is_remade(line->name) && written_line_holds(line, path))
            status = remove_file(path, err);
    }
    return status;
}

static int simplify_prof(const char *prof, struct err *err)
{
    SCOPED_FREE char *sqlite = path_joined(prof, "sqlite", err);
    SCOPED_FREE char *database = sqlite != NULL ? path_joined(sqlite, "runtime.db", err) : NULL;
    bool failed = database == NULL || simplify_reports(prof, err) < 0 || simplify_log(prof, err) < 0 ||
                  (is_own_directory(sqlite) && database_is_as_made(database) && remove_file(database, err) < 0);
    SCOPED_DIRECTORY DIR *opened = failed ? NULL : opendir(prof);
    for (struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;) {
        SCOPED_FREE char *path = capture_is_remade(entry->d_name) ? path_join(prof, entry->d_name) : NULL;
        if (path != NULL)
            rmdir(path); /* those with something else inside stay */
    }
    return failed ? err_status(err) : 0;
}

int analyse_simplify_run(const char *directory, const struct framework_paths *profs, struct err *err)
{
    SCOPED(words_release) struct words kept = {.items = NULL};
    int status = simplify_framework(directory, &kept, err);
    for (size_t i = 0; status == 0 && i < profs->count; i++)
        status = simplify_prof(profs->items[i], err);
    if (status < 0)
        return status;
    if (kept.count > 0)
        console_note("'%s/FRAMEWORK' still contains %zu file%s that were not read, the first is '%s'", directory,
                     kept.count, console_plural(kept.count), kept.items[0]);
    return 0;
}
