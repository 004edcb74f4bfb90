/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replay_pipe.h"

#include "base/interrupt.h"
#include "cli/clock.h"
#include "cli/console.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS 1000000 /* after a write that found no room although poll had seen some */
#define SIGNAL_POLL 256  /* records between two looks at signals while nothing has to be waited for */
#define NS_PER_S 1000000000

int replay_pipe_check(int number, struct err *err)
{
    int flags = fcntl(number, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        err_set(err, ERR_USAGE, "descriptor %d is %s", number, flags < 0 ? "not open" : "open for reading only");
        return err_hint(err, "open it when msprof is started: msprof replay ... --fd %d %d>PIPE", number, number);
    }
    if (number == STDERR_FILENO)
        return err_set(err, ERR_USAGE, "descriptor %d is for messages", number);
    if (isatty(number))
        return err_set(err, ERR_USAGE, "descriptor %d is a terminal, and records are binary", number);
    return 0;
}

/* Others may have the same description of the pipe open, so it must not be made non-blocking; but what never blocks can
 * always be interrupted. A pipe can be opened once more; -1 when not. */
static int open_again(int number)
{
    char path[32];
    struct stat st;
    if (fstat(number, &st) < 0 || !S_ISFIFO(st.st_mode))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

int replay_pipe_open(struct replay_pipe *pipe, int number, struct err *err)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t stop;
    int fd = open_again(number);
    if (fd < 0)
        fd = fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return err_set_errno(err, errno, "descriptor %d cannot be used", number);
    *pipe = (struct replay_pipe){.fd = fd, .number = number};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    sigprocmask(SIG_BLOCK, &stop, &pipe->waiting);
    return 0;
}

void replay_pipe_close(struct replay_pipe *pipe)
{
    if (pipe->fd < 0)
        return;
    close(pipe->fd);
    pipe->fd = -1;
    sigprocmask(SIG_SETMASK, &pipe->waiting, NULL);
}

static int reader_gone(const struct replay_pipe *pipe, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "the reader of descriptor %d went away after %" PRIu64 " operator%s",
                   pipe->number, pipe->sent, console_plural(pipe->sent));
}

/* Waits for events of the pipe for at most limit_ns (-1: for ever); signals arrive here. */
static int wait_for(struct replay_pipe *pipe, short events, int64_t limit_ns, struct err *err)
{
    struct pollfd ready = {.fd = pipe->fd, .events = events};
    struct timespec limit = {.tv_sec = (time_t)(limit_ns / NS_PER_S), .tv_nsec = (long)(limit_ns % NS_PER_S)};
    int count = ppoll(&ready, 1, limit_ns < 0 ? NULL : &limit, &pipe->waiting);
    if (interrupted())
        return interrupt_error(err);
    if (count < 0 && errno != EINTR)
        return err_set_errno(err, errno, "descriptor %d cannot be waited for", pipe->number);
    if (count > 0 && (ready.revents & (POLLERR | POLLHUP)) != 0)
        return reader_gone(pipe, err);
    return 0;
}

int replay_pipe_wait(struct replay_pipe *pipe, int64_t until_ns, struct err *err)
{
    int status = 0;
    int64_t left;
    while (status == 0 && (left = until_ns - clock_now_ns()) > 0)
        status = wait_for(pipe, 0, left, err);
    return status;
}

int replay_pipe_send(struct replay_pipe *pipe, const unsigned char *record, size_t size, struct err *err)
{
    int status = pipe->sent % SIGNAL_POLL == 0 ? wait_for(pipe, 0, 0, err) : 0;
    size_t done = 0;
    bool again = false;
    while (status == 0 && done < size) {
        ssize_t n = write(pipe->fd, record + done, size - done);
        if (n >= 0) { /* all of it at once, when it is a pipe */
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            status = wait_for(pipe, POLLOUT, -1, err);
            if (status == 0 && again)
                status = wait_for(pipe, 0, RETRY_NS, err);
            again = true;
        } else if (errno == EPIPE || errno == ECONNRESET) {
            status = reader_gone(pipe, err);
        } else if (errno != EINTR) {
            status = err_set_errno(err, errno, "cannot write to descriptor %d", pipe->number);
        }
    }
    pipe->sent += status == 0;
    return status;
}
