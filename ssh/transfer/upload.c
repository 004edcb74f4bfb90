#include "ssh/transfer/upload.h"

#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "ssh/transfer/names.h"
#include "ssh/transfer/tar_out.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)
#define MOST_RECONNECTIONS 5
#define STAGING ".msprof-upload"
#define MARK ".msprof-made" /* in a directory that was made for a project */
#define FULL_KILOBYTES 64   /* free on a disk that counts as full: some keep a block or two */
#define SPACE_HINT "free some space on the board, let 'remote_dir' name another file system, or use --transfer=nfs"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

static bool is_any(const struct project_file *file)
{
    (void)file;
    return true;
}

static bool is_sent(const struct project_file *file)
{
    return !file->present;
}

/* Of the right size there, and still to be compared. */
static bool may_be_present(const struct project_file *file)
{
    return file->present;
}

static bool may_be_staged(const struct project_file *file)
{
    return file->staged;
}

/* The files of a project that something is to be done with. */
struct chosen_files {
    const struct project *project;
    bool (*wanted)(const struct project_file *file);
    size_t next;
    const char *last; /* one name more; NULL: none */
};

static const char *next_chosen(void *arg)
{
    struct chosen_files *chosen = arg;

    while (chosen->next < chosen->project->count) {
        const struct project_file *file = &chosen->project->files[chosen->next++];

        if (chosen->wanted(file))
            return file->path;
    }
    const char *last = chosen->last;
    chosen->last = NULL;
    return last;
}

static uint64_t bytes_of(const struct project *project, bool (*wanted)(const struct project_file *file))
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < project->count; i++)
        if (wanted(&project->files[i]))
            bytes += project->files[i].size;
    return bytes;
}

/* Runs a script that reads names from its standard input. */
static int run_with_names(struct board *board, const char *what, const char *script, const struct project *project,
                          bool (*wanted)(const struct project_file *file), char separator, struct strbuf *answer,
                          struct err *err)
{
    struct chosen_files chosen = {.project = project, .wanted = wanted};
    const struct name_source names = {next_chosen, &chosen, bytes_of(project, wanted)};

    return board_do_with_names(board, what, script, &names, separator, answer, err);
}

/* Where a comparison leaves its result: with the final directory, or with the one where files arrive. */
static bool *mark_of(struct project_file *file, bool staging)
{
    return staging ? &file->staged : &file->present;
}

/* Takes the board's checksums: a mark stays where they agree. */
static int compare_checksums(struct project *project, bool staging, const char *text, size_t length, struct err *err)
{
    const char *at = text, *end = text + length;
    size_t next = 0;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_length = (size_t)((newline != NULL ? newline : end) - at);
        char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

        if (checksum_line_parse(at, line_length, checksum, path))
            for (size_t i = next; i < project->count; i++) {
                struct project_file *file = &project->files[i];
                int result;

                if (strcmp(file->path, path) != 0)
                    continue;
                result = project_checksum(project, file, err);
                if (result != 0)
                    return result;
                file->confirmed = strcmp(file->checksum, checksum) == 0;
                next = i + 1;
                break;
            }
        at += line_length + 1;
    }
    for (size_t i = 0; i < project->count; i++) {
        bool *mark = mark_of(&project->files[i], staging);

        *mark = *mark && project->files[i].confirmed;
    }
    return 0;
}

static int hash_files(struct board *board, const struct project *project, const char *directory,
                      bool (*wanted)(const struct project_file *file), struct strbuf *answer, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    board_add_cd(&script, directory);
    board_add_hash_command(board, &script);
    result = run_with_names(board, "cannot compute checksums on the board", script.data, project, wanted,
                            board_separator(board), answer, err);
    strbuf_release(&script);
    return result;
}

/* Marks the files that a directory has with the right size and checksum; sizes alone count for nothing but the check of
 * what was just sent. */
static int compare(struct board *board, struct project *project, const char *directory, bool staging, struct err *err)
{
    struct listing listing = {.files = NULL};
    struct strbuf answer;
    bool there = false, any = false;
    int result;

    strbuf_init(&answer, LISTING_LIMIT);
    for (size_t i = 0; i < project->count; i++)
        *mark_of(&project->files[i], staging) = project->files[i].confirmed = false;
    result = board_has_directory(board, directory, &there, err);
    if (result == 0 && there)
        result = board_list(board, directory, &listing, err);
    for (size_t i = 0; result == 0 && i < project->count; i++) {
        struct project_file *file = &project->files[i];
        const struct listed_file *listed = listing_find(&listing, file->path);
        bool *mark = mark_of(file, staging);

        *mark = file->link == NULL && listed != NULL && listed->size == file->size && !(staging && file->present);
        any = any || *mark;
    }
    if (result != 0 || !any)
        goto out;
    if (board->hash != BOARD_HASH_NONE) {
        result = hash_files(board, project, directory, staging ? may_be_staged : may_be_present, &answer, err);
        if (result == 0)
            result = compare_checksums(project, staging, answer.data, answer.length, err);
    } else if (!staging) {
        for (size_t i = 0; i < project->count; i++)
            project->files[i].present = false;
    }
out:
    listing_release(&listing);
    strbuf_release(&answer);
    return result;
}

int upload_compare(struct board *board, struct project *project, const char *directory, struct err *err)
{
    return compare(board, project, directory, false, err);
}

/* A stream's input and what the board says about it. */
struct tar_stream {
    struct tar_out tar;
    struct strbuf errors;
};

static int give_tar(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct tar_stream *stream = arg;

    return tar_out_next(&stream->tar, bytes, length, err);
}

static int keep_tar_errors(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct tar_stream *stream = arg;
    size_t room = stream->errors.maximum - stream->errors.length;

    (void)err;
    strbuf_add(&stream->errors, bytes, length < room ? length : room);
    return 0;
}

/* tar tells a full disk in words of its own ("Wrote only 512 of 10240 bytes"): when it failed, the disk is asked. */
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

static int run_with_tar(struct board *board, struct tar_stream *stream, const char *staging, const char *script,
                        struct err *err)
{
    struct ssh_io io = {.input = give_tar,
                        .errors = keep_tar_errors,
                        .arg = stream,
                        .limits = ssh_limits_for(board->connection, project_bytes(stream->tar.project))};
    struct ssh_exit end;
    int result = ssh_run(board->connection, script, &io, &end, err);

    if (result == 0)
        result = board_judge("cannot upload the project", &end, &stream->errors, err);
    if (result != 0 && !ssh_is_lost(board->connection))
        tell_full_disk(board, staging, err);
    return result;
}

/* One command per file, for boards without tar. */
static int send_singly(struct board *board, struct tar_stream *stream, const char *staging, struct err *err)
{
    struct project *project = stream->tar.project;
    int result = 0;

    for (size_t i = 0; i < project->count && result == 0; i++) {
        const struct project_file *file = &project->files[i];
        struct strbuf script;

        if (file->present || file->staged)
            continue;
        strbuf_init(&script, SCRIPT_LIMIT);
        board_add_cd(&script, staging);
        strbuf_adds(&script, "f=");
        ssh_quote(&script, file->path);
        strbuf_adds(&script, "\numask 027\ncase \"$f\" in */*) mkdir -p \"${f%/*}\" || exit 1;; esac\n");
        if (file->link != NULL) {
            strbuf_adds(&script, "ln -sf ");
            ssh_quote(&script, file->link);
            strbuf_adds(&script, " \"$f\"\n");
        } else {
            strbuf_addf(&script, "cat >\"$f\" && chmod %s \"$f\"\n", file->executable ? "750" : "640");
        }
        tar_out_choose(&stream->tar, i);
        result = script.failed ? out_of_memory(err) : run_with_tar(board, stream, staging, script.data, err);
        strbuf_release(&script);
    }
    return result;
}

static int send_all(struct board *board, struct project *project, const char *staging, const struct progress *progress,
                    struct err *err)
{
    struct tar_stream stream;
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_init(&stream.errors, 1024);
    result = tar_out_init(&stream.tar, project, progress, err);
    if (result != 0)
        goto out;
    strbuf_adds(&script, "umask 027\nmkdir -p ");
    ssh_quote(&script, staging);
    strbuf_adds(&script, " || exit 1\n");
    board_add_cd(&script, staging);
    if (board->has_tar) {
        strbuf_adds(&script, "exec tar xf -\n");
        result = run_with_tar(board, &stream, staging, script.data, err);
    } else {
        result = board_do(board, "cannot upload the project", script.data, NULL, err);
        if (result == 0)
            result = send_singly(board, &stream, staging, err);
    }
    tar_out_release(&stream.tar);
out:
    strbuf_release(&script);
    strbuf_release(&stream.errors);
    return result;
}

static int check_staged(const struct project *project, struct err *err)
{
    for (size_t i = 0; i < project->count; i++) {
        const struct project_file *file = &project->files[i];

        if (!file->present && file->link == NULL && !file->staged) {
            err_set(err, ERR_REMOTE, "'%s' did not reach the board as it is here", file->path);
            return err_hint(err, "see that the board's disk is not full and that nothing rebuilds the project "
                                 "meanwhile, then run again");
        }
    }
    return 0;
}

static int move_staged(struct board *board, struct project *project, const char *directory, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    board_add_cd(&script, directory);
    strbuf_adds(&script, "umask 027\nwhile IFS= read -r f; do\n"
                         "case \"$f\" in */*) d=${f%/*}; [ -d \"$d\" ] || mkdir -p \"$d\" || exit 1;; esac\n"
                         "mv -f \"" STAGING "/$f\" \"$f\" || exit 1\ndone\nrm -rf " STAGING "\n");
    result = run_with_names(board, "cannot put the uploaded files into place", script.data, project, is_sent, '\n',
                            NULL, err);
    strbuf_release(&script);
    return result;
}

static int reconnect(struct board *board, struct upload_result *ret, struct err *err)
{
    int result = -ERR_REMOTE;

    while (ret->reconnections < MOST_RECONNECTIONS && !interrupted()) {
        ret->reconnections++;
        poll(NULL, 0, (int)ret->reconnections * 200);
        result = ssh_reconnect(board->connection, err);
        if (result == 0 || err->code != ERR_REMOTE)
            break;
    }
    return result;
}

static int remove_staging(struct board *board, const char *staging, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_adds(&script, "rm -rf ");
    ssh_quote(&script, staging);
    strbuf_adds(&script, "\n");
    result = board_do(board, "cannot remove an older upload", script.data, NULL, err);
    strbuf_release(&script);
    return result;
}

/* Sends until everything is there and verified, over as many connections as that takes. */
static int send_and_verify(struct board *board, struct project *project, const char *staging,
                           const struct progress *progress, struct upload_result *ret, struct err *err)
{
    bool is_again = false;

    for (;;) {
        int result = is_again ? compare(board, project, staging, true, err) : remove_staging(board, staging, err);

        if (result == 0)
            result = send_all(board, project, staging, progress, err);
        if (result == 0)
            result = compare(board, project, staging, true, err);
        if (result == 0)
            return check_staged(project, err);
        if (!ssh_is_lost(board->connection) || interrupted() || ret->reconnections >= MOST_RECONNECTIONS)
            return result;
        result = reconnect(board, ret, err);
        if (result != 0)
            return result;
        is_again = true;
    }
}

int upload_claim(struct board *board, const char *directory, bool *ret_ours, struct err *err)
{
    struct strbuf script, answer;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_init(&answer, BOARD_ANSWER_LIMIT);
    strbuf_adds(&script, "d=");
    ssh_quote(&script, directory);
    strbuf_adds(&script, "\n[ -d \"$d\" ] || { mkdir -p \"$d\" && : >\"$d/" MARK "\"; } || exit 1\n"
                         "[ -e \"$d/" MARK "\" ] && echo ours || echo theirs\n");
    result = board_do(board, "cannot make the project's directory", script.data, &answer, err);
    *ret_ours = result == 0 && strncmp(answer.data, "ours", 4) == 0;
    strbuf_release(&script);
    strbuf_release(&answer);
    return result;
}

int upload_leave(struct board *board, const char *directory, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_adds(&script, "rm -f ");
    ssh_quote(&script, directory);
    strbuf_adds(&script, "/" MARK "\n");
    result = board_do(board, "cannot leave the project's directory", script.data, NULL, err);
    strbuf_release(&script);
    return result;
}

int upload_send(struct board *board, struct project *project, const char *directory, const struct progress *progress,
                struct upload_result *ret, struct err *err)
{
    char *staging = path_join(directory, STAGING);
    int result = 0;

    *ret = (struct upload_result){.hashed = board->hash != BOARD_HASH_NONE, .bytes = project_bytes(project)};
    for (size_t i = 0; i < project->count; i++) {
        project->files[i].staged = false;
        if (project->files[i].present)
            ret->unchanged++;
        else
            ret->sent++;
    }
    if (staging == NULL)
        result = out_of_memory(err);
    else if (ret->sent > 0)
        result = send_and_verify(board, project, staging, progress, ret, err);
    if (result == 0 && ret->sent > 0)
        result = move_staged(board, project, directory, err);
    free(staging);
    return result;
}

int upload_remove(struct board *board, struct project *project, const char *directory, bool whole, int64_t *ret_left,
                  struct err *err)
{
    struct chosen_files chosen = {.project = project, .wanted = whole ? is_any : is_sent, .last = whole ? MARK : NULL};
    const struct name_source names = {.next = next_chosen, .arg = &chosen};
    char *staging = path_join(directory, STAGING);
    int result = staging != NULL ? remove_staging(board, staging, err) : out_of_memory(err);

    if (result == 0)
        result = board_remove_files(board, directory, &names, whole, ret_left, err);
    free(staging);
    return result;
}
