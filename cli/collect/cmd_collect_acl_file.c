/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_acl_file.h"

#include "base/file/fsutil.h"
#include "ssh/acl_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".msprof-was-"
#define NONE ".none" /* behind the checksum: there was no file */
#define NEW_FILE_MODE 0640

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

static void hash_text(const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE])
{
    struct checksum *sum = checksum_new();

    checksum_add(sum, text, length);
    checksum_finish(sum, ret);
    checksum_free(sum);
}

/* "" when the file cannot be read. */
static void hash_file(const char *path, char ret[CHECKSUM_TEXT_SIZE])
{
    struct err ignored = ERR_INIT;
    char *text = NULL;
    size_t length;

    ret[0] = '\0';
    if (read_whole_file(path, ACL_JSON_LIMIT, &text, &length, &ignored) == 0)
        hash_text(text, length, ret);
    free(text);
}

static void release(struct acl_file *file)
{
    if (file->fd > 0)
        close(file->fd);
    free(file->target);
    free(file->backup);
    *file = (struct acl_file){.target = NULL};
}

/* The file behind links; one that does not exist is its own. */
static int resolve(const char *path, char **ret, struct err *err)
{
    struct stat st;

    *ret = realpath(path, NULL);
    if (*ret == NULL && errno == ENOENT && lstat(path, &st) < 0)
        *ret = strdup(path);
    return *ret != NULL ? 0 : err_set_errno(err, errno, "cannot find what '%s' leads to", path);
}

/* "<directory>/.<name>.msprof-was-" */
static char *backup_head(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *head = NULL;

    return asprintf(&head, "%.*s/.%s" MARK, (int)(slash - target), target, slash + 1) >= 0 ? head : NULL;
}

static int write_file(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);

        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return fsync(fd) < 0 ? errno : 0;
}

/* A file of this text takes the place of path as a whole; st is whose mode and owner it gets, NULL: a new file's. */
static int put_text(const char *path, const char *text, size_t length, const struct stat *st, struct err *err)
{
    char *temporary = NULL;

    if (asprintf(&temporary, "%s.msprof-XXXXXX", path) < 0)
        return out_of_memory(err);
    int fd = mkostemp(temporary, O_CLOEXEC);
    int failure = fd < 0 ? errno : write_file(fd, text, length);
    if (fd >= 0) {
        if (failure == 0 && st != NULL && fchown(fd, st->st_uid, st->st_gid) < 0 && st->st_uid == geteuid())
            failure = errno; /* another's file becomes this user's, as it would in an editor */
        if (failure == 0 && fchmod(fd, st != NULL ? st->st_mode & 07777 : NEW_FILE_MODE) < 0)
            failure = errno;
        close(fd);
        if (failure == 0 && rename(temporary, path) < 0)
            failure = errno;
        if (failure != 0)
            unlink(temporary);
    }
    free(temporary);
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot write '%s'", path);
}

/* The file itself under a second name or, where a file system has no such thing, a copy. */
static int make_backup(const struct acl_file *file, const struct stat *st, struct err *err)
{
    char *text = NULL;
    size_t length;

    if (file->had_none) {
        int fd = open(file->backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
        if (fd >= 0)
            close(fd);
        return fd >= 0 || errno == EEXIST ? 0 : err_set_errno(err, errno, "cannot write '%s'", file->backup);
    }
    if (link(file->target, file->backup) == 0 || errno == EEXIST)
        return 0;
    int result = read_whole_file(file->target, ACL_JSON_LIMIT, &text, &length, err);
    if (result == 0)
        result = put_text(file->backup, text, length, st, err);
    free(text);
    return result;
}

static int lock_backup(struct acl_file *file, struct err *err)
{
    file->fd = open(file->backup, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file->fd < 0 || (flock(file->fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)) {
        err_set_errno(err, errno, "cannot keep what '%s' was", file->target);
        return -(int)err->code;
    }
    return 0;
}

/* Another run may have patched it: to the same text, then both need it; or to another one. */
static int find_other(const struct acl_file *file, bool *ret_shared, struct err *err)
{
    char now[CHECKSUM_TEXT_SIZE], *head = backup_head(file->target), *slash = head != NULL ? strrchr(head, '/') : NULL;
    const struct dirent *item;
    int result = 0;

    *ret_shared = false;
    if (slash == NULL)
        return out_of_memory(err);
    *slash = '\0';
    DIR *stream = opendir(head);
    while (stream != NULL && result == 0 && (item = readdir(stream)) != NULL) {
        if (strncmp(item->d_name, slash + 1, strlen(slash + 1)) != 0)
            continue;
        hash_file(file->target, now);
        *ret_shared = strncmp(item->d_name + strlen(slash + 1), file->checksum, CHECKSUM_TEXT_SIZE - 1) == 0 &&
                      strcmp(now, file->checksum) == 0;
        if (!*ret_shared) {
            result = err_set(err, ERR_FAILED, "another run has changed '%s' for a board that mounts the project",
                             file->target);
            err_hint(err, "wait for its end, or use --transfer=upload");
        }
    }
    if (stream != NULL)
        closedir(stream);
    free(head);
    return result;
}

static int name_backup(struct acl_file *file, bool has_file, bool is_shared, struct err *err)
{
    char *head = backup_head(file->target);

    file->had_none = !has_file;
    if (head == NULL || asprintf(&file->backup, "%s%s%s", head, file->checksum, has_file ? "" : NONE) < 0)
        file->backup = NULL;
    free(head);
    if (file->backup == NULL)
        return out_of_memory(err);
    if (is_shared && access(file->backup, F_OK) != 0) { /* the other one's tells that there was none */
        char *none = NULL;

        if (asprintf(&none, "%s" NONE, file->backup) < 0)
            return out_of_memory(err);
        free(file->backup);
        file->backup = none;
        file->had_none = true;
    }
    return 0;
}

int acl_file_replace(struct acl_file *file, const char *path, const char *text, size_t length, struct err *err)
{
    bool has_file, is_shared = false;
    struct stat st;

    *file = (struct acl_file){.target = NULL};
    hash_text(text, length, file->checksum);
    int result = resolve(path, &file->target, err);
    has_file = result == 0 && stat(file->target, &st) == 0;
    if (result == 0)
        result = find_other(file, &is_shared, err);
    if (result == 0)
        result = name_backup(file, has_file, is_shared, err);
    if (result == 0 && !is_shared)
        result = make_backup(file, has_file ? &st : NULL, err);
    if (result == 0)
        result = lock_backup(file, err);
    if (result == 0 && !is_shared) {
        result = put_text(file->target, text, length, has_file ? &st : NULL, err);
        if (result != 0)
            unlink(file->backup);
    }
    if (result != 0)
        release(file);
    return result;
}

/* Sets the old content aside, beside the new. */
static int set_aside(const struct acl_file *file, struct err *err)
{
    char *name = NULL;
    int result = 0;

    if (file->had_none)
        return unlink(file->backup) == 0 || errno == ENOENT
                   ? 0
                   : err_set_errno(err, errno, "cannot remove '%s'", file->backup);
    if (asprintf(&name, "%s.before-msprof", file->target) < 0)
        return out_of_memory(err);
    if (rename(file->backup, name) < 0)
        result = err_set_errno(err, errno, "cannot write '%s'", name);
    free(name);
    return result;
}

static int end_patch(const struct acl_file *file, enum acl_file_end *ret, struct err *err)
{
    char now[CHECKSUM_TEXT_SIZE];

    if (flock(file->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        *ret = ACL_FILE_IN_USE;
        return 0;
    }
    hash_file(file->target, now);
    if (strcmp(now, file->checksum) != 0) {
        *ret = ACL_FILE_EDITED;
        return set_aside(file, err);
    }
    if (!file->had_none && rename(file->backup, file->target) < 0)
        return err_set_errno(err, errno, "cannot put '%s' back as it was", file->target);
    if (file->had_none && (unlink(file->target) < 0 || unlink(file->backup) < 0))
        return err_set_errno(err, errno, "cannot remove '%s'", file->target);
    return 0;
}

int acl_file_restore(struct acl_file *file, enum acl_file_end *ret, struct err *err)
{
    *ret = ACL_FILE_RESTORED;
    if (file->target == NULL)
        return 0;
    int result = end_patch(file, ret, err);
    release(file);
    return result;
}

/* One that a killed run left; one that a living run needs is none. */
static int recover_backup(const char *target, const char *backup, size_t head_length, enum acl_file_end *ret,
                          struct err *err)
{
    struct acl_file file = {.target = strdup(target), .backup = strdup(backup)};
    size_t length = strlen(backup);
    int result = 0;

    *ret = ACL_FILE_RESTORED;
    snprintf(file.checksum, sizeof file.checksum, "%s", backup + head_length);
    file.had_none = length > sizeof NONE && strcmp(backup + length - (sizeof NONE - 1), NONE) == 0;
    file.fd = open(backup, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file.target == NULL || file.backup == NULL)
        result = out_of_memory(err);
    else if (file.fd < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", backup);
    else
        result = end_patch(&file, ret, err);
    release(&file);
    return result;
}

int acl_file_recover(const char *path, bool *ret_found, enum acl_file_end *ret, struct err *err)
{
    char *target = NULL, *head = NULL, *slash;
    const struct dirent *item;
    DIR *stream = NULL;

    *ret_found = false;
    *ret = ACL_FILE_RESTORED;
    int result = resolve(path, &target, err);
    if (result == 0)
        head = backup_head(target);
    slash = head != NULL ? strrchr(head, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        stream = opendir(head);
    }
    while (stream != NULL && result == 0 && !*ret_found && (item = readdir(stream)) != NULL) {
        if (strncmp(item->d_name, slash + 1, strlen(slash + 1)) != 0)
            continue;
        char *backup = path_join(head, item->d_name);
        *ret_found = true;
        result = backup != NULL
                     ? recover_backup(target, backup, (size_t)(slash - head) + 1 + strlen(slash + 1), ret, err)
                     : out_of_memory(err);
        free(backup);
    }
    if (stream != NULL)
        closedir(stream);
    free(head);
    free(target);
    return result;
}
