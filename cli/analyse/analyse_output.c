/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/analyse/analyse_output.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "parsers/frameworks/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".msprof" /* in an output of ours */
#define LOCK ".msprof_analyse.lock"
#define TEMPORARY "." FRAMEWORK_OUTPUT ".msprof"

int remove_directory(const char *path, struct err *err)
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

static bool has_mark(const char *directory)
{
    char *mark = path_join(directory, MARK);
    bool there = mark != NULL && access(mark, F_OK) == 0;
    free(mark);
    return there;
}

static int take_lock(struct analyse_output *output, const char *results, struct err *err)
{
    output->lock_fd = open(output->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (output->lock_fd < 0) {
        err_set_errno(err, errno, "cannot put results into '%s'", results);
        return err->code == ERR_ACCESS ? err_hint(err, "put them elsewhere with --output DIR") : -(int)err->code;
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

int analyse_output_touch(struct analyse_output *output, const char *name, struct err *err)
{
    char *mark = path_join(output->temporary, name);
    int fd = mark != NULL ? open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640) : -1;
    int status = fd >= 0 ? 0 : err_set_errno(err, errno, "cannot write into '%s'", output->temporary);
    if (fd >= 0)
        close(fd);
    free(mark);
    return status;
}

static int check_owner(const struct analyse_output *output, bool force, struct err *err)
{
    struct stat info;
    if (lstat(output->final, &info) != 0 || force || has_mark(output->final))
        return 0;
    err_set(err, ERR_FAILED, "'%s' is there, and msprof did not write it", output->final);
    return err_hint(err, "replace it with --force, or put the results elsewhere with --output DIR");
}

int analyse_output_open(struct analyse_output *output, const char *results, bool force, struct err *err)
{
    *output = (struct analyse_output){
        .final = path_join(results, FRAMEWORK_OUTPUT),
        .temporary = path_join(results, TEMPORARY),
        .lock = path_join(results, LOCK),
        .lock_fd = -1,
    };
    if (output->final == NULL || output->temporary == NULL || output->lock == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = take_lock(output, results, err);
    if (status == 0)
        status = check_owner(output, force, err);
    if (status == 0)
        status = remove_directory(output->temporary, err);
    if (status == 0 && mkdir(output->temporary, 0750) != 0)
        status = err_set_errno(err, errno, "cannot make '%s'", output->temporary);
    return status == 0 ? analyse_output_touch(output, MARK, err) : status;
}

int analyse_output_commit(struct analyse_output *output, struct err *err)
{
    struct stat info;
    /* What is there goes where the next run removes it, should this one be killed in between. */
    if (lstat(output->final, &info) == 0 &&
        renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->final, RENAME_EXCHANGE) == 0)
        return remove_directory(output->temporary, err);
    int status = remove_directory(output->final, err);
    if (status == 0 && rename(output->temporary, output->final) != 0)
        status = err_set_errno(err, errno, "cannot put '%s' in place", output->final);
    return status;
}

void analyse_output_close(struct analyse_output *output)
{
    struct err ignored = ERR_INIT;
    if (output->lock_fd >= 0) {
        remove_directory(output->temporary, &ignored);
        unlink(output->lock);
        close(output->lock_fd);
    }
    free(output->final);
    free(output->temporary);
    free(output->lock);
    *output = (struct analyse_output){.lock_fd = -1};
}
