/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that stand elsewhere than in the ini file. */
#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "cli/collect/cmd_collect_config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECRET_LIMIT ((size_t)16 * 1024) /* bytes */
#define TICK_MS 100
#define GRACE_TICKS 20 /* after SIGTERM */

void secret_free(char *secret)
{
    if (secret != NULL)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

static int check_environment(const char *name, const char *what, struct err *err)
{
    if (getenv(name) != NULL)
        return 0;
    err_set(err, ERR_USAGE, "'%s' is env:%s, and there is no such variable in the environment", what, name);
    return err_hint(err, "export %s before msprof is called", name);
}

int secret_check(const char *text, const char *what, struct err *err)
{
    static const char prefix[] = "env:";

    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? check_environment(text + sizeof prefix - 1, what, err) : 0;
}

static int from_environment(const char *name, const char *what, int seconds, char **ret, struct err *err)
{
    const char *value = getenv(name);

    (void)seconds;
    if (value == NULL)
        return check_environment(name, what, err);
    *ret = strdup(value);
    return *ret != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* The first line of a file. */
static int from_file(const char *path, const char *what, int seconds, char **ret, struct err *err)
{
    char *text = NULL;
    size_t length;
    int result = read_whole_file(path, SECRET_LIMIT, &text, &length, err);

    (void)seconds;
    if (result != 0)
        return err_wrap(err, "cannot get '%s' from its file", what);
    explicit_bzero(text + strcspn(text, "\r\n"), length - strcspn(text, "\r\n"));
    *ret = text;
    return 0;
}

static int start_command(const char *command, int output, pid_t *ret, struct err *err)
{
    static char shell[] = "sh", option[] = "-c";
    char *copy = strdup(command);
    posix_spawn_file_actions_t actions;
    int errnum;

    if (copy == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        free(copy);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    char *const words[] = {shell, option, copy, NULL};

    errnum = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (errnum == 0)
        errnum = posix_spawn(ret, "/bin/sh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(copy);
    return errnum == 0 ? 0 : err_set_errno(err, errnum, "cannot start a shell");
}

/* Reads to the end; *ret_length bytes in buffer. False when there is too much, an interrupt came, or all the ticks are
 * over (it may be asking somebody, so only waiting counts). */
static bool read_all(int fd, char *buffer, size_t size, size_t *ret_length, int *ticks)
{
    while (*ticks > 0) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (interrupted() || *ret_length == size)
            return false;
        if (poll(&ready, 1, TICK_MS) <= 0) {
            --*ticks;
            continue;
        }
        n = read(fd, buffer + *ret_length, size - *ret_length);
        if (n == 0)
            return true;
        if (n > 0)
            *ret_length += (size_t)n;
        else if (errno != EINTR)
            return false;
    }
    return false;
}

/* Its exit status; one that closed its output and goes on, or does not end when it is asked to, is killed. */
static int wait_for(pid_t process, int ticks)
{
    int status = -1;
    pid_t ended;

    while ((ended = waitpid(process, &status, WNOHANG)) == 0 && ticks-- > 0 && !interrupted())
        poll(NULL, 0, TICK_MS);
    if (ended == 0) {
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
    }
    return status;
}

/* The first line of what a command prints. */
static int from_command(const char *command, const char *what, int seconds, char **ret, struct err *err)
{
    int ticks = seconds * (1000 / TICK_MS);
    char *buffer = calloc(1, SECRET_LIMIT + 1);
    size_t length = 0;
    int ends[2] = {-1, -1}, result, status;
    pid_t process = -1;
    bool complete;

    if (buffer == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (pipe2(ends, O_CLOEXEC) < 0) {
        result = err_set_errno(err, errno, "cannot make a pipe");
        goto out;
    }
    result = start_command(command, ends[1], &process, err);
    close(ends[1]);
    if (result != 0)
        goto out;
    complete = read_all(ends[0], buffer, SECRET_LIMIT, &length, &ticks);
    if (!complete)
        kill(process, SIGTERM);
    status = wait_for(process, complete ? ticks : GRACE_TICKS);
    if (interrupted()) {
        result = interrupt_error(err);
    } else if (ticks <= 0) {
        err_set(err, ERR_REMOTE, "the command that gives '%s' has not answered for %d s", what, seconds);
        result =
            err_hint(err, "run it by hand to see what it waits for; a larger 'timeout' in the ini file waits longer");
    } else if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        result = err_set(err, ERR_USAGE, "the command that gives '%s' failed", what);
    }
out:
    if (ends[0] >= 0)
        close(ends[0]);
    if (result == 0) {
        explicit_bzero(buffer + strcspn(buffer, "\r\n"), SECRET_LIMIT - strcspn(buffer, "\r\n"));
        *ret = buffer;
    } else {
        explicit_bzero(buffer, SECRET_LIMIT);
        free(buffer);
    }
    return result;
}

int secret_resolve(const char *text, const char *what, int seconds, char **ret, struct err *err)
{
    static const struct {
        const char *prefix;
        int (*resolve)(const char *rest, const char *what, int seconds, char **ret, struct err *err);
    } ways[] = {{"env:", from_environment}, {"file:", from_file}, {"cmd:", from_command}};
    int result;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        size_t length = strlen(ways[i].prefix);

        if (strncmp(text, ways[i].prefix, length) != 0)
            continue;
        result = ways[i].resolve(text + length, what, seconds, ret, err);
        if (result == 0 && (*ret)[0] == '\0') {
            free(*ret);
            *ret = NULL;
            result = err_set(err, ERR_USAGE, "what '%s' names is empty", what);
        }
        return result;
    }
    *ret = strdup(text);
    return *ret != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}
