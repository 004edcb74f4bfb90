/* SPDX-License-Identifier: Apache-2.0 */
/* From a host's name to a connection that is logged in, and again when it breaks. */
#include "ssh/session/connection.h"

#include "base/language.h"
#include "base/progress.h"
#include "ssh/session/internal.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_RECONNECTIONS 5
#define KEY_TYPES_LIMIT 1024
#define MUCH_BYTES ((uint64_t)1024 * 1024) /* more than the buffers on the way may pretend */

static void set_local_address(struct ssh_connection *connection, int fd)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof address;
    const void *bytes = &((struct sockaddr_in *)&address)->sin_addr;

    connection->facts.local_address[0] = '\0';
    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return;
    if (address.ss_family == AF_INET6)
        bytes = &((struct sockaddr_in6 *)&address)->sin6_addr;
    inet_ntop(address.ss_family, bytes, connection->facts.local_address, sizeof connection->facts.local_address);
}

static int handshake_failure(struct ssh_connection *connection, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    const char *reason = transport_error(connection->transport), *advice = transport_advice(connection->transport);

    if (ssh_check_memory(connection, err) != 0)
        return err_status(err);
    err_set(err, ERR_REMOTE, "cannot agree with the SSH server of '%s', port %d: %s", target->host, target->port,
            reason[0] != '\0' ? reason : language_said("it closed the connection"));
    if (advice != NULL)
        return err_hint(err, "%s", language_said(advice));
    return err_hint(err, "check that port %d is the port of the SSH server", target->port);
}

static int handshake(struct ssh_connection *connection, struct err *err)
{
    int64_t deadline = ssh_deadline(connection);
    enum transport_code code;

    while ((code = transport_shake_hands(connection->transport)) == TRANSPORT_AGAIN)
        if (ssh_wait(connection, deadline, err) != 0) {
            if (!transport_is_over(connection->transport))
                return err_status(err);
            break;
        }
    return code == TRANSPORT_DONE ? 0 : handshake_failure(connection, err);
}

/* A connected socket, and the server at its other end that agrees on keys. */
static int reach(struct ssh_connection *connection, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    SCOPED(strbuf_release) struct strbuf key_types;
    int fd;

    strbuf_init(&key_types, KEY_TYPES_LIMIT);
    if (ssh_list_key_types(connection, &key_types, err) != 0 ||
        ssh_socket_open(target, !connection->tidying, &fd, err) != 0)
        return err_status(err);
    set_local_address(connection, fd);
    connection->silent_ns = 0;
    connection->heard_bytes = 0;
    connection->keepalive_ns = ssh_now_ns() + ssh_keepalive_seconds(target) * SSH_NS_PER_SECOND;
    connection->transport = transport_open(fd, target->user, key_types.data);
    return connection->transport != NULL ? handshake(connection, err) : err_no_memory(err);
}

static int establish(struct ssh_connection *connection, struct err *err)
{
    connection->facts.authentication = NULL;
    connection->lost = connection->refuses = false;
    if (reach(connection, err) != 0) {
        connection->lost = true; /* there is nobody to take leave of */
    } else {
        if (ssh_check_host_key(connection, err) == 0 && ssh_authenticate(connection, err) == 0)
            return 0;
        connection->refuses = !connection->lost;
    }
    ssh_session_close(connection);
    connection->lost = true;
    return err_status(err);
}

int ssh_connection_open(struct ssh_connection **ret, const struct ssh_target *target, struct err *err)
{
    struct ssh_connection *connection = calloc(1, sizeof *connection);
    int result;

    if (connection == NULL)
        return err_no_memory(err);
    connection->target = *target;
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

/* Until the next attempt; progress shows how long the outage has lasted. */
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
    return transport_library();
}
