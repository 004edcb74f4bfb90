/* SPDX-License-Identifier: Apache-2.0 */
/* Who are we? Agent, key file, password, keyboard-interactive, in this order. */
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "ssh/session/agent.h"
#include "ssh/session/internal.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define KEY_FILE_LIMIT ((size_t)64 * 1024)
#define MOST_AGENT_KEYS 5       /* servers hang up after six refusals */
#define MOST_AGENT_KEYS_AMONG 3 /* when other methods are to be tried as well */
#define TRIED_LIMIT 400

/* State of an authentication. */
struct attempt {
    struct ssh_connection *connection;
    const char *user;
    unsigned user_length;
    char *methods; /* "publickey,password", owned by the session */
    struct strbuf tried;
    bool rsa_refused;
};

static void tell_tried(struct attempt *attempt, const char *what)
{
    strbuf_addf(&attempt->tried, "%s%s", attempt->tried.length > 0 ? ", " : "", what);
}

/* Whether the server takes a method: a whole word of its list. */
static bool is_offered(const struct attempt *attempt, const char *method)
{
    size_t length = strlen(method);

    for (const char *at = attempt->methods; at != NULL && *at != '\0';) {
        size_t word = strcspn(at, ",");

        if (word == length && memcmp(at, method, length) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

/* Result of a step: -code of a fatal error, REFUSED, or ACCEPTED. */
enum { REFUSED = 0, ACCEPTED = 1 };

static int judge(struct attempt *attempt, int code, const char *how, struct err *err)
{
    if (code == 0) {
        attempt->connection->authentication = how;
        return ACCEPTED;
    }
    if (code == LIBSSH2_ERROR_AUTHENTICATION_FAILED || code == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED ||
        code == LIBSSH2_ERROR_METHOD_NOT_SUPPORTED || code == LIBSSH2_ERROR_PASSWORD_EXPIRED)
        return REFUSED;
    return ssh_failure(attempt->connection, err, "cannot log in to '%s' as '%s'", attempt->connection->target.host,
                       attempt->user);
}

/* Data of the signing callback. */
struct signer {
    struct agent *agent;
    const struct agent_key *key;
};

static int sign(LIBSSH2_SESSION *session, unsigned char **ret, size_t *ret_length, const unsigned char *data,
                size_t length, void **abstract)
{
    struct signer *signer = *abstract;

    (void)session;
    return agent_sign(signer->agent, signer->key, data, length, ret, ret_length) ? 0 : -1;
}

static int try_agent_key(struct attempt *attempt, struct agent *agent, const struct agent_key *key, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    struct signer signer = {agent, key};
    void *abstract = &signer;
    /* the agent may ask its user */
    int64_t deadline = ssh_deadline(connection) + AGENT_SIGN_SECONDS * SSH_NS_PER_SECOND;
    int code, result;

    while ((code = libssh2_userauth_publickey(connection->session, attempt->user, key->blob, key->length, sign,
                                              &abstract)) == LIBSSH2_ERROR_EAGAIN) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    return judge(attempt, code, "agent", err);
}

static int try_agent(struct attempt *attempt, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;
    size_t most = target->key != NULL || target->password != NULL ? MOST_AGENT_KEYS_AMONG : MOST_AGENT_KEYS;
    struct agent *agent = malloc(sizeof *agent);
    size_t used = 0;
    int result = REFUSED;

    if (agent == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (agent_open(agent)) {
        for (size_t i = 0; i < agent->count && used < most && result == REFUSED; i++) {
            char type[64];

            known_hosts_key_type(agent->keys[i].blob, agent->keys[i].length, type, sizeof type);
            /* certificates and keys in hardware sign in ways that libssh2 1.10 does not know */
            if (type[0] == '\0' || strstr(type, "-cert-") != NULL || strncmp(type, "sk-", 3) == 0)
                continue;
            used++;
            result = try_agent_key(attempt, agent, &agent->keys[i], err);
            if (result == REFUSED && strcmp(type, "ssh-rsa") == 0)
                attempt->rsa_refused = true;
        }
        tell_tried(attempt, used > 0 ? "the agent's keys" : "the agent (it has no usable key)");
        agent_close(agent);
    }
    free(agent);
    return result;
}

/* Whether the text of a private key is of type RSA: by its head, or by the public part that OpenSSH's format shows. */
static bool text_is_rsa(const char *text, size_t length)
{
    static const char begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----", wanted[] = "\0\0\0\7ssh-rsa";
    const char *body = memmem(text, length, begin, sizeof begin - 1), *end;
    unsigned char decoded[192], base64[256];
    size_t used = 0;
    int n;

    if (memmem(text, length, "BEGIN RSA PRIVATE KEY", 21) != NULL)
        return true;
    if (body == NULL)
        return false;
    end = text + length;
    for (body += sizeof begin - 1; body < end && used < sizeof base64 && *body != '-'; body++)
        if (*body != '\n' && *body != '\r')
            base64[used++] = (unsigned char)*body;
    n = EVP_DecodeBlock(decoded, base64, (int)(used / 4 * 4));
    return n > 0 && memmem(decoded, (size_t)n, wanted, sizeof wanted - 1) != NULL;
}

static int check_key_file(const char *path, bool *ret_rsa, struct err *err)
{
    char *text = NULL;
    size_t length;
    int result = read_whole_file(path, KEY_FILE_LIMIT, &text, &length, err);

    if (result != 0)
        return err_wrap(err, "cannot use the key");
    *ret_rsa = text_is_rsa(text, length);
    explicit_bzero(text, length);
    free(text);
    return 0;
}

static int try_key_file(struct attempt *attempt, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    const struct ssh_target *target = &connection->target;
    int64_t deadline = ssh_deadline(connection);
    bool is_rsa = false;
    int code, result;

    if (target->key == NULL)
        return REFUSED;
    result = check_key_file(target->key, &is_rsa, err);
    if (result != 0)
        return result;
    while ((code = libssh2_userauth_publickey_fromfile_ex(connection->session, attempt->user, attempt->user_length,
                                                          NULL, target->key, target->passphrase)) ==
           LIBSSH2_ERROR_EAGAIN) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    if (code == LIBSSH2_ERROR_FILE || code == LIBSSH2_ERROR_KEYFILE_AUTH_FAILED) {
        err_set(err, ERR_REMOTE, "cannot use the key '%s': it is in no known format, or %s", target->key,
                target->passphrase != NULL ? "the passphrase is wrong" : "it needs a passphrase");
        return err_hint(err, "set 'passphrase' in the ini file (env:NAME keeps it out of the file)");
    }
    tell_tried(attempt, "the key file");
    result = judge(attempt, code, "key", err);
    if (result == REFUSED && is_rsa)
        attempt->rsa_refused = true;
    return result;
}

static int try_password(struct attempt *attempt, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    const char *password = connection->target.password;
    int64_t deadline = ssh_deadline(connection);
    int code, result;

    if (password == NULL)
        return REFUSED;
    while ((code = libssh2_userauth_password_ex(connection->session, attempt->user, attempt->user_length, password,
                                                (unsigned)strlen(password), NULL)) == LIBSSH2_ERROR_EAGAIN) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    if (code == LIBSSH2_ERROR_PASSWORD_EXPIRED) {
        err_set(err, ERR_REMOTE, "the password of '%s' on '%s' has expired", attempt->user, connection->target.host);
        return err_hint(err, "log in once by hand and change it");
    }
    tell_tried(attempt, "the password");
    return judge(attempt, code, "password", err);
}

/* Answers questions that are not echoed with the password and others with nothing. */
static void answer_prompts(const char *name, int name_length, const char *instruction, int instruction_length,
                           int count, const LIBSSH2_USERAUTH_KBDINT_PROMPT *prompts,
                           LIBSSH2_USERAUTH_KBDINT_RESPONSE *responses, void **abstract)
{
    const struct ssh_connection *connection = *abstract;

    (void)name;
    (void)name_length;
    (void)instruction;
    (void)instruction_length;
    for (int i = 0; i < count; i++) {
        responses[i].text = strdup(prompts[i].echo ? "" : connection->target.password); /* libssh2 frees it */
        responses[i].length = responses[i].text != NULL ? (unsigned)strlen(responses[i].text) : 0;
    }
}

static int try_keyboard(struct attempt *attempt, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    int64_t deadline = ssh_deadline(connection);
    int code, result;

    if (connection->target.password == NULL)
        return REFUSED;
    while ((code = libssh2_userauth_keyboard_interactive_ex(connection->session, attempt->user, attempt->user_length,
                                                            answer_prompts)) == LIBSSH2_ERROR_EAGAIN) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    tell_tried(attempt, "keyboard-interactive");
    return judge(attempt, code, "keyboard-interactive", err);
}

/* Asks which methods there are; ACCEPTED when none is needed. */
static int ask_methods(struct attempt *attempt, struct err *err)
{
    struct ssh_connection *connection = attempt->connection;
    int64_t deadline = ssh_deadline(connection);

    while ((attempt->methods = libssh2_userauth_list(connection->session, attempt->user, attempt->user_length)) ==
           NULL) {
        int result;

        if (libssh2_userauth_authenticated(connection->session))
            return judge(attempt, 0, "no authentication", err);
        if (libssh2_session_last_errno(connection->session) != LIBSSH2_ERROR_EAGAIN)
            return ssh_failure(connection, err, "cannot log in to '%s' as '%s'", connection->target.host,
                               attempt->user);
        result = ssh_wait(connection, deadline, err);
        if (result != 0)
            return result;
    }
    return REFUSED;
}

static int refused(struct attempt *attempt, struct err *err)
{
    const struct ssh_target *target = &attempt->connection->target;

    err_set(err, ERR_REMOTE, "'%s' does not let '%s' in: tried %s; the server takes %s", target->host, attempt->user,
            attempt->tried.length > 0 ? attempt->tried.data : "nothing", attempt->methods);
    if (attempt->rsa_refused)
        return err_hint(err, SSH_RSA_HINT);
    if (attempt->tried.length == 0)
        return err_hint(err, "set 'pwd' or 'key' in the ini file, or start an agent");
    return err_hint(err, "check 'username', and 'pwd' or 'key', in the ini file");
}

int ssh_authenticate(struct ssh_connection *connection, struct err *err)
{
    static const struct {
        const char *method;
        int (*step)(struct attempt *attempt, struct err *err);
    } steps[] = {{"publickey", try_agent},
                 {"publickey", try_key_file},
                 {"password", try_password},
                 {"keyboard-interactive", try_keyboard}};
    struct attempt attempt = {
        .connection = connection,
        .user = connection->target.user,
        .user_length = (unsigned)strlen(connection->target.user),
    };
    int result;

    strbuf_init(&attempt.tried, TRIED_LIMIT);
    result = ask_methods(&attempt, err);
    /* the list is the session's and goes with the next question */
    if (result == REFUSED) {
        attempt.methods = strdup(attempt.methods);
        if (attempt.methods == NULL)
            result = err_set(err, ERR_NO_MEMORY, "out of memory");
        for (size_t i = 0; i < sizeof steps / sizeof steps[0] && result == REFUSED; i++)
            if (is_offered(&attempt, steps[i].method))
                result = steps[i].step(&attempt, err);
        if (result == REFUSED)
            result = refused(&attempt, err);
        free(attempt.methods);
    }
    strbuf_release(&attempt.tried);
    return result == ACCEPTED ? 0 : result;
}
