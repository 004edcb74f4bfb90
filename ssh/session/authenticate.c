/* SPDX-License-Identifier: Apache-2.0 */
/* Who are we? Agent, key file, password, keyboard-interactive, in this order. */
#include "base/file/fsutil.h"
#include "base/language.h"
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

static void release_attempt(struct attempt *attempt)
{
    strbuf_release(&attempt->tried);
}

/* One question to the server, with what its answer says beside yes and no. */
struct question {
    const char *how;        /* it let us in */
    const char *text;       /* the key or the password */
    size_t length;          /* of the key */
    const char *passphrase; /* of the key */
    size_t most_keys;       /* of the agent */
    int seconds;            /* more than others may take */
    int keys;               /* that the agent has */
    unsigned methods;       /* that the server has */
    bool is_bad_key;        /* it was not asked */
};

static void tell_tried(struct attempt *attempt, const char *what)
{
    strbuf_addf(&attempt->tried, "%s%s", attempt->tried.length > 0 ? ", " : "", language_said(what));
}

/* Result of a step: -code of a fatal error, REFUSED, or ACCEPTED. */
enum { REFUSED = 0, ACCEPTED = 1 };

static int login_failure(struct ssh_connection *connection, struct err *err)
{
    return ssh_failure(connection, err, "cannot log in to '%s' as '%s'", connection->target.host,
                       connection->target.user);
}

/* Asks the server until it has answered, for so many seconds more than others, and judges the answer. */
static int ask_server(struct attempt *attempt,
                      enum transport_code (*ask)(struct transport *transport, struct question *question),
                      struct question *question, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    const int64_t deadline = ssh_deadline(connection) + question->seconds * SSH_NS_PER_SECOND;
    enum transport_code code;

    while ((code = ask(connection->transport, question)) == TRANSPORT_AGAIN) {
        secret_wipe_stack();
        if (ssh_wait(connection, deadline, err) != 0)
            return err_status(err);
    }
    secret_wipe_stack();
    question->is_bad_key = code == TRANSPORT_BAD_KEY;
    if (ssh_is_interrupted(connection))
        return interrupt_error(err);
    if (code == TRANSPORT_DONE)
        connection->facts.authentication = question->how;
    return code == TRANSPORT_DONE                                   ? ACCEPTED
           : code == TRANSPORT_REFUSED || code == TRANSPORT_BAD_KEY ? REFUSED
                                                                    : login_failure(connection, err);
}

static enum transport_code ask_with_nothing(struct transport *transport, struct question *question)
{
    return transport_login_with_nothing(transport, &question->methods);
}

static enum transport_code ask_with_agent(struct transport *transport, struct question *question)
{
    return transport_login_with_agent(transport, question->most_keys, &question->keys);
}

static int try_agent(struct attempt *attempt, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    const bool has_others = target->key != NULL || target->password != NULL;
    struct question question = {.how = "agent",
                                .most_keys = has_others ? MOST_AGENT_KEYS_AMONG : MOST_AGENT_KEYS,
                                .seconds = TRANSPORT_AGENT_SECONDS};
    const int result = ask_server(attempt, ask_with_agent, &question, err);

    if (question.keys >= 0)
        tell_tried(attempt, question.keys > 0 ? "the agent's keys" : "the agent (it has no usable key)");
    return result;
}

static enum transport_code ask_with_key(struct transport *transport, struct question *question)
{
    return transport_login_with_key(transport, question->text, question->length, question->passphrase);
}

static int try_key_file(struct attempt *attempt, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    /* with an empty passphrase nobody is asked for one */
    struct question question = {.how = "key", .passphrase = target->passphrase != NULL ? target->passphrase : ""};
    SCOPED_FREE char *text = NULL;
    int result;

    if (target->key == NULL)
        return REFUSED;
    if (path_read_file(target->key, KEY_FILE_LIMIT, &text, &question.length, err) != 0)
        return err_wrap(err, "cannot use the key");
    question.text = text;
    result = ask_server(attempt, ask_with_key, &question, err);
    explicit_bzero(text, question.length);
    if (!question.is_bad_key || result != REFUSED) {
        tell_tried(attempt, "the key file");
        return result;
    }
    err_set(err, ERR_REMOTE, "cannot use the key '%s': its format is unknown, or %s", target->key,
            target->passphrase != NULL ? language_said("the passphrase is wrong")
                                       : language_said("it needs a passphrase"));
    return err_hint(err, "set 'passphrase' in the ini file (env:NAME keeps it out of the file)");
}

static enum transport_code ask_with_password(struct transport *transport, struct question *question)
{
    return transport_login_with_password(transport, question->text);
}

static enum transport_code ask_by_keyboard(struct transport *transport, struct question *question)
{
    return transport_login_by_keyboard(transport, question->text);
}

/* One with `ask` sends the password. */
static const struct step {
    enum transport_method method;
    const char *name;
    int (*step)(struct attempt *attempt, struct err *err);
    enum transport_code (*ask)(struct transport *transport, struct question *question);
    const char *told;
} steps[] = {{TRANSPORT_PUBLICKEY, "publickey", try_agent, NULL, NULL},
             {TRANSPORT_PUBLICKEY, NULL, try_key_file, NULL, NULL},
             {TRANSPORT_PASSWORD, "password", NULL, ask_with_password, "the password"},
             {TRANSPORT_KEYBOARD, "keyboard-interactive", NULL, ask_by_keyboard, "keyboard-interactive"}};

static int try_secret(struct attempt *attempt, const struct step *step, struct err *err)
{
    struct question question = {.how = step->name, .text = attempt->connection->target.password};

    if (question.text == NULL)
        return REFUSED;
    tell_tried(attempt, step->told);
    return ask_server(attempt, step->ask, &question, err);
}

static int refused(const struct attempt *attempt, unsigned methods, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    const char *advice = transport_advice(attempt->connection->transport);
    SCOPED(strbuf_release) struct strbuf takes;

    strbuf_init(&takes, TRIED_LIMIT);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if ((methods & steps[i].method) != 0 && steps[i].name != NULL)
            strbuf_addf(&takes, "%s%s", takes.length > 0 ? "," : "", steps[i].name);
    err_set(err, ERR_REMOTE, "'%s' refused to log in '%s': tried %s; the server accepts %s", target->host, target->user,
            attempt->tried.length > 0 ? attempt->tried.data : language_said("nothing"),
            takes.length > 0 ? takes.data : language_said("no method that this program supports"));
    if (advice != NULL)
        return err_hint(err, "%s", language_said(advice));
    if (attempt->tried.length == 0)
        return err_hint(err, "set 'pwd' or 'key' in the ini file, or start an agent");
    return err_hint(err, "check 'username', and 'pwd' or 'key', in the ini file");
}

int ssh_authenticate(struct ssh_connection *connection, struct err *err)
{
    SCOPED(release_attempt) struct attempt attempt = {.connection = connection};
    struct question question = {.how = "no authentication"};
    int result;

    strbuf_init(&attempt.tried, TRIED_LIMIT);
    result = ask_server(&attempt, ask_with_nothing, &question, err);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && result == REFUSED; i++)
        if ((question.methods & steps[i].method) != 0)
            result = steps[i].ask != NULL ? try_secret(&attempt, &steps[i], err) : steps[i].step(&attempt, err);
    if (result == REFUSED)
        return refused(&attempt, question.methods, err);
    return result == ACCEPTED ? 0 : result;
}
