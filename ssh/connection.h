/* One SSH connection: to a server whose host key is known, as a user who is authenticated. Every wait ends when
 * interrupt_signal is set. Nothing here prints; secrets are read where they stand and never copied or told. */
#ifndef MSPROF_SSH_CONNECTION_H
#define MSPROF_SSH_CONNECTION_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define SSH_DEFAULT_PORT 22
#define SSH_DEFAULT_TIMEOUT 10 /* seconds */

/* Whom to connect to. The texts belong to the caller and stay as long as the connection. */
struct ssh_target {
    const char *host; /* a name, an IPv4 or an IPv6 address (in brackets or not) */
    int port;
    const char *user;
    const char *password;    /* for the password and keyboard-interactive methods; NULL: none */
    const char *key;         /* path of a private key; NULL: none */
    const char *passphrase;  /* of the key; NULL: none */
    const char *known_hosts; /* path */
    bool accept_new_host_key;
    int timeout; /* seconds for connecting, and for an answer to each question asked while connecting */
};

struct ssh_connection; /* opaque */

/* Resolves, connects (each address in turn), checks the host key and authenticates: agent, key file, password,
 * keyboard-interactive. All failures are -ERR_REMOTE but local ones (-ERR_NO_MEMORY, -ERR_INTERRUPTED, a key file that
 * cannot be read). The caller ssh_disconnect()s *ret. */
int ssh_connect(struct ssh_connection **ret, const struct ssh_target *target, struct err *err);

/* Ends the connection politely when it is still there. NULL is fine. */
void ssh_disconnect(struct ssh_connection *connection);

/* Whether the connection broke: ssh_reconnect may help. */
bool ssh_is_lost(const struct ssh_connection *connection);
/* The same target again, on the same object; commands of the old connection must have been closed. */
int ssh_reconnect(struct ssh_connection *connection, struct err *err);

/* Whether an interrupt asks to end the work on it: not any more when it is being tidied up. */
bool ssh_is_interrupted(const struct ssh_connection *connection);
/* From now on an interrupt does not end the waits, so that what was begun can be tidied up; the whole tidying may take
 * so many seconds. */
void ssh_set_tidying(struct ssh_connection *connection, int seconds);

/* "SHA256:..." of the server's host key. */
const char *ssh_fingerprint(const struct ssh_connection *connection);
/* Whether the host key was new and has been written to known_hosts. */
bool ssh_host_key_was_added(const struct ssh_connection *connection);
/* How the user was authenticated: "agent", "key", "password", "keyboard-interactive". */
const char *ssh_authentication(const struct ssh_connection *connection);
/* The numeric address of this side of the connection, for servers that the board is to reach. */
const char *ssh_local_address(const struct ssh_connection *connection);

#endif
