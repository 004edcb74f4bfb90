/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/placement.h"

#include "base/file/fsutil.h"
#include "ssh/session/internal.h"
#include "ssh/transfer/beginning.h"
#include "ssh/transfer/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A project as a tar stream (POSIX ustar; GNU long names), piece by piece. */

struct tar_out {
    struct project *project;
    const struct progress *progress;
    size_t next;         /* file to begin with */
    size_t last;         /* file to end before */
    bool plain;          /* only the content: no headers, no padding */
    int fd;              /* of the file under way; -1: none */
    uint64_t left;       /* bytes of it still to send */
    const char *content; /* or what is left of a content of its own */
    struct checksum *sum;
    uint64_t done_bytes, total_bytes;
    bool ended;
    char *buffer;
};

#define BLOCK_SIZE ((size_t)512)
#define BUFFER_SIZE ((size_t)128 * 1024)
#define HEADERS_SIZE (4 * BLOCK_SIZE + 4096) /* a header, and one with a long name before it */

/* POSIX ustar: offsets and widths of the fields. */
enum {
    NAME_WIDTH = 100,
    MODE = 100,
    OWNER = 108,
    GROUP = 116,
    SIZE = 124,
    TIME = 136,
    CHECKSUM = 148,
    TYPE = 156,
    LINK = 157,
    LINK_WIDTH = 100,
    MAGIC = 257
};

static void put_octal(char *field, size_t width, uint64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%0*llo", (int)width - 1, (unsigned long long)value);

    memcpy(field, text, (size_t)length < width ? (size_t)length : width);
}

static size_t put_header(char *block, const char *name, const char *link, uint64_t size, unsigned mode, char type)
{
    unsigned sum = 0;

    memset(block, 0, BLOCK_SIZE);
    memcpy(block, name, strnlen(name, NAME_WIDTH));
    put_octal(block + MODE, 8, mode);
    put_octal(block + OWNER, 8, 0);
    put_octal(block + GROUP, 8, 0);
    put_octal(block + SIZE, 12, size);
    put_octal(block + TIME, 12, 0);
    block[TYPE] = type;
    if (link != NULL)
        memcpy(block + LINK, link, strnlen(link, LINK_WIDTH));
    memcpy(block + MAGIC, "ustar\00000", 8);
    memset(block + CHECKSUM, ' ', 8);
    for (size_t i = 0; i < BLOCK_SIZE; i++)
        sum += (unsigned char)block[i];
    put_octal(block + CHECKSUM, 7, sum);
    return BLOCK_SIZE;
}

static size_t round_up(size_t length)
{
    return (length + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE;
}

/* A name beyond the field goes in front, as the content of an entry of type L. */
static size_t put_entry(char *buffer, const struct project_file *file)
{
    size_t length = strlen(file->path), used = 0;

    if (length > NAME_WIDTH) {
        used = put_header(buffer, "././@LongLink", NULL, length + 1, 0644, 'L');
        memset(buffer + used, 0, round_up(length + 1));
        memcpy(buffer + used, file->path, length);
        used += round_up(length + 1);
    }
    return used + put_header(buffer + used, file->path, file->link, file->link != NULL ? 0 : file->size,
                             file->executable ? 0750 : 0640, file->link != NULL ? '2' : '0');
}

static bool is_there(const struct project_file *file)
{
    return file->present || file->staged;
}

static void tar_out_release(struct tar_out *tar)
{
    if (tar->fd >= 0)
        close(tar->fd);
    checksum_free(tar->sum);
    free(tar->buffer);
    *tar = (struct tar_out){.fd = -1};
}

/* Streams the files that are neither present nor staged; their checksums are computed on the way. */
static int tar_out_init(struct tar_out *tar, struct project *project, const struct progress *progress, struct err *err)
{
    *tar = (struct tar_out){.project = project,
                            .progress = progress,
                            .fd = -1,
                            .last = project->count,
                            .sum = checksum_new_kind(project->kind),
                            .buffer = malloc(BUFFER_SIZE),
                            .done_bytes = project_arrived_bytes(project),
                            .total_bytes = project_bytes(project)};
    if (tar->sum != NULL && tar->buffer != NULL)
        return 0;
    tar_out_release(tar);
    return err_no_memory(err);
}

/* From now on: the content of this file behind what has arrived, and nothing else. */
static void tar_out_choose(struct tar_out *tar, size_t index)
{
    tar->next = index;
    tar->last = index + 1;
    tar->plain = true;
}

static int begin_file(struct tar_out *tar, const struct project_file *file, size_t *ret_used, struct err *err)
{
    SCOPED_FREE char *path = NULL;

    if (strlen(file->path) + 1 > HEADERS_SIZE - 3 * BLOCK_SIZE)
        return err_set(err, ERR_LIMIT, "the name '%s' is too long", file->path);
    *ret_used = tar->plain ? 0 : put_entry(tar->buffer, file);
    tar->left = file->link != NULL ? 0 : file->size;
    tar->content = file->content;
    if (file->link != NULL || file->content != NULL)
        return 0;
    path = path_join(tar->project->root, file->path);
    if (path == NULL)
        return err_no_memory(err);
    tar->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (tar->fd < 0 || (tar->plain && lseek(tar->fd, (off_t)file->arrived, SEEK_SET) < 0))
        return err_set_errno(err, errno, "cannot read '%s'", path);
    if (tar->plain)
        tar->left -= file->arrived;
    return 0;
}

/* Appends up to space bytes of the file under way. */
static int add_content(struct tar_out *tar, char *at, size_t space, size_t *ret, struct err *err)
{
    const struct project_file *file = &tar->project->files[tar->next];
    size_t wanted = tar->left < space ? (size_t)tar->left : space;
    ssize_t n = (ssize_t)wanted;

    if (tar->content != NULL) {
        memcpy(at, tar->content, wanted);
        tar->content += wanted;
    } else {
        do
            n = read(tar->fd, at, wanted);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return err_set_errno(err, errno, "cannot read '%s'", file->path);
        if (n == 0) {
            err_set(err, ERR_FAILED, "'%s' shrank during the upload", file->path);
            return err_hint(err, "wait until the build is done, then run again");
        }
    }
    checksum_add(tar->sum, at, (size_t)n);
    tar->left -= (uint64_t)n;
    tar->done_bytes += (uint64_t)n;
    *ret = (size_t)n;
    return 0;
}

static void end_file(struct tar_out *tar)
{
    struct project_file *file = &tar->project->files[tar->next];

    checksum_finish(tar->sum, file->checksum);
    if (file->link != NULL || (tar->plain && file->arrived > 0))
        file->checksum[0] = '\0';
    if (tar->fd >= 0)
        close(tar->fd);
    tar->fd = -1;
    tar->content = NULL;
    tar->next++;
}

static bool is_under_way(const struct tar_out *tar)
{
    return tar->fd >= 0 || tar->content != NULL;
}

/* Fills the buffer with a header, content and padding, as far as one file goes. */
static int fill(struct tar_out *tar, size_t *ret_used, struct err *err)
{
    const struct project_file *file = &tar->project->files[tar->next];
    size_t used = 0;

    if (!is_under_way(tar)) {
        int result = begin_file(tar, file, &used, err);

        if (result != 0)
            return result;
    }
    while (tar->left > 0 && used < BUFFER_SIZE - BLOCK_SIZE) {
        size_t added = 0;
        int result = add_content(tar, tar->buffer + used, BUFFER_SIZE - BLOCK_SIZE - used, &added, err);

        if (result != 0)
            return result;
        used += added;
    }
    if (tar->left == 0) {
        size_t size = file->link != NULL ? 0 : (size_t)(file->size % BLOCK_SIZE);
        size_t padding = size > 0 && !tar->plain ? BLOCK_SIZE - size : 0;

        memset(tar->buffer + used, 0, padding);
        used += padding;
        end_file(tar);
    }
    *ret_used = used;
    return 0;
}

/* The next piece, as struct ssh_io's input wants it; tar is the argument. */
static int tar_out_next(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct tar_out *tar = arg;
    int result = 0;

    *bytes = tar->buffer;
    *length = 0;
    while (tar->next < tar->last && is_there(&tar->project->files[tar->next]))
        tar->next++;
    while (tar->next < tar->last && *length == 0 && result == 0) { /* plain files without content give nothing */
        result = fill(tar, length, err);
        progress_update(tar->progress, "uploading", tar->done_bytes, tar->total_bytes);
    }
    if (*length == 0 && result == 0 && !tar->plain && !tar->ended) {
        memset(tar->buffer, 0, 2 * BLOCK_SIZE);
        *length = 2 * BLOCK_SIZE;
        tar->ended = true;
    }
    return result;
}

#define DD_BLOCK_SIZE 65536
#define FULL_KILOBYTES 64 /* free on a disk that counts as full: some keep a block or two */
#define SPACE_HINT "free some space on the board, set 'remote_dir' to another file system, or use --transfer=nfs"

static const char *asked_name(void *arg, size_t i)
{
    const struct project_file *file = &((struct project *)arg)->files[i];

    return file->asked ? file->path : NULL;
}

/* Where a comparison leaves its result: with the final directory, or with the one where files arrive. */
static bool *mark_of(struct project_file *file, bool staging)
{
    return staging ? &file->staged : &file->present;
}

/* Takes the board's checksums. */
static void take_checksums(const struct board *board, struct project *project, char *text)
{
    char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

    for (const char *line; (line = board_next_line(&text)) != NULL;) {
        struct project_file *file = checksum_line_parse(board_checksum_kind(board), line, strlen(line), checksum, path)
                                        ? project_find(project, path)
                                        : NULL;

        if (file != NULL)
            memcpy(file->there, checksum, sizeof file->there);
    }
}

/* A mark stays where the checksums agree. */
static int judge_checksums(struct project *project, bool staging, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < project->count && result == 0; i++) {
        struct project_file *file = &project->files[i];
        bool *mark = mark_of(file, staging);

        if (!*mark)
            continue;
        result = project_checksum(project, file, err);
        *mark = file->there[0] != '\0' && strcmp(file->checksum, file->there) == 0;
    }
    return result;
}

static int hash_asked(struct board *board, struct project *project, const char *directory, struct err *err)
{
    struct name_source names = {.name = asked_name, .arg = project, .count = project->count};

    for (size_t i = 0; i < project->count; i++)
        names.bytes += project->files[i].asked ? project->files[i].size : 0;
    board_add_hash_command(board, board_script_in(board, directory));
    if (board_do_with_names(board, LISTING_LIMIT, "cannot compute checksums on the board", &names,
                            board_separator(board), err) < 0)
        return err_status(err);
    take_checksums(board, project, board->answer.data);
    return 0;
}

/* Marks files by the board's listing: those of the right size may be right, and of others that an earlier run brought
 * the checksum shows whether they are unchanged. */
static bool mark_candidates(struct project *project, const struct listing *listing, const struct placement *placement)
{
    bool staging = placement == NULL, any = false;

    for (size_t i = 0; i < project->count; i++) {
        struct project_file *file = &project->files[i];
        const struct listed_file *listed = file->link == NULL ? listing_find(listing, file->path) : NULL;
        bool *mark = mark_of(file, staging);

        file->there[0] = '\0';
        file->arrived = 0;
        *mark = listed != NULL && listed->size == file->size && !(staging && file->present);
        if (staging && listed != NULL && listed->size < file->size && !file->present && file->content == NULL)
            file->arrived = listed->size;
        file->asked = *mark || (!staging && listed != NULL && placement_knows(placement, file->path));
        any = any || file->asked;
    }
    return any;
}

/* Marks the files that a directory has with the right size and checksum; sizes alone count for nothing but the check of
 * what was just sent (placement NULL). */
static int compare(struct board *board, struct project *project, const char *directory,
                   const struct placement *placement, struct err *err)
{
    SCOPED(listing_release) struct listing listing = {.files = NULL};
    bool is_there, staging = placement == NULL;
    int result = board_list(board, directory, &is_there, &listing, err);

    project->kind = board_checksum_kind(board);
    if (result == 0 && mark_candidates(project, &listing, placement)) {
        if (board->hash != BOARD_HASH_NONE)
            result = hash_asked(board, project, directory, err);
        if (result == 0 && (board->hash != BOARD_HASH_NONE || !staging))
            result = judge_checksums(project, staging, err);
    }
    return result;
}

int upload_compare(struct board *board, struct project *project, const struct placement *placement, struct err *err)
{
    int result = compare(board, project, placement->directory, placement, err);

    for (size_t i = 0; i < project->count; i++)
        project->files[i].replaces_ours = placement_is_ours(placement, &project->files[i]);
    return result;
}

/* ---- what has arrived ---- */

static int check_one(struct board *board, const struct project *project, struct project_file *file, const char *staging,
                     struct err *err)
{
    struct beginning beginning = {
        .directory = staging, .path = file->path, .bytes = file->arrived, .known = file->agreed};
    SCOPED_FREE char *path = path_join(project->root, file->path);
    int result;

    beginning.fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (path == NULL)
        result = err_no_memory(err);
    else if (beginning.fd < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", path);
    else
        result = board_compare_beginning(board, &beginning, NULL, &file->arrived, err);
    if (beginning.fd >= 0)
        close(beginning.fd);
    return result;
}

/* Checks how much is right of files that have arrived in part. */
static int check_beginnings(struct board *board, struct project *project, const char *staging,
                            struct upload_result *ret, struct err *err)
{
    ret->gone_on_from = 0;
    for (size_t i = 0; i < project->count; i++) {
        struct project_file *file = &project->files[i];
        const uint64_t arrived = file->arrived;

        if (arrived == 0 || !board_compares_beginnings(board))
            file->arrived = 0;
        else if (check_one(board, project, file, staging, err) < 0)
            return err_status(err);
        file->agreed = file->arrived;
        ret->gone_on_from += file->arrived;
        ret->dropped += arrived - file->arrived;
    }
    return 0;
}

/* Finds files that an earlier run, or this one before the connection broke, has brought. Sizes alone count for what
 * this one did, and nothing without a checksum for the other. */
static int find_arrived(struct board *board, struct project *project, struct placement *placement, const char *staging,
                        struct upload_result *ret, struct err *err)
{
    const bool is_unchecked = placement->has_staging && board->hash == BOARD_HASH_NONE;
    int result = compare(board, project, staging, NULL, err);

    for (size_t i = 0; i < project->count && result == 0 && is_unchecked; i++) {
        ret->dropped += project->files[i].staged ? project->files[i].size : 0;
        project->files[i].staged = false;
    }
    if (result == 0)
        result = check_beginnings(board, project, staging, ret, err);
    if (result != 0 || !placement->has_staging)
        return result;
    for (size_t i = 0; i < project->count; i++)
        ret->arrived += project->files[i].staged;
    return placement_sweep(placement, board, project, err);
}

/* ---- sending ---- */

/* tar reports a full disk in its own words ("Wrote only 512 of 10240 bytes"): when it failed, the disk is asked. */
static void tell_full_disk(struct board *board, const char *directory, struct err *err)
{
    struct err told = ERR_INIT, ignored = ERR_INIT;
    int64_t kilobytes = -1;
    bool writable;

    if (board_space(board, directory, &kilobytes, &writable, &ignored) != 0 || kilobytes < 0 ||
        kilobytes > FULL_KILOBYTES)
        return;
    err_set(&told, ERR_REMOTE, "%s; the board's disk is full (%" PRId64 " KB are free)", err_message(err), kilobytes);
    err_hint(&told, SPACE_HINT);
    *err = told;
}

static int run_with_tar(struct board *board, struct tar_out *tar, const char *staging, struct err *err)
{
    const struct ssh_io io = {
        .input = tar_out_next, .arg = tar, .limits = ssh_limits_for(board->connection, project_bytes(tar->project))};
    int result = board_run(board, "cannot upload the project", &io, err);

    if (result != 0 && !ssh_is_lost(board->connection))
        tell_full_disk(board, staging, err);
    return result;
}

/* Writes what comes into "$f", or behind what has arrived of it: up to a range that was wrong that is whole blocks. */
static void add_receive_command(const struct board *board, const struct project_file *file, struct strbuf *script)
{
    if (file->arrived > 0 && file->arrived % DD_BLOCK_SIZE == 0)
        strbuf_addf(script, "dd if=/dev/null of=\"$f\" bs=%d seek=%" PRIu64 " 2>/dev/null && ", DD_BLOCK_SIZE,
                    file->arrived / DD_BLOCK_SIZE);
    strbuf_addf(script, "%s %s\"$f\" && chmod %s \"$f\"\n", board->has_cat ? "cat" : "dd bs=65536 2>/dev/null",
                file->arrived > 0 ? ">>" : ">", file->executable ? "750" : "640");
}

/* One command per file, for boards without tar, and for files of which the beginning has arrived. */
static int send_singly(struct board *board, struct tar_out *tar, const char *staging, bool begun_only, struct err *err)
{
    struct project *project = tar->project;
    int result = 0;

    for (size_t i = 0; i < project->count && result == 0; i++) {
        struct project_file *file = &project->files[i];
        struct strbuf *script;

        if (file->present || file->staged || (begun_only && file->arrived == 0))
            continue;
        script = board_script_in(board, staging);
        ssh_script_add(script, "f=./" WORD "\numask 027\nmkdir -p \"${f%/*}\" || exit 1\n", file->path);
        if (file->link != NULL)
            ssh_script_add(script, "ln -sf " WORD " \"$f\"\n", file->link);
        else
            add_receive_command(board, file, script);
        tar_out_choose(tar, i);
        result = run_with_tar(board, tar, staging, err);
        file->staged = result == 0; /* which is verified with the others */
    }
    return result;
}

/* Sends what is begun, or the rest. */
static int send_all(struct board *board, struct project *project, const char *staging, bool begun_only,
                    const struct progress *progress, struct err *err)
{
    struct tar_out tar;
    int result = tar_out_init(&tar, project, progress, err);

    if (result != 0)
        return result;
    if (!begun_only)
        ssh_script_add(board_script(board), "umask 027\nd=" WORD "\nmkdir -p \"$d\" && cd \"$d\" || exit 1\n", staging);
    if (!begun_only && board->has_tar) {
        strbuf_adds(&board->script, "exec tar xf -\n");
        result = run_with_tar(board, &tar, staging, err);
    } else if (begun_only || (result = board_do(board, "cannot upload the project", err)) == 0) {
        result = send_singly(board, &tar, staging, begun_only, err);
    }
    tar_out_release(&tar);
    return result;
}

static const struct project_file *first_missing(const struct project *project)
{
    for (size_t i = 0; i < project->count; i++) {
        const struct project_file *file = &project->files[i];

        if (!file->present && file->link == NULL && !file->staged)
            return file;
    }
    return NULL;
}

static int tell_missing(const struct project_file *file, struct err *err)
{
    err_set(err, ERR_REMOTE, "'%s' differs on the board after the upload", file->path);
    return err_hint(
        err,
        "check that the board's disk has free space and that the project is not rebuilt meanwhile, then run again");
}

static int send_once(struct board *board, struct project *project, const char *staging, const struct progress *progress,
                     struct err *err)
{
    bool has_more = false;
    int result = send_all(board, project, staging, true, progress, err);

    for (size_t i = 0; i < project->count; i++)
        has_more = has_more || (!project->files[i].present && !project->files[i].staged);
    if (result == 0 && has_more)
        result = send_all(board, project, staging, false, progress, err);
    return result == 0 ? compare(board, project, staging, NULL, err) : result;
}

/* Sends until everything is there and verified, over as many connections as that takes. */
static int send_and_verify(struct board *board, struct project *project, struct placement *placement,
                           const char *staging, const struct progress *progress, struct upload_result *ret,
                           struct err *err)
{
    struct ssh_patience patience;
    bool is_again = placement->has_staging, is_last = false;

    ssh_patience_init(&patience, board->connection, progress);
    for (;;) {
        int result = is_again ? find_arrived(board, project, placement, staging, ret, err) : 0;
        uint64_t arrived = result == 0 ? project_arrived_bytes(project) : patience.bytes;

        if (result == 0)
            result = send_once(board, project, staging, progress, err);
        if (result == 0 && (first_missing(project) == NULL || ret->gone_on_from == 0 || is_last))
            return first_missing(project) != NULL ? tell_missing(first_missing(project), err) : 0;
        is_again = true;
        if (result == 0) { /* what it went on behind is not trusted any more: the rest is sent as a whole */
            is_last = true;
            continue;
        }
        if (!ssh_is_lost(board->connection) || ssh_is_interrupted(board->connection))
            return result;
        result = ssh_reconnect_patiently(&patience, arrived, err);
        ret->reconnections = patience.reconnections;
        if (result != 0)
            return result;
    }
}

int upload_send(struct board *board, struct project *project, struct placement *placement,
                const struct progress *progress, struct upload_result *ret, struct err *err)
{
    SCOPED_FREE char *staging = path_join(placement->directory, PLACEMENT_STAGING);
    int result = 0;

    *ret = (struct upload_result){.verified_by = board_verifies_by(board), .bytes = project_bytes(project)};
    for (size_t i = 0; i < project->count; i++) {
        project->files[i].staged = false;
        if (project->files[i].present)
            ret->unchanged++;
        else
            ret->sent++;
    }
    if (staging == NULL)
        result = err_no_memory(err);
    else if (ret->sent > 0)
        result = send_and_verify(board, project, placement, staging, progress, ret, err);
    else if (placement->has_staging)
        result = placement_sweep(placement, board, project, err);
    if (result == -ERR_REMOTE && ssh_is_lost(board->connection))
        placement->has_staging = true; /* the next run goes on with it */
    return result == 0 ? placement_put(placement, board, project, err) : result;
}
