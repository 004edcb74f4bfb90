/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/child.h"

#include "cli/console.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t child_fork(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it went before that was asked for */
        _exit(STATUS_INTERRUPTED);
    return 0;
}
