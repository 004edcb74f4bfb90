/* SPDX-License-Identifier: Apache-2.0 */
/* The authentication agent of the user (the protocol of ssh-agent(1)), with waits that end. */
#ifndef MSPROF_SSH_SESSION_AGENT_H
#define MSPROF_SSH_SESSION_AGENT_H

#include <stdbool.h>
#include <stddef.h>

#define AGENT_MAX_KEYS 256
#define AGENT_SIGN_SECONDS 120

struct agent_key {
    unsigned char *blob; /* the public key's wire form */
    size_t length;
};

struct agent {
    int fd;
    struct agent_key keys[AGENT_MAX_KEYS];
    size_t count;
};

/* Connects to $SSH_AUTH_SOCK and asks for the keys; false when there is no agent or it does not answer. agent_close it
 * when true. */
bool agent_open(struct agent *agent);
void agent_close(struct agent *agent);

/* Signs data; *ret (malloc) is the signature without the name of its type. The agent may ask its user: waits up to
 * AGENT_SIGN_SECONDS, or until an interrupt. */
bool agent_sign(struct agent *agent, const struct agent_key *key, const unsigned char *data, size_t length,
                unsigned char **ret, size_t *ret_length);

#endif
