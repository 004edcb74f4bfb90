/* SPDX-License-Identifier: Apache-2.0 */
/* One SSH connection: to a server whose host key is known, as a user who is authenticated. Every wait ends when
 * interrupt_signal is set. Nothing here prints; secrets are read where they stand and never copied or disclosed. */
#ifndef MSPROF_SSH_SESSION_CONNECTION_H
#define MSPROF_SSH_SESSION_CONNECTION_H

#include "base/err.h"
#include "base/library.h"
#include "base/progress.h"
#include "ssh/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ssh_connection; /* opaque */

/* Resolves, connects (each address in turn), checks the host key and authenticates: agent, key file, password,
 * keyboard-interactive. All failures are -ERR_REMOTE but local ones (-ERR_NO_MEMORY, -ERR_INTERRUPTED, a key file that
 * cannot be read). The caller ssh_connection_close()s *ret. */
int ssh_connection_open(struct ssh_connection **ret, const struct ssh_target *target, struct err *err);

/* Ends the connection politely when it is still there. NULL is fine. */
void ssh_connection_close(struct ssh_connection *connection);

/* Whether the connection broke: ssh_reconnect may help. */
bool ssh_is_lost(const struct ssh_connection *connection);
/* Connects to the same target again, on the same object; commands of the old connection must have been closed. */
int ssh_reconnect(struct ssh_connection *connection, struct err *err);

/* How long a transfer, or a run, waits for a connection that breaks: each outage for the seconds of the target, and so
 * many times, which begin anew when much has come between two of them. */
struct ssh_patience {
    struct ssh_connection *connection;
    const struct progress *progress;
    size_t reconnections, vain; /* altogether; those since much came */
    uint64_t bytes;             /* that had come at the last one of these */
};
void ssh_patience_init(struct ssh_patience *patience, struct ssh_connection *connection,
                       const struct progress *progress);
/* Makes the connection anew, again and again until the outage has lasted too long. bytes: what the transfer has brought
 * so far. */
int ssh_reconnect_patiently(struct ssh_patience *patience, uint64_t bytes, struct err *err);

/* From now on an interrupt does not end the waits, so that what was begun can be tidied up; the whole tidying may take
 * so many seconds. */
void ssh_set_tidying(struct ssh_connection *connection, int seconds);

const struct ssh_facts *ssh_facts(const struct ssh_connection *connection);

/* Version of the library below. */
struct library_version ssh_library(void);

#endif
