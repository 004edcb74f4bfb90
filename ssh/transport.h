/* SPDX-License-Identifier: Apache-2.0 */
/* An SSH connection as the rest of msprof sees it. Two libraries can stand behind it, of which a build has one:
 * transport/libssh2.c (the default) or transport/libssh.c ('make SSH=libssh'). No other file names a library.
 *
 * A call that cannot finish at once returns TRANSPORT_AGAIN: wait, then call it again with the same arguments.
 * Deadlines, interrupts and the times of keepalives are the caller's. For example, without them:
 *
 *     struct transport *transport = transport_open(fd, "root", "ssh-ed25519,rsa-sha2-512");
 *     enum transport_code code;
 *     while ((code = transport_shake_hands(transport)) == TRANSPORT_AGAIN)
 *         transport_wait(transport, 200);
 *     if (code != TRANSPORT_DONE)
 *         fail(transport_error(transport));
 *     transport_close(transport, code == TRANSPORT_DONE);
 *
 * Then follow, in this order: transport_host_key, which the caller compares; one of transport_login_*; channels.
 * Invariants: no call but transport_wait and a login by an agent blocks. The transport owns its
 * socket and its channels; texts that are given stay the caller's, and are not kept, but for `user`. */
#ifndef MSPROF_SSH_TRANSPORT_H
#define MSPROF_SSH_TRANSPORT_H

#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_SIGNAL_SIZE 16
#define TRANSPORT_AGENT_SECONDS 120

struct transport;         /* opaque: a session on a connected socket */
struct transport_channel; /* opaque: one command on it */

enum transport_code {
    TRANSPORT_DONE,
    TRANSPORT_AGAIN,   /* not yet */
    TRANSPORT_REFUSED, /* the server says no; the connection is as it was */
    TRANSPORT_BAD_KEY, /* of a login by key: its text is in no known format, or the passphrase is wrong */
    TRANSPORT_FAILED,  /* transport_error gives the reason */
};

/* Ways to log in, as bits. */
enum transport_method {
    TRANSPORT_PUBLICKEY = 1,
    TRANSPORT_PASSWORD = 2,
    TRANSPORT_KEYBOARD = 4,
};

/* The library of this build. */
struct library_version transport_library(void);

/* Takes a connected, non-blocking socket, which it closes also when it fails. user stays as long as the transport.
 * host_key_types: those to ask for, in the order of preference, separated by commas; what the library does not have is
 * left out. NULL: no memory. */
struct transport *transport_open(int fd, const char *user, const char *host_key_types);
/* is_polite: the server is informed; false for a connection that is over, or hangs. NULL is fine. */
void transport_close(struct transport *transport, bool is_polite);

/* Sends what is queued and takes what comes, for at most so many milliseconds. FAILED: the connection is over. */
enum transport_code transport_wait(struct transport *transport, int milliseconds);
/* Asks the server for a sign of life. */
void transport_send_keepalive(struct transport *transport);

/* Bytes that have come so far. */
uint64_t transport_received(const struct transport *transport);
/* Whether the other side closed it, or what came is no SSH. */
bool transport_is_over(const struct transport *transport);
/* Whether memory ran out inside the library, after which the connection is of no use. */
bool transport_lacks_memory(const struct transport *transport);
/* Why the last call failed; "" when nobody said why. Stays until the next call. */
const char *transport_error(const struct transport *transport);
/* What helps when the library of this build, or the age of the server, is why the handshake failed or the logins were
 * refused; NULL: neither is. */
const char *transport_advice(const struct transport *transport);

/* Agrees on keys with the server. */
enum transport_code transport_shake_hands(struct transport *transport);
/* The server's key in its wire form, which the transport owns; NULL: it has shown none. */
const void *transport_host_key(struct transport *transport, size_t *ret_length);

/* Asks to be let in without anything, and which methods there are (bits). */
enum transport_code transport_login_with_nothing(struct transport *transport, unsigned *ret_methods);
/* Tries at most so many keys of the agent that $SSH_AUTH_SOCK names. It may ask its user: each of them takes
 * TRANSPORT_AGENT_SECONDS at most, and ends with an interrupt. *ret_keys: how many there are to try, -1 without an
 * agent.
 */
enum transport_code transport_login_with_agent(struct transport *transport, size_t most, int *ret_keys);
/* key: the text of a private key's file. passphrase: "" for none. */
enum transport_code transport_login_with_key(struct transport *transport, const char *key, size_t length,
                                             const char *passphrase);
enum transport_code transport_login_with_password(struct transport *transport, const char *password);
/* Answers questions that are not echoed with the password, and others with nothing. */
enum transport_code transport_login_by_keyboard(struct transport *transport, const char *password);

/* Takes what a channel brings, of its standard output and its standard error; called by transport_wait and by what is
 * done on any channel of the transport. It calls nothing of this header. */
struct transport_sink {
    void (*take)(void *arg, bool is_errors, const char *bytes, size_t length);
    void *arg;
};

/* How a command ended, as far as the server says it. */
struct transport_exit {
    int status;
    char signal[TRANSPORT_SIGNAL_SIZE]; /* "SEGV", as the server says it; "" when it was none */
    bool is_known;                      /* false: the server said neither */
};

/* Opens a channel for one command. *ret is NULL before the first call. sink is copied. REFUSED: the server does not
 * open another one now. */
enum transport_code transport_channel_open(struct transport_channel **ret, struct transport *transport,
                                           const struct transport_sink *sink);
/* Starts a command line in the user's login shell. */
enum transport_code transport_channel_execute(struct transport_channel *channel, const char *line);
/* Gives the sink what has come; DONE: something, AGAIN: nothing that has not been given before. */
enum transport_code transport_channel_read(struct transport_channel *channel);
/* Sends what fits now of length (> 0) bytes. REFUSED: the command takes no more input. */
enum transport_code transport_channel_write(struct transport_channel *channel, const char *bytes, size_t length,
                                            size_t *ret_length);
/* Ends the input; output may still come. */
enum transport_code transport_channel_end_input(struct transport_channel *channel);
/* Whether all output has come, and the sink has it. */
bool transport_channel_is_at_end(const struct transport_channel *channel);
/* Closes it; DONE: the other side has closed it, too, and has said how the command ended. */
enum transport_code transport_channel_finish(struct transport_channel *channel);
struct transport_exit transport_channel_exit(struct transport_channel *channel);
/* Forgets it, whatever its state; not after transport_close, which frees all that are left. NULL is fine. */
void transport_channel_close(struct transport_channel *channel);

#endif
