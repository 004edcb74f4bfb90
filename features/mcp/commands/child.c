/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/child.h"

#include "base/file/fsutil.h"
#include "cli/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 128

/* A file without a name that holds the input, at its begin; -1 with err set. */
static int open_input(const char *input, struct err *err)
{
    const int fd = input != NULL ? memfd_create("input", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    int failure = fd < 0 ? errno : 0;
    if (failure == 0 && input != NULL)
        failure = file_write_at(fd, input, strlen(input), 0);
    if (failure == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    err_set_errno(err, failure, "cannot hand a command its input");
    return -1;
}

/* In the child: becomes the command. */
static void become(const char *const *words, int input, int output, int said)
{
    const char *arguments[WORDS_MAX + 2] = {"msprof"};
    for (size_t i = 0; i < WORDS_MAX && words[i] != NULL; i++)
        arguments[i + 1] = words[i];
    setpgid(0, 0); /* who interrupts a terminal's processes means the server */
    console_give_back_signals();
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
    _exit(STATUS_CANNOT_RUN);
}

int child_start(struct child *child, const char *const *words, const char *input, struct err *err)
{
    int output[2] = {-1, -1}, said[2] = {-1, -1};
    SCOPED_CLOSE int in = open_input(input, err);
    if (in < 0)
        return err_status(err);
    pid_t pid = -1;
    if (pipe2(output, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC) == 0 && fflush(stdout) == 0)
        pid = console_fork();
    if (pid == 0)
        become(words, in, output[1], said[1]);
    if (pid < 0)
        err_set_errno(err, errno, "cannot start a command");
    const int mine[] = {output[1], said[1], pid < 0 ? output[0] : -1, pid < 0 ? said[0] : -1};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        if (mine[i] >= 0)
            close(mine[i]);
    *child = pid < 0 ? (struct child){.output = -1, .said = -1} : (struct child){pid, output[0], said[0]};
    return pid < 0 ? err_status(err) : 0;
}

void child_stop(const struct child *child, bool at_once)
{
    /* the group may not be made yet */
    if (kill(-child->pid, at_once ? SIGKILL : SIGTERM) != 0)
        kill(child->pid, at_once ? SIGKILL : SIGTERM);
}

int child_finish(struct child *child)
{
    int state = 0;
    pid_t ended;
    do {
        ended = waitpid(child->pid, &state, 0);
    } while (ended < 0 && errno == EINTR);
    child->pid = 0;
    if (ended < 0)
        return STATUS_FAILURE;
    return WIFSIGNALED(state) ? STATUS_SIGNAL_BASE + WTERMSIG(state) : WEXITSTATUS(state);
}
