/* SPDX-License-Identifier: Apache-2.0 */
/* Internals that the files of ssh/ share; nobody else includes this. */
#ifndef MSPROF_SSH_SESSION_INTERNAL_H
#define MSPROF_SSH_SESSION_INTERNAL_H

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "ssh/session/known_hosts.h"
#include "ssh/target.h"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSH_NS_PER_SECOND INT64_C(1000000000)
#define SSH_NEVER INT64_MAX
/* Silence ends a connection, and a command, after so many times what the server may take to answer a login. */
#define SSH_SILENCE_TIMES 3

struct ssh_connection {
    struct ssh_target target;
    ssh_session session; /* of libssh; never blocks */
    ssh_event event;     /* waits for it */
    bool is_given;       /* libssh has the socket, and closes it when the connection is lost */
    struct ssh_counter_struct counted;
    int fd;
    unsigned generation; /* of the session: channels of an older one are gone */
    bool lost;
    bool refuses; /* the last attempt ended because of a host key or a login: another will not help */
    bool tidying;
    int64_t tidying_until_ns; /* monotonic */
    int64_t silent_ns;    /* waited since the server was heard last: at most a tick a wait, as time also passes while we
                             are stopped, and no more than it took, as waits may end at once */
    int64_t keepalive_ns; /* when to send the next keepalive */
    struct ssh_facts facts;
};

#define ssh_now_ns clock_now_ns

/* A session on the connection's socket, with its ciphers chosen; ssh_session_close also closes the socket and
 * is needed after a failure too. */
int ssh_session_open(struct ssh_connection *connection, struct err *err);
void ssh_session_close(struct ssh_connection *connection);

/* Whether an interrupt asks to end the work on it: not any more when it is being tidied up. */
bool ssh_is_interrupted(const struct ssh_connection *connection);

/* Waits a short while at most until something came, which goes to the channels' callbacks; sends what is queued, and
 * keepalives. -ERR_INTERRUPTED, -ERR_REMOTE (deadline passed, server silent, connection lost). deadline_ns: SSH_NEVER
 * or monotonic.
 */
int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err);

/* Whether libssh had no memory since it was asked last: it drops what it cannot keep of a packet without a word, and
 * only errno tells. The connection is lost then. */
int ssh_check_memory(struct ssh_connection *connection, struct err *err);

/* Fills err from libssh's last error; what was being tried is the format's text. Notes a lost connection. */
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
/* Before the handshake: asks for the types of keys that known_hosts has of this host. */
int ssh_prefer_known_types(struct ssh_connection *connection, struct err *err);

int ssh_authenticate(struct ssh_connection *connection, struct err *err);

/* The authentication agent of the user (the protocol of ssh-agent(1)), with waits that end: libssh, whose own waits for
 * it do not, asks a thread here. */

struct agent {
    int fd, served; /* to the agent; the thread's end of what libssh asks */
    pthread_t thread;
    size_t count;      /* of keys to try */
    struct bytes list; /* them, as an agent tells them */
};

/* Connects to $SSH_AUTH_SOCK and asks for the keys, of which at most so many are to be tried; false when there is no
 * agent or it does not answer. agent_close it when true, after libssh has ended its work with it. */
bool agent_open(struct agent *agent, size_t most);
void agent_close(struct agent *agent);

/* Begins to answer, and returns the socket for libssh, which owns it; -1: there is no key, or no memory. The agent may
 * ask its user: a question takes two minutes at most, and ends with an interrupt. */
int agent_serve(struct agent *agent);

#endif
