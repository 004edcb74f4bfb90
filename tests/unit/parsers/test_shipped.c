/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped capture is physically plausible: what a board could have measured. */
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PATTERN "testdata/resnet50/JOB*"
#define MAX_CALLS 1024

struct call {
    int64_t start_ns, end_ns, thread_id;
    char name[65];
};

/* Keeps what the tests ask for while rows pass. */
struct collector {
    struct row_sink sink; /* first: the sink's functions get its address */
    struct row_batch *batch;
    size_t pmu_rows, ai_cpu_rows, call_count;
    size_t odd_ticks, overfull; /* PMU rows that break a rule */
    struct call calls[MAX_CALLS];
    int64_t ai_cpu_ns[MAX_CALLS][2];
};

static struct collector collected;

static int64_t cell_of(const struct row_batch *batch, size_t row, const char *column)
{
    int at = record_kind_column(batch->kind, column);
    assert_true(at >= 0);
    return batch->cells[row * batch->kind->column_count + (size_t)at].integer;
}

static void take_pmu(const struct row_batch *batch, size_t row)
{
    static const char *const cycles[] = {"mac_busy_cycle", "mac_ppen_cycle", "vec_busy_cycle", "vec_ppen_cycle",
                                         "dstr_cycle",     "dtrans_cycle",   "dld_cycle",      "wld_cycle"};
    int64_t total = cell_of(batch, row, "total_cycle");
    bool overfull = false;
    for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
        overfull = overfull || cell_of(batch, row, cycles[i]) > total;
    collected.pmu_rows++;
    collected.overfull += overfull;
    collected.odd_ticks += total % 100 != 0 || total == 0;
}

static void take_ai_cpu(const struct row_batch *batch, size_t row)
{
    assert_true(collected.ai_cpu_rows < MAX_CALLS);
    int64_t *times = collected.ai_cpu_ns[collected.ai_cpu_rows++];
    times[0] = cell_of(batch, row, "start_ns");
    times[1] = cell_of(batch, row, "end_ns");
}

static void take_call(const struct row_batch *batch, size_t row)
{
    assert_true(collected.call_count < MAX_CALLS);
    struct call *call = &collected.calls[collected.call_count++];
    const struct cell *name =
        &batch->cells[row * batch->kind->column_count + (size_t)record_kind_column(batch->kind, "name")];
    call->start_ns = cell_of(batch, row, "start_ns");
    call->end_ns = cell_of(batch, row, "end_ns");
    call->thread_id = cell_of(batch, row, "thread_id");
    assert_true(name->length < sizeof(call->name));
    memcpy(call->name, name->text, name->length);
    call->name[name->length] = '\0';
}

static struct row_batch *begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)err;
    struct collector *collector = (struct collector *)sink;
    struct row_batch *batch = collector->batch != NULL ? collector->batch : row_batch_new();
    collector->batch = NULL;
    assert_non_null(batch);
    assert_true(row_batch_begin(batch, kind));
    return batch;
}

static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    (void)err;
    struct collector *collector = (struct collector *)sink;
    for (size_t row = 0; row < batch->rows; row++) {
        if (strcmp(batch->kind->name, "svp_pmu") == 0)
            take_pmu(batch, row);
        else if (strcmp(batch->kind->name, "aicpu_task") == 0)
            take_ai_cpu(batch, row);
        else if (strcmp(batch->kind->name, "acl_call") == 0)
            take_call(batch, row);
    }
    if (collector->batch == NULL)
        collector->batch = batch;
    else
        row_batch_free(batch);
    return 0;
}

static int decode_shipped_capture(void **state)
{
    (void)state;
    glob_t found;
    if (glob(PATTERN, GLOB_ERR, NULL, &found) != 0 || found.gl_pathc != 1)
        fail_msg("not exactly one %s (run this test from the top of the source tree)", PATTERN);
    struct diagnostics diag;
    struct capture capture;
    struct capture_options options = {.layouts = NULL};
    struct err err = ERR_INIT;
    diag_init(&diag, true);
    collected.sink = (struct row_sink){.begin = begin_batch, .commit = commit_batch};
    if (capture_open(&capture, found.gl_pathv[0], &options, &diag, &err) < 0 ||
        decode_capture(&capture, &collected.sink, NULL, &err) < 0)
        fail_msg("%s", err_message(&err));
    assert_int_equal(diag_problems(&diag), 0);
    capture_release(&capture);
    diag_release(&diag);
    row_batch_free(collected.batch);
    globfree(&found);
    return 0;
}

static void every_task_lasts_whole_ticks_and_no_unit_longer_than_the_task(void **state)
{
    (void)state;
    assert_int_equal(collected.pmu_rows, 4 * 60);
    assert_int_equal(collected.odd_ticks, 0);
    assert_int_equal(collected.overfull, 0);
}

static bool is_inside(const struct call *inner, const struct call *outer)
{
    return inner->start_ns >= outer->start_ns && inner->end_ns <= outer->end_ns;
}

static void calls_of_one_thread_nest_and_never_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < collected.call_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct call *a = &collected.calls[i], *b = &collected.calls[k];
            bool apart = a->end_ns <= b->start_ns || b->end_ns <= a->start_ns || a->thread_id != b->thread_id;
            if (!apart && !is_inside(a, b) && !is_inside(b, a))
                fail_msg("%s and %s overlap", a->name, b->name);
        }
    }
}

static size_t calls_around(const char *name, const struct call *inner)
{
    size_t around = 0;
    for (size_t i = 0; i < collected.call_count; i++)
        around += strcmp(collected.calls[i].name, name) == 0 && is_inside(inner, &collected.calls[i]);
    return around;
}

static void ai_cpu_tasks_run_inside_their_call_and_that_inside_an_execution(void **state)
{
    (void)state;
    size_t executions = 0, ai_cpu_calls = 0;
    for (size_t i = 0; i < collected.call_count; i++) {
        const struct call *call = &collected.calls[i];
        executions += strcmp(call->name, "svp_acl_mdl_execute") == 0;
        if (strcmp(call->name, "svp_acl_ext_process_aicpu_task") != 0)
            continue;
        ai_cpu_calls++;
        assert_int_equal(calls_around("svp_acl_mdl_execute", call), 1);
    }
    assert_int_equal(executions, 20);
    assert_int_equal(ai_cpu_calls, 40);
    assert_int_equal(collected.ai_cpu_rows, 8);
    for (size_t i = 0; i < collected.ai_cpu_rows; i++) {
        struct call task = {.start_ns = collected.ai_cpu_ns[i][0], .end_ns = collected.ai_cpu_ns[i][1]};
        assert_int_equal(calls_around("svp_acl_ext_process_aicpu_task", &task), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_lasts_whole_ticks_and_no_unit_longer_than_the_task),
        cmocka_unit_test(calls_of_one_thread_nest_and_never_overlap),
        cmocka_unit_test(ai_cpu_tasks_run_inside_their_call_and_that_inside_an_execution),
    };
    return cmocka_run_group_tests(tests, decode_shipped_capture, NULL);
}
