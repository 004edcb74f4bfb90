/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of boards that do not write what the reference layout has: no model, no picture count, no frequency; and
 * those that are installed for others. */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BOARD_SIZE 8

/* Three tasks of one inference and two of another: only task and cycles, behind a header. */
static void put_board_records(size_t header)
{
    unsigned char bytes[64] = {0}, *p = bytes + header;
    for (unsigned i = 0; i < 5; i++, p += BOARD_SIZE) {
        p[0] = (unsigned char)(i < 3 ? i : i - 3);
        p[5] = 6;
    }
    put_file("aicore.0.1.1", bytes, header + 5 * BOARD_SIZE);
}

#define BOARD_LAYOUT                                                                                                   \
    "kind svp_pmu\nlayout board\nsize 8\ncolumn task_id offset 0 width 2\ncolumn total_cycle offset 4 width 4\n"

static void load_layouts(struct layout_set *set, const char *text, bool named)
{
    struct err err = ERR_INIT;
    layout_set_init(set);
    scratch_make_file("board.layout", text);
    if ((named ? layout_set_load_named : layout_set_load_file)(set, in_scratch("board.layout"), &err) < 0)
        fail_msg("%s", err_message(&err));
}

static void records_without_a_model_are_of_the_only_one_and_cut_by_the_sizes_of_done_files(void **state)
{
    (void)state;
    make_job();
    for (size_t header = 0; header < 16; header += 12) {
        struct layout_set set;
        put_board_records(header);
        put_text("net.9.layer.info", "[{\"layer_id\":0,\"name\":\"a\",\"task_id\":0}]");
        put_text("aicore.0.net.9.1.1.0.done", "filesize:24\nstarttime:1000\n");
        put_text("aicore.0.net.9.1.1.5.done", "filesize:16\nstarttime:900000\n");
        load_layouts(&set, header > 0 ? BOARD_LAYOUT "header 12\n" : BOARD_LAYOUT, true);
        struct collection *collection = collect(in_scratch("J"), &set);
        assert_int_equal(row_count(collection, "svp_pmu"), 5);
        assert_int_equal(row_count(collection, "inference"), 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(row_integer(collection, "inference", i, "model_id"), 9);
            assert_string_equal(row_text(collection, "inference", i, "model_name"), "net");
            assert_int_equal(row_integer(collection, "inference", i, "current_pic_count"), 5 * i);
            assert_int_equal(row_integer(collection, "inference", i, "tasks"), 3 - i);
            assert_int_equal(row_integer(collection, "inference", i, "start_ns"), i == 0 ? 1000 : 900000);
        }
        collection_free(collection);
        layout_set_release(&set);
    }
}

static void of_several_models_none_is_guessed(void **state)
{
    (void)state;
    struct layout_set set;
    make_job();
    put_board_records(0);
    put_text("net.9.layer.info", "[{\"layer_id\":0,\"name\":\"a\",\"task_id\":0}]");
    put_text("other.10.layer.info", "[{\"layer_id\":0,\"name\":\"a\",\"task_id\":0}]");
    load_layouts(&set, BOARD_LAYOUT, true);
    struct collection *collection = collect(in_scratch("J"), &set);
    assert_int_equal(row_count(collection, "inference"), 1);
    assert_true(reported(collection_diagnostics(collection), DIAG_LAYER_MISSING, NULL) > 0);
    collection_free(collection);
    layout_set_release(&set);
}

static void a_layout_tells_the_frequency_of_its_board_where_the_capture_does_not(void **state)
{
    (void)state;
    make_job();
    for (int said = 1; said >= 0; said--) {
        struct layout_set set;
        put_board_records(0);
        if (!said)
            scratch_make_file("J/info.json.0", "{\"DeviceInfo\": [{}]}");
        load_layouts(&set, BOARD_LAYOUT "frequency 300000\n", true);
        struct collection *collection = collect(in_scratch("J"), &set);
        assert_int_equal(row_integer(collection, "inference", 0, "core_khz"), said ? 600000 : 300000);
        assert_int_equal(row_integer(collection, "svp_pmu", 0, "duration_ns"), said ? 2560 : 5120);
        assert_int_equal(reported(collection_diagnostics(collection), DIAG_CONFIG_MISSING, NULL), 0);
        collection_free(collection);
        layout_set_release(&set);
    }
}

static void a_layout_tells_how_its_board_rates_cache_misses(void **state)
{
    (void)state;
    static const struct {
        const char *line, *done;
        int64_t millionths;
    } boards[] = {
        {"", "icache_hit:95\nicache_miss:5\n", 50000},
        {"icache_miss_rate icache_miss of icache_hit plus icache_miss scale 100\n", "icache_hit:95\nicache_miss:5\n",
         5000000},
        {"icache_miss_rate icache_miss of tasks\n", "icache_miss:5\n", 1000000},
        {"icache_miss_rate none\n", "", 0},
    };
    make_job();
    put_board_records(0);
    put_text("net.9.layer.info", "[{\"layer_id\":0,\"name\":\"a\",\"task_id\":0}]");
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct layout_set set;
        char text[400];
        snprintf(text, sizeof text, BOARD_LAYOUT "%s", boards[i].line);
        put_text("aicore.0.net.9.1.1.0.done", boards[i].done);
        load_layouts(&set, text, true);
        struct collection *collection = collect(in_scratch("J"), &set);
        assert_int_equal(row_count(collection, "inference"), 1);
        assert_int_equal(row_integer(collection, "inference", 0, "icache_miss_ppm"), boards[i].millionths);
        collection_free(collection);
        layout_set_release(&set);
    }
}

static void an_installed_layout_is_used_where_nothing_built_in_fits_and_never_displaces_what_does(void **state)
{
    (void)state;
    unsigned char reference[2 * PMU_SIZE];
    put_pmu(put_pmu(reference, 0, 600, 1, 0), 1, 1200, 1, 0);
    make_job();
    for (int built_in = 0; built_in < 2; built_in++) {
        struct layout_set set;
        if (built_in)
            put_file("aicore.0.1.1", reference, sizeof reference);
        else
            put_board_records(0);
        load_layouts(&set, BOARD_LAYOUT, false);
        layout_set_mark_shipped(&set);
        struct collection *collection = collect(in_scratch("J"), &set);
        assert_int_equal(row_count(collection, "svp_pmu"), built_in ? 2 : 5);
        assert_int_equal(row_integer(collection, "svp_pmu", 0, "total_cycle"), built_in ? 600 : 6 << 8);
        collection_free(collection);
        layout_set_release(&set);
    }
}

int main(void)
{
#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(records_without_a_model_are_of_the_only_one_and_cut_by_the_sizes_of_done_files),
        SCRATCH_TEST(of_several_models_none_is_guessed),
        SCRATCH_TEST(a_layout_tells_the_frequency_of_its_board_where_the_capture_does_not),
        SCRATCH_TEST(a_layout_tells_how_its_board_rates_cache_misses),
        SCRATCH_TEST(an_installed_layout_is_used_where_nothing_built_in_fits_and_never_displaces_what_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
