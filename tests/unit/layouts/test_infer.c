/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a layout from printed tables: numbers, rows, places, and what layouts can say of them. */
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "features/layouts/infer.h"
#include "features/layouts/printed.h"
#include "features/layouts/search.h"
#include "parsers/decode/decode.h"
#include "parsers/decode/encode.h"
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void a_number_keeps_its_digits(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool good;
        int64_t value;
        uint8_t decimals;
    } cases[] = {
        {"15.6", true, 15600000, 1},
        {"97", true, 97000000, 0},
        {"0", true, 0, 0},
        {"0.25", true, 250000, 2},
        {"1.0000000", true, 1000000, 6},
        {"1.0000001", false, 0, 0},
        {"", false, 0, 0},
        {".", false, 0, 0},
        {"1,5", false, 0, 0},
        {"-1", false, 0, 0},
        {"1e5", false, 0, 0},
        {"99999999999999999999", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 0;
        uint8_t decimals = 0;
        assert_int_equal(printed_number(cases[i].text, 6, &value, &decimals), cases[i].good);
        if (!cases[i].good)
            continue;
        assert_int_equal(value, cases[i].value);
        assert_int_equal(decimals, cases[i].decimals);
    }
}

static int count_rows(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    char *text = arg;
    (void)err;
    sprintf(text + strlen(text), "%d:%zu:%s|", (int)number, count, count > 0 ? fields[count - 1] : "");
    return 0;
}

static void csv_rows_come_with_their_fields(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char text[200] = "";
    scratch_make_file("table.csv", "\xef\xbb\xbf"
                                   "a,b\r\n1,\"x,\"\"y\"\"\"\n3,last");
    assert_int_equal(csv_read(in_scratch("table.csv"), count_rows, text, &err), 0);
    assert_string_equal(text, "1:2:b|2:2:x,\"y\"|3:2:last|");
    assert_int_equal(csv_read(scratch_directory, count_rows, text, &err), -ERR_FORMAT);
}

static int add_ids(void *arg, const struct json *object, uint64_t number, struct err *err)
{
    int64_t *sum = arg, id = 0;
    (void)err;
    assert_true(json_integer(json_member(object, "id"), &id));
    *sum += id * (int64_t)number;
    return 0;
}

static void json_rows_come_one_by_one_and_an_array_without_its_end_is_told(void **state)
{
    (void)state;
    static const char whole[] = "{\"traceEvents\": [{\"id\":1,\"s\":\"]}\\\"\"}, {\"id\":2,\"a\":[{}]}]}";
    struct err err = ERR_INIT;
    int64_t sum = 0;
    scratch_make_file("rows.json", whole);
    assert_int_equal(json_read_rows(in_scratch("rows.json"), add_ids, &sum, &err), 0);
    assert_int_equal(sum, 5);
    char *cut = strndup(whole, strlen(whole) - 12);
    scratch_make_file("cut.json", cut);
    free(cut);
    assert_int_equal(json_read_rows(in_scratch("cut.json"), add_ids, &sum, &err), -ERR_FORMAT);
}

/* Twenty records of 16 bytes with a number of 20 bits at bit 37 of the big integer, in units of 10. */
static void a_number_is_found_at_its_bits_and_scale_in_both_byte_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct matrix matrix;
        struct interval intervals[20];
        struct err err = ERR_INIT;
        uint64_t random = 1;
        assert_int_equal(matrix_init(&matrix, 20, 16, &err), 0);
        for (size_t i = 0; i < 20; i++) {
            unsigned char record[16];
            for (size_t k = 0; k < 16; k++)
                record[k] = (unsigned char)((random = random * 6364136223846793005u + 1442695040888963407u) >> 56);
            matrix_set(&matrix, i, record, big != 0);
            int64_t value = (int64_t)matrix_bits(matrix_row(&matrix, i), 37, 20) * 10;
            intervals[i] = (struct interval){value - 3, value + 3};
        }
        struct search_column column;
        struct place_list list = {.items = NULL};
        assert_int_equal(search_column_init(&column, intervals, 20, &err), 0);
        assert_int_equal(search_plain(&matrix, &column, 0, &list, &err), 0);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.items[0].bit, 37);
        assert_int_equal(list.items[0].scale, 10);
        assert_true(list.items[0].evidence > 300);
        intervals[7].low += 100;
        intervals[7].high += 100;
        list.count = 0;
        assert_int_equal(search_plain(&matrix, &column, 0, &list, &err), 0);
        assert_int_equal(list.count, 0); /* one row that does not fit is enough */
        free(list.items);
        search_column_release(&column);
        matrix_release(&matrix);
    }
}

#define HEAD "kind svp_pmu\nlayout related\nsize 24\nheader 5\ncolumn start_cycle offset 0 width 4\n"

static const struct layout *parse(struct layout_set *set, const char *text, struct err *err)
{
    layout_set_init(set);
    return layout_set_parse(set, "x.layout", text, strlen(text), err) == 0 ? &set->first->layout : NULL;
}

static int64_t decoded(struct decode_plan *plan, const unsigned char *record, const char *column)
{
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present = 0;
    struct row row = {cells, &present};
    int bad = 0, at = record_kind_column(plan->kind, column);
    decode_record(plan, record, &row, &bad);
    return (present >> at & 1) != 0 ? cells[at].integer : -1;
}

static void a_column_is_made_with_another_one_or_with_the_record_before(void **state)
{
    (void)state;
    const struct record_kind *kind = record_kind_find("svp_pmu");
    struct layout_set set;
    struct err err = ERR_INIT;
    struct decode_plan plan;
    const struct layout *layout = parse(&set,
                                        HEAD "column total_cycle offset 4 width 4 minus start_cycle\n"
                                             "column mac_busy_cycle offset 8 width 2 scale 1/10000 of start_cycle\n"
                                             "column dstr_cycle offset 10 width 2 delta\n"
                                             "column wld_cycle offset 12 width 2 scale 10 plus start_cycle\n",
                                        &err);
    assert_non_null(layout);
    assert_int_equal(layout->header, 5);
    /* start 1000, end 1700, 25.02 per cent, a counter, 7 */
    const unsigned char first[24] = {0xe8, 3, 0, 0, 0xa4, 6, 0, 0, 0xc6, 9, 0xf0, 0xff, 7};
    const unsigned char second[24] = {0xe8, 3, 0, 0, 0xe7, 3, 0, 0, 0, 0, 0x10, 0};
    decode_plan_init(&plan, kind, layout);
    assert_int_equal(decoded(&plan, first, "total_cycle"), 700);
    decode_plan_init(&plan, kind, layout);
    assert_int_equal(decoded(&plan, first, "mac_busy_cycle"), 250);
    decode_plan_init(&plan, kind, layout);
    assert_int_equal(decoded(&plan, first, "wld_cycle"), 1070);
    decode_plan_init(&plan, kind, layout);
    assert_int_equal(decoded(&plan, first, "dstr_cycle"), 0xfff0);
    assert_int_equal(decoded(&plan, second, "dstr_cycle"), 0x20); /* over the counter's end */
    layout_set_release(&set);
}

static void what_a_related_column_decodes_to_is_encoded_again(void **state)
{
    (void)state;
    const struct record_kind *kind = record_kind_find("svp_pmu");
    struct layout_set set;
    struct err err = ERR_INIT;
    const struct layout *layout = parse(&set,
                                        HEAD "column total_cycle offset 4 width 4 minus start_cycle\n"
                                             "column dstr_cycle offset 8 width 4 delta\n"
                                             "column wld_cycle offset 12 width 4 scale 1/10000 of start_cycle\n",
                                        &err);
    struct encode_plan encode;
    struct decode_plan plan;
    assert_non_null(layout);
    encode_plan_init(&encode, kind, layout);
    decode_plan_init(&plan, kind, layout);
    const char *const names[] = {"start_cycle", "total_cycle", "dstr_cycle", "wld_cycle"};
    for (int64_t i = 1; i < 4; i++) {
        struct cell cells[RECORD_MAX_COLUMNS] = {{.integer = 0}}, back[RECORD_MAX_COLUMNS];
        uint64_t present = 0, got = 0;
        struct row row = {cells, &present}, out = {back, &got};
        const int64_t values[] = {5000 * i, 70 * i, 11 * i, 1000 * i};
        unsigned char record[24];
        int bad;
        for (size_t k = 0; k < 4; k++)
            row_set_integer(&row, (size_t)record_kind_column(kind, names[k]), values[k]);
        assert_int_equal(encode_planned(&encode, &row, record, &err), 0);
        decode_record(&plan, record, &out, &bad);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(back[record_kind_column(kind, names[k])].integer, values[k]);
    }
    layout_set_release(&set);
}

static void relations_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "column total_cycle offset 4 width 4 minus wld_cycle\n",          /* not given */
        "column total_cycle offset 4 width 4 minus total_cycle\n",        /* itself */
        "column total_cycle offset 4 width 4 minus start_cycle delta\n",  /* two */
        "column total_cycle offset 4 width 4 minus\n",                    /* nothing */
        "column total_cycle offset 4 width 4 signed minus start_cycle\n", /* signed */
        "column total_cycle offset 4 width 4 minus no_such_column\n",     /* unknown */
        "header 6\n",                                                     /* twice */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[400];
        struct layout_set set;
        struct err err = ERR_INIT;
        snprintf(text, sizeof text, "%s%s", HEAD, bad[i]);
        assert_null(parse(&set, text, &err));
        assert_int_equal(err.code, ERR_FORMAT);
        layout_set_release(&set);
    }
}

#define COMPARED "aicore.0.net.1.1.1.0"
#define TABLE "tables/op_summary_0.net.1.1.1.0.0.000000.600.csv"

/* Gives the file that is compared another time, when some of it has been read. */
static void write_meanwhile(void *arg, const char *what, uint64_t done, uint64_t total)
{
    static const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    (void)arg, (void)what, (void)done, (void)total;
    assert_int_equal(utimensat(AT_FDCWD, in_scratch("J/data/" COMPARED), times, 0), 0);
}

/* Compares a task of 600 cycles at 600 MHz with a table that says so. */
static int compare(const struct progress *progress, struct diagnostics *diag, struct check_result *result,
                   struct err *err)
{
    static const char text[] = "kind svp_pmu\nlayout board\nsize 128\nendian little\n"
                               "column task_id offset 6 width 2\ncolumn total_cycle offset 16 width 8\n";
    const struct infer_options options = {.rounding = ROUNDING_HALF, .progress = progress};
    struct capture_options chosen = {.only_named = true};
    struct printed_files tables = {.items = NULL};
    struct capture capture;
    struct layout_set set;
    put_one_task(COMPARED);
    layout_set_init(&set);
    assert_int_equal(layout_set_parse(&set, "board.layout", text, sizeof text - 1, err), 0);
    chosen.layouts = &set;
    assert_int_equal(capture_open(&capture, in_scratch("J"), &chosen, diag, err), 0);
    assert_int_equal(printed_find(&tables, "svp_pmu", in_scratch("tables"), err), 0);
    strbuf_init(&result->first, 8192);
    int status = check_tables(&capture, &tables, &options, result, err);
    strbuf_release(&result->first);
    printed_release(&tables);
    capture_release(&capture);
    layout_set_release(&set);
    return status;
}

static void a_file_that_is_written_while_it_is_compared_is_told(void **state)
{
    (void)state;
    static const struct progress writing = {.update = write_meanwhile};
    make_job();
    put_layers();
    assert_int_equal(mkdir(in_scratch("tables"), 0700), 0);
    scratch_make_file(TABLE, "Task ID,Time(us)\n-,1\n0,1\n");
    for (int strict = 0; strict < 2; strict++) {
        struct check_result result = {.cells = 0};
        struct diagnostics diag;
        struct err err = ERR_INIT;
        diag_init(&diag, strict != 0);
        assert_int_equal(compare(NULL, &diag, &result, &err), 0);
        assert_true(result.cells > 0 && result.different == 0 && result.unmatched == 0);
        assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, NULL), 0);
        assert_int_equal(compare(&writing, &diag, &result, &err), strict != 0 ? -ERR_STRICT : 0);
        assert_int_equal(reported(&diag, DIAG_FILE_CHANGED, "data/" COMPARED), 1);
        diag_release(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_keeps_its_digits),
        cmocka_unit_test_setup_teardown(csv_rows_come_with_their_fields, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(json_rows_come_one_by_one_and_an_array_without_its_end_is_told, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(a_number_is_found_at_its_bits_and_scale_in_both_byte_orders),
        cmocka_unit_test(a_column_is_made_with_another_one_or_with_the_record_before),
        cmocka_unit_test(what_a_related_column_decodes_to_is_encoded_again),
        cmocka_unit_test(relations_that_mean_nothing_are_refused),
        cmocka_unit_test_setup_teardown(a_file_that_is_written_while_it_is_compared_is_told, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
