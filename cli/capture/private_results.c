/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/private_results.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child, which makes the directory, too, so that there is none without it: signals of the terminal are the
 * parent's, whose end is what counts, also that by SIGKILL or SIGPIPE. template is of mkdtemp(). */
static void watch(char *template, int alive, int answer)
{
    char byte;
    int error = mkdtemp(template) == NULL ? errno : 0;

    setsid();
    bool told = write(answer, &error, sizeof error) == sizeof error && write(answer, template, strlen(template)) > 0;
    close(answer);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        close(fd);
    while (told && read(alive, &byte, 1) < 0 && errno == EINTR)
        ;
    if (error == 0)
        path_remove_tree(template);
    _exit(0);
}

/* Reads the name of the directory, which is as long as its template, into that. */
static int read_answer(int answer, char *template, const char *parent, struct err *err)
{
    const size_t length = strlen(template);
    int error = 0;

    if (read(answer, &error, sizeof error) != sizeof error ||
        (error == 0 && read(answer, template, length) != (ssize_t)length))
        return err_set(err, ERR_FAILED, "cannot watch a directory in '%s'", parent);
    return error != 0 ? err_set_errno(err, error, "cannot make a directory in '%s'", parent) : 0;
}

int private_results_make(struct private_results *results, struct err *err)
{
    const char *parent = temporary_parent();
    int alive[2], answer[2];

    SCOPED_FREE char *directory = path_join(parent, "msprof-results.XXXXXX");
    if (directory == NULL)
        return err_no_memory(err);
    if (pipe2(alive, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    if (pipe2(answer, O_CLOEXEC) != 0) {
        err_set_errno(err, errno, "cannot make a pipe");
        close(alive[0]);
        close(alive[1]);
        return err_status(err);
    }
    pid_t watcher = fork();
    if (watcher == 0) {
        close(alive[1]);
        close(answer[0]);
        watch(directory, alive[0], answer[1]);
    }
    close(alive[0]);
    close(answer[1]);
    int status = watcher < 0 ? err_set_errno(err, errno, "cannot start a process")
                             : read_answer(answer[0], directory, parent, err);
    close(answer[0]);
    if (status < 0) {
        close(alive[1]);
        if (watcher > 0)
            waitpid(watcher, NULL, 0);
        return status;
    }
    *results = (struct private_results){.path = directory, .alive = alive[1], .watcher = watcher};
    directory = NULL;
    return 0;
}

void private_results_remove(struct private_results *results)
{
    if (results->path == NULL)
        return;
    /* A pager that was started since holds the pipe, too, and ends later: the watcher must not wait for its end. */
    const bool told = write(results->alive, "", 1) == 1;
    close(results->alive);
    while (told && waitpid(results->watcher, NULL, 0) < 0 && errno == EINTR)
        ;
    free(results->path);
    *results = (struct private_results){.path = NULL};
}
