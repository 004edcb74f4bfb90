/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jobs.h"

#include "base/progress.h"
#include "cli/console.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_one(int *running, int *worst)
{
    int state = 0;
    pid_t child = waitpid(-1, &state, 0);
    if (child < 0 && errno == EINTR)
        return;
    if (child < 0) {
        *running = 0;
        return;
    }
    --*running;
    if (WIFSIGNALED(state))
        console_warning("one of several processes was ended by signal %d", WTERMSIG(state));
    *worst = status_worse(*worst, WIFEXITED(state) ? WEXITSTATUS(state) : STATUS_FAILURE);
}

int jobs_run(size_t count, int most, int (*work)(void *arg, size_t i), void *arg)
{
    int running = 0, worst = STATUS_DONE;
    for (size_t i = 0; i < count && !interrupted(); i++) {
        while (running >= most && most > 1)
            wait_for_one(&running, &worst);
        pid_t child = most > 1 && count > 1 ? console_fork() : -1;
        if (child == 0) {
            console_progress_off(); /* several would draw over each other */
            _exit(work(arg, i));
        }
        if (child > 0)
            running++;
        else
            worst = status_worse(worst, work(arg, i));
    }
    while (running > 0)
        wait_for_one(&running, &worst);
    return interrupted() ? STATUS_INTERRUPTED : worst;
}

int jobs_default(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && processors < 1024 ? (int)processors : 1;
}
