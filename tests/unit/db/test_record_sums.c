/* SPDX-License-Identifier: Apache-2.0 */
/* All that is in the files is in the tables, or rejected for a reason that is told: over every kind, counted from the
 * sizes of files and hand-typed records and from the lines of texts, never from what the decoder says. */
#include "tests/lib/collect.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shapes.h"
#include "tests/lib/typed_record.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define KINDS_DIRECTORY "testdata/kinds"
#define COPIES 4 /* of a record in its file */
#define BYTES_MAX (COPIES * MAX_RECORD + 256)

/* ---- sums ---- */

/* A file as it is damaged. */
struct trial {
    const struct record_kind *kind; /* of the file */
    const char *name;
    size_t records;    /* that the file holds, whatever they are */
    uint64_t rejected; /* filled by check_sums */
    char what[512];
};

static bool may_be_a_note(enum diag_id id)
{
    /* Starts at the end of a capture, types of newer chips, the mark behind the last sample, what ageing leaves, what
     * is said of tasks that did not run. */
    return id == DIAG_TASK_UNMATCHED_START || id == DIAG_RECORD_UNKNOWN || id == DIAG_SAMPLE_END ||
           id == DIAG_RECORD_AGED || id == DIAG_TASK_NOT_RUN;
}

static void check_reasons(const struct trial *trial, const struct capture_file *file, const struct diagnostics *diag)
{
    uint64_t sum = 0, as_notes = 0;
    for (size_t i = 0; i < DIAG_COUNT; i++) {
        enum diag_id id = (enum diag_id)i;
        sum += file->rejected_for[i];
        as_notes += may_be_a_note(id) ? file->rejected_for[i] : 0;
        if (file->rejected_for[i] > 0 && reported(diag, id, file->name) == 0)
            fail_msg("%s: %" PRIu64 " records are rejected as '%s', which is not told", trial->what,
                     file->rejected_for[i], diag_info(id)->id);
    }
    if (sum != file->rejected)
        fail_msg("%s: %" PRIu64 " records rejected, %" PRIu64 " for a reason", trial->what, file->rejected, sum);
    if (file->rejected > as_notes && diag_problems(diag) == 0)
        fail_msg("%s: %" PRIu64 " records are rejected without a warning", trial->what, file->rejected);
}

/* Decodes the capture; fails unless the file's records are rows or rejected. */
static struct trial check_sums(struct trial trial)
{
    alarm(SCRATCH_LONGEST_WAIT); /* for each, however slow the machine is */
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, trial.name);
    const struct diagnostics *diag = collection_diagnostics(collection);
    if (file->decoded + file->rejected != trial.records)
        fail_msg("%s: %zu records in the file, %" PRIu64 " decoded and %" PRIu64 " rejected", trial.what, trial.records,
                 file->decoded, file->rejected);
    /* A record may hold several rows: then none is a row of its own. */
    if (trial.kind->table != NULL && file->joined < file->decoded &&
        row_count(collection, trial.kind->name) + file->joined != file->decoded)
        fail_msg("%s: %" PRIu64 " records decoded, %" PRIu64 " joined, %zu rows", trial.what, file->decoded,
                 file->joined, row_count(collection, trial.kind->name));
    check_reasons(&trial, file, diag);
    trial.rejected = file->rejected;
    collection_free(collection);
    return trial;
}

/* ---- records ---- */

struct records {
    struct trial trial;
    unsigned char bytes[BYTES_MAX];
    size_t header, size, length;
    const char *fixture;
};

static void damage(struct records *records, size_t record, size_t offset, unsigned char value)
{
    unsigned char *byte = &records->bytes[records->header + record * records->size + offset], before = *byte;
    if (before == value)
        return;
    *byte = value;
    shape_put(records->trial.name, records->bytes, records->length);
    snprintf(records->trial.what, sizeof records->trial.what, "%s with byte %zu of record %zu 0x%02x", records->fixture,
             offset, record, value);
    check_sums(records->trial);
    *byte = before;
}

static void damage_whole(struct records *records, size_t record, int value)
{
    unsigned char before[MAX_RECORD], *at = &records->bytes[records->header + record * records->size];
    memcpy(before, at, records->size);
    memset(at, value, records->size);
    shape_put(records->trial.name, records->bytes, records->length);
    snprintf(records->trial.what, sizeof records->trial.what, "%s with record %zu all 0x%02x", records->fixture, record,
             (unsigned)value);
    check_sums(records->trial);
    memcpy(at, before, records->size);
}

static void cut(struct records *records, size_t bytes)
{
    shape_put(records->trial.name, records->bytes, records->length - bytes);
    snprintf(records->trial.what, sizeof records->trial.what, "%s without its last %zu bytes", records->fixture, bytes);
    check_sums(records->trial);
}

static void damage_everything(struct records *records)
{
    static const size_t damaged[] = {0, COPIES / 2};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        for (size_t offset = 0; offset < records->size; offset++) {
            damage(records, damaged[i], offset, 0);
            damage(records, damaged[i], offset, 0xff);
        }
        damage_whole(records, damaged[i], 0);
        damage_whole(records, damaged[i], 0xff);
    }
    cut(records, 1);
    cut(records, records->size - 1);
}

/* In the first shape of capture that decodes the undamaged file as one of its kind; false: there is none. */
static bool check_in(struct records *records, const struct capture_shape *shape, const char *name)
{
    char path[256];
    bool decoded = false;
    shape_make(shape);
    snprintf(path, sizeof path, "%s%s", shape->data, name);
    shape_put(path, records->bytes, records->length);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, path);
    decoded = file->kind == records->trial.kind && file->decoded + file->rejected == COPIES;
    collection_free(collection);
    if (decoded) {
        records->trial.name = path;
        snprintf(records->trial.what, sizeof records->trial.what, "%s", records->fixture);
        records->trial = check_sums(records->trial);
        damage_everything(records);
    }
    shape_remove(shape, path);
    return decoded;
}

/* In files of a kind; false: they are no such files. */
static bool check_in_files_of(const struct record_kind *of_files, const struct typed_record *typed, uint32_t chips)
{
    static struct records records;
    char name[128];
    size_t header = typed_record_header(of_files, typed);
    records = (struct records){
        .trial = {.kind = of_files, .records = COPIES},
        .header = header,
        .size = typed->length,
        .length = header + COPIES * typed->length,
        .fixture = typed->path,
    };
    for (size_t i = 0; i < COPIES; i++)
        memcpy(records.bytes + header + i * typed->length, typed->bytes, typed->length);
    name_by_pattern(of_files->patterns[0], name, sizeof name);
    for (size_t i = 0; i < CAPTURE_SHAPES; i++) {
        if ((capture_shapes[i].families & of_files->families) != 0 && capture_shapes[i].chips == chips &&
            check_in(&records, &capture_shapes[i], name))
            return true;
    }
    return false;
}

static void check_fixture(const struct record_kind *kind, const char *path)
{
    struct typed_record typed = {.length = 0};
    bool checked = false;
    snprintf(typed.path, sizeof typed.path, "%s", path);
    typed_record_read(&typed);
    for (size_t i = 0; record_kinds[i] != NULL && !checked; i++)
        checked = files_hold(record_kinds[i], kind) &&
                  check_in_files_of(record_kinds[i], &typed, typed_record_chips(kind, &typed));
    if (!checked)
        fail_msg("%s: in no shape of capture are such records decoded", path);
}

/* ---- texts ---- */

static const char *const dictionaries[][2] = {
    {"hash_dic", "1:one\n22:two\n333:three\n"},
    {"type_info_dic", "5000_1:one\n10000_22:two\n15000_333:three\n"},
    {"framework_hash", "1:one\n22:two\n333:three\n"},
    {"task_desc", "first 1 25000 9\nsecond 2 25001 9\nthird 3 25002 10\n"},
    {"graph_desc", "op_name:first op_type:Mul\nop_name:second op_type:Add\nop_name:third op_type:Sub\n"},
};

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = 0;
    for (size_t at = 0, end; at < length; at = end + 1) {
        const char *newline = memchr(text + at, '\n', length - at);
        end = newline != NULL ? (size_t)(newline - text) : length;
        size_t line = end - at;
        lines += line > 1 || (line == 1 && text[at] != '\r');
    }
    return lines;
}

static void damage_lines(struct trial trial, const char *title, char *text)
{
    static const char values[] = {'x', '\n', 0, (char)0xff};
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        char before = text[at];
        for (size_t i = 0; i < sizeof values; i++) {
            text[at] = values[i];
            trial.records = count_lines(text, length);
            snprintf(trial.what, sizeof trial.what, "%s with byte %zu 0x%02x", title, at, (unsigned char)values[i]);
            shape_put(trial.name, text, length);
            check_sums(trial);
        }
        text[at] = before;
    }
}

static void every_line_of_a_dictionary_or_description_is_taken_or_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        const struct record_kind *kind = record_kind_find(dictionaries[i][0]);
        char name[128], path[256], text[256];
        assert_non_null(kind);
        const struct capture_shape *shape = capture_shapes;
        while ((shape->families & kind->families) == 0)
            shape++;
        shape_make(shape);
        name_by_pattern(kind->patterns[0], name, sizeof name);
        snprintf(path, sizeof path, "%s%s", shape->data, name);
        snprintf(text, sizeof text, "%s", dictionaries[i][1]);
        shape_put(path, text, strlen(text));
        struct trial trial = {.kind = kind, .name = path, .records = 3};
        snprintf(trial.what, sizeof trial.what, "%s", dictionaries[i][0]);
        trial = check_sums(trial);
        assert_int_equal(trial.rejected, 0);
        damage_lines(trial, dictionaries[i][0], text);
        shape_remove(shape, path);
    }
}

/* Lines mean what their kind says (heads, blocks of several lines); whatever is not a row any more is told. */
static uint64_t check_text(struct trial *trial, uint64_t expected, const char *text)
{
    alarm(SCRATCH_LONGEST_WAIT);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, trial->name);
    uint64_t decoded = file->decoded;
    assert_ptr_equal(file->kind, trial->kind);
    check_reasons(trial, file, collection_diagnostics(collection));
    if (decoded < expected && file->rejected == 0 && diag_problems(collection_diagnostics(collection)) == 0)
        fail_msg("%s: %" PRIu64 " rows instead of %" PRIu64 ", without a word", trial->what, decoded, expected);
    if (row_count(collection, trial->kind->name) != decoded ||
        decoded + file->rejected > count_lines(text, strlen(text)) + 1)
        fail_msg("%s: %" PRIu64 " decoded, %" PRIu64 " rejected", trial->what, decoded, file->rejected);
    collection_free(collection);
    return decoded;
}

static void damage_text_fixture(const struct record_kind *kind, const char *fixture)
{
    static char text[16384];
    char path[128];
    int chip;
    text_fixture_read(fixture, path, &chip, text, sizeof text);
    const struct capture_shape *shape = shape_of_path(path, chip);
    struct trial trial = {.kind = kind, .name = path};
    shape_make(shape);
    shape_put(path, text, strlen(text));
    snprintf(trial.what, sizeof trial.what, "%s", fixture);
    uint64_t rows = check_text(&trial, 0, text);
    assert_true(rows > 0);
    for (size_t at = 0; text[at] != '\0'; at++) {
        char before = text[at];
        if (before == '\n')
            continue;
        text[at] = 'x';
        snprintf(trial.what, sizeof trial.what, "%s with byte %zu an x", fixture, at);
        shape_put(path, text, strlen(text));
        check_text(&trial, rows, text);
        text[at] = before;
    }
    shape_remove(shape, path);
}

/* ---- all kinds ---- */

static size_t check_kind(const struct record_kind *kind)
{
    char directory[160], path[480];
    size_t fixtures = 0;
    snprintf(directory, sizeof directory, "%s/%s", KINDS_DIRECTORY, kind->name);
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const char *dot = strrchr(entry->d_name, '.');
        bool text = dot != NULL && strcmp(dot, ".text") == 0;
        if (dot == NULL || (!text && strcmp(dot, ".hex") != 0))
            continue;
        snprintf(path, sizeof path, "%s/%.255s", directory, entry->d_name);
        if (text)
            damage_text_fixture(kind, path);
        else
            check_fixture(kind, path);
        fixtures++;
    }
    closedir(entries);
    return fixtures;
}

static void every_record_of_every_kind_is_a_row_or_rejected_whichever_byte_is_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if ((record_kinds[i]->layout_count > 0 || record_kinds[i]->lines != NULL) && check_kind(record_kinds[i]) == 0)
            fail_msg("kind %s has no record typed by hand", record_kinds[i]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_record_of_every_kind_is_a_row_or_rejected_whichever_byte_is_damaged,
                                        scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(every_line_of_a_dictionary_or_description_is_taken_or_rejected, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests_name("sums of records", tests, NULL, NULL);
}
