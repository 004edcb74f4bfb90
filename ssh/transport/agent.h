/* SPDX-License-Identifier: Apache-2.0 */
/* The authentication agent of the user (the protocol of ssh-agent(1)), with waits that end: the libraries' own waits
 * for it do not. Its answers are checked: the agent is a program of the user, but the socket's path comes from the
 * environment. */
#ifndef MSPROF_SSH_TRANSPORT_AGENT_H
#define MSPROF_SSH_TRANSPORT_AGENT_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

#define AGENT_MESSAGE_LIMIT ((size_t)256 * 1024)

enum agent_message { /* numbers of the protocol's messages */
                     AGENT_FAILURE = 5,
                     AGENT_REQUEST_IDENTITIES = 11,
                     AGENT_IDENTITIES_ANSWER = 12,
                     AGENT_SIGN_REQUEST = 13,
                     AGENT_SIGN_RESPONSE = 14,
};

struct agent {
    int fd;            /* -1: there is none */
    size_t count;      /* of keys to try */
    struct bytes list; /* as listed by an agent: an IDENTITIES_ANSWER */
    size_t at;         /* behind the key that agent_next_key gave */
};

/* Connects to $SSH_AUTH_SOCK and asks for the keys, of which at most so many are to be tried: certificates and keys in
 * hardware are not among them. False when there is no agent or it does not answer. agent_close it when true. */
bool agent_open(struct agent *agent, size_t most);
void agent_close(struct agent *agent);
/* Ends a question that another thread waits for. */
void agent_hang_up(struct agent *agent);

/* The next key to try, which the agent owns; false behind the last. */
bool agent_next_key(struct agent *agent, struct bytes *ret);

/* Has one question to sign something (4 free bytes, then the message) answered; free() ret->data when true. The agent
 * may ask its user: it takes TRANSPORT_AGENT_SECONDS at most, and ends with an interrupt. */
bool agent_ask_to_sign(struct agent *agent, unsigned char *question, size_t length, struct bytes *ret);

#endif
