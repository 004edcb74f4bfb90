/* SPDX-License-Identifier: Apache-2.0 */
/* A program that ends in an unusual way: acl_ends DIRECTORY HOW. Before that a thread of it makes 100 calls and sets
 * 100 marks, into a collection of its own in DIRECTORY; with "-" as DIRECTORY there are no marks, and nobody collects
 * but who started it. */
#include "msprof/acl_prof.h"
#include "tests/acl/fake_acl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES 100

static const char *how;

static void start(const char *directory)
{
    uint32_t device = 0;
    const aclprofConfig *config = NULL;
    if (aclprofInit(directory, strlen(directory)) == 0)
        config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API | ACL_PROF_MSPROFTX);
    if (config == NULL || aclprofStart(config) != 0)
        exit(70);
}

static void *work(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        aclrtSetDevice(i);
        MSPROF_MARK("mark");
    }
    if (strcmp(how, "raw_worker") == 0)
        syscall(SYS_exit, 0);
    return arg;
}

static void say_goodbye(void)
{
    puts("goodbye");
}

static void become_another_program(void)
{
    static char name[] = "true", *const arguments[] = {name, NULL};
    char *const *environment = environ;
    if (strcmp(how, "execl") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "execlp") == 0)
        execlp("true", "true", (char *)NULL);
    if (strcmp(how, "execle") == 0)
        execle("/bin/true", "true", (char *)NULL, environment);
    if (strcmp(how, "execv") == 0)
        execv("/bin/true", arguments);
    if (strcmp(how, "execvp") == 0)
        execvp("true", arguments);
    if (strcmp(how, "execvpe") == 0)
        execvpe("true", arguments, environment);
    if (strcmp(how, "execve") == 0)
        execve("/bin/true", arguments, environment);
    if (strcmp(how, "fexecve") == 0)
        fexecve(open("/bin/true", O_RDONLY | O_CLOEXEC), arguments, environment);
    if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, "/bin/true", arguments, environment, 0);
}

int main(int argc, char **argv)
{
    pthread_t worker;
    if (argc < 3)
        return 2;
    how = argv[2];
    start(argv[1]);
    if (strcmp(how, "pthread_exit") == 0 && atexit(say_goodbye) != 0)
        return 70;
    if (pthread_create(&worker, NULL, work, NULL) != 0)
        return 70;
    if (strcmp(how, "pthread_exit") == 0 || strcmp(how, "raw_worker") == 0)
        pthread_exit(NULL);
    pthread_join(worker, NULL);
    if (strcmp(how, "raw") == 0)
        syscall(SYS_exit, 5);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    become_another_program();
    return 71;
}
