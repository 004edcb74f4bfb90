/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a board: deadlines, interrupts, silence, keepalives, and what is said when the connection fails. */
#include "ssh/session/internal.h"

#include "base/language.h"
#include "base/progress.h"

#define TICK_MS 200
#define TICK_NS (TICK_MS * INT64_C(1000000))
#define MOST_KEEPALIVE_SECONDS 10

static int lost(struct ssh_connection *connection, struct err *err, const char *reason)
{
    connection->lost = true;
    err_set(err, ERR_REMOTE, "the connection to '%s' is lost: %s", connection->target.host, language_said(reason));
    return err_hint(err, "check that the board is on and connected, then run the command again");
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
        return lost(connection, err, "cleaning up takes too long");
    if (now > deadline_ns)
        return lost(connection, err, "no answer in time");
    if (connection->facts.authentication == NULL)
        return 0;
    if (connection->silent_ns >= ssh_silence_seconds(&connection->target) * SSH_NS_PER_SECOND)
        return lost(connection, err, "the board stopped answering");
    if (now >= connection->keepalive_ns) {
        transport_send_keepalive(connection->transport);
        connection->keepalive_ns = now + ssh_keepalive_seconds(&connection->target) * SSH_NS_PER_SECOND;
    }
    return 0;
}

int ssh_check_memory(struct ssh_connection *connection, struct err *err)
{
    if (!transport_lacks_memory(connection->transport))
        return 0;
    connection->lost = true;
    return err_no_memory(err);
}

/* Whether something came, in a wait or when a channel was read, since this was asked last. */
static bool note_heard(struct ssh_connection *connection)
{
    const uint64_t received = transport_received(connection->transport);
    const bool is_heard = received != connection->heard_bytes;

    connection->heard_bytes = received;
    if (is_heard)
        connection->silent_ns = 0;
    return is_heard;
}

int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err)
{
    note_heard(connection);
    if (ssh_check_memory(connection, err) != 0 || check_time(connection, deadline_ns, err) != 0)
        return err_status(err);
    const int64_t began_ns = ssh_now_ns();
    const enum transport_code code = transport_wait(connection->transport, TICK_MS);
    if (ssh_check_memory(connection, err) != 0)
        return err_status(err);
    if (code == TRANSPORT_FAILED)
        return lost(connection, err, "the other side closed it");
    const int64_t waited_ns = ssh_now_ns() - began_ns;
    if (!note_heard(connection))
        connection->silent_ns += waited_ns < TICK_NS ? waited_ns : TICK_NS;
    return 0;
}

int ssh_failure(struct ssh_connection *connection, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    const char *reason = transport_error(connection->transport);

    ERR_FORMAT_SAID(text, format);
    if (ssh_check_memory(connection, err) != 0)
        return err_wrap(err, "%s", text);
    if (transport_is_over(connection->transport)) {
        lost(connection, err, "the other side closed it");
        return err_wrap(err, "%s", text);
    }
    return err_set(err, ERR_REMOTE, "%s: %s", text, reason[0] != '\0' ? reason : language_said("the server refused"));
}

void ssh_session_close(struct ssh_connection *connection)
{
    transport_close(connection->transport, !connection->lost);
    connection->transport = NULL;
    connection->generation++;
}
