/* SPDX-License-Identifier: Apache-2.0 */
/* Which process this is: children have their parent's memory, some of them in common with it. */
#ifndef MSPROF_ACL_RECORDER_FORKS_H
#define MSPROF_ACL_RECORDER_FORKS_H

#include <stdbool.h>

#define FORKS_MOST 8

/* From now on children with memory of their own are noticed: settle is called in each, once, for as many as FORKS_MOST
 * different functions. In signal handlers not safe. */
void forks_watch(void (*settle)(void));

/* In a child that was made behind fork()'s back: settles. Safe in signal handlers. */
void forks_notice(void);

/* Whether this is a child that shares its parent's memory, but not its descriptors and threads: one of vfork(). False
 * before forks_watch. Safe in signal handlers. */
bool forks_shares_memory(void);

#endif
