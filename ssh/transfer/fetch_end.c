/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/fetch.h"

#include "base/file/fsutil.h"
#include "ssh/transfer/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_SIZE ((size_t)128 * 1024)
#define MOST_SYNCS 512 /* files that are put on the disk one by one; of more the file system is as a whole */

/* ---- comparing through the connection ---- */

struct local_file {
    int fd;
    char *buffer;
};

static int give_bytes(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct local_file *file = arg;
    ssize_t n = read(file->fd, file->buffer, READ_SIZE);

    if (n < 0)
        return err_set_errno(err, errno, "cannot read fetched files");
    *bytes = file->buffer;
    *length = (size_t)n;
    return 0;
}

static int compare_one(const struct fetched_files *files, struct fetched *fetched, const struct local_file *local,
                       struct err *err)
{
    struct local_file source = *local;
    struct ssh_io io = {
        .input = give_bytes, .arg = &source, .limits = ssh_limits_for(files->board->connection, fetched->size)};
    struct strbuf *script = board_script_in(files->board, files->request->remote);
    struct transport_exit end;
    int result;

    ssh_script_add(script, "exec cmp -s - ./" WORD, fetched->path);
    if (script->failed)
        return err_no_memory(err);
    result = ssh_run(files->board->connection, script->data, &io, &end, err);
    fetched->is_verified = result == 0 && end.is_known && end.status == 0 && end.signal[0] == '\0';
    return result;
}

int fetch_compare(const struct fetched_files *files, struct err *err)
{
    struct local_file local = {.fd = -1, .buffer = malloc(READ_SIZE)};
    int result = local.buffer != NULL ? 0 : err_no_memory(err);

    for (size_t i = 0; i < files->count && result == 0; i++) {
        struct fetched *fetched = &files->items[i];
        char *path;

        if (fetched->is_verified) /* before the connection broke */
            continue;
        path = path_join(files->request->local, fetched->path);
        local.fd = path != NULL ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
        result = local.fd >= 0 ? compare_one(files, fetched, &local, err)
                               : err_set_errno(err, path != NULL ? errno : ENOMEM, "cannot read fetched files");
        if (local.fd >= 0)
            close(local.fd);
        free(path);
        if (result != 0 || fetched->is_verified)
            continue;
        result = err_set(err, fetched->is_here ? ERR_FAILED : ERR_REMOTE,
                         "'%s' already exists and differs from the board's file", fetched->path);
        err_hint(err, "each capture needs its own directory: choose another --output, or move the other one away");
    }
    free(local.buffer);
    return result;
}

/* ---- entries that are no regular files ---- */

struct skipped_names {
    const struct fetched_files *files;
    const struct listing *listing;
    struct fetch_result *ret;
};

/* Those whose names are of data count at once; of others the board is asked. */
static const char *skipped_name(void *arg, size_t i)
{
    const struct skipped_names *names = arg;
    const char *path = names->listing->skipped_paths.items[i];

    if (names->files->request->is_data == NULL || !names->files->request->is_data(path))
        return path;
    told_add(&names->ret->lost, path);
    return NULL;
}

int fetch_find_lost(const struct fetched_files *files, const struct listing *listing, struct fetch_result *ret,
                    struct err *err)
{
    struct skipped_names skipped = {.files = files, .listing = listing, .ret = ret};
    const struct name_source names = {.name = skipped_name, .arg = &skipped, .count = listing->skipped_paths.count};
    char *line, *at;
    int result;

    if (listing->skipped.count == 0)
        return 0;
    /* a link to a file of the capture stands for nothing else: that file has come */
    strbuf_adds(board_script_in(files->board, files->request->remote),
                "while IFS= read -r f; do\n"
                "t=''; [ ! -L \"$f\" ] || t=$(readlink \"$f\")\n"
                "case $t in ''|/*|*..*) printf '%s\\n' \"$f\";; *) [ -f \"$f\" ] || printf '%s\\n' \"$f\";; esac\n"
                "done\nexit 0\n");
    result =
        board_do_with_names(files->board, LISTING_LIMIT, "cannot look at what is no regular file", &names, '\n', err);
    at = files->board->answer.data;
    while (result == 0 && (line = board_next_line(&at)) != NULL)
        told_add(&ret->lost, strncmp(line, "./", 2) == 0 ? line + 2 : line);
    return result;
}

/* ---- what has changed ---- */

/* A program that goes on in the background may still be writing what was fetched as it was. */
static int check_sizes(const struct fetched_files *files, const struct listing *now, struct err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct fetched *file = &files->items[i];
        const struct listed_file *there = listing_find(now, file->path);

        if (file->is_done && there != NULL && there->size != file->size) {
            err_set(err, ERR_REMOTE, "'%s' on the board has changed since it was fetched", file->path);
            return err_hint(err, "the capture is still being written: fetch it again when it is complete");
        }
    }
    return 0;
}

static bool is_same_state(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int fetch_look_again(const struct fetched_files *files, const struct listing *now, struct fetch_result *ret,
                     struct err *err)
{
    int result = check_sizes(files, now, err);

    for (size_t i = 0; i < files->count && result == 0; i++) {
        const struct fetched *file = &files->items[i];
        const struct listed_file *there = listing_find(now, file->path);

        if (file->is_done && there != NULL && !is_same_state(there->state, file->state))
            told_add(&ret->changed, file->path);
    }
    return result;
}

struct files_now {
    const struct fetched_files *files;
    const struct listing *now; /* NULL: the states before the fetch count */
};

/* Those that are not there any more are left out. */
static const char *done_name(void *arg, size_t i)
{
    const struct files_now *names = arg;
    const struct fetched *file = &names->files->items[i];

    return file->is_done && listing_find(names->now, file->path) != NULL ? file->path : NULL;
}

/* Takes the board's checksums, which come in the order in which they were asked for. */
static void compare_checksums(struct files_now *asked, char *text, struct fetch_result *ret)
{
    const struct fetched_files *files = asked->files;
    const char *line = "", *wanted;

    for (size_t i = 0; i < files->count;) {
        char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

        line = line != NULL ? board_next_line(&text) : NULL;
        if (line != NULL && !checksum_line_parse(board_checksum_kind(files->board), line, strlen(line), checksum, path))
            continue;
        while (i < files->count &&
               ((wanted = done_name(asked, i)) == NULL || line == NULL || strcmp(wanted, path) != 0)) {
            if (wanted != NULL)
                told_add(&ret->changed, wanted);
            i++;
        }
        if (i < files->count && strcmp(files->items[i].checksum, checksum) != 0)
            told_add(&ret->changed, files->items[i].path);
        i++;
    }
}

static int verify_again(const struct fetched_files *files, const struct listing *now, struct fetch_result *ret,
                        struct err *err)
{
    struct files_now done = {.files = files, .now = now};
    const struct name_source names = {.name = done_name, .arg = &done, .count = files->count, .bytes = ret->bytes};

    board_add_hash_command(files->board, board_script_in(files->board, files->request->remote));
    progress_update(files->request->progress, "verifying", 0, files->count);
    if (board_do_with_names(files->board, LISTING_LIMIT, "cannot compute checksums on the board", &names,
                            board_separator(files->board), err) < 0)
        return err_status(err);
    compare_checksums(&done, files->board->answer.data, ret);
    return 0;
}

/* ---- on the disk here ---- */

static int sync_path(const char *path, int flags)
{
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags);

    return fd < 0 || fsync(fd) < 0 ? errno : 0;
}

static int sync_directory(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)place;
    return type == FTW_D ? sync_path(path, O_DIRECTORY) : 0;
}

static int sync_file_system(const char *local)
{
    SCOPED_CLOSE int fd = open(local, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 || syncfs(fd) < 0 ? errno : 0;
}

/* Files, the directories that name them, and the one that holds the capture. */
static int sync_local(const struct fetched_files *files, struct err *err)
{
    const char *local = files->request->local;
    const int descriptors = 16;
    SCOPED_FREE char *parent = scoped_text(local, SIZE_MAX);
    char *slash = parent != NULL ? strrchr(parent, '/') : NULL;
    const bool as_whole = files->count > MOST_SYNCS;
    int failure = parent == NULL ? ENOMEM : as_whole ? sync_file_system(local) : 0;

    for (size_t i = 0; i < files->count && !as_whole && failure == 0; i++) {
        SCOPED_FREE char *path = files->items[i].is_done ? path_join(local, files->items[i].path) : NULL;

        if (path != NULL)
            failure = sync_path(path, 0);
    }
    if (failure == 0)
        failure = nftw(local, sync_directory, descriptors, FTW_PHYS);
    if (failure == 0 && slash != NULL && slash != parent) {
        *slash = '\0';
        failure = sync_path(parent, O_DIRECTORY);
    }
    if (failure == 0)
        return 0;
    err_set_errno(err, failure > 0 ? failure : EIO, "cannot flush '%s' to the disk", local);
    return err_hint(err, "check that the local disk works and has free space; nothing was removed from the board");
}

/* ---- removing ---- */

static bool may_go(const struct fetched *file)
{
    return file->is_done && (file->is_verified || !file->is_here);
}

static bool removed_file(void *arg, size_t i, struct known_file *ret)
{
    const struct files_now *removed = arg;
    const struct fetched *file = &removed->files->items[i];
    const struct listed_file *there = removed->now != NULL ? listing_find(removed->now, file->path) : NULL;

    *ret = (struct known_file){.path = file->path,
                               .state = there != NULL ? there->state : file->state,
                               .checksum = file->checksum,
                               .size = file->size};
    return may_go(file);
}

static int remove_unchanged(const struct fetched_files *files, const struct listing *now, struct fetch_result *ret,
                            struct err *err)
{
    struct files_now removed = {.files = files, .now = now};
    const struct removal_request request = {.directory = files->request->remote,
                                            .known = removed_file,
                                            .arg = &removed,
                                            .count = files->count,
                                            .leaves_open = true,
                                            .prunes = true,
                                            .progress = files->request->progress};
    struct removal_result result_there;
    int result = board_remove_known(files->board, &request, &result_there, err);

    ret->open_process = result_there.open_process;
    ret->left = result_there.left;
    for (size_t i = 0; i < result_there.changed.count; i++)
        told_add(&ret->changed, result_there.changed.items[i]);
    removal_release(&result_there);
    return result;
}

int fetch_remove(const struct fetched_files *files, struct fetch_result *ret, struct err *err)
{
    const bool has_hash = files->board->hash != BOARD_HASH_NONE;
    struct listing now = {.files = NULL};
    bool is_there = true;

    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].is_done && !may_go(&files->items[i]))
            told_add(&ret->unknown, files->items[i].path);
    if (sync_local(files, err) != 0 || board_list(files->board, files->request->remote, &is_there, &now, err) != 0)
        return err_status(err);
    if (!is_there)
        return 0; /* it was removed before the connection broke */
    /* with checksums that the board sent after the second listing, its states are those of the bytes that they cover */
    bool failed = check_sizes(files, &now, err) != 0 || (has_hash && verify_again(files, &now, ret, err) != 0) ||
                  (ret->changed.count == 0 && remove_unchanged(files, has_hash ? &now : NULL, ret, err) != 0);
    listing_release(&now);
    return failed ? err_status(err) : 0;
}
