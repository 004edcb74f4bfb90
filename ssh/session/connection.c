/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/session/connection.h"

#include "base/progress.h"
#include "ssh/session/internal.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_RECONNECTIONS 5
#define MUCH_BYTES ((uint64_t)1024 * 1024) /* more than the buffers on the way may pretend */

static void set_local_address(struct ssh_connection *connection)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof address;
    const void *bytes = &((struct sockaddr_in *)&address)->sin_addr;

    connection->facts.local_address[0] = '\0';
    if (getsockname(connection->fd, (struct sockaddr *)&address, &size) < 0)
        return;
    if (address.ss_family == AF_INET6)
        bytes = &((struct sockaddr_in6 *)&address)->sin6_addr;
    inet_ntop(address.ss_family, bytes, connection->facts.local_address, sizeof connection->facts.local_address);
}

static int handshake_failure(struct ssh_connection *connection, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    const char *reason = ssh_get_error(connection->session);

    err_set(err, ERR_REMOTE, "cannot agree with the SSH server of '%s', port %d: %s", target->host, target->port,
            reason);
    if (strstr(reason, "no match") != NULL)
        return err_hint(err, "the server needs a host key of type ed25519, ecdsa or RSA, one of the ciphers AES-GCM, "
                             "chacha20-poly1305 or AES-CTR, and a key exchange that is not older than they");
    return err_hint(err, "see that port %d is the one of the SSH server", target->port);
}

static int handshake(struct ssh_connection *connection, struct err *err)
{
    int64_t deadline = ssh_deadline(connection);
    int code, result;

    connection->is_given = true;
    code = ssh_connect(connection->session);
    if (code == SSH_AGAIN && ssh_event_add_session(connection->event, connection->session) != SSH_OK)
        return err_no_memory(err);
    for (; code == SSH_AGAIN; code = ssh_connect(connection->session)) {
        result = ssh_wait(connection, deadline, err);
        if (result != 0 && (ssh_get_status(connection->session) & SSH_CLOSED_ERROR) == 0)
            return result;
        if (result != 0)
            break;
    }
    return code == SSH_OK ? 0 : handshake_failure(connection, err);
}

static int establish(struct ssh_connection *connection, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    bool is_reached = false;
    int result;

    connection->facts.authentication = NULL;
    connection->lost = false;
    result = ssh_socket_open(target, !connection->tidying, &connection->fd, err);
    if (result != 0)
        goto out;
    set_local_address(connection);
    connection->silent_ns = 0;
    connection->keepalive_ns = ssh_now_ns() + ssh_keepalive_seconds(target) * SSH_NS_PER_SECOND;
    is_reached = ssh_session_open(connection, err) == 0 && ssh_prefer_known_types(connection, err) == 0 &&
                 handshake(connection, err) == 0;
    if (!is_reached)
        connection->lost = true; /* there is nobody to take leave of */
    if (!is_reached || ssh_check_host_key(connection, err) != 0 || ssh_authenticate(connection, err) != 0)
        result = err_status(err);
out:
    connection->refuses = result != 0 && is_reached && !connection->lost;
    if (result != 0) {
        ssh_session_close(connection);
        connection->lost = true;
    }
    return result;
}

int ssh_connection_open(struct ssh_connection **ret, const struct ssh_target *target, struct err *err)
{
    struct ssh_connection *connection = calloc(1, sizeof *connection);
    int result;

    if (connection == NULL)
        return err_no_memory(err);
    connection->target = *target;
    connection->fd = -1;
    result = establish(connection, err);
    if (result != 0)
        ssh_connection_close(connection);
    else
        *ret = connection;
    return result;
}

int ssh_reconnect(struct ssh_connection *connection, struct err *err)
{
    connection->lost = true; /* no polite words to what may hang */
    ssh_session_close(connection);
    return establish(connection, err);
}

void ssh_patience_init(struct ssh_patience *patience, struct ssh_connection *connection,
                       const struct progress *progress)
{
    *patience = (struct ssh_patience){.connection = connection, .progress = progress};
}

/* Until the next attempt; progress tells how long the outage has lasted. */
static void pause_after(const struct ssh_patience *patience, size_t attempt, int64_t start_ns)
{
    const struct ssh_connection *connection = patience->connection;
    const int tick_ms = 100, most_ticks = 20;
    const int64_t patience_ns = connection->target.reconnect_seconds * SSH_NS_PER_SECOND;
    int64_t until_ns = ssh_now_ns() + (attempt * 5 < (size_t)most_ticks ? (int64_t)attempt * 5 : most_ticks) * tick_ms *
                                          (SSH_NS_PER_SECOND / 1000);

    while (ssh_now_ns() < until_ns && !ssh_is_interrupted(connection)) {
        progress_update(patience->progress, "waiting for the board",
                        (uint64_t)((ssh_now_ns() - start_ns) / SSH_NS_PER_SECOND),
                        (uint64_t)(patience_ns / SSH_NS_PER_SECOND));
        poll(NULL, 0, tick_ms);
    }
}

int ssh_reconnect_patiently(struct ssh_patience *patience, uint64_t bytes, struct err *err)
{
    struct ssh_connection *connection = patience->connection;
    const int64_t start_ns = ssh_now_ns(), end_ns = start_ns + connection->target.reconnect_seconds * SSH_NS_PER_SECOND;
    int result;

    if (bytes >= patience->bytes + MUCH_BYTES) {
        patience->bytes = bytes;
        patience->vain = 0;
    }
    if (patience->vain >= MOST_RECONNECTIONS)
        return err_status(err);
    for (size_t attempt = ++patience->vain;; attempt++) {
        pause_after(patience, attempt, start_ns);
        if (ssh_is_interrupted(connection))
            return interrupt_error(err);
        result = ssh_reconnect(connection, err);
        if (result != -ERR_REMOTE || connection->refuses || ssh_now_ns() >= end_ns)
            break;
    }
    patience->reconnections += result == 0;
    return result;
}

void ssh_connection_close(struct ssh_connection *connection)
{
    if (connection == NULL)
        return;
    ssh_session_close(connection);
    free(connection);
}

bool ssh_is_lost(const struct ssh_connection *connection)
{
    return connection->lost;
}

void ssh_set_tidying(struct ssh_connection *connection, int seconds)
{
    connection->tidying = true;
    connection->tidying_until_ns = ssh_now_ns() + seconds * SSH_NS_PER_SECOND;
}

const struct ssh_facts *ssh_facts(const struct ssh_connection *connection)
{
    return &connection->facts;
}

struct library_version ssh_library(void)
{
    return (struct library_version){"libssh", SSH_STRINGIFY(LIBSSH_VERSION), ssh_version(0)};
}
