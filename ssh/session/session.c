/* SPDX-License-Identifier: Apache-2.0 */
/* Base of one session of libssh: the socket, waiting, errors. */
#include "ssh/session/internal.h"

#include "base/progress.h"

#include <errno.h>
#include <libssh/server.h>
#include <unistd.h>

#define TICK_MS 200
#define TICK_NS (TICK_MS * INT64_C(1000000))
#define MOST_KEEPALIVE_SECONDS 10

/* Everything that came before its end has been handed on by then. */
static bool session_has_ended(const struct ssh_connection *connection)
{
    return (ssh_get_status(connection->session) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
}

static int lost(struct ssh_connection *connection, struct err *err, const char *reason)
{
    connection->lost = true;
    err_set(err, ERR_REMOTE, "the connection to '%s' is lost: %s", connection->target.host, reason);
    return err_hint(err, "see that the board is still on and connected, then run the command again");
}

int ssh_keepalive_seconds(const struct ssh_target *target)
{
    return target->timeout < MOST_KEEPALIVE_SECONDS ? target->timeout : MOST_KEEPALIVE_SECONDS;
}

int64_t ssh_deadline(const struct ssh_connection *connection)
{
    return ssh_now_ns() + connection->target.timeout * SSH_NS_PER_SECOND;
}

bool ssh_is_interrupted(const struct ssh_connection *connection)
{
    return interrupted() && !connection->tidying;
}

static int check_time(struct ssh_connection *connection, int64_t deadline_ns, struct err *err)
{
    int64_t now = ssh_now_ns();

    if (ssh_is_interrupted(connection))
        return interrupt_error(err);
    if (connection->tidying && now > connection->tidying_until_ns)
        return lost(connection, err, "tidying up takes too long");
    if (now > deadline_ns)
        return lost(connection, err, "no answer in time");
    if (connection->facts.authentication == NULL)
        return 0;
    if (connection->silent_ns >= ssh_silence_seconds(&connection->target) * SSH_NS_PER_SECOND)
        return lost(connection, err, "the board does not answer any more");
    if (now >= connection->keepalive_ns) {
        ssh_send_keepalive(connection->session);
        connection->keepalive_ns = now + ssh_keepalive_seconds(&connection->target) * SSH_NS_PER_SECOND;
    }
    return 0;
}

int ssh_check_memory(struct ssh_connection *connection, struct err *err)
{
    if (errno != ENOMEM)
        return 0;
    errno = 0;
    connection->lost = true;
    return err_no_memory(err);
}

int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err)
{
    const uint64_t heard = connection->counted.in_bytes;
    bool has_ended;

    if (ssh_check_memory(connection, err) != 0 || check_time(connection, deadline_ns, err) != 0)
        return err_status(err);
    errno = 0;
    const int64_t began_ns = ssh_now_ns();
    has_ended = ssh_event_dopoll(connection->event, TICK_MS) == SSH_ERROR || session_has_ended(connection);
    if (ssh_check_memory(connection, err) != 0)
        return err_status(err);
    if (has_ended)
        return lost(connection, err, "the other side closed it");
    const int64_t waited_ns = ssh_now_ns() - began_ns;
    if (connection->counted.in_bytes != heard)
        connection->silent_ns = 0;
    else
        connection->silent_ns += waited_ns < TICK_NS ? waited_ns : TICK_NS;
    return 0;
}

int ssh_failure(struct ssh_connection *connection, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    const char *reason = ssh_get_error(connection->session);

    ERR_FORMAT(text, format);
    if (session_has_ended(connection)) {
        lost(connection, err, "the other side closed it");
        return err_wrap(err, "%s", text);
    }
    return err_set(err, ERR_REMOTE, "%s: %s", text, reason[0] != '\0' ? reason : "the server refused");
}

/* In the order of preference: AES-GCM takes the least time where processors have instructions for it; dropbear has
 * chacha20-poly1305 in its place. */
#define CIPHERS                                                                                                        \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr,aes256-ctr,aes192-ctr"
#define MACS "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512,hmac-sha1"
/* The last one is for boards whose server knows nothing newer. */
#define KEY_EXCHANGES                                                                                                  \
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,"         \
    "diffie-hellman-group16-sha512,diffie-hellman-group18-sha512,diffie-hellman-group-exchange-sha256,"                \
    "diffie-hellman-group14-sha256,diffie-hellman-group14-sha1"

/* How keys of users sign; of RSA the newest way that the server has. */
#define SIGNATURES                                                                                                     \
    "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256,ssh-rsa"

/* Nothing is read that belongs to the user's ssh(1): neither its configuration nor its keys nor its known_hosts. */
static const struct {
    enum ssh_options_e option;
    const char *text;
} session_options[] = {
    {SSH_OPTIONS_SSH_DIR, "/"},
    {SSH_OPTIONS_KNOWNHOSTS, "/dev/null"},
    {SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null"},
    {SSH_OPTIONS_CIPHERS_C_S, CIPHERS},
    {SSH_OPTIONS_CIPHERS_S_C, CIPHERS},
    {SSH_OPTIONS_HMAC_C_S, MACS},
    {SSH_OPTIONS_HMAC_S_C, MACS},
    {SSH_OPTIONS_KEY_EXCHANGE, KEY_EXCHANGES},
    {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, SIGNATURES},
};

int ssh_session_open(struct ssh_connection *connection, struct err *err)
{
    const int no = 0;
    ssh_session session = ssh_new();
    bool is_set;

    connection->session = session;
    connection->event = ssh_event_new();
    if (session == NULL || connection->event == NULL)
        return err_no_memory(err);
    ssh_set_blocking(session, 0);
    connection->counted = (struct ssh_counter_struct){.in_bytes = 0};
    ssh_set_counters(session, &connection->counted, NULL);
    is_set = ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no) == 0 &&
             ssh_options_set(session, SSH_OPTIONS_USER, connection->target.user) == 0 &&
             ssh_options_set(session, SSH_OPTIONS_FD, &connection->fd) == 0;
    for (size_t i = 0; i < sizeof session_options / sizeof session_options[0] && is_set; i++)
        is_set = ssh_options_set(session, session_options[i].option, session_options[i].text) == 0;
    return is_set ? 0 : ssh_failure(connection, err, "cannot choose the ciphers");
}

void ssh_session_close(struct ssh_connection *connection)
{
    ssh_session session = connection->session;
    const bool has_socket = session != NULL && ssh_get_fd(session) >= 0;

    if (connection->event != NULL && session != NULL)
        ssh_event_remove_session(connection->event, session);
    ssh_event_free(connection->event);
    if (has_socket && connection->lost)
        ssh_silent_disconnect(session); /* which closes it */
    else if (has_socket)
        ssh_disconnect(session);
    if (connection->fd >= 0 && (!connection->is_given || (has_socket && !connection->lost)))
        close(connection->fd);
    ssh_free(session);
    connection->session = NULL;
    connection->event = NULL;
    connection->is_given = false;
    connection->fd = -1;
    connection->generation++;
}
