/* SPDX-License-Identifier: Apache-2.0 */
/* Whom to connect to, and how to log in there. */
#ifndef MSPROF_SSH_TARGET_H
#define MSPROF_SSH_TARGET_H

#include <stdbool.h>

#define SSH_DEFAULT_PORT 22
#define SSH_DEFAULT_TIMEOUT 10 /* seconds */

/* Whom to connect to. The texts belong to the caller and stay as long as the connection. */
struct ssh_target {
    const char *host; /* a name, an IPv4 or an IPv6 address (in brackets or not) */
    int port;
    const char *user;
    char *password;    /* for the password and keyboard-interactive methods; NULL: none */
    char *key;         /* path of a private key; NULL: none */
    char *passphrase;  /* of the key; NULL: none */
    char *known_hosts; /* path */
    bool accept_new_host_key;
    int reconnect_seconds; /* that a transfer waits for a board that cannot be reached any more */
    int timeout;           /* seconds for connecting, and for an answer to each question asked while connecting */
};

#endif
