/* SPDX-License-Identifier: Apache-2.0 */
/* Internals that the files of ssh/ share; nobody else includes this. */
#ifndef MSPROF_SSH_SESSION_INTERNAL_H
#define MSPROF_SSH_SESSION_INTERNAL_H

#include "base/err.h"
#include "ssh/session/known_hosts.h"
#include "ssh/target.h"

#include <libssh2.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSH_NS_PER_SECOND INT64_C(1000000000)
#define SSH_NEVER INT64_MAX
/* Silence ends a connection, and a command, after so many times what the server may take to answer a login. */
#define SSH_SILENCE_TIMES 3

/* Bytes on their way out that the socket did not take yet. libssh2 must never see a send that would block: it would
 * insist on the same packet again before any other, which two channels cannot promise each other. */
struct send_queue {
    char *data;
    size_t start, length, capacity;
};

/* Bytes that came in one system call and that libssh2 fetches in smaller pieces. */
#define SSH_RECEIVE_SIZE ((size_t)256 * 1024)
struct receive_buffer {
    char *data;
    size_t start, length;
    bool is_spent; /* when these are taken, libssh2 is told once that there is no more */
    /* The socket has ended: libssh2, which would drop the packets that nobody has asked for yet, is told only when
     * there is nothing else to do than to wait. */
    bool has_ended, end_is_due;
};

/* Blocks of PACKET_BLOCK_SIZE bytes that libssh2 has freed and will want again. */
#define PACKET_BLOCK_SIZE ((size_t)36 * 1024)
#define MOST_PACKET_BLOCKS 128
struct packet_blocks {
    void *kept[MOST_PACKET_BLOCKS];
    size_t count;
};

struct ssh_connection {
    struct ssh_target target;
    LIBSSH2_SESSION *session;
    int fd;
    unsigned generation; /* of the session: channels of an older one are gone */
    bool lost;
    bool refuses; /* the last attempt ended because of a host key or a login: another will not help */
    /* libssh2 had no memory, perhaps in the middle of a packet: the next call, even one that releases its session, may
     * take the rest for another packet and end the process. */
    bool spoilt;
    bool tidying;
    int64_t tidying_until_ns; /* monotonic */
    unsigned silent_ticks;    /* waits since the server was heard last; time alone also passes while we are stopped */
    int64_t keepalive_ns;     /* when to send the next keepalive */
    struct send_queue queue;
    struct receive_buffer input;
    struct packet_blocks blocks;
    char fingerprint[64];
    bool host_key_added;
    const char *authentication;
    char local_address[INET6_ADDRSTRLEN];
};

int64_t ssh_now_ns(void);

/* libssh2's session on the connection's socket, with its ciphers chosen; ssh_session_close also closes the socket and
 * is needed after a failure too. */
int ssh_session_open(struct ssh_connection *connection, struct err *err);
void ssh_session_close(struct ssh_connection *connection);

/* Whether an interrupt asks to end the work on it: not any more when it is being tidied up. */
bool ssh_is_interrupted(const struct ssh_connection *connection);

/* Waits until the socket is ready for what libssh2 needs, at most a short while; sends what is queued and keepalives.
 * -ERR_INTERRUPTED, -ERR_REMOTE (deadline passed, server silent, connection lost). deadline_ns: SSH_NEVER or monotonic.
 */
int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err);

/* Whether so much is queued for sending that no more should be written. */
bool ssh_send_is_congested(const struct ssh_connection *connection);

/* Fills err from libssh2's last error; what was being tried is the format's text. Notes a lost connection. */
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

/* Only RSA keys are at hand, and libssh2 1.10 signs with them in a way that today's servers refuse. */
#define SSH_RSA_HINT                                                                                                   \
    "this program cannot sign with RSA keys the way today's servers want it (rsa-sha2); use a key of type ed25519 or " \
    "ecdsa ('ssh-keygen -t ed25519')"

#endif
