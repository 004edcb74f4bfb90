/* SPDX-License-Identifier: Apache-2.0 */
/* Internals that the files of ssh/ share; nobody else includes this. */
#ifndef MSPROF_SSH_SESSION_INTERNAL_H
#define MSPROF_SSH_SESSION_INTERNAL_H

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "ssh/session/known_hosts.h"
#include "ssh/target.h"
#include "ssh/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSH_NS_PER_SECOND INT64_C(1000000000)
#define SSH_NEVER INT64_MAX
/* Silence ends a connection, and a command, after so many times what the server may take to answer a login. */
#define SSH_SILENCE_TIMES 3

struct ssh_connection {
    struct ssh_target target;
    struct transport *transport; /* NULL: not connected */
    unsigned generation;         /* of the transport: channels of an older one are gone */
    bool lost;
    bool refuses; /* the last attempt ended because of a host key or a login: another will not help */
    bool tidying;
    int64_t tidying_until_ns; /* monotonic */
    int64_t silent_ns;    /* waited since the server was heard last: at most a tick a wait, as time also passes while we
                             are stopped, and no more than it took, as waits may end at once */
    uint64_t heard_bytes; /* that had come when that was looked at last */
    int64_t keepalive_ns; /* when to send the next keepalive */
    struct ssh_facts facts;
};

#define ssh_now_ns clock_now_ns

/* Ends the transport, if there is one. */
void ssh_session_close(struct ssh_connection *connection);

/* Whether an interrupt asks to end the work on it: not any more when it is being tidied up. */
bool ssh_is_interrupted(const struct ssh_connection *connection);

/* Waits a short while at most until something came; sends what is queued, and keepalives. -ERR_INTERRUPTED, -ERR_REMOTE
 * (deadline passed, server silent, connection lost). deadline_ns: SSH_NEVER or monotonic.
 */
int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err);

/* Whether memory ran out in the transport; the connection is lost then. */
int ssh_check_memory(struct ssh_connection *connection, struct err *err);

/* Fills err from the transport's last error; what was being tried is the format's text. Notes a lost connection. */
int ssh_failure(struct ssh_connection *connection, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How long the server may be silent, though keepalives ask it for a sign of life more often than that. */
int ssh_silence_seconds(const struct ssh_target *target);
int ssh_keepalive_seconds(const struct ssh_target *target);

/* now + the target's timeout. */
int64_t ssh_deadline(const struct ssh_connection *connection);

/* A connected, non-blocking socket; *ret_fd is the caller's. */
int ssh_socket_open(const struct ssh_target *target, bool may_interrupt, int *ret_fd, struct err *err);

/* After the handshake; fills fingerprint and host_key_added. */
int ssh_check_host_key(struct ssh_connection *connection, struct err *err);
/* The types of host keys to ask for, those that known_hosts has of this host first; list is set up. */
int ssh_list_key_types(const struct ssh_connection *connection, struct strbuf *list, struct err *err);

int ssh_authenticate(struct ssh_connection *connection, struct err *err);

#endif
