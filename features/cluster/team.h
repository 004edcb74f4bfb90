/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that merge a cluster together: one, or those of an MPI job. Bytes are sent; who merges them is
 * said by the caller. */
#ifndef MSPROF_FEATURES_CLUSTER_TEAM_H
#define MSPROF_FEATURES_CLUSTER_TEAM_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct team {
    int size, me; /* me 0 writes the results */
    void *arg;
    bool scattered; /* some processes may wait for others that are gone */
    bool elsewhere; /* the error is that of another process, which reports it */
    /* To another process, and from one into an empty buffer. Messages of equal pairs arrive in order. */
    int (*send)(struct team *team, int to, const struct strbuf *bytes, struct err *err);
    int (*receive)(struct team *team, int from, struct strbuf *ret, struct err *err);
};

/* The team of one process. */
void team_alone(struct team *team);

/* Some of the processes, ascending. */
struct team_part {
    const int *members;
    int count, me; /* me: the place of this process among them */
};

/* Brings what every process of a part (NULL: all) has to its first one: each takes what lies below it in a binary tree
 * (take adds bytes to the caller's own) and gives its own on (give appends all of it to an empty buffer). */
int team_reduce(struct team *team, const struct team_part *part,
                int (*give)(void *arg, struct strbuf *bytes, struct err *err),
                int (*take)(void *arg, const void *bytes, size_t length, struct err *err), void *arg, struct err *err);

/* Adds up arrays of which every process has one, into that of process 0: fold adds an item of another's to the own. */
int team_fold(struct team *team, void *items, size_t count, size_t size, void (*fold)(void *to, const void *from),
              struct err *err);

/* A message that is taken item by item. */
struct team_message {
    const char *p, *end;
};
static inline size_t team_message_rest(const struct team_message *message)
{
    return (size_t)(message->end - message->p);
}
/* Copies the next item out: messages have no alignment. False: there are not so many bytes. */
bool team_message_next(struct team_message *message, void *item, size_t size);
/* The next bytes, up to a NUL; NULL: there is none. */
const char *team_message_text(struct team_message *message);
/* Makes an error of a message that is not what was sent. */
int team_message_wrong(struct err *err);

/* Whether all processes are well: a status that is not 0 becomes that of all, and those that had none get an error that
 * says so, of the same code. */
int team_agree(struct team *team, int status, struct err *err);

/* Gives the bytes of the first process of a part (NULL: all) to its others, whose buffer is replaced. */
int team_broadcast(struct team *team, const struct team_part *part, struct strbuf *bytes, struct err *err);

#endif
