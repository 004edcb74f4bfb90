/* SPDX-License-Identifier: Apache-2.0 */
/* The transport by libssh (0.9 or newer). It reads as soon as anything of the session is served, and calls back. */
#include "ssh/transport.h"

#include "base/err.h"
#include "base/language.h"
#include "base/utf8.h"
#include "ssh/transport/agent.h"
#include "ssh/transport/algorithms.h"

#include <errno.h>
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct transport {
    ssh_session session; /* never blocks */
    ssh_event event;     /* waits for it */
    int fd;
    bool is_given, is_awaited; /* libssh has the socket, and closes it when the connection is lost; the event has it */
    bool lacks_memory;
    struct ssh_counter_struct counted;
    char *host_key;
    ssh_key key; /* of a login that goes on */
    struct agent agent;
    int served; /* the socket on which the thread gets libssh's questions for the agent; -1: no thread */
    pthread_t server;
    struct transport_channel *channels;
};

struct transport_channel {
    struct transport_channel *next;
    struct transport *transport;
    ssh_channel channel;
    struct ssh_channel_callbacks_struct callbacks;
    struct transport_sink sink;
    struct transport_exit exit;
    bool has_moved, output_ended, is_closed;
};

/* libssh drops what it cannot keep of a packet without a word when memory runs out, and only errno shows it: each call
 * begins with errno 0, and ends here. */
static enum transport_code noted(struct transport *transport, enum transport_code code)
{
    if (errno == ENOMEM)
        transport->lacks_memory = true;
    errno = 0;
    return code;
}

struct library_version transport_library(void)
{
    return (struct library_version){"libssh", SSH_STRINGIFY(LIBSSH_VERSION), ssh_version(0)};
}

/* Nothing is read that belongs to the user's ssh(1): neither its configuration nor its keys nor its known_hosts. */
static const struct {
    enum ssh_options_e option;
    const char *text;
} session_options[] = {
    {SSH_OPTIONS_SSH_DIR, "/"},
    {SSH_OPTIONS_KNOWNHOSTS, "/dev/null"},
    {SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null"},
    {SSH_OPTIONS_CIPHERS_C_S, ALGORITHMS_CIPHERS},
    {SSH_OPTIONS_CIPHERS_S_C, ALGORITHMS_CIPHERS},
    {SSH_OPTIONS_HMAC_C_S, ALGORITHMS_MACS},
    {SSH_OPTIONS_HMAC_S_C, ALGORITHMS_MACS},
    {SSH_OPTIONS_KEY_EXCHANGE, ALGORITHMS_KEY_EXCHANGES},
    {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, ALGORITHMS_SIGNATURES},
};

struct transport *transport_open(int fd, const char *user, const char *host_key_types)
{
    const int no = 0;
    struct transport *transport = calloc(1, sizeof *transport);
    bool is_set;

    if (transport == NULL) {
        close(fd);
        return NULL;
    }
    transport->fd = fd;
    transport->served = transport->agent.fd = -1;
    transport->session = ssh_new();
    transport->event = ssh_event_new();
    if (transport->session == NULL || transport->event == NULL) {
        transport_close(transport, false);
        return NULL;
    }
    ssh_set_blocking(transport->session, 0);
    ssh_set_counters(transport->session, &transport->counted, NULL);
    is_set = ssh_options_set(transport->session, SSH_OPTIONS_PROCESS_CONFIG, &no) == 0 &&
             ssh_options_set(transport->session, SSH_OPTIONS_USER, user) == 0 &&
             ssh_options_set(transport->session, SSH_OPTIONS_HOSTKEYS, host_key_types) == 0 &&
             ssh_options_set(transport->session, SSH_OPTIONS_FD, &fd) == 0;
    for (size_t i = 0; i < sizeof session_options / sizeof session_options[0] && is_set; i++)
        is_set = ssh_options_set(transport->session, session_options[i].option, session_options[i].text) == 0;
    if (!is_set) { /* libssh has some of each list: it has no memory */
        transport_close(transport, false);
        return NULL;
    }
    return transport;
}

/* Ends what the agent is asked, and the thread. */
static void stop_agent(struct transport *transport)
{
    if (transport->served >= 0) {
        agent_hang_up(&transport->agent);
        shutdown(transport->served, SHUT_RDWR);
        pthread_join(transport->server, NULL);
        close(transport->served);
        transport->served = -1;
    }
    agent_close(&transport->agent);
}

void transport_close(struct transport *transport, bool is_polite)
{
    if (transport == NULL)
        return;
    ssh_session session = transport->session;
    const bool has_socket = session != NULL && ssh_get_fd(session) >= 0;

    stop_agent(transport);
    for (struct transport_channel *channel; (channel = transport->channels) != NULL; free(channel)) {
        transport->channels = channel->next; /* libssh frees its part with the session */
        if (channel->channel != NULL)
            ssh_remove_channel_callbacks(channel->channel, &channel->callbacks);
    }
    if (transport->is_awaited)
        ssh_event_remove_session(transport->event, session);
    ssh_event_free(transport->event);
    if (has_socket && !is_polite)
        ssh_silent_disconnect(session); /* which closes it */
    else if (has_socket)
        ssh_disconnect(session);
    if (!transport->is_given || (has_socket && is_polite))
        close(transport->fd);
    ssh_key_free(transport->key);
    ssh_free(session);
    free(transport->host_key);
    free(transport);
}

bool transport_is_over(const struct transport *transport)
{
    return (ssh_get_status(transport->session) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
}

bool transport_lacks_memory(const struct transport *transport)
{
    return transport->lacks_memory;
}

uint64_t transport_received(const struct transport *transport)
{
    return transport->counted.in_bytes;
}

const char *transport_error(const struct transport *transport)
{
    return ssh_get_error(transport->session);
}

const char *transport_advice(const struct transport *transport)
{
    return strstr(transport_error(transport), "no match") == NULL
               ? NULL
               : LANGUAGE_MARK("the server needs a host key of type ed25519, ecdsa or RSA, one of the ciphers AES-GCM, "
                               "chacha20-poly1305 or AES-CTR, and an equally recent key exchange");
}

/* Everything that came before its end has been handed on by then. */
enum transport_code transport_wait(struct transport *transport, int milliseconds)
{
    errno = 0;
    const bool has_ended =
        ssh_event_dopoll(transport->event, milliseconds) == SSH_ERROR || transport_is_over(transport);
    return noted(transport, has_ended ? TRANSPORT_FAILED : TRANSPORT_DONE);
}

void transport_send_keepalive(struct transport *transport)
{
    errno = 0;
    ssh_send_keepalive(transport->session);
    noted(transport, TRANSPORT_DONE);
}

enum transport_code transport_shake_hands(struct transport *transport)
{
    errno = 0;
    transport->is_given = true;
    const int code = ssh_connect(transport->session);
    if (code == SSH_AGAIN && !transport->is_awaited) {
        transport->is_awaited = ssh_event_add_session(transport->event, transport->session) == SSH_OK;
        if (!transport->is_awaited)
            errno = ENOMEM;
    }
    return noted(transport, code == SSH_OK                         ? TRANSPORT_DONE
                            : code == SSH_AGAIN && errno != ENOMEM ? TRANSPORT_AGAIN
                                                                   : TRANSPORT_FAILED);
}

const void *transport_host_key(struct transport *transport, size_t *ret_length)
{
    ssh_key key = NULL;
    char *base64 = NULL;
    int length = 0;

    errno = 0;
    if (ssh_get_server_publickey(transport->session, &key) == SSH_OK &&
        ssh_pki_export_pubkey_base64(key, &base64) == SSH_OK) {
        free(transport->host_key);
        transport->host_key = scoped_memory(strlen(base64), 1);
    }
    if (transport->host_key != NULL && base64 != NULL)
        length = EVP_DecodeBlock((unsigned char *)transport->host_key, (unsigned char *)base64, (int)strlen(base64));
    for (const char *padding = base64; length > 0 && (padding = strchr(padding, '=')) != NULL; padding++)
        length--;
    ssh_string_free_char(base64);
    ssh_key_free(key);
    *ret_length = length > 0 ? (size_t)length : 0;
    noted(transport, TRANSPORT_DONE);
    return transport->host_key;
}

static enum transport_code judge(struct transport *transport, int code)
{
    return noted(transport, code == SSH_AUTH_SUCCESS                              ? TRANSPORT_DONE
                            : code == SSH_AUTH_AGAIN                              ? TRANSPORT_AGAIN
                            : code == SSH_AUTH_DENIED || code == SSH_AUTH_PARTIAL ? TRANSPORT_REFUSED
                                                                                  : TRANSPORT_FAILED);
}

enum transport_code transport_login_with_nothing(struct transport *transport, unsigned *ret_methods)
{
    errno = 0;
    const enum transport_code code = judge(transport, ssh_userauth_none(transport->session, NULL));
    const int methods = code == TRANSPORT_REFUSED ? ssh_userauth_list(transport->session, NULL) : 0;
    *ret_methods = ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0 ? TRANSPORT_PUBLICKEY : 0U) |
                   ((methods & SSH_AUTH_METHOD_PASSWORD) != 0 ? TRANSPORT_PASSWORD : 0U) |
                   ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0 ? TRANSPORT_KEYBOARD : 0U);
    return code;
}

/* Answers one question of libssh; false when that has hung up. */
static bool serve_one(struct transport *transport)
{
    unsigned char head[4], failure[1] = {AGENT_FAILURE}, *question;
    struct bytes answer = {failure, sizeof failure}, signature;
    uint64_t length;
    bool is_signed = false, is_sent = false;

    if (recv(transport->served, head, sizeof head, MSG_WAITALL) != (ssize_t)sizeof head)
        return false;
    length = bytes_load(head, 4, true);
    question = length >= 1 && length <= AGENT_MESSAGE_LIMIT ? malloc(4 + (size_t)length) : NULL;
    if (question != NULL && recv(transport->served, question + 4, (size_t)length, MSG_WAITALL) == (ssize_t)length) {
        if (question[4] == AGENT_REQUEST_IDENTITIES)
            answer = transport->agent.list;
        else if (question[4] == AGENT_SIGN_REQUEST)
            is_signed = agent_ask_to_sign(&transport->agent, question, 4 + (size_t)length, &signature);
        if (is_signed)
            answer = signature;
        bytes_store(head, 4, true, answer.length);
        is_sent = send(transport->served, head, sizeof head, MSG_NOSIGNAL) == (ssize_t)sizeof head &&
                  send(transport->served, answer.data, answer.length, MSG_NOSIGNAL) == (ssize_t)answer.length;
    }
    if (is_signed)
        free((void *)(uintptr_t)signature.data);
    free(question);
    return is_sent;
}

static void *serve_agent(void *arg)
{
    while (serve_one(arg))
        ;
    return NULL;
}

/* libssh's waits for an agent do not end, so it gets a thread of ours for one. False: no key, or no memory. */
static bool start_agent(struct transport *transport)
{
    int pair[2];

    if (transport->agent.count == 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    transport->served = pair[0];
    if (pthread_create(&transport->server, NULL, serve_agent, transport) == 0) {
        ssh_set_agent_socket(transport->session, pair[1]);
        return true;
    }
    close(pair[0]);
    close(pair[1]);
    transport->served = -1;
    return false;
}

enum transport_code transport_login_with_agent(struct transport *transport, size_t most, int *ret_keys)
{
    enum transport_code code = TRANSPORT_REFUSED;

    errno = 0;
    if (transport->served < 0 && !agent_open(&transport->agent, most)) {
        *ret_keys = -1;
        return TRANSPORT_REFUSED;
    }
    *ret_keys = (int)transport->agent.count;
    if (transport->served >= 0 || start_agent(transport))
        code = judge(transport, ssh_userauth_agent(transport->session, NULL));
    if (code != TRANSPORT_AGAIN)
        stop_agent(transport);
    return code;
}

enum transport_code transport_login_with_key(struct transport *transport, const char *key, size_t length,
                                             const char *passphrase)
{
    (void)length; /* libssh reads up to the NUL behind it */
    errno = 0;
    if (transport->key == NULL && ssh_pki_import_privkey_base64(key, passphrase, NULL, NULL, &transport->key) != SSH_OK)
        return noted(transport, TRANSPORT_BAD_KEY);
    const enum transport_code code = judge(transport, ssh_userauth_publickey(transport->session, NULL, transport->key));
    if (code != TRANSPORT_AGAIN) {
        ssh_key_free(transport->key);
        transport->key = NULL;
    }
    return code;
}

enum transport_code transport_login_with_password(struct transport *transport, const char *password)
{
    errno = 0;
    return judge(transport, ssh_userauth_password(transport->session, NULL, password));
}

enum transport_code transport_login_by_keyboard(struct transport *transport, const char *password)
{
    ssh_session session = transport->session;
    int code;

    errno = 0;
    while ((code = ssh_userauth_kbdint(session, NULL, NULL)) == SSH_AUTH_INFO)
        for (int i = 0; i < ssh_userauth_kbdint_getnprompts(session); i++) {
            char echoes = 0;

            ssh_userauth_kbdint_getprompt(session, (unsigned)i, &echoes);
            if (ssh_userauth_kbdint_setanswer(session, (unsigned)i, echoes ? "" : password) < 0)
                return noted(transport, TRANSPORT_FAILED);
        }
    return judge(transport, code);
}

/* Callbacks of libssh; none of them calls it. */
static int on_data(ssh_session session, ssh_channel library_channel, void *data, uint32_t length, int is_errors,
                   void *arg)
{
    struct transport_channel *channel = arg;
    const int errnum = errno;

    (void)session;
    (void)library_channel;
    channel->has_moved = true;
    channel->sink.take(channel->sink.arg, is_errors != 0, data, length);
    errno = errnum; /* libssh's, see noted() */
    return (int)length;
}

static void on_end(ssh_session session, ssh_channel library_channel, void *arg)
{
    struct transport_channel *channel = arg;

    (void)session;
    (void)library_channel;
    channel->has_moved = channel->output_ended = true;
}

static void on_close(ssh_session session, ssh_channel library_channel, void *arg)
{
    struct transport_channel *channel = arg;

    on_end(session, library_channel, arg);
    channel->is_closed = true;
}

static void on_status(ssh_session session, ssh_channel library_channel, int status, void *arg)
{
    struct transport_channel *channel = arg;

    (void)session;
    (void)library_channel;
    channel->exit.status = status;
    channel->exit.is_known = true;
}

static void on_signal(ssh_session session, ssh_channel library_channel, const char *name, int dumped,
                      const char *message, const char *language, void *arg)
{
    struct transport_channel *channel = arg;

    (void)session;
    (void)library_channel;
    (void)dumped;
    (void)message;
    (void)language;
    snprintf(channel->exit.signal, sizeof channel->exit.signal, "%s", name);
    utf8_mask(channel->exit.signal);
    channel->exit.is_known = true;
}

static bool set_callbacks(struct transport_channel *channel)
{
    channel->callbacks = (struct ssh_channel_callbacks_struct){.userdata = channel,
                                                               .channel_data_function = on_data,
                                                               .channel_eof_function = on_end,
                                                               .channel_close_function = on_close,
                                                               .channel_exit_status_function = on_status,
                                                               .channel_exit_signal_function = on_signal};
    ssh_callbacks_init(&channel->callbacks);
    return ssh_set_channel_callbacks(channel->channel, &channel->callbacks) == SSH_OK;
}

enum transport_code transport_channel_open(struct transport_channel **ret, struct transport *transport,
                                           const struct transport_sink *sink)
{
    struct transport_channel *channel = *ret;
    int code;

    errno = 0;
    if (channel == NULL) {
        channel = calloc(1, sizeof *channel);
        if (channel == NULL)
            return noted(transport, TRANSPORT_FAILED);
        *channel = (struct transport_channel){.transport = transport, .sink = *sink, .next = transport->channels};
        *ret = transport->channels = channel;
    }
    if (channel->channel == NULL && (channel->channel = ssh_channel_new(transport->session)) == NULL) {
        errno = ENOMEM;
        return noted(transport, TRANSPORT_FAILED);
    }
    code = ssh_channel_open_session(channel->channel);
    if (code == SSH_AGAIN)
        return noted(transport, TRANSPORT_AGAIN);
    if (code != SSH_OK) {
        ssh_channel_free(channel->channel);
        channel->channel = NULL;
        return noted(transport, ssh_is_connected(transport->session) ? TRANSPORT_REFUSED : TRANSPORT_FAILED);
    }
    if (!set_callbacks(channel))
        errno = ENOMEM;
    return noted(transport, errno == ENOMEM ? TRANSPORT_FAILED : TRANSPORT_DONE);
}

enum transport_code transport_channel_execute(struct transport_channel *channel, const char *line)
{
    errno = 0;
    const int code = ssh_channel_request_exec(channel->channel, line);
    return noted(channel->transport, code == SSH_OK      ? TRANSPORT_DONE
                                     : code == SSH_AGAIN ? TRANSPORT_AGAIN
                                                         : TRANSPORT_FAILED);
}

enum transport_code transport_channel_read(struct transport_channel *channel)
{
    const bool has_moved = channel->has_moved;

    channel->has_moved = false;
    return has_moved ? TRANSPORT_DONE : TRANSPORT_AGAIN;
}

enum transport_code transport_channel_write(struct transport_channel *channel, const char *bytes, size_t length,
                                            size_t *ret_length)
{
    errno = 0;
    const size_t window = ssh_channel_window_size(channel->channel);
    const int n =
        window > 0 ? ssh_channel_write(channel->channel, bytes, (uint32_t)(length < window ? length : window)) : 0;
    *ret_length = n > 0 ? (size_t)n : 0;
    return noted(channel->transport, n > 0                ? TRANSPORT_DONE
                                     : n == 0             ? TRANSPORT_AGAIN
                                     : channel->is_closed ? TRANSPORT_REFUSED
                                                          : TRANSPORT_FAILED);
}

enum transport_code transport_channel_end_input(struct transport_channel *channel)
{
    errno = 0;
    const int code = ssh_channel_send_eof(channel->channel);
    return noted(channel->transport, code == SSH_ERROR ? TRANSPORT_FAILED : TRANSPORT_DONE);
}

bool transport_channel_is_at_end(const struct transport_channel *channel)
{
    return channel->output_ended;
}

enum transport_code transport_channel_finish(struct transport_channel *channel)
{
    errno = 0;
    const int code = ssh_channel_close(channel->channel);
    return noted(channel->transport, channel->is_closed  ? TRANSPORT_DONE
                                     : code == SSH_ERROR ? TRANSPORT_FAILED
                                                         : TRANSPORT_AGAIN);
}

struct transport_exit transport_channel_exit(struct transport_channel *channel)
{
    return channel->exit;
}

void transport_channel_close(struct transport_channel *channel)
{
    if (channel == NULL)
        return;
    struct transport_channel **place = &channel->transport->channels;
    while (*place != channel)
        place = &(*place)->next;
    *place = channel->next;
    /* without waiting: what does not go out now is freed with the session */
    if (channel->channel != NULL) {
        ssh_remove_channel_callbacks(channel->channel, &channel->callbacks);
        ssh_channel_free(channel->channel);
    }
    free(channel);
}
