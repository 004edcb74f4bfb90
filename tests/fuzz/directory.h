/* SPDX-License-Identifier: Apache-2.0 */
/* One directory in memory for the life of a fuzz target's process. */
#ifndef MSPROF_TESTS_FUZZ_DIRECTORY_H
#define MSPROF_TESTS_FUZZ_DIRECTORY_H

#include "tests/fuzz/support.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

static char fuzz_directory[64];

static inline int fuzz_remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    return ftw->level == 0 ? 0 : remove(path);
}

/* Removes everything in the directory. */
static inline void fuzz_directory_clear(void)
{
    EXPECT(nftw(fuzz_directory, fuzz_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

static inline void fuzz_directory_remove(void)
{
    fuzz_directory_clear();
    rmdir(fuzz_directory);
}

/* At first use makes the directory, on a tmpfs where there is one. */
static inline void fuzz_directory_make(void)
{
    if (fuzz_directory[0] != '\0')
        return;
    snprintf(fuzz_directory, sizeof fuzz_directory, "%s/msprof-fuzz.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    EXPECT(mkdtemp(fuzz_directory) != NULL);
    atexit(fuzz_directory_remove);
}

/* False when the name cannot be that of a new file. */
static inline bool fuzz_write_file(const char *name, const void *data, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", fuzz_directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    EXPECT(write(fd, data, size) == (ssize_t)size);
    close(fd);
    return true;
}

#endif
