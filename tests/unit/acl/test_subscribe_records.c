/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of a subscriber about the bytes that it got: every function's success, misuse and limits. */
#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"
#include "tests/lib/scratch.h"
#include "tests/lib/subscription.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT 4
#define INVALID 100000

static const struct named_operator operators[COUNT] = {
    {"Conv2D", "layer1/conv"}, {"Add", "layer1/add"}, {"Conv2D", "层/卷积"}, {"", ""}};
static unsigned char records[COUNT * OPERATOR_RECORD_SIZE];
static const size_t length = sizeof records;

/* Four records with the indexes 1 to 4, and their names. */
static void prepare(void)
{
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 1, COUNT);
    subscription_write_names("names", OPERATOR_RECORD_SIZE, 1, operators, COUNT);
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
}

static void the_size_of_a_record_is_80(void **state)
{
    size_t size = 0;

    (void)state;
    assert_int_equal(aclprofGetOpDescSize(&size), 0);
    assert_int_equal(size, 80);
    assert_int_equal(svp_acl_prof_get_op_desc_size(&size), 0);
    assert_int_equal(size, 80);
    assert_int_equal(aclprofGetOpDescSize(NULL), INVALID);
    assert_int_equal(svp_acl_prof_get_op_desc_size(NULL), INVALID);
}

static void the_size_is_that_of_the_table_which_is_there_first(void **state)
{
    size_t size = 0;

    (void)state;
    subscription_write_names("names", OPERATOR_RECORD_OLD_SIZE, 1, operators, COUNT);
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    assert_int_equal(aclprofGetOpDescSize(&size), 0);
    assert_int_equal(size, 72);
}

static void records_are_counted(void **state)
{
    uint32_t count = 77;

    (void)state;
    prepare();
    assert_int_equal(aclprofGetOpNum(records, length, &count), 0);
    assert_int_equal(count, COUNT);
    assert_int_equal(svp_acl_prof_get_op_num(records, OPERATOR_RECORD_SIZE, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(aclprofGetOpNum(records, 0, &count), 0);
    assert_int_equal(count, 0);
}

static void what_is_no_record_is_not_counted(void **state)
{
    uint32_t count = 77;

    (void)state;
    prepare();
    assert_int_equal(aclprofGetOpNum(NULL, length, &count), INVALID);
    assert_int_equal(aclprofGetOpNum(records, length, NULL), INVALID);
    assert_int_equal(aclprofGetOpNum(records, length - 1, &count), INVALID);
    assert_int_equal(aclprofGetOpNum(records, 72, &count), INVALID);
    assert_string_equal(msprof_acl_message(),
                        "EK0001: Value 72 for parameter opInfoLen is invalid. Reason: it is not a "
                        "whole multiple of the size that aclprofGetOpDescSize gives.");
    records[2 * OPERATOR_RECORD_SIZE + 30] ^= 1;
    assert_int_equal(aclprofGetOpNum(records, length, &count), INVALID);
    assert_int_equal(count, 77);
    assert_non_null(strstr(msprof_acl_message(), "Value 2 for parameter opInfo"));
}

static void times_and_models_are_told(void **state)
{
    (void)state;
    prepare();
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t index = i + 1;
        assert_int_equal(aclprofGetOpStart(records, length, i), 1000 * index);
        assert_int_equal(aclprofGetOpEnd(records, length, i), 1000 * index + 10 + index);
        assert_int_equal(aclprofGetOpDuration(records, length, i), 10 + index);
        assert_int_equal(aclprofGetModelId(records, length, i), 7);
        assert_int_equal(svp_acl_prof_get_op_start(records, length, i), 1000 * index);
        assert_int_equal(svp_acl_prof_get_op_end(records, length, i), 1000 * index + 10 + index);
        assert_int_equal(svp_acl_prof_get_op_duration(records, length, i), 10 + index);
        assert_int_equal(svp_acl_prof_get_model_id(records, length, i), 7);
    }
}

static void assert_no_values(const void *info, size_t info_length, uint32_t index)
{
    assert_int_equal(aclprofGetOpStart(info, info_length, index), 0);
    assert_int_equal(aclprofGetOpEnd(info, info_length, index), 0);
    assert_int_equal(aclprofGetOpDuration(info, info_length, index), 0);
    assert_int_equal(aclprofGetModelId(info, info_length, index), 0);
    assert_int_equal(aclprofGetOpFlag(info, info_length, index), ACL_SUBSCRIBE_NONE);
    assert_null(aclprofGetOpAttriValue(info, info_length, index, ACL_SUBSCRIBE_ATTRI_THREADID));
    assert_int_equal(svp_acl_prof_get_op_start(info, info_length, index), 0);
    assert_int_equal(svp_acl_prof_get_op_end(info, info_length, index), 0);
    assert_int_equal(svp_acl_prof_get_op_duration(info, info_length, index), 0);
    assert_int_equal(svp_acl_prof_get_model_id(info, info_length, index), 0);
}

/* Every function that gives a text or its length. */
static void assert_no_texts(const void *info, size_t info_length, uint32_t index)
{
    size_t size = 77;
    char text[16] = "untouched";

    assert_int_equal(aclprofGetOpTypeLen(info, info_length, index, &size), INVALID);
    assert_int_equal(aclprofGetOpNameLen(info, info_length, index, &size), INVALID);
    assert_int_equal(svp_acl_prof_get_op_type_len(info, info_length, index, &size), INVALID);
    assert_int_equal(svp_acl_prof_get_op_name_len(info, info_length, index, &size), INVALID);
    assert_int_equal(aclprofGetOpType(info, info_length, index, text, sizeof text), INVALID);
    assert_int_equal(aclprofGetOpName(info, info_length, index, text, sizeof text), INVALID);
    assert_int_equal(svp_acl_prof_get_op_type(info, info_length, index, text, sizeof text), INVALID);
    assert_int_equal(svp_acl_prof_get_op_name(info, info_length, index, text, sizeof text), INVALID);
    assert_int_equal(size, 77);
    assert_string_equal(text, "untouched");
}

static void a_wrong_place_tells_nothing(void **state)
{
    (void)state;
    prepare();
    assert_no_values(NULL, length, 0);
    assert_no_texts(NULL, length, 0);
    assert_no_values(records, length - 1, 0);
    assert_no_texts(records, length - 1, 0);
    assert_no_values(records, length, COUNT);
    assert_no_texts(records, length, COUNT);
    assert_no_values(records, length, UINT32_MAX);
    assert_no_texts(records, length, UINT32_MAX);
    assert_no_values(records, 0, 0);
    assert_no_texts(records, 0, 0);
}

static void a_damaged_record_tells_nothing_and_the_others_do(void **state)
{
    char text[32];

    (void)state;
    prepare();
    records[OPERATOR_RECORD_SIZE + 40] ^= 0x10;
    assert_no_values(records, length, 1);
    assert_no_texts(records, length, 1);
    assert_int_equal(aclprofGetOpStart(records, length, 2), 3000);
    assert_int_equal(aclprofGetOpType(records, length, 2, text, sizeof text), 0);
    records[OPERATOR_RECORD_SIZE + 40] ^= 0x10;
    assert_int_equal(aclprofGetOpStart(records, length, 1), 2000);
    assert_int_equal(aclprofGetOpType(records, length, 1, text, sizeof text), 0);
}

static void flags_and_the_attribute_of_a_thread(void **state)
{
    struct operator_record odd = {.flag = 3, .thread_id = 9, .index = 1};

    (void)state;
    prepare();
    assert_int_equal(aclprofGetOpFlag(records, length, 0), ACL_SUBSCRIBE_OP);
    assert_null(aclprofGetOpAttriValue(records, length, 0, ACL_SUBSCRIBE_ATTRI_THREADID));
    assert_non_null(strstr(msprof_acl_message(), "only a record of an operator's thread has a thread id"));
    assert_int_equal(aclprofGetOpFlag(records, length, 1), ACL_SUBSCRIBE_OP_THREAD);
    assert_string_equal(aclprofGetOpAttriValue(records, length, 1, ACL_SUBSCRIBE_ATTRI_THREADID), "42");
    assert_null(aclprofGetOpAttriValue(records, length, 1, ACL_SUBSCRIBE_ATTRI_NONE));
    assert_null(aclprofGetOpAttriValue(records, length, 1, (aclprofSubscribeOpAttri)9));

    operator_record_encode(&odd, records, OPERATOR_RECORD_SIZE);
    assert_int_equal(aclprofGetOpFlag(records, length, 0), ACL_SUBSCRIBE_NONE);
    odd.flag = OPERATOR_FLAG_SUBGRAPH;
    operator_record_encode(&odd, records, OPERATOR_RECORD_SIZE);
    assert_int_equal(aclprofGetOpFlag(records, length, 0), ACL_SUBSCRIBE_SUBGRAPH);
}

/* ---- texts ---- */

static void each_text_is_given_as_often_as_it_is_asked_for(void **state)
{
    (void)state;
    prepare();
    for (uint32_t i = 0; i < COUNT; i++) {
        char text[32] = "x";
        size_t size = 0;
        assert_int_equal(aclprofGetOpTypeLen(records, length, i, &size), 0);
        assert_int_equal(size, strlen(operators[i].type) + 1);
        assert_int_equal(aclprofGetOpType(records, length, i, text, size), 0);
        assert_string_equal(text, operators[i].type);
        assert_int_equal(aclprofGetOpType(records, length, i, text, sizeof text), 0);
        assert_string_equal(text, operators[i].type);
        assert_int_equal(aclprofGetOpTypeLen(records, length, i, &size), 0);

        assert_int_equal(aclprofGetOpNameLen(records, length, i, &size), 0); /* the name is another text */
        assert_int_equal(size, strlen(operators[i].name) + 1);
        assert_int_equal(aclprofGetOpName(records, length, i, text, sizeof text), 0);
        assert_string_equal(text, operators[i].name);
        assert_int_equal(aclprofGetOpName(records, length, i, text, sizeof text), 0);
        assert_string_equal(text, operators[i].name);
    }
}

static void a_buffer_that_is_too_small_gets_whole_characters(void **state)
{
    char text[32] = "untouched";

    (void)state;
    prepare();
    assert_int_equal(aclprofGetOpType(records, length, 0, text, 0), INVALID);
    assert_int_equal(aclprofGetOpType(records, length, 0, NULL, sizeof text), INVALID);
    assert_int_equal(aclprofGetOpName(records, length, 0, NULL, sizeof text), INVALID);
    assert_int_equal(aclprofGetOpTypeLen(records, length, 0, NULL), INVALID);
    assert_int_equal(aclprofGetOpNameLen(records, length, 0, NULL), INVALID);
    assert_string_equal(text, "untouched");
    assert_int_equal(aclprofGetOpType(records, length, 0, text, strlen("Conv2D")), 0);
    assert_string_equal(text, "Conv2");
    assert_int_equal(aclprofGetOpType(records, length, 0, text, 1), 0);
    assert_string_equal(text, "");
    assert_int_equal(aclprofGetOpType(records, length, 0, text, strlen("Conv2D") + 1), 0);
    assert_string_equal(text, "Conv2D");
    for (size_t size = strlen("层/") + 1; size <= strlen("层/卷"); size++) { /* 3, 1, 3 and 3 bytes */
        assert_int_equal(aclprofGetOpName(records, length, 2, text, size), 0);
        assert_string_equal(text, "层/");
    }
}

static void boards_cut_texts_to_fit(void **state)
{
    char text[SVP_ACL_PROF_MAX_OP_NAME_LEN + 1], name[301];
    struct named_operator one = {name, name};
    size_t size = 0;

    (void)state;
    memset(name, 'n', sizeof name);
    name[300] = '\0';
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 1, COUNT);
    subscription_write_names("names", OPERATOR_RECORD_SIZE, 1, &one, 1);
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    assert_int_equal(svp_acl_prof_get_op_name_len(records, length, 0, &size), 0);
    assert_int_equal(size, 301);
    memset(text, 'x', sizeof text);
    assert_int_equal(svp_acl_prof_get_op_name(records, length, 0, text, SVP_ACL_PROF_MAX_OP_NAME_LEN), 0);
    assert_int_equal(strlen(text), SVP_ACL_PROF_MAX_OP_NAME_LEN - 1);
    assert_int_equal(text[SVP_ACL_PROF_MAX_OP_NAME_LEN], 'x');
    assert_int_equal(svp_acl_prof_get_op_type(records, length, 0, text, SVP_ACL_PROF_MAX_OP_TYPE_LEN), 0);
    assert_int_equal(strlen(text), SVP_ACL_PROF_MAX_OP_TYPE_LEN - 1);
}

static void a_board_s_text_that_fits_is_whole(void **state)
{
    char text[32];

    (void)state;
    prepare();
    assert_int_equal(svp_acl_prof_get_op_type(records, length, 0, text, 0), INVALID);
    assert_int_equal(svp_acl_prof_get_op_type(records, length, 0, text, strlen("Conv2D") + 1), 0);
    assert_string_equal(text, "Conv2D");
    assert_int_equal(svp_acl_prof_get_op_name(records, length, 0, text, 1), 0);
    assert_string_equal(text, "");
}

/* ---- where tables come from ---- */

static void without_a_table_there_are_numbers_but_no_names(void **state)
{
    (void)state;
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 1, COUNT);
    assert_no_texts(records, length, 0);
    assert_non_null(strstr(msprof_acl_message(), "no table of names"));
    assert_int_equal(aclprofGetOpStart(records, length, 0), 1000);
}

static void an_index_that_no_table_has_has_no_name(void **state)
{
    (void)state;
    prepare();
    subscription_make_records(records, OPERATOR_RECORD_SIZE, COUNT + 1, 1);
    assert_no_texts(records, OPERATOR_RECORD_SIZE, 0);
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 0, 1);
    assert_no_texts(records, OPERATOR_RECORD_SIZE, 0);
    subscription_make_records(records, OPERATOR_RECORD_SIZE, UINT64_MAX, 1);
    assert_no_texts(records, OPERATOR_RECORD_SIZE, 0);
}

static void assert_type(uint64_t index, const char *expected)
{
    unsigned char record[OPERATOR_RECORD_SIZE];
    char text[32] = "";

    subscription_make_records(record, sizeof record, index, 1);
    assert_int_equal(aclprofGetOpType(record, sizeof record, 0, text, sizeof text), 0);
    assert_string_equal(text, expected);
}

static void several_tables_are_searched_in_their_order(void **state)
{
    static const struct named_operator first[] = {{"one", "1"}, {"two", "2"}};
    static const struct named_operator second[] = {{"zwei", "2"}, {"drei", "3"}};
    char list[512];

    (void)state;
    subscription_write_names("a", OPERATOR_RECORD_SIZE, 1, first, 2);
    subscription_write_names("b", OPERATOR_RECORD_SIZE, 2, second, 2);
    snprintf(list, sizeof list, ":%s/missing:%s/a::%s/b:", scratch_directory, scratch_directory, scratch_directory);
    setenv("MSPROF_OP_NAMES", list, 1);
    assert_type(1, "one");
    assert_type(2, "two");
    assert_type(3, "drei");
}

static void a_table_may_come_late_and_may_be_replaced(void **state)
{
    static const struct named_operator old[] = {{"old", "1"}}, new[] = {{"new", "1"}};

    (void)state;
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 1, 1);
    assert_no_texts(records, OPERATOR_RECORD_SIZE, 0);
    subscription_write_names("names", OPERATOR_RECORD_SIZE, 1, old, 1);
    assert_type(1, "old");
    subscription_write_names("names", OPERATOR_RECORD_SIZE, 1, new, 1);
    assert_type(1, "new");
}

static void a_table_for_records_of_another_size_is_not_used(void **state)
{
    size_t size;

    (void)state;
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    assert_int_equal(aclprofGetOpDescSize(&size), 0);
    assert_int_equal(size, 80);
    subscription_write_names("names", OPERATOR_RECORD_OLD_SIZE, 1, operators, COUNT);
    subscription_make_records(records, OPERATOR_RECORD_SIZE, 1, COUNT);
    assert_no_texts(records, length, 0);
    assert_int_equal(aclprofGetOpDescSize(&size), 0);
    assert_int_equal(size, 80);
}

static void what_is_no_sound_table_is_not_used_and_holds_nobody_up(void **state)
{
    static const char *const names[] = {"text", "empty", "directory", "pipe", "cut", "long"};
    char table[4096];
    ssize_t table_length;

    (void)state;
    prepare();
    int fd = open(in_scratch("names"), O_RDONLY);
    table_length = read(fd, table, sizeof table - 1);
    close(fd);
    assert_true(table_length > 100);
    scratch_make_file("text", "This is a text that is a little longer than the header of a table of names.");
    scratch_make_file("empty", "");
    mkdir(in_scratch("directory"), 0750);
    mkfifo(in_scratch("pipe"), 0640);
    fd = open(in_scratch("cut"), O_WRONLY | O_CREAT, 0640);
    assert_int_equal(write(fd, table, 100), 100);
    close(fd);
    fd = open(in_scratch("long"), O_WRONLY | O_CREAT, 0640);
    assert_int_equal(write(fd, table, (size_t)table_length), table_length);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        subscribe_names_reset();
        setenv("MSPROF_OP_NAMES", in_scratch(names[i]), 1);
        assert_no_texts(records, length, 0);
    }
}

static void records_of_72_bytes_are_read_too(void **state)
{
    unsigned char old[2 * OPERATOR_RECORD_OLD_SIZE];
    uint32_t count = 0;
    char text[32];

    (void)state;
    subscription_write_names("names", OPERATOR_RECORD_OLD_SIZE, 1, operators, COUNT);
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    subscription_make_records(old, OPERATOR_RECORD_OLD_SIZE, 1, 2);
    assert_int_equal(aclprofGetOpNum(old, sizeof old, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(aclprofGetOpNum(old, 80, &count), INVALID);
    assert_int_equal(aclprofGetOpEnd(old, sizeof old, 1), 2012);
    assert_int_equal(aclprofGetOpName(old, sizeof old, 1, text, sizeof text), 0);
    assert_string_equal(text, "layer1/add");
}

/* ---- threads ---- */

#define THREADS 8
#define MANY 2000

static unsigned char many_records[MANY * OPERATOR_RECORD_SIZE];

/* Gets every type; returns how many it got, with the right text. */
static void *get_all_types(void *argument)
{
    uintptr_t got = 0;

    (void)argument;
    for (uint32_t i = 0; i < MANY; i++) {
        char text[32], expected[32];
        snprintf(expected, sizeof expected, "type%u", i);
        if (aclprofGetOpType(many_records, sizeof many_records, i, text, sizeof text) != 0)
            continue;
        if (strcmp(text, expected) != 0)
            return (void *)(uintptr_t)-1;
        got++;
    }
    return (void *)got;
}

static void threads_get_the_same_texts(void **state)
{
    static char types[MANY][32];
    struct named_operator many[MANY];
    pthread_t threads[THREADS];
    uintptr_t total = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(types[i], sizeof types[i], "type%d", i);
        many[i] = (struct named_operator){types[i], "n"};
    }
    subscription_write_names("names", OPERATOR_RECORD_SIZE, 1, many, MANY);
    subscription_make_records(many_records, OPERATOR_RECORD_SIZE, 1, MANY);
    setenv("MSPROF_OP_NAMES", in_scratch("names"), 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_all_types, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *got;
        pthread_join(threads[i], &got);
        total += (uintptr_t)got;
    }
    assert_int_equal(total, THREADS * MANY);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, subscription_setup, subscription_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_size_of_a_record_is_80),
        TEST(the_size_is_that_of_the_table_which_is_there_first),
        TEST(records_are_counted),
        TEST(what_is_no_record_is_not_counted),
        TEST(times_and_models_are_told),
        TEST(a_wrong_place_tells_nothing),
        TEST(a_damaged_record_tells_nothing_and_the_others_do),
        TEST(flags_and_the_attribute_of_a_thread),
        TEST(each_text_is_given_as_often_as_it_is_asked_for),
        TEST(a_buffer_that_is_too_small_gets_whole_characters),
        TEST(boards_cut_texts_to_fit),
        TEST(a_board_s_text_that_fits_is_whole),
        TEST(without_a_table_there_are_numbers_but_no_names),
        TEST(an_index_that_no_table_has_has_no_name),
        TEST(several_tables_are_searched_in_their_order),
        TEST(a_table_may_come_late_and_may_be_replaced),
        TEST(a_table_for_records_of_another_size_is_not_used),
        TEST(what_is_no_sound_table_is_not_used_and_holds_nobody_up),
        TEST(records_of_72_bytes_are_read_too),
        TEST(threads_get_the_same_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
