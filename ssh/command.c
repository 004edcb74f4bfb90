/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/command.h"
#include "base/utf8.h"

#include "ssh/session/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SCRIPT_LIMIT ((size_t)256 * 1024)
#define WINDOW_SIZE (4U * 1024 * 1024)
#define PACKET_SIZE 32768U
#define READ_SIZE ((size_t)256 * 1024)
#define PATIENCE_SECONDS 1 /* with a server that does not open another session */

/* A command that works on files may be silent as long as a slow disk reads them. */
#define TOTAL_TIMES 20 /* the silences that an answer may take altogether */
#define SILENT_BYTES_PER_SECOND ((uint64_t)4 * 1024 * 1024)
#define MOST_SILENCE INT64_C(3600)      /* seconds */
#define MOST_TOTAL (INT64_C(7) * 86400) /* seconds */
#define SLOWEST_BYTES_PER_SECOND ((uint64_t)16 * 1024)
#define MOST_ERRORS ((uint64_t)1024 * 1024)  /* bytes */
#define MOST_CHATTER ((uint64_t)1024 * 1024) /* bytes that a login shell may print before the command begins */
#define MOST_WAIT_NS (2 * SSH_NS_PER_SECOND) /* of one wait: this process may have been stopped meanwhile */

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
    int64_t silent_ns, waited_ns; /* since the last byte, altogether */
    uint64_t error_bytes;
    char mark[SSH_MARK_SIZE]; /* the last of what is no output of the script */
    size_t mark_length;       /* of its line, as far as it has come */
    bool has_begun;           /* the mark's line has come */
    uint64_t chatter_bytes;   /* before it */
    struct ssh_exit exit;
    char *buffer; /* READ_SIZE bytes */
};

static int64_t seconds_for(uint64_t bytes, uint64_t bytes_per_second, int64_t most)
{
    uint64_t seconds = bytes / bytes_per_second;

    return seconds < (uint64_t)most ? (int64_t)seconds : most;
}

struct ssh_limits ssh_limits_for(const struct ssh_connection *connection, uint64_t bytes)
{
    int64_t silence = ssh_silence_seconds(&connection->target);

    return (struct ssh_limits){
        .silence_ns = (silence + seconds_for(bytes, SILENT_BYTES_PER_SECOND, MOST_SILENCE)) * SSH_NS_PER_SECOND,
        .total_ns =
            (silence * TOTAL_TIMES + seconds_for(bytes, SLOWEST_BYTES_PER_SECOND, MOST_TOTAL)) * SSH_NS_PER_SECOND,
        .errors = MOST_ERRORS};
}

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

/* Waits for what a command needs to start, or serves another one. */
static int wait_beside(struct ssh_connection *connection, struct ssh_command *other, int64_t deadline, struct err *err)
{
    bool busy = false;
    int result = other != NULL && other->state != ENDED ? ssh_command_poll(other, &busy, err) : 0;

    return result == 0 && !busy ? ssh_wait(connection, deadline, err) : result;
}

static int open_channel(struct ssh_command *command, struct ssh_command *other, struct err *err)
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
        result = wait_beside(connection, other, deadline, err);
        if (result != 0)
            return result;
    }
    return 0;
}

int ssh_choose_mark(char ret[SSH_MARK_SIZE], struct err *err)
{
    unsigned char random[(SSH_MARK_SIZE - 1) / 2];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_set_errno(err, errno, "cannot get random numbers");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(ret + 2 * i, 3, "%02x", random[i]);
    return 0;
}

/* The script as a word that any login shell hands on as it stands: in single quotes csh knows neither newlines nor '!',
 * so printf's escapes stand for these. */
static void add_encoded(struct strbuf *line, const char *script)
{
    for (const char *c = script; *c != '\0'; c++) {
        if (*c == '\n')
            strbuf_adds(line, "\\n");
        else if (*c == '\\')
            strbuf_adds(line, "\\\\");
        else if (*c == '\'')
            strbuf_adds(line, "\\0047");
        else if (*c == '!')
            strbuf_adds(line, "\\0041");
        else
            strbuf_addc(line, *c);
    }
}

/* Whatever shell the user has, the scripts are for sh; and whatever that shell prints first, their output begins behind
 * the mark. */
static void add_command_line(struct strbuf *line, const struct ssh_command *command, const char *script)
{
    strbuf_addf(line, "exec sh -c 'echo; echo %s; eval \"$(printf %%b \"$1\")\"' sh '", command->mark);
    add_encoded(line, script);
    strbuf_addc(line, '\'');
}

static int execute(struct ssh_command *command, const char *script, struct ssh_command *other, struct err *err)
{
    struct ssh_connection *connection = command->connection;
    int64_t deadline = ssh_deadline(connection);
    static const char type[] = "exec";
    struct strbuf line;
    int code, result = 0;

    strbuf_init(&line, SCRIPT_LIMIT);
    add_command_line(&line, command, script);
    if (line.failed) {
        result = err_set(err, ERR_LIMIT, "a command for the board is too long");
        goto out;
    }
    while ((code = libssh2_channel_process_startup(command->channel, type, sizeof type - 1, line.data,
                                                   (unsigned)line.length)) == LIBSSH2_ERROR_EAGAIN) {
        result = wait_beside(connection, other, deadline, err);
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
                      const struct ssh_io *io, struct ssh_command *other, struct err *err)
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
                 : ssh_choose_mark(command->mark, err);
    if (result == 0)
        result = open_channel(command, other, err);
    if (result == 0)
        result = execute(command, script, other, err);
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

        if (command->io.waits != NULL && *command->io.waits)
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

/* Drops what comes before the line of the mark; what is behind it is left in bytes and length. */
static int skip_chatter(struct ssh_command *command, const char **bytes, size_t *length, struct err *err)
{
    const size_t mark_length = SSH_MARK_SIZE - 1, wrong = SSH_MARK_SIZE;

    while (*length > 0 && !command->has_begun) {
        char c = *(*bytes)++;

        --*length;
        if (c == '\n')
            command->has_begun = command->mark_length == mark_length;
        if (c == '\n')
            command->mark_length = 0;
        else if (command->mark_length < mark_length && c == command->mark[command->mark_length])
            command->mark_length++;
        else
            command->mark_length = wrong;
        if (++command->chatter_bytes > MOST_CHATTER)
            return err_set(err, ERR_REMOTE, "the login shell on '%s' does not stop to print (%" PRIu64 " bytes)",
                           command->connection->target.host, command->chatter_bytes);
    }
    return 0;
}

static void keep_said(struct strbuf *said, const char *bytes, size_t length)
{
    const size_t room = said->maximum - said->length;

    strbuf_add(said, bytes, length < room ? length : room);
}

static int serve_output(struct ssh_command *command, int stream, bool *ret_busy, struct err *err)
{
    int (*take)(void *, const char *, size_t, struct err *) = stream == 0 ? command->io.output : command->io.errors;
    ssize_t n = libssh2_channel_read_ex(command->channel, stream, command->buffer, READ_SIZE);
    const char *bytes = command->buffer;
    size_t length = (size_t)n;

    if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
        return 0;
    if (n < 0)
        return ssh_failure(command->connection, err, "cannot read from '%s'", command->connection->target.host);
    *ret_busy = true;
    if (stream != 0 && command->io.limits.errors != 0) {
        command->error_bytes += (uint64_t)n;
        if (command->error_bytes > command->io.limits.errors)
            return err_set(err, ERR_REMOTE, "a command on '%s' does not stop to complain (%" PRIu64 " bytes)",
                           command->connection->target.host, command->error_bytes);
    }
    if (stream == 0) {
        int result = skip_chatter(command, &bytes, &length, err);

        if (result != 0)
            return result;
    }
    if (stream != 0 && command->io.said != NULL)
        keep_said(command->io.said, bytes, length);
    return take != NULL && length > 0 ? take(command->io.arg, bytes, length, err) : 0;
}

static void take_exit(struct ssh_command *command)
{
    char *name = NULL;
    size_t length = 0;

    command->exit.status = libssh2_channel_get_exit_status(command->channel);
    if (libssh2_channel_get_exit_signal(command->channel, &name, &length, NULL, NULL, NULL, NULL) == 0 &&
        name != NULL) {
        snprintf(command->exit.signal, sizeof command->exit.signal, "%.*s", (int)length, name);
        utf8_mask(command->exit.signal);
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
    if (*ret_busy)
        command->silent_ns = 0;
    return 0;
}

/* Whether a command has taken longer than it may. */
static int check_time(const struct ssh_command *command, struct err *err)
{
    const struct ssh_limits *limits = &command->io.limits;
    bool is_silent = limits->silence_ns != 0 && command->silent_ns > limits->silence_ns;

    if (!is_silent && (limits->total_ns == 0 || command->waited_ns <= limits->total_ns))
        return 0;
    if (is_silent)
        err_set(err, ERR_REMOTE, "a command on '%s' has not answered for %lld s", command->connection->target.host,
                (long long)(command->silent_ns / SSH_NS_PER_SECOND));
    else
        err_set(err, ERR_REMOTE, "a command on '%s' is not ready after %lld s", command->connection->target.host,
                (long long)(command->waited_ns / SSH_NS_PER_SECOND));
    return err_hint(err,
                    "see what the board is busy with ('ssh %s@%s ps'); a larger 'timeout' in the ini file waits "
                    "longer",
                    command->connection->target.user, command->connection->target.host);
}

/* Waits once for all that have not ended, and counts the time. */
static int wait_for(struct ssh_command *const *commands, size_t count, struct ssh_connection *connection,
                    struct err *err)
{
    int64_t start_ns = ssh_now_ns(), waited_ns;
    int result = ssh_wait(connection, SSH_NEVER, err);

    waited_ns = ssh_now_ns() - start_ns;
    if (waited_ns > MOST_WAIT_NS)
        waited_ns = MOST_WAIT_NS;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct ssh_command *command = commands[i];

        if (command == NULL || command->state == ENDED)
            continue;
        command->silent_ns += waited_ns;
        command->waited_ns += waited_ns;
        result = check_time(command, err);
    }
    return result;
}

/* What moves for one counts for all: they share the board's disk and processor. */
static void end_silence(struct ssh_command *const *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i] != NULL)
            commands[i]->silent_ns = 0;
}

int ssh_command_serve_while(struct ssh_command *command, bool (*goes_on)(const void *arg), const void *arg,
                            struct err *err)
{
    int result = 0;

    while (result == 0 && command->state != ENDED && goes_on(arg)) {
        bool busy;

        result = ssh_command_poll(command, &busy, err);
        if (result == 0 && !busy)
            result = wait_for(&command, 1, command->connection, err);
    }
    return result;
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
        if (any_busy)
            end_silence(commands, count);
        if (!any_busy || ssh_is_interrupted(connection)) {
            int result = wait_for(commands, count, connection, err);

            if (result != 0)
                return result;
        }
    }
}

void ssh_command_limit(struct ssh_command *command, const struct ssh_limits *limits)
{
    command->io.limits = *limits;
}

bool ssh_command_is_connected(const struct ssh_command *command)
{
    return command->connection->session != NULL && command->generation == command->connection->generation;
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
    if (command->channel != NULL && ssh_command_is_connected(command) && !command->connection->spoilt)
        libssh2_channel_free(command->channel);
    free(command->buffer);
    free(command);
}

int ssh_run(struct ssh_connection *connection, const char *script, const struct ssh_io *io, struct ssh_exit *ret,
            struct err *err)
{
    struct ssh_command *command = NULL;
    struct ssh_io limited = *io;
    int result;

    if (limited.limits.total_ns == 0)
        limited.limits = ssh_limits_for(connection, 0);
    result = ssh_command_start(&command, connection, script, &limited, NULL, err);
    if (result == 0)
        result = ssh_commands_serve(&command, 1, err);
    if (result == 0)
        *ret = command->exit;
    ssh_command_close(command);
    return result;
}

static int keep_output(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct strbuf *output = arg;

    if (strbuf_add(output, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board says more than %zu bytes where it should be brief", output->maximum);
    return 0;
}

int ssh_ask(struct ssh_connection *connection, const char *script, const struct ssh_limits *limits,
            struct strbuf *output, struct strbuf *errors, struct ssh_exit *ret, struct err *err)
{
    struct ssh_io io = {.output = keep_output, .said = errors, .arg = output};

    if (limits != NULL)
        io.limits = *limits;
    return ssh_run(connection, script, &io, ret, err);
}
