/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_session.h"

#include "base/err.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/progress_bar.h"
#include "cli/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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
    collection_log_add(output->log, LOG_LEVEL_INFO, LOG_SOURCE_BOARD, "%s", line->data);
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

/* Says and logs a text; `say` prints it. */
__attribute__((format(printf, 4, 0))) static void tell(struct session *session, enum log_level level,
                                                       void (*say)(const char *format, ...), const char *format,
                                                       va_list arguments)
{
    char text[ERR_TEXT_SIZE];

    err_format(text, sizeof text, format, arguments);
    if (session_prefix(session) != NULL)
        say("[%s] %s", session_prefix(session), text);
    else
        say("%s", text);
    collection_log_add(&session->log, level, LOG_SOURCE_COMMON, "%s", text);
}

void session_note(struct session *session, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(session, LOG_LEVEL_INFO, console_note, format, arguments);
    va_end(arguments);
}

void session_warn(struct session *session, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(session, LOG_LEVEL_WARNING, console_warning, format, arguments);
    va_end(arguments);
}

int session_connect(struct session *session, struct err *err)
{
    const struct ssh_target *target = &session->plan->target->ssh;
    int result = ssh_connection_open(&session->connection, target, err);

    if (result != 0)
        return result;
    if (ssh_host_key_was_added(session->connection))
        session_warn(session, "the host key %s of '%s' was not known; it is now kept in '%s'",
                     ssh_fingerprint(session->connection), target->host, target->known_hosts);
    session_note(session, "connected to '%s' as '%s' (%s)", target->host, target->user,
                 ssh_authentication(session->connection));
    return board_probe(&session->board, session->connection, err);
}

int session_lock(struct session *session, bool *ret_busy, struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    const struct board_lock_request request = {.directory = session->base != NULL ? session->base : session->board.home,
                                               .makes_directory = session->base != NULL,
                                               .takes_over = collect->take_over};
    int result;

    *ret_busy = false;
    if (board_lock_is_held(&session->lock))
        return 0;
    result = board_lock_take(&session->lock, &session->board, &request, ret_busy, err);
    if (result != 0)
        return result;
    if (session->lock.stopped != 0)
        session_warn(session,
                     "the program of an earlier run (process %" PRId64 ") still ran and was stopped; what it "
                     "captured stays on the board",
                     session->lock.stopped);
    if (session->lock.unmounted != NULL)
        session_warn(session, "'%s' was still mounted since a run that was killed, and was unmounted",
                     session->lock.unmounted);
    session->lock.stopped = 0;
    return 0;
}
