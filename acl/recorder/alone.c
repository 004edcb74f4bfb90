/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/alone.h"

#include "base/file/fsutil.h"
#include "base/number.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TASKS "/proc/self/task"
/* The first thread, which the system lists as long as any other lives, and the recorders of both libraries. */
#define MOST_THREADS 3
#define STAT_BYTES 2048

/* "TID (NAME) STATE ...": a name may have parentheses, too. */
static bool keeps_alive(const char *stat)
{
    const char *name = strchr(stat, '('), *end = strrchr(stat, ')');
    if (name == NULL || end == NULL || end < name || end[1] != ' ')
        return true;
    char state = end[2];
    if (state == 'Z' || state == 'X' || state == 'x')
        return false;
    size_t length = (size_t)(end - name - 1);
    return length != strlen(ALONE_THREAD_NAME) || memcmp(name + 1, ALONE_THREAD_NAME, length) != 0;
}

/* The last number is the thread's status, as wait(2) has it. */
static int exit_status_of(const char *stat)
{
    const char *last = strrchr(stat, ' ');
    long status = last != NULL ? strtol(last, NULL, 10) : 0;
    return (int)(status >> 8 & 0xff);
}

static bool thread_keeps_alive(int tasks, const char *thread, int *exit_status)
{
    char path[NUMBER_MAX + sizeof "/stat"], text[STAT_BYTES];
    size_t length = strnlen(thread, NUMBER_MAX);
    memcpy(path, thread, length);
    memcpy(path + length, "/stat", sizeof "/stat");
    SCOPED_CLOSE int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (got <= 0)
        return false; /* it has just ended */
    text[got] = '\0';
    if (keeps_alive(text))
        return true;
    if (strtol(thread, NULL, 10) == getpid())
        *exit_status = exit_status_of(text);
    return false;
}

/* As getdents64(2) has it. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

bool alone_in_process(int *exit_status)
{
    _Alignas(struct entry) char entries[1024];
    struct stat status;
    *exit_status = 0;
    if (stat(TASKS, &status) != 0 || status.st_nlink < 2 || status.st_nlink - 2 > MOST_THREADS)
        return false;
    SCOPED_CLOSE int tasks = open(TASKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return false;
    long size = syscall(SYS_getdents64, tasks, entries, sizeof entries);
    if (size <= 0)
        return false;
    for (long at = 0; at < size;) {
        const struct entry *entry = (const struct entry *)(const void *)&entries[at];
        if (entry->name[0] != '.' && thread_keeps_alive(tasks, entry->name, exit_status))
            return false;
        at += entry->size;
    }
    return true;
}
