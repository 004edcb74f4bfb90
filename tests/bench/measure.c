/* SPDX-License-Identifier: Apache-2.0 */
/* measure FILE COMMAND...: runs a command and appends "wall time in microseconds, peak resident memory in KiB, time on
 * processors (user and system) in microseconds" to FILE. Exits with the command's status. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static long long us_of(struct timeval time)
{
    return time.tv_sec * 1000000LL + time.tv_usec;
}

static int fail(const char *doing)
{
    fprintf(stderr, "measure: %s: %s\n", doing, strerror(errno));
    return 125;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: measure FILE COMMAND...\n", stderr);
        return 125;
    }
    long long start = now_us();
    pid_t child = fork();
    if (child < 0)
        return fail("fork");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(fail(argv[2]));
    }
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return fail("wait");
    long long elapsed = now_us() - start;
    FILE *out = fopen(argv[1], "ae");
    if (out == NULL)
        return fail(argv[1]);
    int written =
        fprintf(out, "%lld %ld %lld\n", elapsed, usage.ru_maxrss, us_of(usage.ru_utime) + us_of(usage.ru_stime));
    if (fclose(out) != 0 || written < 0)
        return fail(argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
