/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's temporary files have no name at any time: what is killed leaves none. */
#include "tests/lib/scratch.h"

#include "db/database.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* How many open files of this process are in the directory; none may ever have had a name of SQLite's. */
static size_t count_nameless(const char *directory)
{
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[300], target[512];
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strstr(target, "etilqs") != NULL)
            fail_msg("SQLite made a file with a name: %s", target);
        count += strncmp(target, directory, strlen(directory)) == 0;
    }
    closedir(entries);
    return count;
}

static void spill(const char *directory, size_t *ret_files)
{
    sqlite3 *db;
    struct err err = ERR_INIT;
    assert_int_equal(database_setup(&err), 0);
    assert_int_equal(sqlite3_open_v2("", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL), SQLITE_OK);
    assert_int_equal(database_exec(db,
                                   "PRAGMA temp_store = FILE; PRAGMA cache_size = 10; CREATE TABLE t(a);"
                                   "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
                                   " i < 2000) SELECT randomblob(2000) FROM n;",
                                   &err),
                     0);
    *ret_files = count_nameless(directory);
    sqlite3_stmt *count;
    assert_int_equal(
        database_prepare(db, "SELECT count(*), sum(length(a)) FROM (SELECT a FROM t ORDER BY a)", &count, &err), 0);
    assert_int_equal(sqlite3_step(count), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(count, 0), 2000);
    assert_int_equal(sqlite3_column_int(count, 1), 4000000);
    sqlite3_finalize(count);
    database_close(db);
}

static void what_does_not_fit_into_memory_goes_into_files_without_names(void **state)
{
    (void)state;
    size_t files;
    assert_int_equal(setenv("TMPDIR", scratch_directory, 1), 0);
    spill(scratch_directory, &files);
    assert_true(files > 0);
    assert_int_equal(scratch_count(), 0);
    unsetenv("TMPDIR");
}

static void a_directory_that_is_not_there_is_passed_over(void **state)
{
    (void)state;
    size_t files;
    assert_int_equal(setenv("TMPDIR", "/does/not/exist", 1), 0);
    spill("/does/not/exist", &files);
    assert_int_equal(files, 0);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_does_not_fit_into_memory_goes_into_files_without_names, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_is_not_there_is_passed_over, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("temporary files", tests, NULL, NULL);
}
