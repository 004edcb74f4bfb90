/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/progress.h"
#include "tests/lib/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NOBODY 65534

/* ---- output files ---- */

static void an_output_file_appears_only_when_it_is_complete(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    struct stat st;
    mode_t mask = umask(0);
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    umask(mask);
    outfile_write(&out, "hello ", 6);
    outfile_write(&out, "world", 5);
    assert_false(scratch_exists("out"));
    assert_int_equal(scratch_count(), 1);
    assert_false(outfile_failed(&out));
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content("out", "hello world");
    assert_int_equal(scratch_count(), 1);
    assert_int_equal(stat(in_scratch("out"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    outfile_abort(&out);
    scratch_assert_content("out", "hello world");
}

static void an_older_file_stays_until_the_new_one_is_complete(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    scratch_make_file("out", "old");
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_write(&out, "new", 3);
    outfile_flush(&out);
    scratch_assert_content("out", "old");
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content("out", "new");
}

static void an_abort_leaves_nothing(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    struct outfile never_opened = {0};
    scratch_make_file("out", "old");
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_write(&out, "new", 3);
    outfile_abort(&out);
    outfile_abort(&out);
    outfile_abort(&never_opened);
    scratch_assert_content("out", "old");
    assert_int_equal(scratch_count(), 1);
}

static void a_buffer_that_lost_a_part_never_becomes_a_file(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    struct strbuf buf;
    strbuf_init(&buf, 6);
    strbuf_adds(&buf, "hello ");
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_add(&out, &buf);
    assert_false(outfile_failed(&out));
    strbuf_adds(&buf, "world");
    outfile_add(&out, &buf);
    assert_int_equal(outfile_commit(&out, &err), -ERR_NO_MEMORY);
    assert_int_equal(scratch_count(), 0);
    strbuf_release(&buf);
}

static void pieces_of_every_size_arrive_in_order(void **state)
{
    (void)state;
    enum { TOTAL = 30000001 }; /* long enough to go past the page cache */
    struct err err = ERR_INIT;
    struct outfile out;
    char *pattern = malloc(TOTAL);
    char *data = NULL;
    size_t length = 0;
    assert_non_null(pattern);
    for (size_t i = 0; i < TOTAL; i++)
        pattern[i] = (char)(i * 31 >> 3);
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    size_t piece = 1;
    for (size_t done = 0; done < TOTAL; piece = piece * 3 % 3000017) {
        size_t step = piece < TOTAL - done ? piece : TOTAL - done;
        if (step <= OUTFILE_RESERVE_MAX && step % 2 == 0) {
            memcpy(outfile_reserve(&out, step), pattern + done, step);
            outfile_advance(&out, step);
        } else {
            outfile_write(&out, pattern + done, step);
        }
        done += step;
    }
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_int_equal(path_read_file(in_scratch("out"), TOTAL, &data, &length, &err), 0);
    assert_int_equal(length, TOTAL);
    assert_int_equal(memcmp(data, pattern, TOTAL), 0);
    free(data);
    free(pattern);
}

static void a_full_disk_is_an_error_with_a_hint(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(symlink("/dev/full", in_scratch("out")), 0);
    const char *const paths[] = {"/dev/full", in_scratch("out")};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(outfile_open(&out, paths[i], &err), 0);
        outfile_write(&out, "x", 1);
        assert_false(outfile_failed(&out)); /* still in the buffer */
        assert_int_equal(outfile_commit(&out, &err), -ERR_NO_SPACE);
        assert_ends_with(err_message(&err), "': No space left on device");
        assert_true(strlen(err.hint) > 0);
    }
    struct stat st;
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void writing_goes_on_harmlessly_after_a_failure(void **state)
{
    (void)state;
    static char piece[100000];
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, "/dev/full", &err), 0);
    for (int i = 0; i < 100; i++) {
        outfile_write(&out, piece, sizeof piece);
        memset(outfile_reserve(&out, OUTFILE_RESERVE_MAX), 'x', OUTFILE_RESERVE_MAX);
        outfile_advance(&out, OUTFILE_RESERVE_MAX);
    }
    assert_true(outfile_failed(&out));
    assert_int_equal(out.written, 0);
    assert_int_equal(outfile_commit(&out, &err), -ERR_NO_SPACE);
}

/* beside: a long file is written by threads of its own, whose failures are told later. */
static void write_into_limit(rlim_t bytes, bool beside)
{
    static char piece[2000000];
    struct err err = ERR_INIT;
    struct outfile out;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = {.rlim_cur = bytes, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    scratch_make_file("out", "old");
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (rlim_t done = 0; done <= bytes; done += sizeof piece)
        outfile_write(&out, piece, sizeof piece);
    outfile_flush(&out);
    assert_true(beside || outfile_failed(&out));
    assert_true(beside || out.written == bytes); /* the system took the first part: a short write */
    assert_int_equal(outfile_commit(&out, &err), -ERR_LIMIT);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_ends_with(err_message(&err), "/out': File too large");
    scratch_assert_content("out", "old");
    assert_int_equal(scratch_count(), 1);
}

static void a_write_that_fails_in_the_middle_leaves_no_file(void **state)
{
    (void)state;
    write_into_limit(1000000, false);
    write_into_limit(20000000, true); /* past the page cache, and no whole number of blocks */
}

static void a_rename_that_fails_leaves_no_file(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    assert_int_equal(mkdir(in_scratch("out"), 0700), 0);
    assert_true(outfile_commit(&out, &err) < 0);
    assert_ends_with(err_message(&err), "/out': Is a directory");
    assert_int_equal(scratch_count(), 1);
}

static void what_is_no_place_for_a_file_is_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(mkdir(in_scratch("sub"), 0700), 0);
    assert_int_equal(mkfifo(in_scratch("pipe"), 0600), 0);
    static const struct {
        const char *name, *end;
        enum err_code code;
    } cases[] = {
        {"sub", "/sub': it is a directory", ERR_FAILED},
        {"pipe", "/pipe': it is a pipe", ERR_FAILED},
        {"sub/", "/sub/': not a file name", ERR_FAILED},
        {"absent/out", "/absent/out': No such file or directory", ERR_NOT_FOUND},
        {"pipe/out", "/pipe/out': Not a directory", ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(outfile_open(&out, in_scratch(cases[i].name), &err), -(int)cases[i].code);
        assert_ends_with(err_message(&err), cases[i].end);
        outfile_abort(&out);
    }
    assert_true(outfile_open(&out, "", &err) < 0);
    assert_int_equal(scratch_count(), 2);
}

static void the_longest_name_works_and_a_longer_one_is_told_at_once(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    assert_int_equal(outfile_open(&out, in_scratch(name), &err), -ERR_LIMIT);
    assert_ends_with(err_message(&err), "': File name too long");
    name[255] = '\0';
    assert_int_equal(outfile_open(&out, in_scratch(name), &err), 0);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_true(scratch_exists(name));
}

static void a_name_with_a_newline_is_written_and_told_on_one_line(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("a\n'\"b"), &err), 0);
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content("a\n'\"b", "");
    assert_int_equal(outfile_open(&out, in_scratch("c\nd/out"), &err), -ERR_NOT_FOUND);
    assert_null(strchr(err_message(&err), '\n'));
}

static void a_relative_path_is_written_in_the_working_directory(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    char *before = getcwd(NULL, 0);
    assert_non_null(before);
    assert_int_equal(chdir(scratch_directory), 0);
    assert_int_equal(outfile_open(&out, "out", &err), 0);
    outfile_write(&out, "x", 1);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    scratch_assert_content("out", "x");
}

static void a_link_is_replaced_and_its_target_left_alone(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    struct stat st;
    scratch_make_file("target", "precious");
    assert_int_equal(symlink("target", in_scratch("out")), 0);
    assert_int_equal(outfile_open(&out, in_scratch("out"), &err), 0);
    outfile_write(&out, "new", 3);
    assert_int_equal(outfile_commit(&out, &err), 0);
    scratch_assert_content("target", "precious");
    scratch_assert_content("out", "new");
    assert_int_equal(lstat(in_scratch("out"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
}

static void a_directory_without_write_permission_is_told(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    struct stat st;
    bool root = geteuid() == 0;
    assert_int_equal(mkdir(in_scratch("locked"), 0555), 0);
    if (root) /* whom no permission stops */
        assert_int_equal(seteuid(NOBODY), 0);
    int opened = outfile_open(&out, in_scratch("locked/out"), &err);
    int made = path_make_directories(in_scratch("locked/a/b"), &err);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(opened, -ERR_ACCESS);
    assert_int_equal(made, -ERR_ACCESS);
    assert_ends_with(err_message(&err), "/locked/a': Permission denied");
    assert_int_equal(lstat(in_scratch("locked/out"), &st), -1);
}

static void an_open_descriptor_is_written_where_it_stands(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct outfile out;
    char name[32];
    int fd = open(in_scratch("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(outfile_open(&out, name, &err), 0);
    outfile_write(&out, "within ", 7);
    assert_int_equal(outfile_commit(&out, &err), 0);
    assert_int_equal(write(fd, "after", 5), 5);
    close(fd);
    scratch_assert_content("file", "before within after");
    assert_true(outfile_open(&out, name, &err) < 0);
    assert_ends_with(err_message(&err), "': Bad file descriptor");
}

/* ---- pipes: short writes, interrupted calls ---- */

#define PIPE_BYTES 3000000

/* Starts a process that waits, then reads the pipe to its end and tells by its status whether all bytes came in order.
 */
static pid_t start_reader(int pipe_ends[2])
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) {
        close(pipe_ends[0]);
        return child;
    }
    unsigned char bytes[4096];
    size_t total = 0;
    bool good = true;
    alarm(SCRATCH_LONGEST_WAIT);
    close(pipe_ends[1]);
    usleep(200000);
    for (ssize_t n; (n = read(pipe_ends[0], bytes, sizeof bytes)) > 0;) {
        for (ssize_t i = 0; i < n; i++)
            good = good && bytes[i] == (unsigned char)(total++ % 251);
    }
    _exit(good && total == PIPE_BYTES ? 0 : 1);
}

static void write_pattern(struct outfile *out)
{
    for (size_t i = 0; i < PIPE_BYTES; i++) {
        char c = (char)(i % 251);
        outfile_write(out, &c, 1);
    }
}

static volatile sig_atomic_t alarms;

/* The timer takes the place of the alarm against hanging, so this is one, too. */
static void count_alarm(void)
{
    alarms = alarms + 1;
    if (alarms > 100 * SCRATCH_LONGEST_WAIT)
        _exit(1);
}

static void on_alarm(int number)
{
    (void)number;
    count_alarm();
}

static void on_alarm_interrupt(int number)
{
    interrupt_signal = number;
    count_alarm();
}

/* Lets SIGALRM come every 10 ms, breaking system calls. */
static void start_timer(void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};
    const struct itimerval every = {.it_interval.tv_usec = 10000, .it_value.tv_usec = 10000};
    alarms = 0;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void stop_timer(void)
{
    const struct itimerval never = {.it_value.tv_usec = 0};
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_true(signal(SIGALRM, SIG_DFL) != SIG_ERR);
    alarm(SCRATCH_LONGEST_WAIT);
}

/* Opens an outfile on the pipe's writing end, which is closed: the outfile has the only one. */
static void open_on_pipe(struct outfile *out, int pipe_ends[2])
{
    struct err err = ERR_INIT;
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", pipe_ends[1]);
    assert_int_equal(outfile_open(out, name, &err), 0);
    close(pipe_ends[1]);
}

static void check_slow_pipe(int flags)
{
    struct err err = ERR_INIT;
    struct outfile out;
    int pipe_ends[2];
    int status = -1;
    assert_int_equal(pipe2(pipe_ends, flags), 0);
    if (flags != 0)
        assert_int_equal(fcntl(pipe_ends[0], F_SETFL, 0), 0); /* only the writer does not block */
    pid_t child = start_reader(pipe_ends);
    open_on_pipe(&out, pipe_ends);
    start_timer(on_alarm);
    write_pattern(&out);
    int r = outfile_commit(&out, &err);
    stop_timer();
    assert_int_equal(r, 0);
    assert_true(alarms > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void signals_and_short_writes_lose_nothing(void **state)
{
    (void)state;
    check_slow_pipe(0);
}

static void a_pipe_that_does_not_block_loses_nothing(void **state)
{
    (void)state;
    check_slow_pipe(O_NONBLOCK);
}

static void an_interrupt_ends_a_write_that_waits(void **state)
{
    (void)state;
    static const int flags[] = {0, O_NONBLOCK};
    for (size_t i = 0; i < 2; i++) {
        struct err err = ERR_INIT;
        struct outfile out;
        int pipe_ends[2];
        assert_int_equal(pipe2(pipe_ends, flags[i]), 0);
        open_on_pipe(&out, pipe_ends);
        start_timer(on_alarm_interrupt);
        write_pattern(&out); /* nobody reads */
        stop_timer();
        assert_true(outfile_failed(&out));
        assert_int_equal(outfile_commit(&out, &err), -ERR_INTERRUPTED);
        interrupt_signal = 0;
        close(pipe_ends[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_output_file_appears_only_when_it_is_complete, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(an_older_file_stays_until_the_new_one_is_complete, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(an_abort_leaves_nothing, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_buffer_that_lost_a_part_never_becomes_a_file, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(pieces_of_every_size_arrive_in_order, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_is_an_error_with_a_hint, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(writing_goes_on_harmlessly_after_a_failure, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_write_that_fails_in_the_middle_leaves_no_file, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_rename_that_fails_leaves_no_file, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_place_for_a_file_is_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_longest_name_works_and_a_longer_one_is_told_at_once, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_name_with_a_newline_is_written_and_told_on_one_line, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_relative_path_is_written_in_the_working_directory, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_link_is_replaced_and_its_target_left_alone, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_directory_without_write_permission_is_told, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(an_open_descriptor_is_written_where_it_stands, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(signals_and_short_writes_lose_nothing, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_pipe_that_does_not_block_loses_nothing, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(an_interrupt_ends_a_write_that_waits, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
