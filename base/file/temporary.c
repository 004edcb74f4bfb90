/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/temporary.h"

#include "base/file/fsutil.h"
#include "base/map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".msprof."
#define SUFFIX ".tmp"
#define RANDOM_DIGITS 16
#define FILE_MODE 0640
#define MOST_ATTEMPTS 100
/* The byte that is locked: far behind those that SQLite locks in its files. */
#define LOCK_START INT64_C(0x7ffffffffffffff0)

const char *temporary_parent(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && *named == '/' ? named : "/tmp";
}

char *temporary_directory(const char *head, struct err *err)
{
    SCOPED_FREE char *named = path_joined(temporary_parent(), head, err);
    char *path = named != NULL ? malloc(strlen(named) + sizeof "XXXXXX") : NULL;
    if (named == NULL)
        return NULL;
    if (path == NULL) {
        err_no_memory(err);
        return NULL;
    }
    stpcpy(stpcpy(path, named), "XXXXXX");
    if (mkdtemp(path) != NULL)
        return path;
    err_set_errno(err, errno, "cannot make a directory in '%s'", temporary_parent());
    free(path);
    return NULL;
}

int temporary_open_unnamed(struct err *err)
{
    const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp", "."};
    const char *named = directories[0] != NULL ? directories[0] : "/var/tmp";
    int failure = 0;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        int file = directories[i] != NULL ? open(directories[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
        if (file >= 0)
            return file;
        failure = failure == 0 && directories[i] != NULL ? errno : failure;
    }
    err_set_errno(err, failure, "cannot create a temporary file in '%s'", named);
    return err_hint(err, "set TMPDIR to another directory");
}

int temporary_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_START, .l_len = 1};

    /* of the open file, not of the process: closing another descriptor of the file does not undo it */
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 0;
    return errno == EACCES ? EAGAIN : errno;
}

static int make_name(const char *head, const char *tail, char **ret, struct err *err)
{
    size_t head_length = strlen(head), size = head_length + RANDOM_DIGITS + strlen(tail) + 1;
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return err_set_errno(err, errno, "cannot get random numbers");
    *ret = malloc(size);
    if (*ret == NULL)
        return err_no_memory(err);
    memcpy(*ret, head, head_length);
    snprintf(*ret + head_length, size - head_length, "%016llx%s", (unsigned long long)number, tail);
    return 0;
}

/* Between its making and its locking a file looks like one that nobody writes any more. */
static bool was_removed(int fd, int failure)
{
    struct stat st;

    return failure == EAGAIN || (fstat(fd, &st) == 0 && st.st_nlink == 0);
}

/* what: the name in messages. */
static int create(const char *head, const char *tail, const char *what, char **ret, struct err *err)
{
    int failure = EEXIST;

    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        char *name = NULL;
        int fd, result = make_name(head, tail, &name, err);

        if (result != 0)
            return result;
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
        failure = fd < 0 ? errno : EBUSY;
        if (fd >= 0 && !was_removed(fd, temporary_lock(fd))) {
            *ret = name;
            return fd;
        }
        if (fd >= 0) {
            unlink(name); /* it may be there: a lock can be refused by others than who removes it */
            close(fd);
        }
        free(name);
        if (fd < 0 && failure != EEXIST)
            break;
    }
    return err_set_errno(err, failure, "cannot write '%s'", what);
}

/* Removes the files that killed writers left beside this one, once for each directory after another. */
static void clear_directory(const char *directory, size_t length)
{
    static _Thread_local uint64_t cleared;
    const uint64_t hash = map_hash_bytes(directory, length);
    SCOPED_FREE char *name =
        hash != cleared ? scoped_text(length > 0 ? directory : ".", length > 0 ? length : 1) : NULL;

    cleared = hash;
    if (name != NULL)
        temporary_remove_stale(name);
}

int temporary_create(const char *path, char **ret, struct err *err)
{
    const char *slash = strrchr(path, '/');
    size_t directory_length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    SCOPED_FREE char *head = scoped_memory(directory_length + sizeof PREFIX, 1);

    if (head == NULL)
        return err_set(err, ERR_NO_MEMORY, "cannot write '%s': out of memory", path);
    clear_directory(path, directory_length);
    memcpy(head, path, directory_length);
    memcpy(head + directory_length, PREFIX, sizeof PREFIX);
    return create(head, SUFFIX, path, ret, err);
}

int temporary_create_named(const char *head, char **ret, struct err *err)
{
    return create(head, "", head, ret, err);
}

/* Between the prefix and the suffix stand hexadecimal digits; before they were "<process>.<counter>". */
static bool is_temporary_name(const char *name)
{
    static const char digits[] = "0123456789", hexadecimal[] = "0123456789abcdef";
    const char *at = name + sizeof PREFIX - 1;

    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    size_t length = strspn(at, hexadecimal);
    if (length == RANDOM_DIGITS && strcmp(at + length, SUFFIX) == 0)
        return true;
    length = strspn(at, digits);
    if (length == 0 || at[length] != '.')
        return false;
    at += length + 1;
    length = strspn(at, digits);
    return length > 0 && strcmp(at + length, SUFFIX) == 0;
}

/* Removes a regular file that nobody has locked. */
static void remove_if_stale(int directory, const char *name)
{
    struct stat named, opened;
    SCOPED_CLOSE int fd = openat(directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() && temporary_lock(fd) == 0 &&
        fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino &&
        named.st_dev == opened.st_dev)
        unlinkat(directory, name, 0);
}

void temporary_remove_own(void)
{
    SCOPED_DIRECTORY DIR *stream = opendir("/proc/self/fd");
    const struct dirent *item;
    char path[PATH_MAX];

    while (stream != NULL && (item = readdir(stream)) != NULL) {
        const ssize_t length = readlinkat(dirfd(stream), item->d_name, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        if (is_temporary_name(path_name(path)))
            unlink(path);
    }
}

/* head NULL: temporary files; else those whose name it begins. */
static void remove_stale(const char *directory, const char *head)
{
    size_t head_length = head != NULL ? strlen(head) : 0;
    SCOPED_DIRECTORY DIR *stream = opendir(directory);
    const struct dirent *item;

    while (stream != NULL && (item = readdir(stream)) != NULL) {
        const char *name = item->d_name;

        if (head == NULL ? is_temporary_name(name)
                         : strlen(name) == head_length + RANDOM_DIGITS && strncmp(name, head, head_length) == 0)
            remove_if_stale(dirfd(stream), name);
    }
}

void temporary_remove_stale(const char *directory)
{
    remove_stale(directory, NULL);
}

void temporary_remove_stale_named(const char *head)
{
    const char *slash = strrchr(head, '/');
    SCOPED_FREE char *directory =
        slash != NULL ? scoped_text(head, (size_t)(slash - head) + 1) : scoped_text(".", SIZE_MAX);

    if (directory != NULL)
        remove_stale(directory, slash != NULL ? slash + 1 : head);
}
