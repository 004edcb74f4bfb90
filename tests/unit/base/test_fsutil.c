/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/file/temporary.h"
#include "tests/lib/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* ---- paths and directories ---- */

static void paths_are_joined_by_one_slash(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"},
        {"", "b", "b"},    {"a", "", "a/"},    {"a/b", "c d", "a/b/c d"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = path_join(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        free(path);
    }
}

static void an_absolute_path_has_no_detours(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    scratch_make_file("file", "");
    assert_int_equal(symlink("file", in_scratch("link")), 0);
    char *path = path_absolute(in_scratch("./link"), &err);
    assert_non_null(path);
    assert_string_equal(path, in_scratch("file"));
    free(path);
    assert_null(path_absolute(in_scratch("absent"), &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void directories_are_made_with_their_parents(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct stat st;
    mode_t mask = umask(0);
    assert_int_equal(path_make_directories(in_scratch("a//b/c/"), &err), 0);
    umask(mask);
    assert_int_equal(stat(in_scratch("a/b/c"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(stat(in_scratch("a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(path_make_directories(in_scratch("a/b/c"), &err), 0);
    assert_int_equal(path_make_directories("/", &err), 0);
}

static void a_directory_behind_a_link_is_a_directory(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(path_make_directories(in_scratch("a"), &err), 0);
    assert_int_equal(symlink("a", in_scratch("link")), 0);
    assert_int_equal(path_make_directories(in_scratch("link/b"), &err), 0);
    assert_true(scratch_exists("a/b"));
}

static void a_file_in_the_way_of_a_directory_is_told(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    scratch_make_file("a", "");
    assert_int_equal(path_make_directories(in_scratch("a"), &err), -ERR_FAILED);
    assert_ends_with(err_message(&err), "/a': a file of this name exists");
    assert_int_equal(path_make_directories(in_scratch("a/b"), &err), -ERR_FAILED);
    assert_ends_with(err_message(&err), "/a': a file of this name exists");
    assert_int_equal(path_make_directories("", &err), -ERR_NOT_FOUND);
}

/* ---- reading ---- */

static void a_file_is_read_whole(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 0;
    FILE *stream = fopen(in_scratch("file"), "we");
    assert_non_null(stream);
    assert_int_equal(fwrite("a\0b\n", 1, 4, stream), 4);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(path_read_file(in_scratch("file"), 4, &data, &length, &err), 0);
    assert_int_equal(length, 4);
    assert_memory_equal(data, "a\0b\n", 5);
    free(data);
}

static void an_empty_file_is_an_empty_text(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 77;
    scratch_make_file("file", "");
    assert_int_equal(path_read_file(in_scratch("file"), 0, &data, &length, &err), 0);
    assert_int_equal(length, 0);
    assert_string_equal(data, "");
    free(data);
}

static void a_file_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 77;
    scratch_make_file("file", "12345");
    assert_int_equal(path_read_file(in_scratch("file"), 4, &data, &length, &err), -ERR_LIMIT);
    assert_ends_with(err_message(&err), "/file' is too large: expected at most 4 bytes");
    assert_int_equal(truncate(in_scratch("file"), (off_t)1 << 40), 0);
    assert_int_equal(path_read_file(in_scratch("file"), 1000, &data, &length, &err), -ERR_LIMIT);
    assert_null(data);
    assert_int_equal(length, 77);
}

static void a_file_that_hides_its_size_is_read_within_the_limit(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 0;
    assert_int_equal(path_read_file("/proc/self/status", 100000, &data, &length, &err), 0);
    assert_true(length > 100);
    assert_int_equal(length, strlen(data));
    assert_memory_equal(data, "Name:", 5);
    free(data);
    data = NULL;
    assert_int_equal(path_read_file("/proc/self/status", 100, &data, &length, &err), -ERR_LIMIT);
    assert_null(data);
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 0;
    assert_int_equal(mkfifo(in_scratch("pipe"), 0600), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", scratch_directory);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    close(listener);
    const char *const paths[] = {in_scratch("pipe"), in_scratch("socket"), scratch_directory, "/dev/zero"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_int_equal(path_read_file(paths[i], 1000, &data, &length, &err), -ERR_FORMAT);
        assert_ends_with(err_message(&err), "' is not a regular file");
    }
    assert_int_equal(path_read_file(in_scratch("absent"), 1000, &data, &length, &err), -ERR_NOT_FOUND);
    assert_ends_with(err_message(&err), "/absent': No such file or directory");
    assert_null(data);
}

static int compare_with(const char *other)
{
    SCOPED_CLOSE int a = open(in_scratch("a"), O_RDONLY);
    SCOPED_CLOSE int b = open(in_scratch(other), O_RDONLY);
    assert_true(a >= 0 && b >= 0);
    return file_same_bytes(a, b);
}

static void files_have_the_same_bytes_or_not(void **state)
{
    (void)state;
    scratch_make_file("a", "abc");
    scratch_make_file("same", "abc");
    scratch_make_file("other", "abd");
    scratch_make_file("longer", "abcd");
    assert_int_equal(mkdir(in_scratch("directory"), 0700), 0);
    assert_int_equal(compare_with("same"), 1);
    assert_int_equal(compare_with("other"), 0);
    assert_int_equal(compare_with("longer"), 0);
    assert_int_equal(truncate(in_scratch("a"), 0), 0);
    assert_int_equal(truncate(in_scratch("same"), 0), 0);
    assert_int_equal(compare_with("same"), 1);
    struct stat info;
    assert_int_equal(stat(in_scratch("directory"), &info), 0);
    assert_int_equal(truncate(in_scratch("a"), info.st_size), 0);
    assert_int_equal(compare_with("directory"), -1);
}

/* A copy may have zeros where the original was never written. */
static void holes_are_zeros_when_files_are_compared(void **state)
{
    enum { SIZE = 16 * 1024 * 1024, BYTE = 5 * 1024 * 1024 };
    (void)state;
    scratch_make_file("a", "");
    scratch_make_file("hole", "");
    assert_int_equal(truncate(in_scratch("a"), SIZE), 0);
    assert_int_equal(truncate(in_scratch("hole"), SIZE), 0);
    SCOPED_CLOSE int fd = open(in_scratch("hole"), O_WRONLY);
    assert_int_equal(pwrite(fd, "\0", 1, BYTE), 1);
    assert_int_equal(compare_with("hole"), 1);
    assert_int_equal(pwrite(fd, "x", 1, BYTE), 1);
    assert_int_equal(compare_with("hole"), 0);
    assert_int_equal(pwrite(fd, "\0", 1, BYTE), 1);
    assert_int_equal(pwrite(fd, "x", 1, SIZE - 1), 1);
    assert_int_equal(compare_with("hole"), 0);
}

/* ---- temporary files ---- */

static void temporary_names_are_short_different_and_beside_the_file(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *first, *second, *above;
    int fds[] = {temporary_create(in_scratch("file"), &first, &err),
                 temporary_create(in_scratch("file"), &second, &err)};
    assert_true(fds[0] >= 0 && fds[1] >= 0);
    assert_memory_equal(first, scratch_directory, strlen(scratch_directory));
    assert_memory_equal(first + strlen(scratch_directory), "/.msprof.", 9);
    assert_ends_with(first, ".tmp");
    assert_string_not_equal(first, second);
    assert_true(strlen(first) - strlen(scratch_directory) < 64);
    assert_int_equal(temporary_create(in_scratch("none/file"), &above, &err), -ERR_NOT_FOUND);
    for (int i = 0; i < 2; i++)
        close(fds[i]);
    free(first);
    free(second);
}

/* In a process with the same number in another container, as far as the file can tell: nothing of the process counts,
 * only the lock. */
static void a_temporary_file_is_removed_when_its_lock_is_free_and_not_before(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *path;
    int fd = temporary_create(in_scratch("out"), &path, &err), other = open(path, O_RDWR | O_CLOEXEC);
    temporary_remove_stale(scratch_directory);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(temporary_lock(other), EAGAIN);
    close(other); /* closing another descriptor of the file does not give it up */
    temporary_remove_stale(scratch_directory);
    assert_int_equal(access(path, F_OK), 0);
    int duplicate = dup(fd);
    close(fd);
    temporary_remove_stale(scratch_directory);
    assert_int_equal(access(path, F_OK), 0);
    close(duplicate);
    temporary_remove_stale(scratch_directory);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
}

static void an_output_file_keeps_its_lock_until_it_has_its_name(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_write(&out, "whole", 5);
    temporary_remove_stale(scratch_directory);
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content("out", "whole");
    assert_int_equal(scratch_count(), 1);
}

static void only_files_with_a_temporary_name_are_removed(void **state)
{
    (void)state;
    static const char *const kept[] = {".msprof.0123456789abcdef.tmp.bak",
                                       ".msprof.0123456789abcdef",
                                       ".msprof.0123456789abcde.tmp",
                                       ".msprof.0123456789abcdef0.tmp",
                                       ".msprof.0123456789abcdeg.tmp",
                                       ".msprof..tmp",
                                       ".msprof.12..tmp",
                                       ".msprof..12.tmp",
                                       ".msprof.12.1.1.tmp",
                                       ".msprof.a.1.tmp",
                                       ".msprof.-12.1.tmp",
                                       ".msprof.tmp",
                                       "msprof.0123456789abcdef.tmp",
                                       "x.msprof.0123456789abcdef.tmp",
                                       "report.csv"};
    static const char *const removed[] = {".msprof.0123456789abcdef.tmp", ".msprof.12.1.tmp"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        scratch_make_file(kept[i], "");
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        scratch_make_file(removed[i], "");
    assert_int_equal(mkdir(in_scratch(".msprof.1123456789abcdef.tmp"), 0700), 0);
    assert_int_equal(symlink("report.csv", in_scratch(".msprof.2123456789abcdef.tmp")), 0);
    temporary_remove_stale(scratch_directory);
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        assert_false(scratch_exists(removed[i]));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (!scratch_exists(kept[i]))
            fail_msg("%s was removed", kept[i]);
    assert_true(scratch_exists(".msprof.1123456789abcdef.tmp"));
    assert_int_equal(access(in_scratch(".msprof.2123456789abcdef.tmp"), F_OK), 0);
    temporary_remove_stale(in_scratch("absent"));
    temporary_remove_stale(in_scratch("report.csv"));
}

static void what_a_killed_process_was_writing_is_removed_later(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct err err = ERR_INIT;
        struct outfile out;
        if (outfile_open(&out, in_scratch("out"), &err) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(scratch_count(), 1);
    assert_false(scratch_exists("out"));
    temporary_remove_stale(scratch_directory);
    assert_int_equal(scratch_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_joined_by_one_slash, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(an_absolute_path_has_no_detours, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(directories_are_made_with_their_parents, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_directory_behind_a_link_is_a_directory, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_in_the_way_of_a_directory_is_told, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_is_read_whole, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(an_empty_file_is_an_empty_text, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_over_the_limit_is_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_hides_its_size_is_read_within_the_limit, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_regular_file_is_refused_without_waiting, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(files_have_the_same_bytes_or_not, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(holes_are_zeros_when_files_are_compared, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(temporary_names_are_short_different_and_beside_the_file, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_temporary_file_is_removed_when_its_lock_is_free_and_not_before, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(an_output_file_keeps_its_lock_until_it_has_its_name, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(only_files_with_a_temporary_name_are_removed, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_a_killed_process_was_writing_is_removed_later, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
