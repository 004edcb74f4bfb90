/* SPDX-License-Identifier: Apache-2.0 */
/* Who are we? Agent, key file, password, keyboard-interactive, in this order. */
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "ssh/session/internal.h"

#include <string.h>

#define KEY_FILE_LIMIT ((size_t)64 * 1024)
#define MOST_AGENT_KEYS 5       /* servers hang up after six refusals */
#define MOST_AGENT_KEYS_AMONG 3 /* when other methods are to be tried as well */
#define TRIED_LIMIT 400

/* State of an authentication. */
struct attempt {
    struct ssh_connection *connection;
    struct strbuf tried;
};

static void tell_tried(struct attempt *attempt, const char *what)
{
    strbuf_addf(&attempt->tried, "%s%s", attempt->tried.length > 0 ? ", " : "", what);
}

/* Result of a step: -code of a fatal error, REFUSED, or ACCEPTED. */
enum { REFUSED = 0, ACCEPTED = 1 };

static int login_failure(struct ssh_connection *connection, struct err *err)
{
    return ssh_failure(connection, err, "cannot log in to '%s' as '%s'", connection->target.host,
                       connection->target.user);
}

/* Asks the server with a function of libssh until it has answered, and judges the answer. */
static int ask_server(struct attempt *attempt, int (*ask)(struct ssh_connection *connection, void *arg), void *arg,
                      const char *how, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    const int64_t deadline = ssh_deadline(connection);
    int code, result;

    while ((code = ask(connection, arg)) == SSH_AUTH_AGAIN) {
        secret_wipe_stack();
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    secret_wipe_stack();
    if (ssh_is_interrupted(connection))
        return interrupt_error(err);
    if (code == SSH_AUTH_SUCCESS)
        connection->facts.authentication = how;
    return code == SSH_AUTH_SUCCESS                              ? ACCEPTED
           : code == SSH_AUTH_DENIED || code == SSH_AUTH_PARTIAL ? REFUSED
                                                                 : login_failure(connection, err);
}

static int ask_for_nothing(struct ssh_connection *connection, void *arg)
{
    (void)arg;
    return ssh_userauth_none(connection->session, NULL);
}

static int ask_with_agent(struct ssh_connection *connection, void *arg)
{
    (void)arg;
    return ssh_userauth_agent(connection->session, NULL);
}

static int try_agent(struct attempt *attempt, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    const struct ssh_target *target = &connection->target;
    struct agent agent;
    int result = REFUSED, fd;

    if (!agent_open(&agent, target->key != NULL || target->password != NULL ? MOST_AGENT_KEYS_AMONG : MOST_AGENT_KEYS))
        return REFUSED;
    tell_tried(attempt, agent.count > 0 ? "the agent's keys" : "the agent (it has no usable key)");
    fd = agent_serve(&agent);
    if (fd >= 0) {
        ssh_set_agent_socket(connection->session, fd);
        result = ask_server(attempt, ask_with_agent, NULL, "agent", err);
    }
    agent_close(&agent);
    return result;
}

static int ask_with_key(struct ssh_connection *connection, void *arg)
{
    return ssh_userauth_publickey(connection->session, NULL, arg);
}

static int load_key(const struct ssh_target *target, ssh_key *ret, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length;
    int code;

    if (path_read_file(target->key, KEY_FILE_LIMIT, &text, &length, err) != 0)
        return err_wrap(err, "cannot use the key");
    /* with an empty passphrase nobody is asked for one */
    code = ssh_pki_import_privkey_base64(text, target->passphrase != NULL ? target->passphrase : "", NULL, NULL, ret);
    explicit_bzero(text, length);
    secret_wipe_stack();
    if (code == SSH_OK)
        return 0;
    err_set(err, ERR_REMOTE, "cannot use the key '%s': it is in no known format, or %s", target->key,
            target->passphrase != NULL ? "the passphrase is wrong" : "it needs a passphrase");
    return err_hint(err, "set 'passphrase' in the ini file (env:NAME keeps it out of the file)");
}

static int try_key_file(struct attempt *attempt, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    ssh_key key = NULL;
    int result;

    if (target->key == NULL)
        return REFUSED;
    if (load_key(target, &key, err) != 0)
        return err_status(err);
    tell_tried(attempt, "the key file");
    result = ask_server(attempt, ask_with_key, key, "key", err);
    ssh_key_free(key);
    return result;
}

static int ask_with_password(struct ssh_connection *connection, void *arg)
{
    return ssh_userauth_password(connection->session, NULL, arg);
}

/* Answers questions that are not echoed with the password and others with nothing. */
static int ask_by_keyboard(struct ssh_connection *connection, void *arg)
{
    ssh_session session = connection->session;
    int code;

    while ((code = ssh_userauth_kbdint(session, NULL, NULL)) == SSH_AUTH_INFO)
        for (int i = 0; i < ssh_userauth_kbdint_getnprompts(session); i++) {
            char echoes = 0;

            ssh_userauth_kbdint_getprompt(session, (unsigned)i, &echoes);
            if (ssh_userauth_kbdint_setanswer(session, (unsigned)i, echoes ? "" : arg) < 0)
                return SSH_AUTH_ERROR;
        }
    return code;
}

/* One with `ask` sends the password. */
static const struct step {
    int method;
    const char *name;
    int (*step)(struct attempt *attempt, struct err *err);
    int (*ask)(struct ssh_connection *connection, void *arg);
    const char *told;
} steps[] = {{SSH_AUTH_METHOD_PUBLICKEY, "publickey", try_agent, NULL, NULL},
             {SSH_AUTH_METHOD_PUBLICKEY, NULL, try_key_file, NULL, NULL},
             {SSH_AUTH_METHOD_PASSWORD, "password", NULL, ask_with_password, "the password"},
             {SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive", NULL, ask_by_keyboard, "keyboard-interactive"}};

static int try_secret(struct attempt *attempt, const struct step *step, struct err *err)
{
    const char *password = attempt->connection->target.password;

    if (password == NULL)
        return REFUSED;
    tell_tried(attempt, step->told);
    return ask_server(attempt, step->ask, (void *)(uintptr_t)password, step->name, err);
}

static int refused(const struct attempt *attempt, int methods, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    SCOPED(strbuf_release) struct strbuf takes;

    strbuf_init(&takes, TRIED_LIMIT);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if ((methods & steps[i].method) != 0 && steps[i].name != NULL)
            strbuf_addf(&takes, "%s%s", takes.length > 0 ? "," : "", steps[i].name);
    err_set(err, ERR_REMOTE, "'%s' does not let '%s' in: tried %s; the server takes %s", target->host, target->user,
            attempt->tried.length > 0 ? attempt->tried.data : "nothing",
            takes.length > 0 ? takes.data : "no way to log in that this program has");
    if (attempt->tried.length == 0)
        return err_hint(err, "set 'pwd' or 'key' in the ini file, or start an agent");
    return err_hint(err, "check 'username', and 'pwd' or 'key', in the ini file");
}

int ssh_authenticate(struct ssh_connection *connection, struct err *err)
{
    struct attempt attempt = {.connection = connection};
    int result, methods;

    strbuf_init(&attempt.tried, TRIED_LIMIT);
    result = ask_server(&attempt, ask_for_nothing, NULL, "no authentication", err);
    methods = result == REFUSED ? ssh_userauth_list(connection->session, NULL) : 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && result == REFUSED; i++)
        if ((methods & steps[i].method) != 0)
            result = steps[i].ask != NULL ? try_secret(&attempt, &steps[i], err) : steps[i].step(&attempt, err);
    if (result == REFUSED)
        result = refused(&attempt, methods, err);
    strbuf_release(&attempt.tried);
    return result == ACCEPTED ? 0 : result;
}
