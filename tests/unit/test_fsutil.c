#include "base/fsutil.h"
#include "base/outfile.h"
#include "tests/lib/scratch.h"

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
    assert_int_equal(make_directories(in_scratch("a//b/c/"), &err), 0);
    umask(mask);
    assert_int_equal(stat(in_scratch("a/b/c"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(stat(in_scratch("a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(make_directories(in_scratch("a/b/c"), &err), 0);
    assert_int_equal(make_directories("/", &err), 0);
}

static void a_directory_behind_a_link_is_a_directory(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(make_directories(in_scratch("a"), &err), 0);
    assert_int_equal(symlink("a", in_scratch("link")), 0);
    assert_int_equal(make_directories(in_scratch("link/b"), &err), 0);
    assert_true(scratch_exists("a/b"));
}

static void a_file_in_the_way_of_a_directory_is_told(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    scratch_make_file("a", "");
    assert_int_equal(make_directories(in_scratch("a"), &err), -ERR_FAILED);
    assert_ends_with(err_message(&err), "/a': a file of this name is in the way");
    assert_int_equal(make_directories(in_scratch("a/b"), &err), -ERR_FAILED);
    assert_ends_with(err_message(&err), "/a': a file of this name is in the way");
    assert_int_equal(make_directories("", &err), -ERR_NOT_FOUND);
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
    assert_int_equal(read_whole_file(in_scratch("file"), 4, &data, &length, &err), 0);
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
    assert_int_equal(read_whole_file(in_scratch("file"), 0, &data, &length, &err), 0);
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
    assert_int_equal(read_whole_file(in_scratch("file"), 4, &data, &length, &err), -ERR_LIMIT);
    assert_ends_with(err_message(&err), "/file' is too long: at most 4 bytes of such a file are read");
    assert_int_equal(truncate(in_scratch("file"), (off_t)1 << 40), 0);
    assert_int_equal(read_whole_file(in_scratch("file"), 1000, &data, &length, &err), -ERR_LIMIT);
    assert_null(data);
    assert_int_equal(length, 77);
}

static void a_file_that_hides_its_size_is_read_within_the_limit(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char *data = NULL;
    size_t length = 0;
    assert_int_equal(read_whole_file("/proc/self/status", 100000, &data, &length, &err), 0);
    assert_true(length > 100);
    assert_int_equal(length, strlen(data));
    assert_memory_equal(data, "Name:", 5);
    free(data);
    data = NULL;
    assert_int_equal(read_whole_file("/proc/self/status", 100, &data, &length, &err), -ERR_LIMIT);
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
        assert_int_equal(read_whole_file(paths[i], 1000, &data, &length, &err), -ERR_FORMAT);
        assert_ends_with(err_message(&err), "' is not a regular file");
    }
    assert_int_equal(read_whole_file(in_scratch("absent"), 1000, &data, &length, &err), -ERR_NOT_FOUND);
    assert_ends_with(err_message(&err), "/absent': No such file or directory");
    assert_null(data);
}

/* ---- temporary files ---- */

static void temporary_names_are_short_different_and_beside_the_file(void **state)
{
    (void)state;
    char *first = temporary_path("/some/where/file");
    char *second = temporary_path("/some/where/file");
    char *relative = temporary_path("file");
    assert_memory_equal(first, "/some/where/.msprof.", 20);
    assert_ends_with(first, ".tmp");
    assert_string_not_equal(first, second);
    assert_memory_equal(relative, ".msprof.", 8);
    assert_true(strlen(relative) < 64);
    free(first);
    free(second);
    free(relative);
}

static void a_temporary_name_that_is_taken_is_passed_over(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    char *latest = temporary_path("x");
    int pid;
    unsigned counter;
    assert_int_equal(sscanf(latest, ".msprof.%d.%u.tmp", &pid, &counter), 2);
    free(latest);
    char name[64];
    snprintf(name, sizeof name, ".msprof.%d.%u.tmp", pid, counter + 1);
    scratch_make_file(name, "another's");
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_write(&out, "mine", 4);
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content(name, "another's");
    scratch_assert_content("out", "mine");
}

/* The number of a process that has ended. */
static pid_t dead_process(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

static void only_the_temporary_files_of_dead_processes_are_removed(void **state)
{
    (void)state;
    int dead = dead_process();
    char names[16][64];
    size_t count = 0;
    snprintf(names[count++], 64, ".msprof.%d.1.tmp", (int)getpid());
    snprintf(names[count++], 64, ".msprof.%d.1.tmp", (int)getppid());
    snprintf(names[count++], 64, ".msprof.1.1.tmp");
    snprintf(names[count++], 64, ".msprof.%d.1.tmp.bak", dead);
    snprintf(names[count++], 64, ".msprof.%d.1", dead);
    snprintf(names[count++], 64, ".msprof.%d.tmp", dead);
    snprintf(names[count++], 64, ".msprof.%d..tmp", dead);
    snprintf(names[count++], 64, ".msprof..%d.tmp", dead);
    snprintf(names[count++], 64, ".msprof.%d.x.tmp", dead);
    snprintf(names[count++], 64, ".msprof.-%d.1.tmp", dead);
    snprintf(names[count++], 64, ".msprof.%d-.1.tmp", dead);
    snprintf(names[count++], 64, ".msprof.0.1.tmp");
    snprintf(names[count++], 64, ".msprof.4294967297.1.tmp");
    snprintf(names[count++], 64, "msprof.%d.1.tmp", dead);
    snprintf(names[count++], 64, "x.msprof.%d.1.tmp", dead);
    snprintf(names[count++], 64, "report.csv");
    for (size_t i = 0; i < count; i++)
        scratch_make_file(names[i], "");
    char first[64];
    char second[64];
    char folder[64];
    char link[64];
    snprintf(first, sizeof first, ".msprof.%d.1.tmp", dead);
    snprintf(second, sizeof second, ".msprof.%d.4294967295.tmp", dead);
    snprintf(folder, sizeof folder, ".msprof.%d.3.tmp", dead);
    snprintf(link, sizeof link, ".msprof.%d.4.tmp", dead);
    scratch_make_file(first, "");
    scratch_make_file(second, "");
    assert_int_equal(mkdir(in_scratch(folder), 0700), 0);
    assert_int_equal(symlink("report.csv", in_scratch(link)), 0);
    remove_stale_temporaries(scratch_directory);
    assert_false(scratch_exists(first));
    assert_false(scratch_exists(second));
    assert_true(scratch_exists(folder));
    assert_true(scratch_exists(link));
    for (size_t i = 0; i < count; i++) {
        if (!scratch_exists(names[i]))
            fail_msg("%s was removed", names[i]);
    }
    remove_stale_temporaries(in_scratch("absent"));
    remove_stale_temporaries(in_scratch("report.csv"));
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
    remove_stale_temporaries(scratch_directory);
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
        cmocka_unit_test_setup_teardown(temporary_names_are_short_different_and_beside_the_file, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_temporary_name_that_is_taken_is_passed_over, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(only_the_temporary_files_of_dead_processes_are_removed, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(what_a_killed_process_was_writing_is_removed_later, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
