/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered pipeline: order, bounded buffers, failures. */
#include "base/progress.h"
#include "exporters/parallel.h"
#include "tests/lib/scratch.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LINE_SIZE 16

struct numbers { /* a unit: consecutive numbers, one line each */
    uint64_t first, count;
    void *extra; /* to see that units are released */
};

struct options {
    uint64_t fail_at;  /* the number whose line fails */
    int releases;      /* of workers */
    int refuse_worker; /* the how manieth worker cannot be made; -1: none */
    int workers;
};

struct fixture {
    struct options options;
};

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fixture->options = (struct options){.fail_at = UINT64_MAX, .refuse_worker = -1};
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    interrupt_signal = 0;
    free(fixture);
    return scratch_teardown(state);
}

static int worker_open(void *worker, void *arg, struct err *err)
{
    struct options *options = *(struct options **)worker = arg;
    return options->workers++ == options->refuse_worker ? err_set(err, ERR_NO_MEMORY, "no more workers") : 0;
}

static void worker_close(void *worker)
{
    (*(struct options **)worker)->releases++;
}

static int write_numbers(void *worker, void *unit, struct parallel_output *output, struct err *err)
{
    const struct options *options = *(struct options **)worker;
    const struct numbers *numbers = unit;
    for (uint64_t i = 0; i < numbers->count; i++) {
        uint64_t number = numbers->first + i;
        if (number == options->fail_at)
            return err_set(err, ERR_FORMAT, "number %llu", (unsigned long long)number);
        if (number % 1000 == 0)
            sched_yield();
        char *line = parallel_reserve(output, LINE_SIZE + 1, err);
        if (line == NULL)
            return err_status(err);
        snprintf(line, LINE_SIZE + 1, "%015llu\n", (unsigned long long)number);
        parallel_advance(output, LINE_SIZE);
    }
    return 0;
}

static void unit_release(void *unit)
{
    free(((struct numbers *)unit)->extra);
}

static struct parallel *start(struct fixture *fixture, struct outfile *out, unsigned workers, struct err *err)
{
    const struct parallel_work work = {.workers = workers,
                                       .unit_size = sizeof(struct numbers),
                                       .arg = &fixture->options,
                                       .worker_size = sizeof(struct options *),
                                       .worker_open = worker_open,
                                       .worker_close = worker_close,
                                       .process = write_numbers,
                                       .unit_release = unit_release};
    return parallel_new(&work, out, err);
}

/* Sends numbers 0 to total - 1 in units of the sizes given, over and over. */
static int send_numbers(struct parallel *parallel, uint64_t total, const uint64_t *sizes, size_t size_count,
                        struct err *err)
{
    uint64_t next = 0;
    for (size_t i = 0; next < total; i++) {
        struct numbers *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return err_status(err);
        if (unit->extra == NULL)
            unit->extra = malloc(1);
        uint64_t size = sizes[i % size_count];
        unit->first = next;
        unit->count = size < total - next ? size : total - next;
        next += unit->count;
        parallel_submit(parallel);
    }
    return parallel_finish(parallel, err);
}

static void check_file(const char *path, uint64_t total)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char line[64], expected[64];
    for (uint64_t i = 0; i < total; i++) {
        assert_non_null(fgets(line, sizeof(line), file));
        snprintf(expected, sizeof(expected), "%015llu\n", (unsigned long long)i);
        if (strcmp(line, expected) != 0)
            fail_msg("line %llu is %s", (unsigned long long)i, line);
    }
    assert_null(fgets(line, sizeof(line), file));
    fclose(file);
}

static void run_in_order(struct fixture *fixture, unsigned workers, uint64_t total, const uint64_t *sizes,
                         size_t size_count)
{
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    fixture->options.workers = fixture->options.releases = 0;
    struct parallel *parallel = start(fixture, &out, workers, &err);
    assert_non_null(parallel);
    assert_int_equal(send_numbers(parallel, total, sizes, size_count, &err), 0);
    parallel_free(parallel);
    assert_int_equal(fixture->options.releases, fixture->options.workers);
    assert_int_equal(outfile_commit(&out, &err), 0);
    check_file(in_scratch("numbers"), total);
}

static void output_is_in_order_whatever_the_number_of_workers(void **state)
{
    const uint64_t sizes[] = {1, 5000, 3, 0, 777, 20000};
    for (unsigned workers = 0; workers <= PARALLEL_MAX_WORKERS + 1; workers++)
        run_in_order(*state, workers, 200000, sizes, 6);
}

static int count_numbers(void *worker, void *unit, struct parallel_output *output, struct err *err)
{
    atomic_ullong *total = *(atomic_ullong **)worker;
    const struct numbers *numbers = unit;
    (void)output;
    (void)err;
    atomic_fetch_add(total, numbers->count);
    return 0;
}

static int give_total(void *worker, void *total, struct err *err)
{
    (void)err;
    *(atomic_ullong **)worker = total;
    return 0;
}

static void without_an_output_every_unit_is_processed_once(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 3, 0, 7};
    struct err err = ERR_INIT;
    atomic_ullong total = 0;
    const struct parallel_work work = {.workers = 3,
                                       .unit_size = sizeof(struct numbers),
                                       .arg = &total,
                                       .worker_size = sizeof(atomic_ullong *),
                                       .worker_open = give_total,
                                       .process = count_numbers,
                                       .unit_release = unit_release};
    struct parallel *parallel = parallel_new(&work, NULL, &err);
    assert_non_null(parallel);
    assert_int_equal(send_numbers(parallel, 10000, sizes, 4, &err), 0);
    parallel_free(parallel);
    assert_int_equal(atomic_load(&total), 10000);
}

static void units_larger_than_a_buffer_pass_in_pieces_and_in_order(void **state)
{
    const uint64_t lines = PARALLEL_BUFFER_SIZE / LINE_SIZE;
    const uint64_t sizes[] = {3 * lines, 1, 2 * lines + 1, lines, lines + 1};
    run_in_order(*state, 4, 20 * lines, sizes, 5);
}

static void no_units_make_an_empty_file(void **state)
{
    const uint64_t sizes[] = {1};
    run_in_order(*state, 2, 0, sizes, 1);
}

static void a_failing_worker_stops_all_and_is_told_once(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t sizes[] = {100};
    for (uint64_t fail_at = 0; fail_at < 100000; fail_at += 9999) {
        struct err err = ERR_INIT;
        struct outfile out;
        fixture->options.fail_at = fail_at;
        assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
        struct parallel *parallel = start(fixture, &out, 4, &err);
        assert_non_null(parallel);
        assert_int_equal(send_numbers(parallel, 100000, sizes, 1, &err), -ERR_FORMAT);
        assert_int_equal(err.depth, 1);
        assert_non_null(strstr(err_message(&err), "number "));
        parallel_free(parallel);
        outfile_abort(&out);
    }
}

static void a_failure_reaches_workers_that_wait_for_their_turn(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t lines = PARALLEL_BUFFER_SIZE / LINE_SIZE;
    const uint64_t sizes[] = {lines, 4 * lines, 4 * lines};
    struct err err = ERR_INIT;
    struct outfile out;
    fixture->options.fail_at = lines - 1; /* the last line of the first unit: the others' buffers are full by then */
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    struct parallel *parallel = start(fixture, &out, 3, &err);
    assert_non_null(parallel);
    assert_int_equal(send_numbers(parallel, 100 * lines, sizes, 3, &err), -ERR_FORMAT);
    parallel_free(parallel);
    outfile_abort(&out);
    assert_int_equal(scratch_count(), 0);
}

static void a_full_disk_stops_the_work_early(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t sizes[] = {50000};
    struct err err = ERR_INIT;
    struct outfile out;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(outfile_open(&out, "/dev/full", &err), 0);
    struct parallel *parallel = start(fixture, &out, 2, &err);
    assert_non_null(parallel);
    assert_int_equal(send_numbers(parallel, UINT64_MAX, sizes, 1, &err), -ERR_NO_SPACE);
    parallel_free(parallel);
    outfile_abort(&out);
    assert_int_equal(scratch_count(), 0);
}

static void an_interrupt_stops_the_work(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t sizes[] = {50000};
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    struct parallel *parallel = start(fixture, &out, 2, &err);
    assert_non_null(parallel);
    interrupt_signal = 2;
    assert_int_equal(send_numbers(parallel, UINT64_MAX, sizes, 1, &err), -ERR_INTERRUPTED);
    parallel_free(parallel);
    outfile_abort(&out);
    assert_int_equal(scratch_count(), 0);
}

static void an_unfinished_pipeline_can_be_thrown_away(void **state)
{
    struct fixture *fixture = *state;
    struct err err = ERR_INIT;
    struct outfile out;
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    struct parallel *parallel = start(fixture, &out, 2, &err);
    assert_non_null(parallel);
    for (int i = 0; i < 3; i++) {
        struct numbers *unit = parallel_unit(parallel, &err);
        assert_non_null(unit);
        *unit = (struct numbers){.first = 0, .count = 1000000, .extra = unit->extra};
        parallel_submit(parallel);
    }
    assert_non_null(parallel_unit(parallel, &err));
    parallel_free(parallel);
    outfile_abort(&out);
    assert_int_equal(scratch_count(), 0);
}

static void a_worker_that_cannot_be_made_fails_the_start(void **state)
{
    struct fixture *fixture = *state;
    struct err err = ERR_INIT;
    struct outfile out;
    fixture->options.refuse_worker = 0;
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    assert_null(start(fixture, &out, 4, &err));
    assert_int_equal(err.code, ERR_NO_MEMORY);
    assert_int_equal(fixture->options.releases, 1);
    outfile_abort(&out);
}

static void a_later_worker_that_cannot_be_made_stops_the_work(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t sizes[] = {1000000};
    struct err err = ERR_INIT;
    struct outfile out;
    fixture->options.refuse_worker = 2;
    assert_int_equal(outfile_open(&out, in_scratch("numbers"), &err), 0);
    struct parallel *parallel = start(fixture, &out, 4, &err);
    assert_non_null(parallel);
    assert_int_equal(send_numbers(parallel, UINT64_MAX, sizes, 1, &err), -ERR_NO_MEMORY);
    parallel_free(parallel);
    assert_int_equal(fixture->options.releases, 3);
    outfile_abort(&out);
}

static void a_single_unit_needs_a_single_worker(void **state)
{
    const uint64_t sizes[] = {100};
    run_in_order(*state, 4, 100, sizes, 1);
    assert_int_equal(((struct fixture *)*state)->options.workers, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(output_is_in_order_whatever_the_number_of_workers, setup, teardown),
        cmocka_unit_test_setup_teardown(without_an_output_every_unit_is_processed_once, setup, teardown),
        cmocka_unit_test_setup_teardown(units_larger_than_a_buffer_pass_in_pieces_and_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(no_units_make_an_empty_file, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failing_worker_stops_all_and_is_told_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_reaches_workers_that_wait_for_their_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_stops_the_work_early, setup, teardown),
        cmocka_unit_test_setup_teardown(an_interrupt_stops_the_work, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unfinished_pipeline_can_be_thrown_away, setup, teardown),
        cmocka_unit_test_setup_teardown(a_worker_that_cannot_be_made_fails_the_start, setup, teardown),
        cmocka_unit_test_setup_teardown(a_later_worker_that_cannot_be_made_stops_the_work, setup, teardown),
        cmocka_unit_test_setup_teardown(a_single_unit_needs_a_single_worker, setup, teardown),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
