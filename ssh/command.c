#include "ssh/command.h"

#include "base/interrupt.h"
#include "ssh/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_LIMIT ((size_t)256 * 1024)
#define WINDOW_SIZE (4U * 1024 * 1024)
#define PACKET_SIZE 32768U
#define READ_SIZE ((size_t)256 * 1024)
#define PATIENCE_SECONDS 1 /* with a server that does not open another session */

enum command_state { RUNNING, CLOSING, ENDED };

struct ssh_command {
    struct ssh_connection *connection;
    LIBSSH2_CHANNEL *channel;
    unsigned generation; /* of the connection's session that the channel belongs to */
    struct ssh_io io;
    enum command_state state;
    const char *input; /* what is left of the current piece */
    size_t input_length;
    bool input_ended;
    struct ssh_exit exit;
    char *buffer; /* READ_SIZE bytes */
};

int ssh_quote(struct strbuf *script, const char *text)
{
    strbuf_addc(script, '\'');
    for (const char *quote; (quote = strchr(text, '\'')) != NULL; text = quote + 1) {
        strbuf_add(script, text, (size_t)(quote - text));
        strbuf_adds(script, "'\\''");
    }
    strbuf_adds(script, text);
    return strbuf_addc(script, '\'') == 0 && !script->failed ? 0 : -1;
}

/* The server does not open another session: it allows few at a time. */
static int too_many_sessions(struct ssh_connection *connection, struct err *err)
{
    ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
    return err_hint(err, "the server must allow two sessions at a time on a connection (OpenSSH: MaxSessions)");
}

static int open_channel(struct ssh_command *command, struct err *err)
{
    struct ssh_connection *connection = command->connection;
    int64_t deadline = ssh_deadline(connection), patience = ssh_now_ns() + PATIENCE_SECONDS * SSH_NS_PER_SECOND;
    static const char type[] = "session";

    while ((command->channel = libssh2_channel_open_ex(connection->session, type, sizeof type - 1, WINDOW_SIZE,
                                                       PACKET_SIZE, NULL, 0)) == NULL) {
        int code = libssh2_session_last_errno(connection->session), result;

        /* one that has just ended may still count with the server */
        if (code == LIBSSH2_ERROR_CHANNEL_FAILURE && ssh_now_ns() > patience)
            return too_many_sessions(connection, err);
        if (code != LIBSSH2_ERROR_EAGAIN && code != LIBSSH2_ERROR_CHANNEL_FAILURE)
            return ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    return 0;
}

static int execute(struct ssh_command *command, const char *script, struct err *err)
{
    struct ssh_connection *connection = command->connection;
    int64_t deadline = ssh_deadline(connection);
    static const char type[] = "exec";
    struct strbuf line;
    int code, result = 0;

    strbuf_init(&line, SCRIPT_LIMIT);
    /* whatever shell the user has, the scripts are for sh */
    strbuf_adds(&line, "exec sh -c ");
    if (ssh_quote(&line, script) != 0) {
        result = err_set(err, ERR_LIMIT, "a command for the board is too long");
        goto out;
    }
    while ((code = libssh2_channel_process_startup(command->channel, type, sizeof type - 1, line.data,
                                                   (unsigned)line.length)) == LIBSSH2_ERROR_EAGAIN) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            goto out;
    }
    if (code != 0)
        result = ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
out:
    strbuf_release(&line);
    return result;
}

int ssh_command_start(struct ssh_command **ret, struct ssh_connection *connection, const char *script,
                      const struct ssh_io *io, struct err *err)
{
    struct ssh_command *command = calloc(1, sizeof *command);
    int result;

    if (command == NULL || (command->buffer = malloc(READ_SIZE)) == NULL) {
        free(command);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    command->connection = connection;
    command->io = *io;
    command->generation = connection->generation;
    result = connection->lost || connection->session == NULL
                 ? err_set(err, ERR_REMOTE, "the connection to '%s' is lost", connection->target.host)
                 : open_channel(command, err);
    if (result == 0)
        result = execute(command, script, err);
    if (result != 0)
        ssh_command_close(command);
    else
        *ret = command;
    return result;
}

/* Writes what the window takes. */
static int serve_input(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    struct ssh_connection *connection = command->connection;

    while (!command->input_ended && !ssh_send_is_congested(connection)) {
        ssize_t n;

        if (command->io.input == NULL && command->io.keeps_input_open)
            return 0;
        if (command->input_length == 0) {
            int result = 0;

            if (command->io.input != NULL)
                result = command->io.input(command->io.arg, &command->input, &command->input_length, err);
            if (result != 0)
                return result;
            if (command->input_length == 0) {
                int code = libssh2_channel_send_eof(command->channel);

                if (code == LIBSSH2_ERROR_EAGAIN)
                    return 0;
                if (code != 0)
                    return ssh_failure(connection, err, "cannot send to '%s'", connection->target.host);
                command->input_ended = true;
                *ret_busy = true;
                return 0;
            }
        }
        n = libssh2_channel_write_ex(command->channel, 0, command->input, command->input_length);
        if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
            return 0;
        if (n < 0) {
            /* a command that ended without reading all is judged by its exit status */
            if (n == LIBSSH2_ERROR_CHANNEL_CLOSED || n == LIBSSH2_ERROR_CHANNEL_EOF_SENT) {
                command->input_ended = true;
                return 0;
            }
            return ssh_failure(connection, err, "cannot send to '%s'", connection->target.host);
        }
        command->input += n;
        command->input_length -= (size_t)n;
        *ret_busy = true;
    }
    return 0;
}

static int serve_output(struct ssh_command *command, int stream, bool *ret_busy, struct err *err)
{
    int (*take)(void *, const char *, size_t, struct err *) = stream == 0 ? command->io.output : command->io.errors;
    ssize_t n = libssh2_channel_read_ex(command->channel, stream, command->buffer, READ_SIZE);

    if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
        return 0;
    if (n < 0)
        return ssh_failure(command->connection, err, "cannot read from '%s'", command->connection->target.host);
    *ret_busy = true;
    return take != NULL ? take(command->io.arg, command->buffer, (size_t)n, err) : 0;
}

static void take_exit(struct ssh_command *command)
{
    char *name = NULL;
    size_t length = 0;

    command->exit.status = libssh2_channel_get_exit_status(command->channel);
    if (libssh2_channel_get_exit_signal(command->channel, &name, &length, NULL, NULL, NULL, NULL) == 0 &&
        name != NULL) {
        snprintf(command->exit.signal, sizeof command->exit.signal, "%.*s", (int)length, name);
        err_mask_text(command->exit.signal);
        libssh2_free(command->connection->session, name);
    }
}

int ssh_command_poll(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    int result = 0, code;

    *ret_busy = false;
    if (!ssh_command_is_connected(command))
        return err_set(err, ERR_REMOTE, "the connection to '%s' is lost", command->connection->target.host);
    if (command->state == RUNNING) {
        result = serve_output(command, 0, ret_busy, err);
        if (result == 0)
            result = serve_output(command, SSH_EXTENDED_DATA_STDERR, ret_busy, err);
        if (result == 0 && !libssh2_channel_eof(command->channel))
            result = serve_input(command, ret_busy, err);
        if (result != 0)
            return result;
        if (!*ret_busy && libssh2_channel_eof(command->channel))
            command->state = CLOSING;
    }
    if (command->state == CLOSING) {
        /* close waits for the other side's close, behind which the exit status has come */
        code = libssh2_channel_close(command->channel);
        if (code == 0)
            code = libssh2_channel_wait_closed(command->channel);
        if (code == LIBSSH2_ERROR_EAGAIN)
            return 0;
        if (code != 0)
            return ssh_failure(command->connection, err, "a command on '%s' did not end properly",
                               command->connection->target.host);
        take_exit(command);
        command->state = ENDED;
        *ret_busy = true;
    }
    return 0;
}

int ssh_commands_serve(struct ssh_command *const *commands, size_t count, struct err *err)
{
    for (;;) {
        struct ssh_connection *connection = NULL;
        bool any_busy = false;

        for (size_t i = 0; i < count; i++) {
            bool busy;
            int result;

            if (commands[i] == NULL || commands[i]->state == ENDED)
                continue;
            connection = commands[i]->connection;
            result = ssh_command_poll(commands[i], &busy, err);
            if (result != 0)
                return result;
            any_busy = any_busy || busy;
        }
        if (connection == NULL)
            return 0;
        if (!any_busy || interrupted()) {
            int result = ssh_wait(connection, SSH_NEVER, err);

            if (result != 0)
                return result;
        }
    }
}

bool ssh_command_is_connected(const struct ssh_command *command)
{
    return command->connection->session != NULL && command->generation == command->connection->generation;
}

void ssh_command_end_input(struct ssh_command *command)
{
    command->io.keeps_input_open = false;
}

bool ssh_command_has_ended(const struct ssh_command *command)
{
    return command->state == ENDED;
}

const struct ssh_exit *ssh_command_exit(const struct ssh_command *command)
{
    return &command->exit;
}

void ssh_command_close(struct ssh_command *command)
{
    if (command == NULL)
        return;
    /* without waiting: what does not go out now is freed with the session */
    if (command->channel != NULL && ssh_command_is_connected(command))
        libssh2_channel_free(command->channel);
    free(command->buffer);
    free(command);
}

int ssh_run(struct ssh_connection *connection, const char *script, const struct ssh_io *io, struct ssh_exit *ret,
            struct err *err)
{
    struct ssh_command *command = NULL;
    int result = ssh_command_start(&command, connection, script, io, err);

    if (result == 0)
        result = ssh_commands_serve(&command, 1, err);
    if (result == 0)
        *ret = command->exit;
    ssh_command_close(command);
    return result;
}

/* What ssh_ask collects. */
struct answer {
    struct strbuf *output, *errors;
};

static int keep_output(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct answer *answer = arg;

    if (strbuf_add(answer->output, bytes, length) != 0)
        return err_set(err, ERR_LIMIT, "the board says more than %zu bytes where it should be brief",
                       answer->output->maximum);
    return 0;
}

static int keep_errors(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct answer *answer = arg;

    (void)err;
    if (answer->errors != NULL) {
        size_t room = answer->errors->maximum - answer->errors->length;

        strbuf_add(answer->errors, bytes, length < room ? length : room);
    }
    return 0;
}

int ssh_ask(struct ssh_connection *connection, const char *script, struct strbuf *output, struct strbuf *errors,
            struct ssh_exit *ret, struct err *err)
{
    struct answer answer = {output, errors};
    struct ssh_io io = {.output = keep_output, .errors = keep_errors, .arg = &answer};

    return ssh_run(connection, script, &io, ret, err);
}
