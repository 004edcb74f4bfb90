/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/fetch.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/progress.h"
#include "ssh/session/internal.h"
#include "ssh/transfer/beginning.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)
#define MOST_COMPLAINTS ((size_t)2048)
#define MOST_ROUNDS 3 /* of fetching files that came out wrong again */
#define LINE_LIMIT ((size_t)2 * LISTING_MAX_PATH + 128)

enum { DATA, CHECKSUMS, STREAMS };

/* One transfer: files come in the order of todo, which the board was given. */
struct transfer {
    struct board *board;
    const struct fetch_request *request;
    struct fetch_result *ret;
    struct ssh_patience patience;
    struct ssh_command *commands[STREAMS];
    bool is_broken;            /* the data is not what it should be */
    bool waits;                /* for the listing, which the data stream begins with */
    char mark[SSH_MARK_SIZE];  /* the line behind the listing */
    struct strbuf list, again; /* the listing; what comes beside the data, at the end another listing between marks */
    struct listing listing;
    int lock_fd; /* of the directory here */
    struct fetched *files;
    size_t count;
    /* Indexes of files that each stream is asked for: those without all their bytes, those without their name. */
    size_t *todo[STREAMS], todo_count[STREAMS];
    size_t named[STREAMS];   /* in todo: the next name to send */
    size_t current[STREAMS]; /* in todo: the one that bytes arrive of, the next whose checksum is expected */
    struct checksum *sum;
    struct strbuf line;      /* of checksums, as far as it has come */
    uint64_t checksum_bytes; /* that came, altogether */
    struct strbuf names[STREAMS];
    struct strbuf complaints; /* what the board says on standard error */
    uint64_t done_bytes, total_bytes;
};

/* A stream's view of the transfer. */
struct stream {
    struct transfer *transfer;
    int number; /* DATA, CHECKSUMS */
};

/* Names of files, as many as make a good packet; the first file of the data stream may be named by the script. */
static int give_names(void *arg, const char **bytes, size_t *length, struct err *err)
{
    const size_t piece = 16384;
    struct stream *stream = arg;
    struct transfer *transfer = stream->transfer;
    struct strbuf *names = &transfer->names[stream->number];
    size_t *next = &transfer->named[stream->number];

    strbuf_clear(names);
    while (*next < transfer->todo_count[stream->number] && names->length < piece) {
        strbuf_adds(names, "./");
        strbuf_adds(names, transfer->files[transfer->todo[stream->number][*next]].path);
        strbuf_addc(names, board_separator(transfer->board));
        (*next)++;
    }
    return ssh_give(names, bytes, length, err);
}

static struct fetched *current_file(struct transfer *transfer)
{
    size_t current = transfer->current[DATA];

    return current < transfer->todo_count[DATA] ? &transfer->files[transfer->todo[DATA][current]] : NULL;
}

/* Finishes the current file and those without bytes that follow it. */
static int finish_complete(struct transfer *transfer, struct err *err)
{
    struct fetched *file;

    while ((file = current_file(transfer)) != NULL && file->received == file->size) {
        if (fetched_open(file, transfer->request->local, err) != 0 ||
            fetched_complete(file, transfer->sum, transfer->board->hash != BOARD_HASH_NONE, err) != 0)
            return err_status(err);
        transfer->current[DATA]++;
    }
    return 0;
}

/* Whether the files are listed once more behind their bytes. Without checksums a file that became shorter would take
 * something else for its own. */
static bool lists_again(const struct transfer *transfer)
{
    return transfer->waits && transfer->request->resumes && !transfer->request->removes &&
           transfer->board->hash != BOARD_HASH_NONE;
}

static int begin(struct transfer *transfer, bool resumes, struct err *err);

/* With the listing the names go out: the commands wait for them. */
static int begin_listed(struct transfer *transfer, size_t length, struct err *err)
{
    bool failed = listing_parse(&transfer->listing, transfer->list.data, length, err) != 0;
    struct ssh_limits limits;

    strbuf_release(&transfer->list);
    if (failed || begin(transfer, false, err) != 0)
        return err_status(err);
    limits = ssh_limits_for(transfer->board->connection, transfer->total_bytes);
    if (lists_again(transfer))
        limits.errors += LISTING_LIMIT;
    ssh_command_limit(transfer->commands[DATA], &limits);
    transfer->waits = false;
    return finish_complete(transfer, err);
}

/* Takes bytes of the listing, and its end when that is among them. */
static int take_list(struct transfer *transfer, const char **bytes, size_t *length, struct err *err)
{
    const size_t before = transfer->list.length, mark_length = SSH_MARK_SIZE - 1;
    const size_t from = before > mark_length ? before - mark_length : 0;
    const char *mark;
    size_t list_length, used = *length;

    if (strbuf_add(&transfer->list, *bytes, *length) != 0)
        return err_set(err, ERR_REMOTE, "the board's list of '%s' is longer than %zu bytes", transfer->request->remote,
                       LISTING_LIMIT);
    mark = memmem(transfer->list.data + from, transfer->list.length - from, transfer->mark, mark_length);
    list_length = mark != NULL ? (size_t)(mark - transfer->list.data) : 0;
    if (mark != NULL && transfer->list.length > list_length + mark_length)
        used = list_length + mark_length + 1 - before;
    else
        mark = NULL; /* its newline is still to come */
    *bytes += used;
    *length -= used;
    return mark != NULL ? begin_listed(transfer, list_length, err) : 0;
}

static int take_pieces(struct transfer *transfer, const char *bytes, size_t length, struct err *err)
{
    while (length > 0) {
        struct fetched *file = current_file(transfer);
        size_t piece;

        if (file == NULL)
            return err_set(err, ERR_REMOTE, "the board sends more bytes than it announced");
        piece = file->size - file->received < length ? (size_t)(file->size - file->received) : length;
        if (fetched_open(file, transfer->request->local, err) != 0 ||
            fetched_write(file, bytes, piece, transfer->sum, err) != 0)
            return err_status(err);
        bytes += piece;
        length -= piece;
        transfer->done_bytes += piece;
        if (finish_complete(transfer, err) != 0)
            return err_status(err);
    }
    progress_update(transfer->request->progress, "fetching", transfer->done_bytes, transfer->total_bytes);
    return 0;
}

static int take_data(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct transfer *transfer = ((struct stream *)arg)->transfer;

    transfer->is_broken = (transfer->waits && take_list(transfer, &bytes, &length, err) != 0) ||
                          take_pieces(transfer, bytes, length, err) != 0;
    return transfer->is_broken ? err_status(err) : 0;
}

/* One line of the stream of checksums; files that the board could not read are missing from it. */
static int take_checksum_line(void *arg, const char *line, size_t length, struct err *err)
{
    struct transfer *transfer = arg;
    char checksum[CHECKSUM_TEXT_SIZE], path[LISTING_MAX_PATH];

    if (!checksum_line_parse(board_checksum_kind(transfer->board), line, length, checksum, path))
        return 0;
    for (size_t i = transfer->current[CHECKSUMS]; i < transfer->todo_count[CHECKSUMS]; i++) {
        struct fetched *file = &transfer->files[transfer->todo[CHECKSUMS][i]];

        if (strcmp(file->path, path) != 0)
            continue;
        transfer->current[CHECKSUMS] = i + 1;
        return fetched_expect(file, checksum, err);
    }
    return 0;
}

static int take_checksums(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct stream *stream = arg;
    struct transfer *transfer = stream->transfer;

    transfer->checksum_bytes += length;
    if (transfer->checksum_bytes > (transfer->todo_count[CHECKSUMS] + 1) * LINE_LIMIT)
        return err_set(err, ERR_REMOTE, "the board's list of checksums is endless: %" PRIu64 " bytes for %zu files",
                       transfer->checksum_bytes, transfer->todo_count[CHECKSUMS]);
    return board_take_lines(&transfer->line, bytes, length, take_checksum_line, transfer,
                            "the board's list of checksums has an overlong line", err);
}

/* Adds the command that sends the bytes of all files of todo, the first from where it was. */
static int add_data_command(struct transfer *transfer, struct err *err)
{
    const struct fetched *first = &transfer->files[transfer->todo[DATA][0]];
    struct strbuf *script = board_script_in(transfer->board, transfer->request->remote);

    if (first->received > 0) {
        strbuf_addf(script, "tail -c +%llu ./", (unsigned long long)first->received + 1);
        ssh_script_add(script, WORD " || exit 1\n", first->path);
        transfer->named[DATA] = 1;
    }
    /* xargs without any name would run cat for its own input */
    return transfer->named[DATA] < transfer->todo_count[DATA] ? board_add_send_command(transfer->board, script, err)
                                                              : 0;
}

/* Adds the command that lists all files and then sends the bytes of those that it is asked for. */
static int add_listing_command(struct transfer *transfer, struct err *err)
{
    struct strbuf *script = &transfer->board->script;

    if (board_add_list(transfer->board, transfer->request->remote, err) != 0)
        return err_status(err);
    strbuf_addf(script, "list || exit 1\necho %s\n(", transfer->mark);
    if (board_add_send_command(transfer->board, script, err) != 0)
        return err_status(err);
    strbuf_adds(script, ")\n");
    if (lists_again(transfer))
        strbuf_addf(script, "r=$?\n{ echo %s; list && echo %s; } >&2\nexit $r\n", transfer->mark, transfer->mark);
    return 0;
}

static int start_data(struct transfer *transfer, const struct ssh_io *io, struct err *err)
{
    struct board *board = transfer->board;

    if ((transfer->waits ? add_listing_command(transfer, err) : add_data_command(transfer, err)) != 0)
        return err_status(err);
    return board->script.failed
               ? err_no_memory(err)
               : ssh_command_start(&transfer->commands[DATA], board->connection, board->script.data, io, NULL, err);
}

static int start_checksums(struct transfer *transfer, const struct ssh_io *io, struct err *err)
{
    struct board *board = transfer->board;

    board_add_hash_command(board, board_script_in(board, transfer->request->remote));
    return board->script.failed ? err_no_memory(err)
                                : ssh_command_start(&transfer->commands[CHECKSUMS], board->connection,
                                                    board->script.data, io, transfer->commands[DATA], err);
}

/* The command ended, and the listing has not. */
static int tell_unlisted(struct transfer *transfer, struct err *err)
{
    struct strbuf *said = lists_again(transfer) ? &transfer->again : &transfer->complaints;

    if (strcmp(transfer->list.data, BOARD_MISSING) == 0) {
        transfer->ret->is_missing = true;
        return board_tell_missing(transfer->request->remote, err);
    }
    if (board_judge("cannot list files", ssh_command_exit(transfer->commands[DATA]), said, err) == 0)
        err_set(err, ERR_REMOTE, "the list is incomplete");
    return err_wrap(err, "cannot list '%s' on the board", transfer->request->remote);
}

/* Splits the board's complaints, but for the listing there, from the data. */
static void split_complaints(struct transfer *transfer)
{
    struct strbuf *complaints = &transfer->complaints;
    const char *mark = strstr(transfer->again.data, transfer->mark);
    const size_t said = mark != NULL ? (size_t)(mark - transfer->again.data) : transfer->again.length;
    const size_t room = complaints->maximum - complaints->length;

    strbuf_add(complaints, transfer->again.data, said < room ? said : room);
}

static bool is_waiting(const void *arg)
{
    const struct transfer *transfer = arg;

    return transfer->waits;
}

/* In turn, when the server does not allow so many sessions. */
static int start_streams(struct transfer *transfer, struct stream streams[STREAMS], struct err *err)
{
    struct ssh_io data = {.input = give_names,
                          .output = take_data,
                          .said = &transfer->complaints,
                          .waits = &transfer->waits,
                          .arg = &streams[DATA],
                          .limits = ssh_limits_for(transfer->board->connection, transfer->total_bytes)};
    struct ssh_io checksums = data;
    struct ssh_command **commands = transfer->commands;
    int result = 0;

    checksums.output = take_checksums;
    checksums.arg = &streams[CHECKSUMS];
    if (lists_again(transfer))
        data.said = &transfer->again;
    if (transfer->waits || transfer->todo_count[DATA] > 0)
        result = start_data(transfer, &data, err);
    if (result == 0 && transfer->waits) /* what it is asked for is under way then while the other one starts */
        result = ssh_command_serve_while(commands[DATA], is_waiting, transfer, err);
    else if (result == 0)
        result = finish_complete(transfer, err); /* files without bytes at the front */
    if (result != 0 || transfer->waits || transfer->board->hash == BOARD_HASH_NONE)
        return result;
    checksums.limits = ssh_limits_for(transfer->board->connection, transfer->total_bytes);
    result = start_checksums(transfer, &checksums, err);
    if (result != -ERR_REMOTE || commands[DATA] == NULL || transfer->is_broken ||
        ssh_is_lost(transfer->board->connection))
        return result;
    result = ssh_commands_serve(commands, STREAMS, err);
    if (result != 0)
        return result;
    ssh_command_close(commands[DATA]);
    commands[DATA] = NULL;
    return start_checksums(transfer, &checksums, err);
}

/* Serves both streams side by side. */
static int serve_streams(struct transfer *transfer, struct err *err)
{
    struct stream streams[STREAMS] = {{transfer, DATA}, {transfer, CHECKSUMS}};

    strbuf_clear(&transfer->complaints);
    strbuf_clear(&transfer->again);
    bool failed = start_streams(transfer, streams, err) != 0 ||
                  ssh_commands_serve(transfer->commands, STREAMS, err) != 0 ||
                  (transfer->waits && tell_unlisted(transfer, err) != 0);
    split_complaints(transfer);
    for (int i = 0; i < STREAMS; i++) {
        ssh_command_close(transfer->commands[i]);
        transfer->commands[i] = NULL;
    }
    return failed ? err_status(err) : 0;
}

/* Lists the files that are not at home yet; one that came in part goes first. */
static void make_todo(struct transfer *transfer)
{
    memset(transfer->todo_count, 0, sizeof transfer->todo_count);
    for (size_t i = 0; i < transfer->count; i++) {
        const struct fetched *file = &transfer->files[i];

        if (!file->is_done)
            transfer->todo[CHECKSUMS][transfer->todo_count[CHECKSUMS]++] = i;
    }
    for (int in_part = 1; in_part >= 0; in_part--)
        for (size_t i = 0; i < transfer->count; i++) {
            const struct fetched *file = &transfer->files[i];

            if (!file->is_done && !file->is_complete && (file->received > 0) == (in_part == 1))
                transfer->todo[DATA][transfer->todo_count[DATA]++] = i;
        }
    memset(transfer->current, 0, sizeof transfer->current);
    memset(transfer->named, 0, sizeof transfer->named);
    transfer->checksum_bytes = 0;
    strbuf_clear(&transfer->line);
}

/* A board without tail cannot go on in the middle of a file. */
static void drop_partial(struct transfer *transfer)
{
    char ignored[CHECKSUM_TEXT_SIZE];

    for (size_t i = 0; i < transfer->count && !transfer->board->has_tail; i++) {
        struct fetched *file = &transfer->files[i];

        if (file->received == 0 || file->is_complete)
            continue;
        transfer->done_bytes -= file->received;
        fetched_drop(file);
        checksum_finish(transfer->sum, ignored);
    }
}

static bool may_reconnect(const struct transfer *transfer)
{
    return ssh_is_lost(transfer->board->connection) && !ssh_is_interrupted(transfer->board->connection);
}

static int reconnect(struct transfer *transfer, struct err *err)
{
    int result = ssh_reconnect_patiently(&transfer->patience, transfer->done_bytes, err);

    transfer->ret->reconnections = transfer->patience.reconnections;
    drop_partial(transfer);
    return result;
}

static int tell_missing(struct transfer *transfer, struct err *err)
{
    const struct fetched *first = &transfer->files[transfer->todo[CHECKSUMS][0]];
    const char *what = first->received < first->size ? language_said("it is incomplete")
                       : first->is_wrong             ? language_said("its checksum differs from the board's")
                                                     : language_said("the board did not report its checksum");
    size_t length = strcspn(transfer->complaints.data, "\n");

    err_set(err, ERR_REMOTE, "%zu of %zu files were not transferred, the first is '%s': %s%s%.*s%s",
            transfer->todo_count[CHECKSUMS], transfer->count, first->path, what, length > 0 ? " (" : "", (int)length,
            transfer->complaints.data, length > 0 ? ")" : "");
    return err_hint(err, "check that no program on the board still writes there, then fetch them by hand or run again");
}

/* served: how the first round ended, when that listed the files. */
static int transfer_all(struct transfer *transfer, const int *served, struct err *err)
{
    int result = 0;

    for (int round = 0; round < MOST_ROUNDS; round++) {
        make_todo(transfer);
        if (transfer->todo_count[CHECKSUMS] == 0 && (served == NULL || *served == 0))
            return 0;
        result = served != NULL ? *served : serve_streams(transfer, err);
        served = NULL;
        if (result == -ERR_REMOTE && may_reconnect(transfer)) {
            result = reconnect(transfer, err);
            round--; /* bounded by the reconnections */
            if (result == 0)
                continue;
        }
        if (result != 0)
            return result;
        make_todo(transfer);
        if (transfer->todo_count[CHECKSUMS] == 0)
            return 0;
        tell_missing(transfer, err); /* what it came to, before all of it is dropped */
        for (size_t i = 0; i < transfer->todo_count[CHECKSUMS]; i++) {
            struct fetched *file = &transfer->files[transfer->todo[CHECKSUMS][i]];

            transfer->done_bytes -= file->is_here ? 0 : file->received;
            fetched_drop(file);
        }
        checksum_free(transfer->sum);
        transfer->sum = checksum_new_kind(board_checksum_kind(transfer->board));
        if (transfer->sum == NULL)
            return err_no_memory(err);
    }
    return err_status(err);
}

static void transfer_init(struct transfer *transfer)
{
    ssh_patience_init(&transfer->patience, transfer->board->connection, transfer->request->progress);
    strbuf_init(&transfer->list, LISTING_LIMIT);
    strbuf_init(&transfer->again, LISTING_LIMIT);
    strbuf_init(&transfer->line, LINE_LIMIT);
    strbuf_init(&transfer->names[DATA], SCRIPT_LIMIT);
    strbuf_init(&transfer->names[CHECKSUMS], SCRIPT_LIMIT);
    strbuf_init(&transfer->complaints, MOST_COMPLAINTS);
}

static int make_files(struct transfer *transfer, struct err *err)
{
    const enum checksum_kind kind = board_checksum_kind(transfer->board);
    const struct listing *listing = &transfer->listing;

    transfer->count = listing->count;
    transfer->total_bytes = listing_bytes(listing);
    transfer->files = calloc(listing->count + 1, sizeof *transfer->files);
    for (int i = 0; i < STREAMS; i++)
        transfer->todo[i] = calloc(listing->count + 1, sizeof *transfer->todo[i]);
    transfer->sum = checksum_new_kind(kind);
    if (transfer->files == NULL || transfer->todo[DATA] == NULL || transfer->todo[CHECKSUMS] == NULL ||
        transfer->sum == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < listing->count; i++)
        transfer->files[i] = (struct fetched){.path = listing->files[i].path,
                                              .size = listing->files[i].size,
                                              .state = listing->files[i].state,
                                              .kind = kind,
                                              .fd = -1};
    return 0;
}

static void transfer_release(struct transfer *transfer)
{
    for (size_t i = 0; transfer->files != NULL && i < transfer->count; i++)
        fetched_drop(&transfer->files[i]);
    free(transfer->files);
    free(transfer->todo[DATA]);
    free(transfer->todo[CHECKSUMS]);
    checksum_free(transfer->sum);
    listing_release(&transfer->listing);
    strbuf_release(&transfer->list);
    strbuf_release(&transfer->again);
    strbuf_release(&transfer->line);
    strbuf_release(&transfer->names[DATA]);
    strbuf_release(&transfer->names[CHECKSUMS]);
    strbuf_release(&transfer->complaints);
}

/* An entry of a directory to resume into: refuses links, which could lead out of it. */
static int refuse_link(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)path;
    (void)st;
    (void)place;
    return type == FTW_SL || type == FTW_DNR || type == FTW_NS;
}

/* Removes temporaries of a fetch that was killed; what is gone on with has been locked. */
static int remove_temporaries(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)place;
    if (type == FTW_D)
        temporary_remove_stale(path);
    return 0;
}

static int check_target(const char *local, struct err *err)
{
    const int descriptors = 16;

    if (nftw(local, refuse_link, descriptors, FTW_PHYS) == 0)
        return 0;
    err_set(err, ERR_FAILED, "'%s' already exists and is not a fetched capture: it contains links, or is not readable",
            local);
    return err_hint(err, "move it away, or choose another --output");
}

/* The directory belongs to one fetch at a time: its lock, where the file system has locks. */
static int lock_target(const char *local, int *ret_fd, struct err *err)
{
    *ret_fd = open(local, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*ret_fd < 0)
        return err_set_errno(err, errno, "cannot open the directory '%s'", local);
    if (flock(*ret_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0;
    err_set(err, ERR_FAILED, "another msprof is fetching into '%s'", local);
    return err_hint(err, "wait for its end");
}

/* *ret_fd holds the directory's lock. */
static int make_target(const char *local, bool resumes, int *ret_fd, struct err *err)
{
    if (mkdir(local, 0750) == 0)
        return lock_target(local, ret_fd, err);
    if (errno == EEXIST && resumes) {
        if (lock_target(local, ret_fd, err) < 0)
            return err_status(err);
        return check_target(local, err);
    }
    if (errno == EEXIST) {
        err_set(err, ERR_FAILED, "'%s' already exists: each capture needs its own directory", local);
        return err_hint(err, "move it away, or choose another --output");
    }
    return err_set_errno(err, errno, "cannot make the directory '%s'", local);
}

/* Refuses to remove from the board what is the copy here: the board may be this machine, or mount its directory. A file
 * with a name of its own that is made here is not seen there, then. */
static int check_apart(const struct transfer *transfer, struct err *err)
{
    const struct fetch_request *request = transfer->request;
    SCOPED_FREE char *beside = path_joined(request->local, "", err), *mark = NULL;
    SCOPED_CLOSE int fd = beside != NULL ? temporary_create(beside, &mark, err) : -1;
    if (fd < 0)
        return err_status(err);
    ssh_script_add(board_script(transfer->board), "[ -e " WORD "/" WORD " ] || exit 0\necho same\n", request->remote,
                   path_name(mark));
    const int result = board_ask(transfer->board, BOARD_ANSWER_LIMIT, "cannot look for the copy that is here", err);
    unlink(mark);
    if (result < 0 || strncmp(transfer->board->answer.data, "same", 4) != 0)
        return result;
    err_set(err, ERR_USAGE, "'%s' on the board and '%s' here are one directory: nothing is removed", request->remote,
            request->local);
    return err_hint(err, "leave --remove-remote out, or choose another --output");
}

/* The beginning of a file that is here: as much of it is kept as the board's file begins with. */
static int check_beginning(struct transfer *transfer, struct fetched *file, struct err *err)
{
    const struct beginning beginning = {
        .directory = transfer->request->remote, .path = file->path, .fd = file->fd, .bytes = file->received};
    const bool may_go_on = transfer->board->has_tail && board_compares_beginnings(transfer->board);
    uint64_t equal = 0;
    int result = 0;

    progress_update(transfer->request->progress, "checking local files", 0, file->received);
    while (may_go_on &&
           (result = board_compare_beginning(transfer->board, &beginning, transfer->sum, &equal, err)) == -ERR_REMOTE) {
        char ignored[CHECKSUM_TEXT_SIZE];

        checksum_finish(transfer->sum, ignored);
        if (!may_reconnect(transfer))
            return result;
        result = reconnect(transfer, err);
        if (result != 0)
            return result;
    }
    if (result != 0)
        return result;
    transfer->ret->gone_on_from = equal;
    transfer->ret->dropped = file->received - equal;
    if (equal == 0)
        fetched_drop(file);
    return equal > 0 && transfer->ret->dropped > 0 ? fetched_shorten(file, equal, err) : 0;
}

/* Finds the files of an earlier fetch: whole files, and at most one in part, because they come one after the other. */
static int find_here(struct transfer *transfer, struct err *err)
{
    const int descriptors = 16;
    bool has_partial = false;
    int result = 0;

    for (size_t i = 0; i < transfer->count && result == 0; i++) {
        struct fetched *file = &transfer->files[i];

        result = ssh_is_interrupted(transfer->board->connection)
                     ? interrupt_error(err)
                     : fetched_find(file, transfer->request->local, transfer->board->hash != BOARD_HASH_NONE, err);
        if (result == 0 && !file->is_here && !has_partial) {
            result = fetched_find_partial(file, transfer->request->local, err);
            has_partial = result == 0 && file->fd >= 0;
            if (has_partial)
                result = check_beginning(transfer, file, err);
        }
        transfer->done_bytes += file->received;
    }
    nftw(transfer->request->local, remove_temporaries, descriptors, FTW_PHYS);
    return result;
}

/* Keeps files that came whole before an early end, and before the board sent their checksum: SSH guards their bytes,
 * only the board's reading of its own disk is unchecked. */
static void keep_complete(struct transfer *transfer)
{
    struct err ignored = ERR_INIT;

    for (size_t i = 0; transfer->files != NULL && i < transfer->count; i++)
        if (transfer->files[i].is_complete && !transfer->files[i].is_wrong && !transfer->files[i].is_done &&
            fetched_keep(&transfer->files[i], &ignored) == 0)
            transfer->ret->unverified++;
}

static void count_done(const struct transfer *transfer)
{
    for (size_t i = 0; transfer->files != NULL && i < transfer->count; i++)
        if (transfer->files[i].is_done) {
            transfer->ret->files++;
            transfer->ret->here += transfer->files[i].is_here;
            transfer->ret->bytes += transfer->files[i].size;
        }
}

/* A transfer that ended early: what is whole stays, and the beginning of a file waits for the next fetch. */
static void end_early(struct transfer *transfer)
{
    keep_complete(transfer);
    for (size_t i = 0; transfer->files != NULL && i < transfer->count; i++) {
        struct fetched *file = &transfer->files[i];

        if (file->temporary != NULL && file->received > 0 && !file->is_complete)
            fetched_leave(file, transfer->request->local);
    }
}

/* The listing behind the data is as good as one now, unless something was sent after it. */
static int look_again(struct transfer *transfer, const struct fetched_files *files, struct err *err)
{
    const char *first = transfer->mark[0] != '\0' ? strstr(transfer->again.data, transfer->mark) : NULL;
    const char *text = first != NULL ? first + SSH_MARK_SIZE : NULL;
    const char *last = text != NULL ? strstr(text, transfer->mark) : NULL;
    SCOPED(listing_release) struct listing now = {.files = NULL};

    return (last != NULL ? listing_parse(&now, text, (size_t)(last - text), err)
                         : board_list(transfer->board, transfer->request->remote, NULL, &now, err)) != 0 ||
                   fetch_look_again(files, &now, transfer->ret, err) != 0
               ? err_status(err)
               : 0;
}

/* With all files fetched: reports those that are wrong, and removes the others from the board. */
static int finish(struct transfer *transfer, struct err *err)
{
    const struct fetch_request *request = transfer->request;
    const struct board *board = transfer->board;
    const struct fetched_files files = {transfer->board, request, transfer->files, transfer->count};

    if ((board->hash == BOARD_HASH_NONE && board->has_cmp && fetch_compare(&files, err) != 0) ||
        fetch_find_lost(&files, &transfer->listing, transfer->ret, err) != 0)
        return err_status(err);
    if (request->removes && transfer->ret->refused.count == 0)
        return fetch_remove(&files, transfer->ret, err);
    return request->resumes ? look_again(transfer, &files, err) : 0;
}

/* Finishes likewise over as many connections as that takes: every step of it can be taken again. */
static int finish_patiently(struct transfer *transfer, struct err *err)
{
    const struct fetch_result before = *transfer->ret;
    int result;

    while ((result = finish(transfer, err)) == -ERR_REMOTE && may_reconnect(transfer)) {
        *transfer->ret = before;
        if (reconnect(transfer, err) != 0)
            return err_status(err);
    }
    return result;
}

/* Whether any entry of the directory shows that it is the one to fetch; an empty one is. */
static bool is_wanted(const struct transfer *transfer)
{
    const struct listing *listing = &transfer->listing;
    bool (*shows)(const char *path) = transfer->request->shows;
    bool found = shows == NULL || (listing->count == 0 && listing->skipped_paths.count == 0);

    for (size_t i = 0; !found && i < listing->count; i++)
        found = shows(listing->files[i].path);
    for (size_t i = 0; !found && i < listing->skipped_paths.count; i++)
        found = shows(listing->skipped_paths.items[i]);
    return found;
}

/* With the listing it is known what is to come; the directory here is made. */
static int begin(struct transfer *transfer, bool resumes, struct err *err)
{
    transfer->ret->refused = transfer->listing.refused;
    transfer->ret->skipped = transfer->listing.skipped;
    transfer->ret->is_other = !is_wanted(transfer);
    if (transfer->ret->is_other)
        return err_set(err, ERR_REMOTE, "'%s' on the board contains no capture", transfer->request->remote);
    if (make_files(transfer, err) != 0 || make_target(transfer->request->local, resumes, &transfer->lock_fd, err) != 0)
        return err_status(err);
    make_todo(transfer);
    return 0;
}

/* Where nothing is here one command lists the files and sends them; else it is looked first what has not to be sent. */
static int list_and_serve(struct transfer *transfer, bool *ret_served, struct err *err)
{
    const struct fetch_request *request = transfer->request;
    bool is_there = true;
    int result;

    *ret_served = access(request->local, F_OK) != 0;
    if (*ret_served) {
        transfer->waits = true;
        result = ssh_choose_mark(transfer->mark, err);
        return result == 0 ? serve_streams(transfer, err) : result;
    }
    result = board_list(transfer->board, request->remote, &is_there, &transfer->listing, err);
    transfer->ret->is_missing = !is_there && result == 0;
    if (transfer->ret->is_missing)
        result = board_tell_missing(request->remote, err);
    if (result == 0)
        result = begin(transfer, request->resumes, err);
    if (result == 0 && request->removes)
        result = check_apart(transfer, err);
    return result == 0 && request->resumes ? find_here(transfer, err) : result;
}

static int bring_all(struct transfer *transfer, struct err *err)
{
    bool is_served;
    int result = list_and_serve(transfer, &is_served, err);

    if (transfer->lock_fd < 0) /* nothing has begun */
        return result;
    if (result == 0 || is_served)
        result = transfer_all(transfer, is_served ? &result : NULL, err);
    if (result == 0)
        fetched_forget_partials(transfer->request->local);
    /* but not from a board whose stream is not what it announced */
    else if (ssh_is_lost(transfer->board->connection) || result == -ERR_INTERRUPTED)
        end_early(transfer);
    else if (result != -ERR_REMOTE)
        keep_complete(transfer);
    count_done(transfer);
    return result;
}

int ssh_fetch(struct board *board, const struct fetch_request *request, struct fetch_result *ret, struct err *err)
{
    struct transfer transfer = {.board = board, .request = request, .ret = ret, .lock_fd = -1};
    int result;

    *ret = (struct fetch_result){.verified_by = board_verifies_by(board)};
    transfer_init(&transfer);
    result = bring_all(&transfer, err);
    if (result == 0)
        result = finish_patiently(&transfer, err);
    transfer_release(&transfer);
    if (transfer.lock_fd >= 0)
        close(transfer.lock_fd);
    return result;
}
