/* SPDX-License-Identifier: Apache-2.0 */
/* The authentication agent of the user (the protocol of ssh-agent(1)), with waits that end: libssh, whose own waits for
 * it do not, asks a thread here. */
#ifndef MSPROF_SSH_SESSION_AGENT_H
#define MSPROF_SSH_SESSION_AGENT_H

#include "base/bytes.h"

#include <pthread.h>
#include <stdbool.h>

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
