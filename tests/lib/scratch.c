/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/scratch.h"

#include "base/file/fsutil.h"

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

char scratch_directory[96];

int scratch_setup(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(scratch_directory, sizeof scratch_directory, "%s/msprof-test.XXXXXX", parent != NULL ? parent : "/tmp");
    alarm(SCRATCH_LONGEST_WAIT);
    return mkdtemp(scratch_directory) != NULL && chmod(scratch_directory, 0755) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int scratch_teardown(void **state)
{
    (void)state;
    alarm(0);
    return nftw(scratch_directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *in_scratch(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_directory, name);
    return path;
}

void scratch_make_file(const char *name, const char *content)
{
    FILE *stream = fopen(in_scratch(name), "we");
    assert_non_null(stream);
    assert_true(fputs(content, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

void scratch_assert_content(const char *name, const char *content)
{
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 0;
    assert_int_equal(path_read_file(in_scratch(name), 1000000, &data, &length, &err), 0);
    assert_string_equal(data, content);
    assert_int_equal(length, strlen(content));
    free(data);
}

bool scratch_exists(const char *name)
{
    struct stat st;
    return lstat(in_scratch(name), &st) == 0;
}

size_t scratch_count(void)
{
    size_t count = 0;
    DIR *stream = opendir(scratch_directory);
    assert_non_null(stream);
    for (const struct dirent *item; (item = readdir(stream)) != NULL;)
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    closedir(stream);
    return count;
}

void assert_ends_with(const char *text, const char *end)
{
    assert_true(strlen(text) >= strlen(end));
    assert_string_equal(text + strlen(text) - strlen(end), end);
}
