/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_session.h"

#include "cli/console.h"
#include "cli/status.h"

#include <inttypes.h>
#include <stdarg.h>

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
    int result = ssh_connect(&session->connection, target, err);

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
