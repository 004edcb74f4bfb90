/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that change under the hands of the import, that are damaged where the layout is chosen, or that have no end
 * of a line. */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "parsers/decode/decode.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- files that change ---- */

static struct row_batch *begin(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    (void)err;
    struct row_batch *batch = row_batch_new();
    assert_non_null(batch);
    assert_true(row_batch_begin(batch, kind));
    return batch;
}

static int commit(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    (void)sink;
    (void)err;
    row_batch_free(batch);
    return 0;
}

#define CALLS 20

static void put_calls(const char *name, size_t count)
{
    unsigned char calls[CALLS * ACL_SIZE], *p = calls;
    for (size_t i = 0; i < count; i++)
        p = put_acl(p, "call", 100 * i, 100 * i + 50);
    put_file(name, calls, count * ACL_SIZE);
}

static const char *const changing[] = {"acl_api.0.net.1", "aicpu.0.net.1.1.1.0", "net.1.layer.info"};
#define SHORT_SIZE ((off_t)ACL_SIZE) /* of each, when it shrinks */

static const char *data_path(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "J/data/%s", name);
    return in_scratch(path);
}

static void put_changing(void)
{
    unsigned char tasks[3 * AICPU_SIZE], *p = tasks;
    for (unsigned i = 0; i < 3; i++)
        p = put_aicpu(p, i, 100 * i, 100 * i + 50);
    put_text("net.1.net.info", "{\"model_name\": \"net\", \"model_id\": 1, \"batch_num\": 1}");
    put_calls(changing[0], CALLS / 2);
    put_file(changing[1], tasks, sizeof tasks);
    put_text(changing[2],
             "[{\"layer_id\":0,\"task_id\":0,\"name\":\"a\"},{\"layer_id\":1,\"task_id\":1,\"name\":\"b\"},"
             "{\"layer_id\":2,\"task_id\":2,\"name\":\"c\"},{\"layer_id\":3,\"task_id\":3}]\n");
}

/* Lists a capture, changes a file of it, and decodes what was listed. */
static void decode_changed(void (*change)(const char *name), const char *name, struct diagnostics *diag)
{
    const struct capture_options options = {.layouts = NULL};
    struct row_sink sink = {begin, commit, NULL};
    struct capture capture;
    struct err err = ERR_INIT;
    make_job();
    put_changing();
    diag_init(diag, false);
    assert_int_equal(capture_open(&capture, in_scratch("J"), &options, diag, &err), 0);
    if (change != NULL)
        change(name);
    assert_int_equal(decode_capture(&capture, &sink, NULL, &err), 0);
    struct recheck *recheck = capture_recheck_begin(&capture, &err);
    assert_non_null(recheck);
    assert_int_equal(capture_recheck_end(recheck, &err), 0);
    capture_release(&capture);
}

static void shrink(const char *name)
{
    assert_int_equal(truncate(data_path(name), SHORT_SIZE), 0);
}

static void grow(const char *name)
{
    FILE *file = fopen(data_path(name), "a");
    static const char more[2 * ACL_SIZE];
    assert_non_null(file);
    assert_int_equal(fwrite(more, sizeof more, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

/* By as much, and of the same time. */
static void replace(const char *name)
{
    struct stat before;
    char path[128];
    snprintf(path, sizeof path, "%s", data_path(name));
    assert_int_equal(stat(path, &before), 0);
    put_calls("other", CALLS / 2);
    assert_int_equal(truncate(data_path("other"), before.st_size), 0);
    assert_int_equal(rename(data_path("other"), path), 0);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void take_away(const char *name)
{
    assert_int_equal(unlink(data_path(name)), 0);
}

static void next_generation(void **state)
{
    assert_int_equal(scratch_teardown(state), 0);
    assert_int_equal(scratch_setup(state), 0);
}

static void a_file_that_changes_while_it_is_imported_is_named(void **state)
{
    static void (*const changes[])(const char *name) = {shrink, grow, replace, take_away};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        for (size_t k = 0; k < sizeof changing / sizeof *changing; k++) {
            struct diagnostics diag;
            char name[64];
            snprintf(name, sizeof name, "data/%s", changing[k]);
            decode_changed(changes[i], changing[k], &diag);
            assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, name), 1);
            assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, NULL), 1);
            diag_release(&diag);
            next_generation(state);
        }
    }
}

static void add_slice(const char *name)
{
    put_calls(name, 1);
}

static void change_info(const char *name)
{
    (void)name;
    scratch_make_file("J/info.json.0", "{\"DeviceInfo\": [{\"aic_frequency\": \"1\"}], \"more\": 1}");
}

/* Nobody has listed them, or they are read before the data. */
static void a_file_that_comes_or_is_no_data_makes_the_capture_a_changed_one(void **state)
{
    static const struct {
        void (*change)(const char *name);
        const char *name;
    } changes[] = {
        {add_slice, "acl_api.0.net.2"}, {add_slice, "unknown"}, {change_info, NULL}, {take_away, "net.1.net.info"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct diagnostics diag;
        decode_changed(changes[i].change, changes[i].name, &diag);
        assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, NULL), 1);
        diag_release(&diag);
        next_generation(state);
    }
}

static void a_file_that_does_not_change_is_not_named(void **state)
{
    (void)state;
    struct diagnostics diag;
    decode_changed(NULL, NULL, &diag);
    assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, NULL), 0);
    diag_release(&diag);
}

/* ---- the choice of a layout ---- */

#define TIME_LINE_SIZE 32
#define STEP_SIZE 40
#define TIME_LINES 180

/* Records of chip 0: the tag 3 and the size 32 at 1 (docs/formats/cann.md 4.2), and one of another size between. */
static size_t make_time_lines(unsigned char *bytes)
{
    size_t at = 0;
    memset(bytes, 0, TIME_LINES * TIME_LINE_SIZE + STEP_SIZE);
    for (unsigned i = 0; i < TIME_LINES; i++) {
        bytes[at + 1] = 0x03;
        bytes[at + 2] = 0x20;
        bytes[at + 8] = (unsigned char)i;
        at += TIME_LINE_SIZE;
        if (i == TIME_LINES / 2) {
            bytes[at + 1] = 0x0a;
            bytes[at + 2] = 0x28;
            at += STEP_SIZE;
        }
    }
    return at;
}

static void damage_at_the_head_of_a_file_does_not_choose_another_layout(void **state)
{
    (void)state;
    static unsigned char bytes[TIME_LINES * TIME_LINE_SIZE + STEP_SIZE];
    size_t length = make_time_lines(bytes);
    memset(bytes, 0xff, 8);
    make_job();
    put_file("ts_track.data.0.slice_0", bytes, length);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, "data/ts_track.data.0.slice_0");
    assert_int_equal(file->rejected, 1);
    assert_int_equal(file->decoded, TIME_LINES);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_MAGIC, NULL), 1);
    collection_free(collection);
}

static void a_layout_that_the_user_names_outranks_one_with_a_magic(void **state)
{
    (void)state;
    static unsigned char bytes[TIME_LINES * TIME_LINE_SIZE + STEP_SIZE];
    size_t length = make_time_lines(bytes);
    struct layout_set set;
    struct err err = ERR_INIT;
    make_job();
    put_file("ts_track.data.0.slice_0", bytes, length);
    scratch_make_file("board.layout", "kind ts_track\nlayout board\nsize 8\ncolumn stream_id offset 0 width 2\n");
    for (int named = 0; named < 2; named++) {
        layout_set_init(&set);
        if ((named ? layout_set_load_named : layout_set_load_file)(&set, in_scratch("board.layout"), &err) < 0)
            fail_msg("%s", err_message(&err));
        struct collection *collection = collect(in_scratch("J"), &set);
        const struct capture_file *file = collection_file(collection, "data/ts_track.data.0.slice_0");
        assert_int_equal(file->decoded + file->rejected, named ? length / 8 : TIME_LINES + 1);
        collection_free(collection);
        layout_set_release(&set);
    }
}

static void records_of_zeros_are_rejected_and_make_no_model(void **state)
{
    (void)state;
    unsigned char tasks[3 * PMU_SIZE] = {0};
    make_job();
    put_pmu(tasks + PMU_SIZE, 1, 600, 7, 0);
    put_file("aicore.0.1.1", tasks, sizeof tasks);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, "data/aicore.0.1.1");
    assert_int_equal(file->decoded, 1);
    assert_int_equal(file->rejected, 2);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(row_count(collection, "inference"), 1);
    assert_int_equal(row_integer(collection, "inference", 0, "model_id"), 7);
    collection_free(collection);
}

/* ---- dictionaries ---- */

static void a_dictionary_without_line_ends_is_named_and_the_import_goes_on(void **state)
{
    (void)state;
    static char text[1024 * 1024];
    char name[64];
    memset(text, 'x', sizeof text);
    make_job();
    for (unsigned i = 0; i < 40; i++) { /* more than any buffer for a line would take */
        snprintf(name, sizeof name, "aging.additional.hash_dic.slice_%u", i);
        text[0] = (char)('A' + i); /* no copies of each other */
        put_file(name, text, sizeof text);
    }
    put_text("aging.additional.hash_dic.slice_40", "end of it\n7:seven\n8:eight\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(reported(diag, DIAG_TEXT_LINE, NULL), 1);
    assert_report(diag, DIAG_TEXT_LINE, "hash_dic.slice_0", "a line of more than", NULL);
    assert_int_equal(collection_file(collection, "data/aging.additional.hash_dic.slice_0")->rejected, 1);
    assert_int_equal(collection_file(collection, "data/aging.additional.hash_dic.slice_40")->decoded, 2);
    collection_free(collection);
}

static void a_line_that_is_cut_between_slices_is_whole(void **state)
{
    (void)state;
    make_job();
    put_text("aging.additional.hash_dic.slice_0", "7:se");
    put_text("aging.additional.hash_dic.slice_1", "ven\n8:eight\n9:without an end");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(collection_file(collection, "data/aging.additional.hash_dic.slice_1")->decoded, 2);
    assert_int_equal(collection_file(collection, "data/aging.additional.hash_dic.slice_1")->rejected, 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_TRUNCATED, NULL), 1);
    collection_free(collection);
}

int main(void)
{
#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_file_that_changes_while_it_is_imported_is_named),
        SCRATCH_TEST(a_file_that_comes_or_is_no_data_makes_the_capture_a_changed_one),
        SCRATCH_TEST(a_file_that_does_not_change_is_not_named),
        SCRATCH_TEST(damage_at_the_head_of_a_file_does_not_choose_another_layout),
        SCRATCH_TEST(a_layout_that_the_user_names_outranks_one_with_a_magic),
        SCRATCH_TEST(records_of_zeros_are_rejected_and_make_no_model),
        SCRATCH_TEST(a_dictionary_without_line_ends_is_named_and_the_import_goes_on),
        SCRATCH_TEST(a_line_that_is_cut_between_slices_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
