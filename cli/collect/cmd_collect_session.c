/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_session.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/secret.h"
#include "base/utf8.h"
#include "parsers/capture/capture_files.h"
#include "ssh/transfer/beginning.h"
#include "ssh/transfer/fetch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT ((size_t)4096)
#define LOG_SOURCE_BOARD "msprof_board"

void board_output_init(struct board_output *output, const char *prefix, struct collection_log *log)
{
    *output = (struct board_output){.prefix = prefix, .log = log};
    strbuf_init(&output->lines[0], LINE_LIMIT);
    strbuf_init(&output->lines[1], LINE_LIMIT);
}

/* Control characters of a board must not drive the terminal. */
static void print_line(struct board_output *output, bool is_error)
{
    struct strbuf *line = &output->lines[is_error];
    FILE *stream = is_error ? stderr : stdout;

    while (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    for (size_t i = 0; i < line->length; i++)
        if (line->data[i] == '\t' || line->data[i] == '\0')
            line->data[i] = ' ';
    if (line->length > 0)
        utf8_mask(line->data);
    progress_bar_pause();
    if (output->prefix != NULL)
        fprintf(stream, "[%s] %s\n", output->prefix, line->data);
    else
        fprintf(stream, "%s\n", line->data);
    fflush(stream); /* live; a reader that went away must not stop the run */
    progress_bar_resume();
    collection_log_output(output->log, LOG_SOURCE_BOARD, line->data);
    strbuf_clear(line);
}

void board_output_take(void *arg, bool is_error, const char *bytes, size_t length)
{
    struct board_output *output = arg;
    struct strbuf *line = &output->lines[is_error];

    while (length > 0) {
        const char *newline = memchr(bytes, '\n', length);
        size_t piece = newline != NULL ? (size_t)(newline - bytes) : length;
        size_t room = line->maximum - line->length;

        if (piece > room) { /* a line without end comes in pieces */
            strbuf_add(line, bytes, room);
            print_line(output, is_error);
            bytes += room;
            length -= room;
            continue;
        }
        strbuf_add(line, bytes, piece);
        if (newline == NULL)
            return;
        print_line(output, is_error);
        bytes += piece + 1;
        length -= piece + 1;
    }
}

void board_output_finish(struct board_output *output)
{
    for (int i = 0; i < 2; i++) {
        if (output->lines[i].length > 0)
            print_line(output, i == 1);
        strbuf_release(&output->lines[i]);
    }
    collection_log_output_end(output->log, LOG_SOURCE_BOARD);
}

const char *session_prefix(const struct session *session)
{
    return session->plan->settings->collect.boards.count > 1 ? session->plan->target->name : NULL;
}

const struct progress *session_progress(const struct session *session)
{
    return session_prefix(session) == NULL ? console_progress() : NULL;
}

void session_fail(struct session *session, const struct err *err)
{
    struct err told = *err;

    console_progress_end();
    if (session_prefix(session) != NULL)
        err_wrap(&told, "board %s", session_prefix(session));
    console_error(&told);
    collection_log_error(&session->log, LOG_SOURCE_COMMON, err);
    session->outcome.status = status_worse(session->outcome.status, status_of_error(err));
}

void session_say(struct session *session, enum say_level level, const char *format, ...)
{
    const char *prefix = session_prefix(session);
    char text[ERR_TEXT_SIZE];

    ERR_FORMAT_SAID(text, format);
    console_say(level, "%s%s%s%s", prefix != NULL ? "[" : "", prefix != NULL ? prefix : "", prefix != NULL ? "] " : "",
                text);
    collection_log_add(&session->log, level == SAY_WARNING ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, LOG_SOURCE_COMMON,
                       "%s", text);
}

int session_connect(struct session *session, struct err *err)
{
    const struct ssh_target *target = &session->plan->target->ssh;

    if (ssh_connection_open(&session->connection, target, err) != 0)
        return err_status(err);
    secret_wipe_stack();
    const struct ssh_facts *facts = ssh_facts(session->connection);
    if (facts->host_key_added)
        session_warn(session, "stored the unknown host key %s of '%s' in '%s'", facts->fingerprint, target->host,
                     target->known_hosts);
    session_note(session, "connected to '%s' as '%s' (%s)", target->host, target->user, facts->authentication);
    return board_probe(&session->board, session->connection, err);
}

int session_lock(struct session *session, bool *ret_busy, struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    const struct board_lock_request request = {.directory = session->base != NULL ? session->base : session->board.home,
                                               .makes_directory = session->base != NULL,
                                               .takes_over = collect->take_over};

    *ret_busy = false;
    if (board_lock_is_held(&session->lock))
        return 0;
    if (board_lock_take(&session->lock, &session->board, &request, ret_busy, err) < 0)
        return err_status(err);
    if (session->lock.stopped != 0)
        session_warn(session,
                     "the program of an earlier run (process %" PRId64
                     ") was still running and was stopped; its capture stays on the board",
                     session->lock.stopped);
    if (session->lock.unmounted != NULL)
        session_warn(session, "'%s' was still mounted by a killed run, and was unmounted", session->lock.unmounted);
    session->lock.stopped = 0;
    return 0;
}

#define COMMAND_LIMIT ((size_t)64 * 1024)
#define MOST_COMMANDS 5 /* printed, for captures that stay on the board */

/* ---- what stays on the board ---- */

/* Appends the command that fetches a directory of the board. */
static void add_fetch_command(const struct session *session, const char *remote, struct strbuf *ret)
{
    const struct collect_plan *plan = session->plan;
    const char *const parts[][2] = {{"--config", plan->settings->collect.config},
                                    {"--board", plan->target->name},
                                    {"--fetch-only", remote},
                                    {"--output", plan->output}};
    SCOPED(words_release) struct words words = {.items = NULL};
    struct err ignored = ERR_INIT;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][1] != NULL && words_add(&words, parts[i][0], &ignored) == 0)
            words_add(&words, parts[i][1], &ignored);
    strbuf_adds(ret, "msprof collect");
    if (ignored.code == ERR_NONE)
        words_show(&words, ret);
}

/* One capture, or the directory in which there may be some. */
static void tell_place(struct session *session, const char *remote, bool is_failure)
{
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf command;

    strbuf_init(&command, COMMAND_LIMIT);
    add_fetch_command(session, remote, &command);
    if (is_failure) {
        err_set(&err, ERR_REMOTE, "captured files that were not fetched stay in '%s' on the board", remote);
        err_hint(&err, "fetch it with: %s", command.data);
        session_fail(session, &err);
    } else {
        session_warn(session, "'%s' stays on the board; fetch it with: %s", remote, command.data);
    }
}

void collect_tell_left(struct session *session)
{
    const struct collect_plan *plan = session->plan;

    if (!session->ran || session->all_home)
        return;
    if (session->mounted) {
        session_warn(session, "captured files that were not fetched stay in '%s/%s'", plan->root, plan->directory);
        return;
    }
    for (size_t i = 0; i < session->left.count && i < MOST_COMMANDS; i++) {
        SCOPED_FREE char *remote = path_join(session->run_directory, session->left.items[i]);

        if (remote != NULL)
            tell_place(session, remote, session->fetch_failed);
    }
    if (session->left.count == 0 || session->left.count > MOST_COMMANDS)
        tell_place(session, session->run_directory, session->fetch_failed);
}

/* ---- one capture ---- */

static void tell_fetched(struct session *session, const char *local, const struct fetch_result *fetched,
                         int64_t start_ns)
{
    char here[64] = "";

    if (fetched->here > 0)
        snprintf(here, sizeof here, language_said(" (%zu of them were here already)"), fetched->here);
    session_note(session, "'%s': %zu file%s%s, %" PRIu64 " bytes, %s s, verified by %s", local, fetched->files,
                 console_plural(fetched->files), here, fetched->bytes, CLOCK_SECONDS_SINCE(start_ns),
                 language_said(fetched->verified_by));
    if (fetched->gone_on_from > 0)
        session_note(session, "continued a file after %" PRIu64 " bytes that were already here", fetched->gone_on_from);
    if (fetched->dropped > 0)
        session_note(session, "%" PRIu64 " bytes of a file that were already here were sent again: they %s",
                     fetched->dropped,
                     board_compares_beginnings(&session->board)
                         ? language_said("differ from the board's")
                         : language_said(
                               "cannot be compared (the board lacks dd, tail, or any of sha256sum, md5sum and cksum)"));
    if (fetched->reconnections > 0)
        session_warn(session, "the connection was lost %zu time%s and restored", fetched->reconnections,
                     console_plural(fetched->reconnections));
    if (fetched->skipped.count > fetched->lost.count)
        session_warn(session, "%zu entries of the capture are not regular files and were skipped, the first is '%s'",
                     fetched->skipped.count, fetched->skipped.first);
}

/* Reports that files are missing, or may differ from those that the board has by now: status 3. */
static void tell_problems(struct session *session, const struct fetch_request *request,
                          const struct fetch_result *fetched)
{
    const char *remote = request->remote;

    if (fetched->lost.count > 0 || fetched->changed.count > 0 || fetched->open_process > 0 ||
        fetched->unknown.count > 0)
        session->outcome.status = status_worse(session->outcome.status, STATUS_DATA_PROBLEMS);
    if (fetched->lost.count > 0)
        session_warn(
            session,
            "%zu entr%s of the capture %s no regular file%s and not fetched, the first is '%s': see '%s' on the board",
            fetched->lost.count, fetched->lost.count == 1 ? "y" : "ies", fetched->lost.count == 1 ? "is" : "are",
            fetched->lost.count == 1 ? "" : "s", fetched->lost.first, remote);
    if (fetched->changed.count > 0)
        session_warn(session,
                     "%zu file%s changed on the board since %s fetched, the first is '%s'; '%s' stays there: fetch it "
                     "again with another --output when no process writes to it",
                     fetched->changed.count, console_plural(fetched->changed.count),
                     fetched->changed.count == 1 ? "it was" : "they were", fetched->changed.first, remote);
    if (fetched->open_process > 0)
        session_warn(session,
                     "process %" PRId64
                     " on the board has a file of '%s' open and may still write to it: it stays there",
                     fetched->open_process, remote);
    if (fetched->unknown.count > 0)
        session_warn(session,
                     "%zu file%s of the same name and size %s already here, and the board has no tool to compare them: "
                     "its own stay, the first is '%s'",
                     fetched->unknown.count, console_plural(fetched->unknown.count),
                     fetched->unknown.count == 1 ? "is" : "are", fetched->unknown.first);
}

static int refuse_names(const struct told *names, struct err *err)
{
    if (names->count == 0)
        return 0;
    err_set(err, ERR_REMOTE, "the board lists %zu unsafe name%s that %s skipped, the first is '%s'", names->count,
            console_plural(names->count), names->count == 1 ? "is" : "are", names->first);
    return err_hint(
        err,
        "names must stay inside the capture and contain no control characters; check which program runs on the board");
}

static void tell_incomplete(const struct fetch_result *fetched, const char *remote, struct err *err)
{
    char unverified[64] = "";

    if (fetched->unverified > 0)
        snprintf(unverified, sizeof unverified, language_said(" (%zu of them not verified)"), fetched->unverified);
    err_wrap(err, "the transfer is incomplete, %zu file%s here%s; the capture is still in '%s' on the board",
             fetched->files, fetched->files == 1 ? " is" : "s are", unverified, remote);
}

/* ret_other: NULL, or whether the directory is no capture. */
static int fetch_capture(struct session *session, const struct fetch_request *request, bool *ret_other, struct err *err)
{
    struct fetch_result fetched = {0};
    int64_t start_ns = clock_now_ns();
    int result = path_make_directories(session->plan->output, err);

    if (result == 0)
        result = ssh_fetch(&session->board, request, &fetched, err);
    console_progress_end();
    if (fetched.files > 0 && words_add(&session->outcome.captures, request->local, err) != 0)
        return err_status(err);
    if (ret_other != NULL)
        *ret_other = fetched.is_other;
    if (fetched.is_missing || fetched.is_other)
        return result;
    if (result != 0) {
        tell_incomplete(&fetched, request->remote, err);
        if (request->resumes && (result == -ERR_REMOTE || result == -ERR_INTERRUPTED))
            err_hint(err, "run the same command again to continue");
        return result;
    }
    if (fetched.files == 0)
        session_warn(session, "'%s' is empty", request->remote);
    else
        tell_fetched(session, request->local, &fetched, start_ns);
    tell_problems(session, request, &fetched);
    if (fetched.left > 0 && fetched.changed.count == 0 && fetched.open_process == 0)
        session_warn(session, "%" PRId64 " entries that were not fetched stay in '%s' on the board", fetched.left,
                     request->remote);
    return refuse_names(&fetched.refused, err);
}

/* Whether import would look for a file of this name. */
static bool is_data(const char *path)
{
    const char *name = path_name(path);

    return capture_recognise(name, NULL, NULL) != NULL || capture_is_config_name(name);
}

/* ret_other: NULL after a run, whose directory comes whatever it holds; else set to whether it is no capture, and
 * stays. */
static int fetch_by_name(struct session *session, const char *directory, const char *name, bool *ret_other,
                         struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    SCOPED_FREE char *remote = path_join(directory, name), *local = path_join(session->plan->output, name);
    const struct fetch_request request = {.remote = remote,
                                          .local = local,
                                          .resumes = ret_other != NULL,
                                          .removes = ret_other != NULL ? collect->remove_remote : !collect->keep,
                                          .is_data = is_data,
                                          .shows = ret_other != NULL ? capture_shows_in : NULL,
                                          .progress = session_progress(session)};

    return remote != NULL && local != NULL ? fetch_capture(session, &request, ret_other, err) : err_no_memory(err);
}

/* ---- after a run ---- */

static int no_capture(struct session *session, struct err *err)
{
    if (session->outcome.status == STATUS_INTERRUPTED) {
        session_note(session, "the program has not captured anything yet");
        return 0;
    }
    err_set(err, ERR_REMOTE,
            "Failed to generate JOB, please check whether the profiling function is enabled in the "
            "board project, or try again.");
    return err_hint(err, "the program must call svp_acl_init() with acl.json, and svp_acl_finalize() at its end");
}

/* Keeps those that were not there before, the newest first, in session->left. */
static int find_new(struct session *session, const struct remote_captures *after, struct err *err)
{
    for (size_t i = 0; i < after->names.count; i++)
        if (!remote_captures_has(&session->before, after->names.items[i]) &&
            words_add(&session->left, after->names.items[i], err) != 0)
            return err_status(err);
    return 0;
}

static int fetch_newest(struct session *session, const struct remote_captures *after, struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    bool has_refused = after->refused.count > session->before.refused.count;

    if (session->left.count == 0 && !has_refused) {
        session->all_home = true;
        return collect->profiling != 0 ? 0 /* as was said before */ : no_capture(session, err);
    }
    if (session->left.count > 1)
        session_warn(session, "the board has %zu new captures: the newest, '%s', is used", session->left.count,
                     session->left.items[0]);
    if (session->left.count > 0) {
        if (fetch_by_name(session, session->run_directory, session->left.items[0], NULL, err) != 0)
            return err_status(err);
        free(words_take_first(&session->left));
    }
    session->fetch_failed = false;
    session->all_home = session->left.count == 0 && !has_refused;
    return has_refused ? refuse_names(&after->refused, err) : 0;
}

int collect_fetch_new(struct session *session, struct err *err)
{
    struct remote_captures after;

    if (board_captures(&session->board, session->run_directory, NULL, &after, err) != 0)
        return err_status(err);
    bool failed = find_new(session, &after, err) != 0 || fetch_newest(session, &after, err) != 0;
    remote_captures_release(&after);
    return failed ? err_status(err) : 0;
}

/* ---- --fetch-only ---- */

static int fetch_all(struct session *session, const char *directory, const struct remote_captures *captures,
                     struct err *err)
{
    for (size_t i = 0; i < captures->names.count; i++) {
        bool is_other = false;

        if (fetch_by_name(session, directory, captures->names.items[i], &is_other, err) == 0)
            continue;
        if (!is_other)
            return err_status(err);
        session_warn(session, "%s: it stays there", err_message(err));
        session->outcome.status = status_worse(session->outcome.status, STATUS_DATA_PROBLEMS);
        *err = (struct err)ERR_INIT;
    }
    return refuse_names(&captures->refused, err);
}

/* The directory is no capture: those in it are meant. */
static int fetch_inside(struct session *session, const char *directory, struct err *err)
{
    SCOPED(remote_captures_release) struct remote_captures captures = {.names = {.items = NULL}};
    bool is_there;

    if (board_captures(&session->board, directory, &is_there, &captures, err) != 0)
        return err_status(err);
    if (!is_there)
        return board_tell_missing(directory, err);
    if (captures.names.count > 0 || captures.refused.count > 0)
        return fetch_all(session, directory, &captures, err);
    err_set(err, ERR_REMOTE, "'%s' on the board is not a capture and contains none", directory);
    return err_hint(err,
                    "pass a capture (JOB* or PROF*, with data/ in it), or a directory that contains JOB* directories");
}

static int fetch_named(struct session *session, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/'), *name = slash + 1;
    SCOPED_FREE char *directory = scoped_text(path, slash > path ? (size_t)(slash - path) : 1);
    bool is_other = !capture_has_name(name);
    int result = 0;

    if (directory == NULL)
        return err_no_memory(err);
    if (!is_other && listing_path_problem(name) != NULL)
        return err_set(err, ERR_USAGE, "--fetch-only is '%s', expected the path of a capture on the board", path);
    if (!is_other)
        result = fetch_by_name(session, directory, name, &is_other, err);
    if (!is_other)
        return result;
    *err = (struct err)ERR_INIT;
    return fetch_inside(session, path, err);
}

/* Nothing is removed under a run that is going on. A board whose disk is full takes no lock, and has no run. */
static int lock_to_remove(struct session *session, struct err *err)
{
    bool is_busy;

    if (!session->plan->settings->collect.remove_remote)
        return 0;
    int result = session_lock(session, &is_busy, err);
    if (result == -ERR_REMOTE && !is_busy && !ssh_is_lost(session->connection)) {
        session_warn(session, "cannot lock the board meanwhile: %s", err_message(err));
        *err = (struct err)ERR_INIT;
        result = 0;
    }
    return result;
}

int collect_fetch_only(struct session *session, struct err *err)
{
    if (session_connect(session, err) != 0)
        return err_status(err);
    const char *given = session->plan->settings->collect.fetch_only;
    SCOPED_FREE char *path = given[0] == '/' ? scoped_text(given, SIZE_MAX) : path_join(session->board.home, given);
    size_t length = path != NULL ? strlen(path) : 0;
    int result = lock_to_remove(session, err);

    if (result != 0 || path == NULL)
        return result != 0 ? result : err_no_memory(err);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    return fetch_named(session, path, err);
}
