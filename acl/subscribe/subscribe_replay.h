/* SPDX-License-Identifier: Apache-2.0 */
/* A subscription without hardware: "msprof replay" as a child process that sends the operators of a capture into the
 * pipe. Described in aclprofModelSubscribe(3), ENVIRONMENT. */
#ifndef MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_REPLAY_H
#define MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_REPLAY_H

#include "msprof/acl_prof.h"

#include <stdbool.h>
#include <sys/types.h>

/* All zero but process -1: none runs. */
struct subscribe_replay {
    int process; /* pidfd */
    pid_t owner; /* the process that started it: a forked child must not end it */
};

#define SUBSCRIBE_REPLAY_NONE ((struct subscribe_replay){.process = -1})

/* Whether MSPROF_REPLAY names a capture. */
bool subscribe_replay_wanted(void);

/* Starts the replay of a model's operators into fd, and waits until their names are known. 0, or a code with its
 * message set and nothing left running: ACL_ERROR_INVALID_MODEL_ID when the capture has no operators of the model,
 * ACL_ERROR_PROFILING_FAILURE otherwise. */
aclError subscribe_replay_start(struct subscribe_replay *replay, uint32_t model_id, int fd);

/* Waits at most timeout_ms (-1: as long as it takes) until it has sent everything. False: it has not. */
bool subscribe_replay_wait(const struct subscribe_replay *replay, int timeout_ms);

/* Ends it, whether it is still at work or not; afterwards it does not hold the pipe any more. */
void subscribe_replay_stop(struct subscribe_replay *replay);

#endif
