/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on the board: how they start whatever the login shell is, how they are served side by side, and how long. */
#include "ssh/command.h"

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
    struct transport_channel *channel;
    struct err failure;  /* of what takes the output; nothing is taken behind that */
    unsigned generation; /* of the connection's transport that the channel belongs to */
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
    struct transport_exit exit;
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
    return err_hint(err, "the server must allow two sessions per connection (OpenSSH: MaxSessions)");
}

/* Waits for what a command needs to start, or serves another one. */
static int wait_beside(struct ssh_connection *connection, struct ssh_command *other, int64_t deadline, struct err *err)
{
    bool busy = false;
    int result = other != NULL && other->state != ENDED ? ssh_command_poll(other, &busy, err) : 0;

    return result == 0 && !busy ? ssh_wait(connection, deadline, err) : result;
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
            return err_set(err, ERR_REMOTE, "the login shell on '%s' prints endlessly (%" PRIu64 " bytes)",
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
            return err_set(err, ERR_REMOTE, "a command on '%s' prints errors endlessly (%" PRIu64 " bytes)",
                           command->connection->target.host, command->error_bytes);
    }
    if (!is_output && command->io.said != NULL)
        keep_said(command->io.said, bytes, length);
    return take != NULL && length > 0 ? take(command->io.arg, bytes, length, err) : 0;
}

/* What the transport brings. */
static void take_bytes(void *arg, bool is_errors, const char *bytes, size_t length)
{
    struct ssh_command *command = arg;

    if (command->failure.code == ERR_NONE)
        take_output(command, !is_errors, bytes, length, &command->failure);
}

static int open_channel(struct ssh_command *command, struct ssh_command *other, struct err *err)
{
    const struct transport_sink sink = {take_bytes, command};
    struct ssh_connection *connection = command->connection;
    int64_t deadline = ssh_deadline(connection), patience = ssh_now_ns() + PATIENCE_SECONDS * SSH_NS_PER_SECOND;
    enum transport_code code;

    while ((code = transport_channel_open(&command->channel, connection->transport, &sink)) != TRANSPORT_DONE) {
        if (code == TRANSPORT_FAILED)
            return ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
        /* one that has just ended may still count with the server */
        if (code == TRANSPORT_REFUSED && ssh_now_ns() > patience)
            return too_many_sessions(connection, err);
        if (wait_beside(connection, other, deadline, err) != 0)
            return err_status(err);
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
    SCOPED(strbuf_release) struct strbuf line;
    enum transport_code code;

    strbuf_init(&line, SCRIPT_LIMIT);
    add_command_line(&line, command, script);
    if (line.failed)
        return err_set(err, ERR_LIMIT, "a command for the board is too long");
    while ((code = transport_channel_execute(command->channel, line.data)) == TRANSPORT_AGAIN)
        if (wait_beside(connection, other, deadline, err) != 0)
            return err_status(err);
    return code == TRANSPORT_DONE
               ? 0
               : ssh_failure(connection, err, "cannot start a command on '%s'", connection->target.host);
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
    if ((connection->lost || connection->transport == NULL ? tell_lost(connection, err)
                                                           : ssh_choose_mark(command->mark, err)) == 0 &&
        open_channel(command, other, err) == 0 && execute(command, script, other, err) == 0)
        return 0;
    ssh_command_close(command);
    *ret = NULL;
    return err_status(err);
}

/* Writes what the window takes. */
static int serve_input(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    enum transport_code code = TRANSPORT_DONE;

    while (!command->input_ended && code == TRANSPORT_DONE) {
        size_t sent = 0;

        if (command->io.waits != NULL && *command->io.waits)
            return 0;
        if (command->input_length == 0 && command->io.input != NULL &&
            command->io.input(command->io.arg, &command->input, &command->input_length, err) != 0)
            return err_status(err);
        if (command->input_length == 0) {
            code = transport_channel_end_input(command->channel);
            command->input_ended = code == TRANSPORT_DONE;
        } else {
            code = transport_channel_write(command->channel, command->input, command->input_length, &sent);
            command->input += sent;
            command->input_length -= sent;
        }
        *ret_busy = *ret_busy || code == TRANSPORT_DONE;
    }
    if (code == TRANSPORT_FAILED)
        return ssh_failure(command->connection, err, "cannot send to '%s'", command->connection->target.host);
    if (code == TRANSPORT_REFUSED) /* a command that ended without reading all is judged by its exit status */
        command->input_ended = true;
    return 0;
}

/* Ends a channel whose output is over, and takes how the command ended, which comes before the other side's close. */
static int serve_end(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    const enum transport_code code = transport_channel_finish(command->channel);

    if (code == TRANSPORT_FAILED)
        return ssh_failure(command->connection, err, "a command on '%s' did not end properly",
                           command->connection->target.host);
    if (code != TRANSPORT_DONE)
        return 0;
    command->exit = transport_channel_exit(command->channel);
    command->state = ENDED;
    *ret_busy = true;
    return 0;
}

int ssh_command_poll(struct ssh_command *command, bool *ret_busy, struct err *err)
{
    struct ssh_connection *connection = command->connection;
    enum transport_code code = TRANSPORT_AGAIN;

    *ret_busy = false;
    if (!ssh_command_is_connected(command))
        return tell_lost(connection, err);
    if (command->state == RUNNING)
        code = transport_channel_read(command->channel);
    if (command->failure.code != ERR_NONE) {
        *err = command->failure;
        return err_status(err);
    }
    if (code == TRANSPORT_FAILED)
        return ssh_failure(connection, err, "cannot read from '%s'", connection->target.host);
    *ret_busy = code == TRANSPORT_DONE;
    if (command->state == RUNNING && !transport_channel_is_at_end(command->channel) &&
        serve_input(command, ret_busy, err) != 0)
        return err_status(err);
    if (command->state == RUNNING && transport_channel_is_at_end(command->channel))
        command->state = CLOSING;
    if (command->state == CLOSING && serve_end(command, ret_busy, err) != 0)
        return err_status(err);
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
        err_set(err, ERR_REMOTE, "a command on '%s' did not answer within %lld s", command->connection->target.host,
                (long long)(command->silent_ns / SSH_NS_PER_SECOND));
    else
        err_set(err, ERR_REMOTE, "a command on '%s' is not ready after %lld s", command->connection->target.host,
                (long long)(command->waited_ns / SSH_NS_PER_SECOND));
    return err_hint(err,
                    "check what the board is busy with ('ssh %s@%s ps'), or set a larger 'timeout' in the ini file",
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
    return command->connection->transport != NULL && command->generation == command->connection->generation;
}

bool ssh_command_has_ended(const struct ssh_command *command)
{
    return command->state == ENDED;
}

const struct transport_exit *ssh_command_exit(const struct ssh_command *command)
{
    return &command->exit;
}

void ssh_command_close(struct ssh_command *command)
{
    if (command == NULL)
        return;
    if (ssh_command_is_connected(command)) /* or the channel has gone with its transport */
        transport_channel_close(command->channel);
    free(command);
}

int ssh_run(struct ssh_connection *connection, const char *script, const struct ssh_io *io, struct transport_exit *ret,
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
