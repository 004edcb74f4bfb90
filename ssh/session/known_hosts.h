/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSH's known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): plain names with wildcards and negation, hashed
 * names, [host]:port, @revoked. @cert-authority lines do not count: certificates are not asked for. */
#ifndef MSPROF_SSH_SESSION_KNOWN_HOSTS_H
#define MSPROF_SSH_SESSION_KNOWN_HOSTS_H

#include "base/err.h"

#include <stddef.h>

#define KNOWN_HOSTS_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of the file */

enum known_host_match {
    KNOWN_HOST_UNKNOWN, /* no key of this host */
    KNOWN_HOST_SAME,
    KNOWN_HOST_CHANGED, /* a key of the same type is known, and it is another one */
    KNOWN_HOST_TYPE,    /* only keys of other types are known */
    KNOWN_HOST_REVOKED,
};

/* Answer of a file about one host and its key. */
struct known_host_answer {
    enum known_host_match match;
    size_t line; /* from 1; of the line that decided, 0: none */
};

/* The name under which a host stands in the file: "host", or "[host]:port" when the port is not 22; lower case.
 * free() it; NULL when memory ran out. */
char *known_hosts_name(const char *host, int port);

/* Looks the key (its wire form) of a host up in the text of a file. Lines that cannot be read are skipped, as OpenSSH
 * does. */
struct known_host_answer known_hosts_check(const char *text, size_t length, const char *name, const char *key_type,
                                           const void *key, size_t key_length);

/* Which of these types of keys ("ssh-ed25519") the text has for a host: bit i is that of types[i]. */
unsigned known_hosts_types(const char *text, size_t length, const char *name, const char *const *types, size_t count);

/* Reads the file; a missing one is empty. *ret_text is to be freed. */
int known_hosts_load(const char *path, char **ret_text, size_t *ret_length, struct err *err);

/* Appends a line for the host; makes the file (0600) and its directory (0700) when they are missing. */
int known_hosts_add(const char *path, const char *name, const char *key_type, const void *key, size_t key_length,
                    struct err *err);

/* "SHA256:" and the base64 text that ssh-keygen -l prints. size >= 52. */
void known_hosts_fingerprint(const void *key, size_t key_length, char *ret, size_t size);

#endif
