/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions: configurations, what excludes what, the end of the pipe, and the replay that feeds them. */
#include "acl/mode.h"
#include "acl/subscribe/operator_record.h"
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"
#include "tests/lib/scratch.h"
#include "tests/lib/subscription.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2]; /* of the test's pipe */

static aclprofSubscribeConfig *make_config(void)
{
    aclprofSubscribeConfig *config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &ends[1]);

    assert_non_null(config);
    return config;
}

static int setup(void **state)
{
    return subscription_setup(state) == 0 && pipe(ends) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    close(ends[0]);
    close(ends[1]);
    return subscription_teardown(state);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* The reader's view: nothing comes any more. */
static void assert_end_of_pipe(int fd)
{
    char byte;

    assert_int_equal(read(fd, &byte, 1), 0);
}

/* ---- configurations ---- */

static void a_configuration_has_a_switch_and_a_descriptor(void **state)
{
    int none = -1;
    aclprofSubscribeConfig *config;

    (void)state;
    assert_null(aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, NULL));
    assert_null(aclprofCreateSubscribeConfig(2, ACL_AICORE_NONE, &ends[1]));
    assert_null(aclprofCreateSubscribeConfig(-1, ACL_AICORE_NONE, &ends[1]));
    assert_string_equal(msprof_acl_message(),
                        "EK0001: Value -1 for parameter timeInfoSwitch is invalid. Reason: it is neither 0 nor 1.");
    assert_null(aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &none));
    assert_null(svp_acl_prof_create_subscribe_config(1, SVP_ACL_AICORE_NONE, NULL));
    assert_null(svp_acl_prof_create_subscribe_config(2, SVP_ACL_AICORE_NONE, &ends[1]));
    config = aclprofCreateSubscribeConfig(0, ACL_AICORE_PIPE_UTILIZATION, &ends[1]);
    assert_non_null(config);
    assert_int_equal(aclprofDestroySubscribeConfig(config), 0);
}

static void a_configuration_is_destroyed_once(void **state)
{
    aclprofSubscribeConfig *config = make_config();
    svp_acl_prof_subscribe_config *board;

    (void)state;
    assert_int_equal(aclprofDestroySubscribeConfig(NULL), 100000);
    assert_int_equal(aclprofDestroySubscribeConfig((const aclprofSubscribeConfig *)ends), 100000);
    assert_int_equal(aclprofDestroySubscribeConfig(config), 0);
    assert_int_equal(aclprofDestroySubscribeConfig(config), 100000);
    assert_int_equal(aclprofModelSubscribe(1, config), 100000);
    board = svp_acl_prof_create_subscribe_config(1, SVP_ACL_AICORE_ARITHMETIC_UTILIZATION, &ends[1]);
    assert_non_null(board);
    assert_int_equal(svp_acl_prof_destroy_subscribe_config(board), 0);
    assert_int_equal(svp_acl_prof_destroy_subscribe_config(board), 100000);
    assert_int_equal(svp_acl_prof_destroy_subscribe_config(NULL), 100000);
}

/* ---- models ---- */

static void a_subscription_needs_a_configuration_that_collects_something(void **state)
{
    aclprofSubscribeConfig *nothing = aclprofCreateSubscribeConfig(0, ACL_AICORE_NONE, &ends[1]);
    aclprofSubscribeConfig *metrics = aclprofCreateSubscribeConfig(0, ACL_AICORE_PIPE_UTILIZATION, &ends[1]);
    svp_acl_prof_subscribe_config *board =
        svp_acl_prof_create_subscribe_config(0, SVP_ACL_AICORE_ARITHMETIC_UTILIZATION, &ends[1]);

    (void)state;
    assert_int_equal(aclprofModelSubscribe(1, NULL), 100000);
    assert_int_equal(svp_acl_prof_model_subscribe(1, NULL), 100000);
    assert_int_equal(aclprofModelSubscribe(1, nothing), 100000);
    assert_int_equal(svp_acl_prof_model_subscribe(1, board), 100000); /* boards have no metrics */
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    assert_int_equal(aclprofModelSubscribe(1, metrics), 0);
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    aclprofDestroySubscribeConfig(nothing);
    aclprofDestroySubscribeConfig(metrics);
    svp_acl_prof_destroy_subscribe_config(board);
}

static void the_descriptor_must_be_open_for_writing(void **state)
{
    aclprofSubscribeConfig *reader = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &ends[0]);
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    assert_int_equal(aclprofModelSubscribe(1, reader), 100000);
    close(ends[1]);
    assert_int_equal(aclprofModelSubscribe(1, config), 100000);
    assert_non_null(strstr(msprof_acl_message(), "it is not open for writing"));
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    aclprofDestroySubscribeConfig(reader);
    aclprofDestroySubscribeConfig(config);
}

static void a_model_is_subscribed_once(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    assert_int_equal(aclprofModelSubscribe(1, config), 0);
    assert_int_equal(aclprofModelSubscribe(1, config), 148046);
    assert_int_equal(svp_acl_prof_model_unsubscribe(2), 100011);
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    assert_int_equal(aclprofModelUnSubscribe(1), 100011);
    assert_string_equal(msprof_acl_message(),
                        "EK0001: Value 1 for parameter modelId is invalid. Reason: the model is not subscribed.");
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    aclprofDestroySubscribeConfig(config);
}

static void models_of_a_device_share_their_configuration(void **state)
{
    aclprofSubscribeConfig *config = make_config(), *same = make_config();
    aclprofSubscribeConfig *other = aclprofCreateSubscribeConfig(1, ACL_AICORE_L2_CACHE, &ends[1]);

    (void)state;
    assert_int_equal(aclprofModelSubscribe(1, config), 0);
    assert_int_equal(aclprofModelSubscribe(2, other), 100010);
    assert_int_equal(aclprofModelSubscribe(2, same), 0); /* equal, not the same object */
    assert_int_equal(aclprofModelUnSubscribe(2), 0);
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    aclprofDestroySubscribeConfig(config);
    aclprofDestroySubscribeConfig(same);
    aclprofDestroySubscribeConfig(other);
}

static void files_and_subscription_exclude_each_other(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    assert_int_equal(acl_mode_claim(ACL_MODE_API, "aclprofInit"), 0);
    assert_int_equal(aclprofModelSubscribe(1, config), 148047);
    acl_mode_release(ACL_MODE_API);
    assert_int_equal(aclprofModelSubscribe(1, config), 0);
    assert_int_equal(acl_mode_claim(ACL_MODE_API, "aclprofInit"), 148047);
    assert_int_equal(acl_mode_claim(ACL_MODE_SVP_API, "svp_acl_prof_init"), 148047);
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    assert_int_equal(acl_mode_claim(ACL_MODE_API, "aclprofInit"), 0);
    acl_mode_release(ACL_MODE_API);
    aclprofDestroySubscribeConfig(config);
}

static void the_last_model_of_a_pipe_closes_its_write_end(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    assert_int_equal(aclprofModelSubscribe(1, config), 0);
    assert_int_equal(aclprofModelSubscribe(2, config), 0);
    assert_int_equal(aclprofDestroySubscribeConfig(config), 0); /* they keep what it said */
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    assert_true(is_open(ends[1]));
    assert_int_equal(aclprofModelUnSubscribe(2), 0);
    assert_false(is_open(ends[1]));
    assert_end_of_pipe(ends[0]);
}

static void models_may_have_pipes_of_their_own(void **state)
{
    int second[2];
    aclprofSubscribeConfig *config = make_config(), *other;

    (void)state;
    assert_int_equal(pipe(second), 0);
    other = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &second[1]);
    assert_int_equal(aclprofModelSubscribe(1, config), 0);
    assert_int_equal(aclprofModelSubscribe(2, other), 0);
    assert_int_equal(aclprofModelUnSubscribe(2), 0);
    assert_end_of_pipe(second[0]);
    assert_true(is_open(ends[1]));
    assert_int_equal(aclprofModelUnSubscribe(1), 0);
    assert_end_of_pipe(ends[0]);
    close(second[0]);
    aclprofDestroySubscribeConfig(config);
    aclprofDestroySubscribeConfig(other);
}

/* ---- threads ---- */

static void *subscribe_again_and_again(void *argument)
{
    uint32_t model = *(const uint32_t *)argument;
    uintptr_t failures = 0;

    for (int i = 0; i < 200; i++) {
        int pipe_ends[2];
        if (pipe2(pipe_ends, O_CLOEXEC) < 0)
            return (void *)(uintptr_t)1;
        aclprofSubscribeConfig *config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &pipe_ends[1]);
        failures += aclprofModelSubscribe(model, config) != 0;
        failures += aclprofModelSubscribe(model, config) != 148046;
        failures += aclprofModelUnSubscribe(model) != 0;
        failures += aclprofDestroySubscribeConfig(config) != 0;
        close(pipe_ends[0]);
    }
    return (void *)failures;
}

static void threads_subscribe_side_by_side(void **state)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    uint32_t models[THREADS];

    (void)state;
    for (uint32_t i = 0; i < THREADS; i++) {
        models[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, subscribe_again_and_again, &models[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        assert_null(failures);
    }
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
}

/* ---- the replay, played by a shell script ---- */

static const struct named_operator operators[] = {{"Conv2D", "conv"}, {"Add", "add"}, {"Mul", "mul"}};

/* Makes MSPROF_PROGRAM a script of these commands that runs in the scratch directory, and has replays wanted. */
static void set_program(const char *commands)
{
    char script[1024];

    snprintf(script, sizeof script, "#!/bin/sh\ncd %s\nprintf '%%s\\n' \"$@\" >>arguments\n%s\n", scratch_directory,
             commands);
    scratch_make_file("program", script);
    chmod(in_scratch("program"), 0750);
    setenv("MSPROF_PROGRAM", in_scratch("program"), 1);
    setenv("MSPROF_REPLAY", "/captures/my capture", 1);
}

static void write_table(const char *file, uint64_t first)
{
    subscription_write_names(file, OPERATOR_RECORD_SIZE, first, operators, 3);
}

/* Reads count records and checks their numbers and names; the first one has this index. */
static void assert_operators(uint64_t first, uint32_t count)
{
    unsigned char records[3 * OPERATOR_RECORD_SIZE];
    size_t length = count * OPERATOR_RECORD_SIZE;
    uint32_t found = 0;
    char name[16];

    for (size_t done = 0; done < length;) { /* partial reads */
        ssize_t n = read(ends[0], records + done, length - done < 50 ? length - done : 50);
        assert_true(n > 0);
        done += (size_t)n;
    }
    assert_int_equal(aclprofGetOpNum(records, length, &found), 0);
    assert_int_equal(found, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(aclprofGetOpStart(records, length, i), 1000 * (first + i));
        assert_int_equal(aclprofGetOpName(records, length, i, name, sizeof name), 0);
        assert_string_equal(name, operators[i].name);
    }
}

static void make_record_file(const char *file, uint64_t first, size_t count)
{
    unsigned char records[3 * OPERATOR_RECORD_SIZE];
    int fd = open(in_scratch(file), O_WRONLY | O_CREAT | O_TRUNC, 0640);

    subscription_make_records(records, OPERATOR_RECORD_SIZE, first, count);
    assert_int_equal(write(fd, records, count * OPERATOR_RECORD_SIZE), count * OPERATOR_RECORD_SIZE);
    close(fd);
}

static void a_replay_feeds_the_subscription(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    write_table("table", 1);
    make_record_file("records", 1, 3);
    set_program("cat table >&4\ncat records >&3\nexec sleep 1000");
    setenv("MSPROF_REPLAY_SPEED", "2.5", 1);
    setenv("MSPROF_REPLAY_OUTPUT", "/results", 1);
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    assert_operators(1, 3);
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    assert_end_of_pipe(ends[0]); /* the child is gone, and with it its write end */
    scratch_assert_content("arguments", "replay\n--quiet\n--collection-dir=/captures/my capture\n--output=/results\n"
                                        "--speed=2.5\n--fd=3\n--names=/dev/fd/4\n--model-id=7\n--first-index=1\n"
                                        "--record-size=80\n");
    aclprofDestroySubscribeConfig(config);
}

static void the_end_of_a_replay_does_not_end_the_pipe(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    write_table("table", 1);
    make_record_file("records", 1, 3);
    set_program("cat table >&4\ncat records >&3");
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    assert_operators(1, 3);
    assert_true(is_open(ends[1]));
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    assert_end_of_pipe(ends[0]);
    aclprofDestroySubscribeConfig(config);
}

static void operators_of_several_models_are_told_apart(void **state)
{
    aclprofSubscribeConfig *config = make_config();
    char name[16];
    unsigned char record[OPERATOR_RECORD_SIZE];

    (void)state;
    write_table("table7", 1);
    write_table("table8", 4);
    make_record_file("records7", 1, 3);
    make_record_file("records8", 4, 3);
    set_program("for word; do case $word in --model-id=*) model=${word#*=} ;; esac; done\n"
                "cat table$model >&4\ncat records$model >&3\nexec sleep 1000");
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    assert_operators(1, 3);
    assert_int_equal(aclprofModelSubscribe(8, config), 0);
    assert_operators(4, 3);
    /* a name that was not asked for while the subscription lasted can still be got */
    subscription_make_records(record, sizeof record, 6, 1);
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    assert_int_equal(aclprofModelUnSubscribe(8), 0);
    assert_int_equal(aclprofGetOpType(record, sizeof record, 0, name, sizeof name), 0);
    assert_string_equal(name, "Mul");
    aclprofDestroySubscribeConfig(config);
}

static void a_model_that_the_capture_lacks_is_unknown(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    set_program("echo 'msprof: no model 9; its models are 3, 4' >&2\nexit 4");
    assert_int_equal(aclprofModelSubscribe(9, config), 100011);
    assert_non_null(strstr(msprof_acl_message(), "msprof: no model 9; its models are 3, 4"));
    assert_int_equal(aclprofModelUnSubscribe(9), 100011);
    assert_int_equal(aclprofModelSubscribe(UINT32_MAX, config), 100011);
    assert_true(is_open(ends[1]));
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    aclprofDestroySubscribeConfig(config);
}

static void a_replay_that_fails_fails_the_subscription(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    set_program("echo 'msprof: the disk is full' >&2\nexit 1");
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    assert_non_null(strstr(msprof_acl_message(), "(exit status 1): msprof: the disk is full"));
    set_program("head -c 1000000 /dev/zero | tr '\\0' '\\n' >&2\nexit 1"); /* more than a pipe holds */
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    set_program("cat table | head -c 60 >&4\n");
    write_table("table", 1);
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    set_program("cat table >&4\nexec sleep 1000"); /* the wrong indexes */
    write_table("table", 5);
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    set_program("echo 'this is no table of names, and it does not end here' >&4\nexec sleep 1000");
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    setenv("MSPROF_PROGRAM", in_scratch("missing"), 1);
    assert_int_equal(aclprofModelSubscribe(9, config), 500005);
    assert_non_null(strstr(msprof_acl_message(), "MSPROF_PROGRAM"));
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
    aclprofDestroySubscribeConfig(config);
}

static void a_replay_that_does_not_listen_is_killed(void **state)
{
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    write_table("table", 1);
    set_program("trap '' TERM\ncat table >&4\nwhile :; do sleep 1 3>&-; done");
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    assert_end_of_pipe(ends[0]);
    aclprofDestroySubscribeConfig(config);
}

static void a_replay_has_nothing_of_the_process_but_its_pipes(void **state)
{
    static const int inheritable[] = {7, 77};
    aclprofSubscribeConfig *config = make_config();

    (void)state;
    write_table("table", 1);
    setenv("LD_PRELOAD", "", 1);
    for (size_t i = 0; i < sizeof inheritable / sizeof *inheritable; i++)
        assert_int_equal(dup2(STDERR_FILENO, inheritable[i]), inheritable[i]);
    /* The shell keeps descriptors of its own from 10 on. */
    set_program("for n in 0 1 2 3 4 5 6 7 8 9 77; do [ -e /proc/$$/fd/$n ] && echo $n; done >descriptors\n"
                "env | grep -cE '^(LD_PRELOAD|MSPROF_REPLAY)' >settings\n"
                "cat table >&4\nexec sleep 1000");
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    unsetenv("LD_PRELOAD");
    for (size_t i = 0; i < sizeof inheritable / sizeof *inheritable; i++)
        close(inheritable[i]);
    scratch_assert_content("descriptors", "0\n1\n2\n3\n4\n");
    scratch_assert_content("settings", "0\n");
    aclprofDestroySubscribeConfig(config);
}

static void a_forked_child_does_not_end_its_parent_s_replay(void **state)
{
    aclprofSubscribeConfig *config = make_config();
    pid_t child;
    int status;

    (void)state;
    write_table("table", 1);
    make_record_file("records", 1, 3);
    set_program("cat table >&4\nread line <go\ncat records >&3\nexec sleep 1000");
    assert_int_equal(mkfifo(in_scratch("go"), 0640), 0);
    assert_int_equal(aclprofModelSubscribe(7, config), 0);
    child = fork();
    if (child == 0)
        _exit(aclprofModelUnSubscribe(7) == 0 ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    int go = open(in_scratch("go"), O_WRONLY);
    assert_int_equal(write(go, "\n", 1), 1);
    close(go);
    assert_operators(1, 3);
    assert_int_equal(aclprofModelUnSubscribe(7), 0);
    aclprofDestroySubscribeConfig(config);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_configuration_has_a_switch_and_a_descriptor),
        TEST(a_configuration_is_destroyed_once),
        TEST(a_subscription_needs_a_configuration_that_collects_something),
        TEST(the_descriptor_must_be_open_for_writing),
        TEST(a_model_is_subscribed_once),
        TEST(models_of_a_device_share_their_configuration),
        TEST(files_and_subscription_exclude_each_other),
        TEST(the_last_model_of_a_pipe_closes_its_write_end),
        TEST(models_may_have_pipes_of_their_own),
        TEST(threads_subscribe_side_by_side),
        TEST(a_replay_feeds_the_subscription),
        TEST(the_end_of_a_replay_does_not_end_the_pipe),
        TEST(operators_of_several_models_are_told_apart),
        TEST(a_model_that_the_capture_lacks_is_unknown),
        TEST(a_replay_that_fails_fails_the_subscription),
        TEST(a_replay_that_does_not_listen_is_killed),
        TEST(a_replay_has_nothing_of_the_process_but_its_pipes),
        TEST(a_forked_child_does_not_end_its_parent_s_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
