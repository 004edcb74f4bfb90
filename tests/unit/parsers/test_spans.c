/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever has a start and an end: a start later than its end is rejected and told, and costs nothing else. One table
 * says how that is tried for each record kind; a kind with a span that is not in it fails. */
#include "tests/lib/collect.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shapes.h"

#include "base/bytes.h"
#include "parsers/join/association_data.h"
#include "parsers/join/execution.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COPIES 4 /* of a record in its file */
#define HIT 2    /* the one that is damaged */

/* A row is one way to try a kind. */
static const struct way {
    const char *kind;
    const char *fixture;            /* below testdata/kinds/; NULL: none, see why */
    const char *start, *end;        /* columns of one record */
    const char *tick;               /* of two records: the column of their time, */
    const char *half;               /* and of which half they are, NULL: they look alike, */
    uint64_t first_half, last_half; /* and its values */
    const char *made;               /* the kind whose rows come of pairs */
    const char *sound, *damaged;    /* of a text: what stands there, and what is put there */
    const char *why;                /* it cannot be tried by itself */
} ways[] = {
    {.kind = "acl_call", .fixture = "process_aicpu_task.hex", .start = "start_ns", .end = "end_ns"},
    {.kind = "aicpu_log", .fixture = "nodes.text", .sound = "tickBeforeRun=300", .damaged = "tickBeforeRun=500"},
    {.kind = "aicpu_log", .fixture = "nodes.text", .sound = "Run start:5,", .damaged = "Run start:15,"},
    {.kind = "aicpu_node", .fixture = "execution.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "aicpu_node", .fixture = "record.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "aicpu_task", .fixture = "preprocess.hex", .start = "start_ns", .end = "end_ns"},
    {.kind = "api_event", .fixture = "call.hex", .start = "begin_tick", .end = "end_tick"},
    {.kind = "api_event", .fixture = "event.hex", .tick = "begin_tick", .made = "host_call"},
    {.kind = "biu_state", .fixture = "state.hex", .why = "see its own test: its time is told by other records"},
    {.kind = "ccu_mission", .fixture = "loop.hex", .start = "loop_start", .end = "loop_end"},
    {.kind = "communication_op", .why = "made of tasks on the device, of which each is sound"},
    {.kind = "data_wait", .fixture = "wait.hex", .start = "start_us", .end = "end_us"},
    {.kind = "device_task", .why = "made of hwts, stars_soc, stars_soc_v6, nano_stars_profile and ts_track"},
    {.kind = "dpu_hccl_info", .fixture = "send.hex", .start = "start_tick", .end = "tick"},
    {.kind = "dpu_track", .fixture = "task.hex", .start = "start_tick", .end = "tick"},
    {.kind = "ffts_profile", .fixture = "block.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "ffts_profile_v6", .fixture = "block.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "framework_model_load", .fixture = "text.hex", .start = "start_ns", .end = "end_ns"},
    {.kind = "framework_model_time", .fixture = "text.hex", .start = "input_start_ns", .end = "input_end_ns"},
    {.kind = "framework_model_time", .fixture = "text.hex", .start = "inference_start_ns", .end = "inference_end_ns"},
    {.kind = "framework_model_time", .fixture = "text.hex", .start = "output_start_ns", .end = "output_end_ns"},
    {.kind = "framework_op_execute", .fixture = "step.hex", .start = "start_ns", .end = "end_ns"},
    {.kind = "fusion_task", .why = "made of stars_soc_v6"},
    {.kind = "host_call", .why = "made of api_event and runtime_api"},
    {.kind = "host_pthreadcall", .fixture = "ltrace.text", .sound = "<0.000714>", .damaged = "<-0.000714>"},
    {.kind = "host_syscall", .fixture = "perf.text", .sound = "( 0.292 ms)", .damaged = "(-0.292 ms)"},
    {.kind = "hwts",
     .fixture = "start_of_a_task.hex",
     .tick = "tick",
     .half = "type",
     .first_half = 0,
     .last_half = 1,
     .made = "device_task"},
    {.kind = "inference", .why = "made of svp_pmu, and of lengths alone"},
    {.kind = "kfc_comm_turn", .fixture = "turn.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "kfc_compute_turn", .fixture = "turn.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "opprof_event", .why = "its file has a length instead of an end"},
    {.kind = "msproftx", .fixture = "additional_stamp.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "msproftx", .fixture = "stamp_180.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "msproftx", .fixture = "stamp_256.hex", .start = "start_tick", .end = "end_tick"},
    {.kind = "nano_stars_profile", .why = "its records have a start and a length without a sign"},
    {.kind = "runtime_api", .fixture = "launch.hex", .start = "start_ns", .end = "end_ns"},
    {.kind = "stars_soc",
     .fixture = "task_end.hex",
     .tick = "tick",
     .half = "function_type",
     .first_half = 0,
     .last_half = 1,
     .made = "device_task"},
    {.kind = "stars_soc",
     .fixture = "part_start.hex",
     .tick = "tick",
     .half = "function_type",
     .first_half = 0x22,
     .last_half = 0x23,
     .made = "device_task"},
    {.kind = "stars_soc_v6",
     .fixture = "fusion_end.hex",
     .tick = "tick",
     .half = "function_type",
     .first_half = 0x16,
     .last_half = 0x17,
     .made = "fusion_task"},
    {.kind = "svp_pmu", .why = "its records have lengths without a sign"},
    {.kind = "ts_track",
     .fixture = "time_line.hex",
     .tick = "tick",
     .half = "task_state",
     .first_half = 2,
     .last_half = 3,
     .made = "device_task"},
};
#define WAYS (sizeof ways / sizeof *ways)

/* ---- which kinds have spans ---- */

/* Whether the name has one of the words between its underscores. */
static bool has_word(const char *name, const char *const *words)
{
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);
        for (const char *at = strstr(name, *words); at != NULL; at = strstr(at + 1, *words)) {
            if ((at == name || at[-1] == '_') && (at[length] == '\0' || at[length] == '_'))
                return true;
        }
    }
    return false;
}

static bool has_span(const struct record_kind *kind)
{
    static const char *const starts[] = {"start", "begin", "began", "from", "since", NULL};
    static const char *const ends[] = {"end", "ended", "until", "duration", "lasts", "finish", "done", NULL};
    bool starts_there = false, ends_there = false;
    for (size_t i = 0; i < kind->column_count; i++) {
        starts_there |= has_word(kind->columns[i].name, starts);
        ends_there |= has_word(kind->columns[i].name, ends);
    }
    return starts_there && ends_there;
}

static void every_kind_with_a_start_and_an_end_is_tried_or_says_why_not(void **state)
{
    (void)state;
    size_t spans = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        size_t found = 0;
        for (size_t k = 0; k < WAYS; k++)
            found += strcmp(ways[k].kind, record_kinds[i]->name) == 0;
        if (has_span(record_kinds[i]) && found == 0)
            fail_msg("kind %s has a start and an end; the table does not say how one is put behind the other",
                     record_kinds[i]->name);
        spans += found > 0;
    }
    assert_true(spans > 25);
    for (size_t k = 0; k < WAYS; k++) {
        assert_non_null(record_kind_find(ways[k].kind));
        assert_true((ways[k].why != NULL) || (ways[k].fixture != NULL));
    }
}

/* ---- one trial ---- */

struct file {
    const struct record_kind *kind;
    char path[256];
    unsigned char bytes[COPIES * MAX_RECORD + 256];
    size_t header, size;
};

static bool fits(const struct layout *layout, const struct typed_record *typed)
{
    bool fits =
        layout->record_size == typed->length && (*typed->layout == '\0' || strcmp(typed->layout, layout->name) == 0);
    for (size_t i = 0; fits && i < LAYOUT_MAX_MAGICS && layout->magics[i].width > 0; i++) {
        const struct magic *magic = &layout->magics[i];
        uint64_t found = bytes_load(typed->bytes + magic->offset, magic->width, layout->big_endian);
        fits = (magic->mask != 0 ? found & magic->mask : found) == magic->value;
    }
    return fits;
}

static const struct field *field_of(const struct record_kind *kind, const struct typed_record *typed,
                                    const char *column, const struct layout **ret_layout)
{
    for (size_t i = 0; i < kind->layout_count; i++) {
        const struct layout *layout = &kind->layouts[i];
        for (size_t k = 0; fits(layout, typed) && k < layout->field_count; k++) {
            *ret_layout = layout;
            if (strcmp(layout->fields[k].column, column) == 0)
                return &layout->fields[k];
        }
    }
    fail_msg("%s: no layout has '%s'", typed->path, column);
    return NULL;
}

static uint64_t mask_of(const struct field *field)
{
    return field->bit_count == 0 || field->bit_count >= 64 ? UINT64_MAX : (UINT64_C(1) << field->bit_count) - 1;
}

static uint64_t get(const unsigned char *record, const struct field *field, const struct layout *layout)
{
    return bytes_load(record + field->offset, field->width, layout->big_endian) >> field->first_bit & mask_of(field);
}

static void set(unsigned char *record, const struct field *field, const struct layout *layout, uint64_t value)
{
    uint64_t whole = bytes_load(record + field->offset, field->width, layout->big_endian), mask = mask_of(field)
                                                                                                  << field->first_bit;
    bytes_store(record + field->offset, field->width, layout->big_endian,
                (whole & ~mask) | (value << field->first_bit & mask));
}

struct outcome {
    uint64_t decoded, rejected, values, told; /* of the file; values: rejected as RECORD_VALUE */
    size_t made;                              /* rows of the kind that comes of pairs */
    bool is_of_kind;
};

static struct outcome decode(const struct file *file, size_t records, const char *made)
{
    shape_put(file->path, file->bytes, file->header + records * file->size);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *found = collection_file(collection, file->path);
    struct outcome outcome = {
        .decoded = found->decoded,
        .rejected = found->rejected,
        .values = found->rejected_for[DIAG_RECORD_VALUE],
        .told = reported(collection_diagnostics(collection), DIAG_RECORD_VALUE, NULL),
        .made = made != NULL ? row_count(collection, made) : 0,
        .is_of_kind = found->kind == file->kind && found->decoded + found->rejected == records,
    };
    assert_true(found->kind != file->kind || found->decoded == 0 || found->decoded + found->rejected == records);
    collection_free(collection);
    return outcome;
}

/* One record whose start is put behind its end; false: such files are not of the kind here. */
static bool try_fields(const struct way *way, struct file *file, const struct typed_record *typed,
                       const struct record_kind *kind)
{
    const struct layout *layout;
    const struct field *start = field_of(kind, typed, way->start, &layout),
                       *end = field_of(kind, typed, way->end, &layout);
    for (size_t i = 0; i < COPIES; i++)
        memcpy(file->bytes + file->header + i * file->size, typed->bytes, file->size);
    struct outcome before = decode(file, COPIES, NULL);
    if (!before.is_of_kind || before.values > 0)
        return false;
    unsigned char *hit = file->bytes + file->header + HIT * file->size;
    set(hit, start, layout, get(hit, end, layout) + 100000);
    struct outcome after = decode(file, COPIES, NULL);
    if (after.values != before.values + 1 || after.told <= before.told)
        fail_msg("%s of %s behind %s: %" PRIu64 " records rejected for it, told %" PRIu64 " times", way->start,
                 typed->path, way->end, after.values - before.values, after.told - before.told);
    return true;
}

/* Two records of which the first is put behind the second, with a sound pair behind them. */
static bool try_pair(const struct way *way, struct file *file, const struct typed_record *typed,
                     const struct record_kind *kind)
{
    const struct layout *layout;
    const struct field *tick = field_of(kind, typed, way->tick, &layout),
                       *half = way->half != NULL ? field_of(kind, typed, way->half, &layout) : NULL;
    for (size_t i = 0; i < COPIES; i++) {
        unsigned char *record = file->bytes + file->header + i * file->size;
        memcpy(record, typed->bytes, file->size);
        set(record, tick, layout, 5000000 + 100000 * i);
        if (half != NULL)
            set(record, half, layout, i % 2 == 0 ? way->first_half : way->last_half);
    }
    struct outcome before = decode(file, COPIES, way->made);
    if (!before.is_of_kind || before.made != COPIES / 2)
        return false;
    set(file->bytes + file->header, tick, layout, 5000000 + 150000);
    struct outcome after = decode(file, COPIES, way->made);
    if (after.made != before.made - 1 || after.told == before.told)
        fail_msg("%s of the first half of %s behind the second: %zu rows of %zu are left, told %" PRIu64 " times",
                 way->tick, typed->path, after.made, before.made, after.told - before.told);
    return true;
}

/* In every shape of capture that has such files; their number. */
static size_t try_records(const struct way *way, const char *fixture)
{
    const struct record_kind *kind = record_kind_find(way->kind);
    struct typed_record typed = {.length = 0};
    static struct file file;
    size_t tried = 0;
    snprintf(typed.path, sizeof typed.path, "%s", fixture);
    typed_record_read(&typed);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (!files_hold(record_kinds[i], kind))
            continue;
        for (size_t k = 0; k < CAPTURE_SHAPES; k++) {
            char name[128];
            file = (struct file){record_kinds[i], .header = typed_record_header(record_kinds[i], &typed),
                                 .size = typed.length};
            name_by_pattern(record_kinds[i]->patterns[0], name, sizeof name);
            snprintf(file.path, sizeof file.path, "%s%s", capture_shapes[k].data, name);
            shape_make(&capture_shapes[k]);
            tried += way->tick != NULL ? try_pair(way, &file, &typed, kind) : try_fields(way, &file, &typed, kind);
            shape_remove(&capture_shapes[k], file.path);
        }
    }
    return tried;
}

/* A text in which a start is put behind its end. */
static void try_text(const struct way *way, const char *fixture)
{
    static char text[16384], damaged[16384];
    char path[128];
    int chip;
    struct file file = {.kind = record_kind_find(way->kind)};
    text_fixture_read(fixture, path, &chip, text, sizeof text);
    const struct capture_shape *shape = shape_of_path(path, chip);
    shape_make(shape);
    const char *at = strstr(text, way->sound);
    assert_non_null(at);
    snprintf(damaged, sizeof damaged, "%.*s%s%s", (int)(at - text), text, way->damaged, at + strlen(way->sound));
    const char *const texts[] = {text, damaged};
    uint64_t decoded[2], rejected[2];
    for (size_t i = 0; i < 2; i++) {
        shape_put(path, texts[i], strlen(texts[i]));
        struct collection *collection = collect(in_scratch("J"), NULL);
        const struct capture_file *found = collection_file(collection, path);
        assert_ptr_equal(found->kind, file.kind);
        decoded[i] = found->decoded;
        rejected[i] = found->rejected;
        assert_int_equal(row_count(collection, way->kind), found->decoded);
        collection_free(collection);
    }
    if (decoded[1] != decoded[0] - 1 || rejected[1] <= rejected[0])
        fail_msg("%s with '%s': %" PRIu64 " rows after %" PRIu64 ", %" PRIu64 " rejected after %" PRIu64, fixture,
                 way->damaged, decoded[1], decoded[0], rejected[1], rejected[0]);
    shape_remove(shape, path);
}

static void a_start_later_than_its_end_is_rejected_and_told_in_every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        char fixture[256];
        const struct way *way = &ways[i];
        if (way->why != NULL)
            continue;
        alarm(SCRATCH_LONGEST_WAIT);
        snprintf(fixture, sizeof fixture, "testdata/kinds/%s/%s", way->kind, way->fixture);
        if (way->sound != NULL)
            try_text(way, fixture);
        else if (try_records(way, fixture) == 0)
            fail_msg("%s: in no shape of capture such records are decoded", fixture);
    }
}

/* Cycles of biu_state are counted from what other records tell: four of the counter, then a state. */
static void a_pipe_that_stops_before_it_began_is_rejected_and_told(void **state)
{
    (void)state;
    enum { PER_BLOCK = 5, RECORDS = 2 * PER_BLOCK };
    static const char info[] = "{\"platform_version\": \"15\", \"DeviceInfo\": [{\"id\": 0, \"hwts_frequency\": "
                               "\"1000\", \"aic_frequency\": \"1650\"}]}";
    static struct file file;
    file = (struct file){record_kind_find("biu_state"), .size = 4};
    for (size_t backwards = 0; backwards < 2; backwards++) {
        for (size_t i = 0; i < RECORDS; i++) {
            unsigned char *record = file.bytes + 4 * i;
            size_t at = i % PER_BLOCK, second = i / PER_BLOCK;
            unsigned cycles = at == 0 ? 1000 * (unsigned)(second != backwards) + 1 : at < 4 ? 0 : 1;
            unsigned pipes = at < 4 ? 0 : second == 0;
            bytes_store(record, 2, false, cycles);
            bytes_store(record + 2, 2, false, pipes | (at < 4 ? 14u : 15u) << 12);
        }
        char name[128];
        const struct capture_shape *shape = &capture_shapes[CAPTURE_SHAPES - 1];
        name_by_pattern(file.kind->patterns[0], name, sizeof name);
        snprintf(file.path, sizeof file.path, "%s%s", shape->data, name);
        shape_make(shape);
        shape_put(shape->info_name, info, strlen(info));
        struct outcome outcome = decode(&file, RECORDS, "biu_state");
        assert_true(outcome.is_of_kind);
        assert_int_equal(outcome.made, 1 - backwards);
        assert_int_equal(outcome.values, backwards);
        assert_int_equal(outcome.told, backwards);
        shape_remove(shape, file.path);
    }
}

static void a_join_refuses_a_span_that_its_kind_had_to_refuse(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(join_expect_span(5, 5, &err), 0);
    assert_int_equal(join_expect_span(5, 4, &err), -ERR_FAILED);
    assert_non_null(strstr(err_message(&err), "its record kind has to refuse it"));
    err = (struct err)ERR_INIT;
    const struct host_call call = {.begin_ns = 2, .end_ns = 1};
    assert_int_equal(association_add_call(NULL, &call, &err), -ERR_FAILED);
    const struct device_task task = {.start_ns = 2, .end_ns = 1};
    assert_int_equal(association_add_task(NULL, &task, &err), -ERR_FAILED);
    const struct plain_call plain = {.begin_ns = 2, .end_ns = 1};
    assert_int_equal(executions_add_call(NULL, &plain, &err), -ERR_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_with_a_start_and_an_end_is_tried_or_says_why_not),
        cmocka_unit_test_setup_teardown(a_start_later_than_its_end_is_rejected_and_told_in_every_kind, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_pipe_that_stops_before_it_began_is_rejected_and_told, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(a_join_refuses_a_span_that_its_kind_had_to_refuse),
    };
    return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
