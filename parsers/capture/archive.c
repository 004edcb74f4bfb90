/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/archive.h"

#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/words.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

const struct archive_limits archive_limits_default = {
    .bytes = UINT64_C(64) << 30, .files = 1000000, .ratio = 200, .free_bytes = UINT64_C(64) << 20};

/* ---- the library ---- */

#define LIBRARY "libarchive.so.13"

#define FUNCTIONS(DO)                                                                                                  \
    DO(archive_read_new)                                                                                               \
    DO(archive_read_free)                                                                                              \
    DO(archive_read_support_filter_gzip)                                                                               \
    DO(archive_read_support_format_tar)                                                                                \
    DO(archive_read_support_format_zip)                                                                                \
    DO(archive_read_open_filename)                                                                                     \
    DO(archive_read_next_header)                                                                                       \
    DO(archive_read_data_block)                                                                                        \
    DO(archive_error_string)                                                                                           \
    DO(archive_version_string)                                                                                         \
    DO(archive_entry_pathname)                                                                                         \
    DO(archive_entry_pathname_utf8)                                                                                    \
    DO(archive_entry_filetype)                                                                                         \
    DO(archive_entry_hardlink)                                                                                         \
    DO(archive_entry_symlink)                                                                                          \
    DO(archive_entry_size)                                                                                             \
    DO(archive_entry_size_is_set)                                                                                      \
    DO(archive_entry_mtime)                                                                                            \
    DO(archive_entry_mtime_nsec)

static struct {
#define MEMBER(function) __typeof__(function) *function;
    FUNCTIONS(MEMBER)
#undef MEMBER
} library;

/* Takes the place of a call of the library. */
#define CALL(function) library.function

static bool load_library(void)
{
#define SYMBOL(function) LIBRARY_SYMBOL(library, function),
    static const struct library_symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    static bool is_loaded;
    is_loaded = is_loaded || library_load(LIBRARY, symbols, sizeof symbols / sizeof *symbols);
    return is_loaded;
}

bool archive_library(struct library_version *ret)
{
    static const char name[] = "libarchive ";
    const char *running = load_library() ? CALL(archive_version_string)() : NULL;
    bool found = running != NULL && strncmp(running, name, sizeof name - 1) == 0;
    if (found)
        *ret = (struct library_version){"libarchive", ARCHIVE_VERSION_ONLY_STRING, running + sizeof name - 1};
    return found;
}

bool archive_has_name(const char *path, size_t *ret_stem)
{
    static const char *const endings[] = {".tar", ".tar.gz", ".tgz", ".zip"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (words_end_in(path, endings[i])) {
            if (ret_stem != NULL)
                *ret_stem = strlen(path) - strlen(endings[i]);
            return true;
        }
    return false;
}

/* ---- names ---- */

struct unpacking {
    const char *path, *directory;
    struct archive *reader;
    struct archive_limits limits;
    bool is_limited_by_room; /* of the file system: fewer bytes than were asked for */
    uint64_t size;           /* of the archive */
    struct archive_content *content;
};

static int refuse_name(const struct unpacking *unpacking, const char *name, struct err *err)
{
    err_set(err, ERR_FORMAT, "'%s' holds '%s', which leads out of it", unpacking->path, name);
    return err_hint(err, "unpack it with a tool that you trust, and give the directory");
}

/* The names in a path one after another, but for "." and empty ones: the next one's length, 0 behind the last. */
static size_t next_part(const char **path)
{
    for (;; ++*path) {
        *path += strspn(*path, "/");
        const size_t length = strcspn(*path, "/");
        if (length != 1 || **path != '.')
            return length;
    }
}

/* The name of an entry without "." and double slashes; "": the archive's own directory. */
static int clean_name(const struct unpacking *unpacking, const char *name, struct strbuf *ret, struct err *err)
{
    const char *part = name;
    if (name[0] == '/')
        return refuse_name(unpacking, name, err);
    for (size_t length; (length = next_part(&part)) > 0; part += length) {
        if (length == 2 && strncmp(part, "..", 2) == 0)
            return refuse_name(unpacking, name, err);
        if (ret->length > 0)
            strbuf_addc(ret, '/');
        strbuf_add(ret, part, length);
    }
    return ret->failed ? err_no_memory(err) : 0;
}

/* Whether a symbolic link with this cleaned name leads out of the archive. */
static bool leads_out(const char *name, const char *target)
{
    int depth = -1; /* the link itself is no directory */
    if (target[0] == '/')
        return true;
    for (size_t length; (length = next_part(&name)) > 0; name += length)
        depth++;
    for (size_t length; depth >= 0 && (length = next_part(&target)) > 0; target += length)
        depth += length == 2 && strncmp(target, "..", 2) == 0 ? -1 : 1;
    return depth < 0;
}

/* ---- entries ---- */

static int tell_library(const struct unpacking *unpacking, struct err *err)
{
    const char *text = CALL(archive_error_string)(unpacking->reader);
    err_set(err, ERR_FORMAT, "'%s' cannot be read as an archive: %s", unpacking->path,
            text != NULL ? text : language_said("libarchive does not say why"));
    return err_status(err);
}

static int tell_limit(const struct unpacking *unpacking, const char *what, uint64_t most, struct err *err)
{
    err_set(err, ERR_LIMIT, "'%s' unpacks to more than %" PRIu64 " %s", unpacking->path, most, language_said(what));
    return err_hint(err, "if that is right, unpack it yourself, and give the directory");
}

/* Takes the end of a file, or a file, into account. */
static int take_bytes(struct unpacking *unpacking, uint64_t bytes, struct err *err)
{
    const struct archive_limits *limits = &unpacking->limits;
    if (bytes > limits->bytes || unpacking->content->bytes > limits->bytes - bytes) {
        tell_limit(unpacking, unpacking->is_limited_by_room ? "bytes, for which there is no room" : "bytes",
                   limits->bytes, err);
        return unpacking->is_limited_by_room ? err_hint(err, "choose another place for temporary files with TMPDIR=DIR")
                                             : err_status(err);
    }
    unpacking->content->bytes += bytes;
    if (unpacking->content->bytes > limits->free_bytes && unpacking->content->bytes / limits->ratio > unpacking->size)
        return tell_limit(unpacking, "times its size", limits->ratio, err);
    return 0;
}

/* Reads the blocks of the entry that was read last, and writes them; fd -1: they are left out, and count all the same,
 * because they take time. */
static int copy_blocks(struct unpacking *unpacking, int fd, uint64_t *ret_end, struct err *err)
{
    uint64_t end = 0; /* of the file so far */
    for (;;) {
        const void *block;
        size_t length;
        la_int64_t offset;
        int result = CALL(archive_read_data_block)(unpacking->reader, &block, &length, &offset);
        if (interrupted())
            return interrupt_error(err);
        if (result == ARCHIVE_EOF)
            break;
        if (result != ARCHIVE_OK)
            return tell_library(unpacking, err);
        const uint64_t until = (uint64_t)offset + length;
        if (offset < 0 || until < end)
            return err_set(err, ERR_FORMAT, "'%s' has a file whose parts do not follow each other", unpacking->path);
        if (take_bytes(unpacking, until - end, err) < 0)
            return err_status(err);
        int failure = length > 0 && fd >= 0 ? file_write_at(fd, block, length, (uint64_t)offset) : 0;
        if (failure != 0)
            return err_set_errno(err, failure, "cannot write into '%s'", unpacking->directory);
        end = until;
    }
    *ret_end = end;
    return 0;
}

static int write_file(struct unpacking *unpacking, struct archive_entry *entry, int fd, struct err *err)
{
    uint64_t end;
    if (copy_blocks(unpacking, fd, &end, err) < 0)
        return err_status(err);
    /* what is missing behind the last block of a sparse file */
    const la_int64_t size = CALL(archive_entry_size_is_set)(entry) ? CALL(archive_entry_size)(entry) : 0;
    if (size > 0 && (uint64_t)size > end) {
        if (take_bytes(unpacking, (uint64_t)size - end, err) < 0)
            return err_status(err);
        if (ftruncate(fd, size) != 0)
            return err_set_errno(err, errno, "cannot write into '%s'", unpacking->directory);
    }
    const struct timespec times[] = {
        {.tv_nsec = UTIME_OMIT},
        {.tv_sec = CALL(archive_entry_mtime)(entry), .tv_nsec = CALL(archive_entry_mtime_nsec)(entry)}};
    futimens(fd, times);
    return 0;
}

/* The directory above a path there. */
static int make_parent(const char *path, struct err *err)
{
    SCOPED_FREE char *parent = scoped_text(path, (size_t)(path_name(path) - path));
    return parent != NULL ? path_make_directories(parent, err) : err_no_memory(err);
}

/* A later entry of the same name takes the place of an earlier one, as in archives that were appended to. */
static int unpack_file(struct unpacking *unpacking, struct archive_entry *entry, const char *path, struct err *err)
{
    if (make_parent(path, err) < 0)
        return err_status(err);
    unpacking->content->files++;
    unlink(path);
    SCOPED_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make '%s'", path);
    return write_file(unpacking, entry, fd, err);
}

/* Another name of a file that is there already. */
static int unpack_hard_link(struct unpacking *unpacking, const char *target, const char *path, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, PATH_MAX);
    if (clean_name(unpacking, target, &name, err) < 0 || make_parent(path, err) < 0)
        return err_status(err);
    unpacking->content->files++;
    SCOPED_FREE char *other = path_joined(unpacking->directory, name.data, err);
    if (other == NULL)
        return err_status(err);
    if (strcmp(other, path) == 0)
        return 0;
    unlink(path);
    return linkat(AT_FDCWD, other, AT_FDCWD, path, 0) == 0
               ? 0
               : err_set_errno(err, errno, "'%s' links to '%s', which is not in it", unpacking->path, target);
}

static void leave_out(struct unpacking *unpacking, const char *name)
{
    struct archive_content *content = unpacking->content;
    if (content->left_out++ == 0)
        snprintf(content->first_left, sizeof content->first_left, "%s", name);
}

static int unpack_entry(struct unpacking *unpacking, struct archive_entry *entry, struct err *err)
{
    const char *given = CALL(archive_entry_pathname_utf8)(entry), *raw = CALL(archive_entry_pathname)(entry);
    const char *hard = CALL(archive_entry_hardlink)(entry), *soft = CALL(archive_entry_symlink)(entry);
    SCOPED(strbuf_release) struct strbuf name;
    given = given != NULL ? given : raw;
    strbuf_init(&name, PATH_MAX);
    if (given == NULL)
        return err_set(err, ERR_FORMAT, "'%s' has a file without a name that can be read", unpacking->path);
    if (clean_name(unpacking, given, &name, err) < 0)
        return err_status(err);
    if (soft != NULL && leads_out(name.data, soft))
        return refuse_name(unpacking, given, err);
    SCOPED_FREE char *path = path_joined(unpacking->directory, name.data, err);
    if (path == NULL)
        return err_status(err);
    if (name.length == 0)
        return 0;
    if (hard != NULL)
        return unpack_hard_link(unpacking, hard, path, err);
    switch (CALL(archive_entry_filetype)(entry)) {
    case AE_IFREG:
        return unpack_file(unpacking, entry, path, err);
    case AE_IFDIR:
        unpacking->content->files++;
        return path_make_directories(path, err);
    default:
        leave_out(unpacking, given);
        return 0;
    }
}

static int unpack_entries(struct unpacking *unpacking, struct err *err)
{
    for (uint64_t count = 0;; count++) {
        uint64_t left_out;
        struct archive_entry *entry;
        int result = CALL(archive_read_next_header)(unpacking->reader, &entry);
        if (interrupted())
            return interrupt_error(err);
        if (result == ARCHIVE_EOF)
            return 0;
        /* a warning is about what is not needed here, as an owner or a name in another character set */
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return tell_library(unpacking, err);
        if (count >= unpacking->limits.files)
            return tell_limit(unpacking, "files", unpacking->limits.files, err);
        if (unpack_entry(unpacking, entry, err) < 0 || copy_blocks(unpacking, -1, &left_out, err) < 0)
            return err_status(err);
    }
}

/* No more than half of the room that there is: databases need some, too. */
static void limit_by_room(struct unpacking *unpacking)
{
    struct statvfs room;
    if (statvfs(unpacking->directory, &room) != 0)
        return;
    const uint64_t half = (uint64_t)room.f_bavail * room.f_frsize / 2;
    unpacking->is_limited_by_room = half < unpacking->limits.bytes;
    if (unpacking->is_limited_by_room)
        unpacking->limits.bytes = half;
}

int archive_unpack(const char *path, const char *directory, const struct archive_limits *limits,
                   struct archive_content *ret, struct err *err)
{
    struct stat info;
    *ret = (struct archive_content){.bytes = 0};
    if (!load_library()) {
        err_set(err, ERR_FAILED, "'%s' is an archive, and %s, which reads archives, is not installed", path, LIBRARY);
        return err_hint(err, "install libarchive13 (libarchive), or unpack it and give the directory");
    }
    if (stat(path, &info) != 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    struct unpacking unpacking = {.path = path,
                                  .directory = directory,
                                  .reader = CALL(archive_read_new)(),
                                  .limits = *limits,
                                  .size = (uint64_t)info.st_size,
                                  .content = ret};
    if (unpacking.reader == NULL)
        return err_no_memory(err);
    limit_by_room(&unpacking);
    bool is_open = CALL(archive_read_support_filter_gzip)(unpacking.reader) == ARCHIVE_OK &&
                   CALL(archive_read_support_format_tar)(unpacking.reader) == ARCHIVE_OK &&
                   CALL(archive_read_support_format_zip)(unpacking.reader) == ARCHIVE_OK &&
                   CALL(archive_read_open_filename)(unpacking.reader, path, 1 << 16) == ARCHIVE_OK;
    int status = is_open ? unpack_entries(&unpacking, err) : tell_library(&unpacking, err);
    CALL(archive_read_free)(unpacking.reader);
    return status;
}
