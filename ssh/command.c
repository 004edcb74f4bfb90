/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/command.h"
#include "base/utf8.h"

#include "ssh/session/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SCRIPT_LIMIT ((size_t)256 * 1024)
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
    ssh_channel channel;
    struct ssh_channel_callbacks_struct callbacks; /* what comes is taken while anything of the connection is served */
    bool has_moved;                                /* something came since it was asked last */
    bool output_ended, is_closed;
    struct err failure;  /* of what takes the output; nothing is taken behind that */
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

static void quote(struct strbuf *script, const char *text)
{
    strbuf_addc(script, '\'');
    for (const char *end; (end = strchr(text, '\'')) != NULL; text = end + 1) {
        strbuf_add(script, text, (size_t)(end - text));
        strbuf_adds(script, "'\\''");
    }
    strbuf_adds(script, text);
    strbuf_addc(script, '\'');
}

void ssh_script_add(struct strbuf *script, const char *text, ...)
{
    va_list words;

    va_start(words, text);
    for (const char *word; (word = strchr(text, WORD[0])) != NULL; text = word + 1) {
        strbuf_add(script, text, (size_t)(word - text));
        quote(script, va_arg(words, const char *));
    }
    va_end(words);
    strbuf_adds(script, text);
}

static int tell_lost(const struct ssh_connection *connection, struct err *err)
{
    return err_set(err, ERR_REMOTE, "the connection to '%s' is lost", connection->target.host);
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

    for (;;) {
        int code;

        if (command->channel == NULL && (command->channel = ssh_channel_new(connection->session)) == NULL)
            return err_no_memory(err);
        code = ssh_channel_open_session(command->channel);
        if (code == SSH_OK)
            return 0;
        if (code != SSH_AGAIN && !ssh_is_connected(connection->session))
            return ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
        if (code != SSH_AGAIN) { /* one that has just ended may still count with the server */
            if (ssh_now_ns() > patience)
                return too_many_sessions(connection, err);
            ssh_channel_free(command->channel);
            command->channel = NULL;
        }
        if (wait_beside(connection, other, deadline, err) != 0)
            return err_status(err);
    }
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
    SCOPED(strbuf_release) struct strbuf line;
    int code;

    strbuf_init(&line, SCRIPT_LIMIT);
    add_command_line(&line, command, script);
    if (line.failed)
        return err_set(err, ERR_LIMIT, "a command for the board is too long");
    while ((code = ssh_channel_request_exec(command->channel, line.data)) == SSH_AGAIN)
        if (wait_beside(connection, other, deadline, err) != 0)
            return err_status(err);
    return code == SSH_OK ? 0 : ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
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

static int take_output(struct ssh_command *command, bool is_output, const char *bytes, size_t length, struct err *err)
{
    int (*take)(void *, const char *, size_t, struct err *) = is_output ? command->io.output : command->io.errors;

    if (is_output && skip_chatter(command, &bytes, &length, err) != 0)
        return err_status(err);
    if (!is_output && command->io.limits.errors != 0) {
        command->error_bytes += length;
        if (command->error_bytes > command->io.limits.errors)
            return err_set(err, ERR_REMOTE, "a command on '%s' does not stop to complain (%" PRIu64 " bytes)",
                           command->connection->target.host, command->error_bytes);
    }
    if (!is_output && command->io.said != NULL)
        keep_said(command->io.said, bytes, length);
    return take != NULL && length > 0 ? take(command->io.arg, bytes, length, err) : 0;
}

/* Callbacks of libssh; none of them calls it. */
static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t length, int is_errors, void *arg)
{
    struct ssh_command *command = arg;
    const int errnum = errno;

    (void)session;
    (void)channel;
    command->has_moved = true;
    if (command->failure.code == ERR_NONE)
        take_output(command, is_errors == 0, data, length, &command->failure);
    errno = errnum; /* of libssh, see ssh_check_memory */
    return (int)length;
}

static void on_end(ssh_session session, ssh_channel channel, void *arg)
{
    struct ssh_command *command = arg;

    (void)session;
    (void)channel;
    command->has_moved = command->output_ended = true;
}

static void on_close(ssh_session session, ssh_channel channel, void *arg)
{
    struct ssh_command *command = arg;

    on_end(session, channel, arg);
    command->is_closed = true;
}

static void on_status(ssh_session session, ssh_channel channel, int status, void *arg)
{
    struct ssh_command *command = arg;

    (void)session;
    (void)channel;
    command->exit.status = status;
    command->exit.is_known = true;
}

static void on_signal(ssh_session session, ssh_channel channel, const char *name, int dumped, const char *message,
                      const char *language, void *arg)
{
    struct ssh_command *command = arg;

    (void)session;
    (void)channel;
    (void)dumped;
    (void)message;
    (void)language;
    snprintf(command->exit.signal, sizeof command->exit.signal, "%s", name);
    utf8_mask(command->exit.signal);
    command->exit.is_known = true;
}

static int take_events(struct ssh_command *command, struct err *err)
{
    command->callbacks = (struct ssh_channel_callbacks_struct){.userdata = command,
                                                               .channel_data_function = on_data,
                                                               .channel_eof_function = on_end,
                                                               .channel_close_function = on_close,
                                                               .channel_exit_status_function = on_status,
                                                               .channel_exit_signal_function = on_signal};
    ssh_callbacks_init(&command->callbacks);
    return ssh_set_channel_callbacks(command->channel, &command->callbacks) == SSH_OK ? 0 : err_no_memory(err);
}

int ssh_command_start(struct ssh_command **ret, struct ssh_connection *connection, const char *script,
                      const struct ssh_io *io, struct ssh_command *other, struct err *err)
{
    struct ssh_command *command = calloc(1, sizeof *command);

    if (command == NULL)
        return err_no_memory(err);
    command->connection = connection;
    command->io = *io;
    command->generation = connection->generation;
    *ret = command;
    if ((connection->lost || connection->session == NULL ? tell_lost(connection, err)
                                                         : ssh_choose_mark(command->mark, err)) == 0 &&
        open_channel(command, other, err) == 0 && take_events(command, err) == 0 &&
        execute(command, script, other, err) == 0)
        return 0;
    ssh_command_close(command);
    *ret = NULL;
    return err_status(err);
}

/* Writes what the window takes. */
static int serve_input(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    struct ssh_connection *connection = command->connection;

    while (!command->input_ended) {
        size_t window;
        int n;

        if (command->io.waits != NULL && *command->io.waits)
            return 0;
        if (command->input_length == 0 && command->io.input != NULL &&
            command->io.input(command->io.arg, &command->input, &command->input_length, err) != 0)
            return err_status(err);
        if (command->input_length == 0) {
            if (ssh_channel_send_eof(command->channel) == SSH_ERROR)
                return ssh_failure(connection, err, "cannot send to '%s'", connection->target.host);
            command->input_ended = true;
            *ret_busy = true;
            return 0;
        }
        window = ssh_channel_window_size(command->channel);
        if (window > command->input_length)
            window = command->input_length;
        n = window > 0 ? ssh_channel_write(command->channel, command->input, (uint32_t)window) : 0;
        if (n == 0)
            return 0;
        if (n < 0) {
            /* a command that ended without reading all is judged by its exit status */
            if (command->is_closed) {
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

int ssh_command_poll(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    struct ssh_connection *connection = command->connection;

    *ret_busy = command->has_moved;
    command->has_moved = false;
    if (!ssh_command_is_connected(command))
        return tell_lost(connection, err);
    if (command->state == RUNNING && !command->output_ended && serve_input(command, ret_busy, err) != 0)
        return err_status(err);
    if (command->failure.code != ERR_NONE) {
        *err = command->failure;
        return err_status(err);
    }
    if (command->state == RUNNING && command->output_ended)
        command->state = CLOSING;
    if (command->state == CLOSING) {
        /* behind the other side's close the exit status has come */
        if (ssh_channel_close(command->channel) == SSH_ERROR && !command->is_closed)
            return ssh_failure(connection, err, "a command on '%s' did not end properly", connection->target.host);
        if (command->is_closed)
            command->state = ENDED;
        *ret_busy = *ret_busy || command->is_closed;
    }
    if (*ret_busy)
        command->silent_ns = 0;
    return ssh_check_memory(connection, err);
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

/* Data that moves for one counts for all: they share the board's disk and processor. */
static void end_silence(struct ssh_command *const *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i] != NULL)
            commands[i]->silent_ns = 0;
}

int ssh_command_serve_while(struct ssh_command *command, bool (*goes_on)(const void *arg), const void *arg,
                            struct err *err)
{
    while (command->state != ENDED && goes_on(arg)) {
        bool busy;
        if (ssh_command_poll(command, &busy, err) < 0 || (!busy && wait_for(&command, 1, command->connection, err) < 0))
            return err_status(err);
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

            if (commands[i] == NULL || commands[i]->state == ENDED)
                continue;
            connection = commands[i]->connection;
            if (ssh_command_poll(commands[i], &busy, err) != 0)
                return err_status(err);
            any_busy = any_busy || busy;
        }
        if (connection == NULL)
            return 0;
        if (any_busy)
            end_silence(commands, count);
        if ((!any_busy || ssh_is_interrupted(connection)) && wait_for(commands, count, connection, err) != 0)
            return err_status(err);
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
    if (command->channel != NULL && ssh_command_is_connected(command)) {
        ssh_remove_channel_callbacks(command->channel, &command->callbacks);
        ssh_channel_free(command->channel);
    }
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
    if (ssh_command_start(&command, connection, script, &limited, NULL, err) != 0)
        return err_status(err);
    result = ssh_commands_serve(&command, 1, err);
    if (result == 0)
        *ret = command->exit;
    ssh_command_close(command);
    return result;
}
