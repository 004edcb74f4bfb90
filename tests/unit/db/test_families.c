/* SPDX-License-Identifier: Apache-2.0 */
/* Every record kind in every shape of capture: whatever the bytes are, import goes on or says why not. */
#include "tests/lib/scratch.h"
#include "tests/lib/typed_record.h"

#include "base/diag.h"
#include "db/import.h"
#include "parsers/capture/capture.h"
#include "parsers/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES_MAX (8 * 4096)
#define CAPTURE_NAME "capture"

/* ---- names and bytes ---- */

static void put_magics(const struct layout *layout, unsigned char *record)
{
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        for (unsigned k = 0; k < magic->width; k++) {
            unsigned shift = 8 * (layout->big_endian ? magic->width - 1 - k : k);
            record[magic->offset + k] |= (unsigned char)(magic->value >> shift);
        }
    }
}

enum filling { ZEROS, NOISE, ONE_BYTE, MAGICS /* + the layout's index */ };

static size_t fill(const struct record_kind *kind, int filling, unsigned char *bytes)
{
    const struct layout *layout =
        kind->layout_count > 0 ? &kind->layouts[filling > MAGICS ? filling - MAGICS : 0] : NULL;
    size_t size = layout != NULL ? layout->record_size : 80, records = size * 4 < BYTES_MAX ? 4 : 1;
    uint32_t random = 12345;
    memset(bytes, 0, BYTES_MAX);
    if (filling == ONE_BYTE)
        return 1;
    for (size_t i = 0; filling == NOISE && i < records * size; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(random >> 24);
    }
    for (size_t i = 0; filling >= MAGICS && layout != NULL && i < records; i++)
        put_magics(layout, bytes + i * size);
    return records * size;
}

/* ---- shapes ---- */

static const struct shape {
    const char *title, *directories[2], *data, *part;
} shapes[] = {
    {"JOB with data/", {"data", NULL}, "data/", ""},
    {"JOB flat", {NULL, NULL}, "", ""},
    {"PROF with host/", {"host", "host/data"}, "host/data/", "host/"},
    {"PROF with device_0/", {"device_0", "device_0/data"}, "device_0/data/", "device_0/"},
    {"PROF with files in device_0/", {"device_0", NULL}, "device_0/", "device_0/"},
    {"OPPROF with launch/", {"core0.veccore0", "launch"}, "launch/", ""}, /* the first makes it one */
};

/* Kinds of trees have shapes of their own. */
static bool suits(const struct record_kind *kind, const struct shape *shape)
{
    const bool is_tree = strcmp(shape->data, "launch/") == 0;
    return kind->patterns != NULL && is_tree == ((kind->families & FAMILY_TREES) != 0);
}

static const char svp_info[] = "{\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}";
static const char ascend_info[] =
    "{\"platform_version\": \"5\", \"pid\": \"42\", \"CPU\": [{\"Frequency\": \"100.000000\"}], \"DeviceInfo\": "
    "[{\"id\": 0, \"hwts_frequency\": \"50\", \"aic_frequency\": \"1650\", \"ai_core_num\": 24}]}";

static void put(const char *part, const char *name, const void *bytes, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, CAPTURE_NAME "/%s%s", part, name);
    FILE *file = fopen(in_scratch(path), "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void take_away(const char *part, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, CAPTURE_NAME "/%s%s", part, name);
    unlink(in_scratch(path));
}

static void make_shape(const struct shape *shape)
{
    char path[128];
    assert_int_equal(mkdir(in_scratch(CAPTURE_NAME), 0750), 0);
    for (size_t i = 0; i < 2 && shape->directories[i] != NULL; i++) {
        snprintf(path, sizeof path, CAPTURE_NAME "/%s", shape->directories[i]);
        assert_int_equal(mkdir(in_scratch(path), 0750), 0);
    }
}

static void remove_shape(const struct shape *shape)
{
    char path[128];
    for (size_t i = 2; i-- > 0;) {
        if (shape->directories[i] == NULL)
            continue;
        snprintf(path, sizeof path, CAPTURE_NAME "/%s", shape->directories[i]);
        assert_int_equal(rmdir(in_scratch(path)), 0);
    }
    assert_int_equal(rmdir(in_scratch(CAPTURE_NAME)), 0);
}

/* ---- imports ---- */

/* Imports the capture; what is wrong with it must have been said. */
static void import_capture(const char *title)
{
    char database[128], directory[128];
    snprintf(database, sizeof database, "%s", in_scratch("runtime.db"));
    snprintf(directory, sizeof directory, "%s", in_scratch(CAPTURE_NAME));
    const struct import_request request = {
        .directory = directory, .database = database, .tool_version = "1", .parameters = "none"};
    struct diagnostics diag;
    struct import_result result;
    struct err err = ERR_INIT;
    diag_init(&diag, false);
    int status = db_import(&request, &diag, &result, &err);
    if (status < 0)
        fail_msg("%s: import fails: %s", title, err_message(&err));
    if (diag_problems(&diag) > 0 && (diag.count == 0 || diag.entries[0].kept == 0 || *diag.entries[0].texts[0] == '\0'))
        fail_msg("%s: a problem is counted and not told", title);
    diag_release(&diag);
}

static void import_kind(const struct record_kind *kind, const struct shape *shape, const char *info, const char *name)
{
    static unsigned char bytes[BYTES_MAX];
    char title[256];
    int fillings = MAGICS + (kind->layout_count > 1 ? (int)kind->layout_count : 1);
    const char *info_name = strcmp(shape->part, "host/") == 0 ? "info.json" : "info.json.0";
    if (info != NULL)
        put(shape->part, info_name, info, strlen(info));
    for (int filling = 0; filling < fillings; filling++) {
        if (info != NULL && (filling == NOISE || filling == ONE_BYTE))
            continue;
        put(shape->data, name, bytes, fill(kind, filling, bytes));
        snprintf(title, sizeof title, "%s as %s, filling %d, %s", name, shape->title, filling,
                 info == NULL ? "without info.json" : info);
        import_capture(title);
    }
    take_away(shape->data, name);
    take_away(shape->part, info_name);
}

/* One share of the kinds, so that no test takes as long as the alarm of the scratch directory. */
static void import_share(size_t share, size_t shares)
{
    char name[128];
    size_t count = 0;
    while (record_kinds[count] != NULL)
        count++;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        make_shape(&shapes[i]);
        for (size_t k = share; k < count; k += shares) {
            if (!suits(record_kinds[k], &shapes[i]))
                continue;
            name_by_pattern(record_kinds[k]->patterns[0], name, sizeof name);
            alarm(SCRATCH_LONGEST_WAIT); /* for each, however slow the machine is */
            import_kind(record_kinds[k], &shapes[i], NULL, name);
            import_kind(record_kinds[k], &shapes[i], *shapes[i].part != '\0' ? ascend_info : svp_info, name);
        }
        remove_shape(&shapes[i]);
    }
}

#define SHARES 24
#define SHARE_TEST(number)                                                                                             \
    static void every_kind_imports_in_every_shape_##number(void **state)                                               \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        import_share(number, SHARES);                                                                                  \
    }
SHARE_TEST(0)
SHARE_TEST(1)
SHARE_TEST(2)
SHARE_TEST(3)
SHARE_TEST(4)
SHARE_TEST(5)
SHARE_TEST(6)
SHARE_TEST(7)
SHARE_TEST(8)
SHARE_TEST(9)
SHARE_TEST(10)
SHARE_TEST(11)
SHARE_TEST(12)
SHARE_TEST(13)
SHARE_TEST(14)
SHARE_TEST(15)
SHARE_TEST(16)
SHARE_TEST(17)
SHARE_TEST(18)
SHARE_TEST(19)
SHARE_TEST(20)
SHARE_TEST(21)
SHARE_TEST(22)
SHARE_TEST(23)

/* ---- which family ---- */

static void assert_family(const char *const *files, const char *info, const char *expected)
{
    static const struct shape job = {"JOB", {"data", NULL}, "data/", ""};
    const struct capture_options options = {.layouts = NULL};
    struct diagnostics diag;
    struct capture capture;
    struct err err = ERR_INIT;
    make_shape(&job);
    for (size_t i = 0; files[i] != NULL; i++)
        put("data/", files[i], "\1", 1);
    if (info != NULL)
        put("", "info.json.0", info, strlen(info));
    diag_init(&diag, false);
    assert_int_equal(capture_open(&capture, in_scratch(CAPTURE_NAME), &options, &diag, &err), 0);
    assert_string_equal(capture_family_name(capture.family), expected);
    capture_release(&capture);
    diag_release(&diag);
    for (size_t i = 0; files[i] != NULL; i++)
        take_away("data/", files[i]);
    take_away("", "info.json.0");
    remove_shape(&job);
}

static void the_family_follows_names_and_info_json(void **state)
{
    (void)state;
    static const char *const parts_of_acl[] = {"AclModule.acl_model.0.slice_0", "AclModule.acl_rts.0.slice_0", NULL};
    static const char *const shared_name[] = {"AclModule.0.slice_0", NULL}, *const board[] = {"acl_api.0.net.1", NULL};
    static const char *const nothing[] = {"letter.txt", NULL};
    static const char *const more_svp[] = {"aicore.0.1.1", "acl_api.0.net.1", "AclModule.acl_model.0.slice_0", NULL};
    static const char *const transition[] = {"Framework.task_desc_info.0.slice_0", "Runtime.api.0.slice_0",
                                             "aging.api_event.data.slice_0", NULL};
    assert_family(parts_of_acl, NULL, "ascend-2022");
    assert_family(parts_of_acl, ascend_info, "ascend-2022");
    assert_family(shared_name, NULL, "svp");
    assert_family(shared_name, svp_info, "svp");
    assert_family(shared_name, ascend_info, "ascend-2022");
    assert_family(board, NULL, "svp");
    assert_family(nothing, NULL, "unknown");
    assert_family(nothing, svp_info, "svp");
    assert_family(more_svp, svp_info, "svp");
    assert_family(transition, NULL, "ascend-cann");
}

static void a_file_of_another_family_is_named_and_left_out(void **state)
{
    (void)state;
    const struct capture_options options = {.layouts = NULL};
    struct diagnostics diag;
    struct capture capture;
    struct err err = ERR_INIT;
    make_shape(&shapes[0]);
    put("data/", "aicore.0.1.1", "\1", 1);
    put("data/", "acl_api.0.net.1", "\1", 1);
    put("data/", "aging.api_event.data.slice_0", "\1", 1);
    diag_init(&diag, false);
    assert_int_equal(capture_open(&capture, in_scratch(CAPTURE_NAME), &options, &diag, &err), 0);
    assert_int_equal(capture.family, CAPTURE_SVP);
    size_t foreign = 0;
    for (size_t i = 0; i < diag.count; i++)
        foreign += diag.entries[i].id == DIAG_FILE_FOREIGN &&
                   strcmp(diag.entries[i].file, "data/aging.api_event.data.slice_0") == 0;
    assert_int_equal(foreign, 1);
    for (size_t i = 0; i < capture.file_count; i++)
        assert_true(capture.files[i].kind == NULL || (capture.files[i].kind->families & FAMILY_SVP) != 0);
    capture_release(&capture);
    diag_release(&diag);
}

static void kinds_name_families_and_other_kinds_that_exist(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        if (kind->families == 0 || (kind->families & ~(unsigned)(FAMILY_ALL | FAMILY_TREES)) != 0)
            fail_msg("kind %s belongs to no family", kind->name);
        if (kind->instead_of != NULL && record_kind_find(kind->instead_of) == NULL)
            fail_msg("kind %s stands for %s, which is none", kind->name, kind->instead_of);
        for (size_t k = 0; kind->pattern_families != NULL && kind->patterns[k] != NULL; k++) {
            if (kind->pattern_families[k] == 0 || (kind->pattern_families[k] & ~kind->families) != 0)
                fail_msg("pattern %s of kind %s is of no family of its kind", kind->patterns[k], kind->name);
        }
    }
}

int main(void)
{
#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_family_follows_names_and_info_json),
        SCRATCH_TEST(a_file_of_another_family_is_named_and_left_out),
        cmocka_unit_test(kinds_name_families_and_other_kinds_that_exist),
        SCRATCH_TEST(every_kind_imports_in_every_shape_0),
        SCRATCH_TEST(every_kind_imports_in_every_shape_1),
        SCRATCH_TEST(every_kind_imports_in_every_shape_2),
        SCRATCH_TEST(every_kind_imports_in_every_shape_3),
        SCRATCH_TEST(every_kind_imports_in_every_shape_4),
        SCRATCH_TEST(every_kind_imports_in_every_shape_5),
        SCRATCH_TEST(every_kind_imports_in_every_shape_6),
        SCRATCH_TEST(every_kind_imports_in_every_shape_7),
        SCRATCH_TEST(every_kind_imports_in_every_shape_8),
        SCRATCH_TEST(every_kind_imports_in_every_shape_9),
        SCRATCH_TEST(every_kind_imports_in_every_shape_10),
        SCRATCH_TEST(every_kind_imports_in_every_shape_11),
        SCRATCH_TEST(every_kind_imports_in_every_shape_12),
        SCRATCH_TEST(every_kind_imports_in_every_shape_13),
        SCRATCH_TEST(every_kind_imports_in_every_shape_14),
        SCRATCH_TEST(every_kind_imports_in_every_shape_15),
        SCRATCH_TEST(every_kind_imports_in_every_shape_16),
        SCRATCH_TEST(every_kind_imports_in_every_shape_17),
        SCRATCH_TEST(every_kind_imports_in_every_shape_18),
        SCRATCH_TEST(every_kind_imports_in_every_shape_19),
        SCRATCH_TEST(every_kind_imports_in_every_shape_20),
        SCRATCH_TEST(every_kind_imports_in_every_shape_21),
        SCRATCH_TEST(every_kind_imports_in_every_shape_22),
        SCRATCH_TEST(every_kind_imports_in_every_shape_23),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
