/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end the process: what is in memory is written before they do what they would have done. */
#ifndef MSPROF_ACL_RECORDER_CRASH_H
#define MSPROF_ACL_RECORDER_CRASH_H

#include <signal.h>
#include <stdbool.h>

/* Whether the default action of a signal ends the process and a handler can come first. */
bool crash_is_fatal(int signal);

typedef int sigaction_function(int signal, const struct sigaction *action, struct sigaction *before);

/* Catches each fatal signal whose action is the default one; others are the program's. change is the system's
 * sigaction, under whatever name it can be called. flush is called in the handler; it must be safe there. */
void crash_handlers_install(sigaction_function *change, bool (*flush)(void));

/* Gives those back whose action is still ours. */
void crash_handlers_remove(void);

/* Our handler as an action, to be set for a signal that would otherwise have the default one. */
void crash_action(struct sigaction *ret);

#endif
