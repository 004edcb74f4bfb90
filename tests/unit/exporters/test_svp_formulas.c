/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers are those of the figures in the vendor's guide. Its counter ticks every 100 cycles at 600 MHz. */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "db/database.h"
#include "exporters/reports/svp/svp_metric.h"
#include "exporters/reports/svp/svp_tables.h"
#include "exporters/table/report.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KHZ 600000

/* A metric as its column prints it; put into text behind what is there and a semicolon. */
static void add_metric(char text[256], enum svp_metric metric, const struct svp_task *task,
                       const struct svp_task *network, int64_t core_khz)
{
    bool bytes = metric == METRIC_DDR_READ || metric == METRIC_DDR_WRITE || metric == METRIC_DDR_TOTAL;
    int64_t value = svp_metric_value(metric, task, network, core_khz);
    char number[NUMBER_MAX + 1] = "N/A";
    if (value != DB_NULL)
        *number_put_shortest(number, value, bytes ? 0 : metric == METRIC_BANDWIDTH ? 4 : 2) = '\0';
    size_t used = strlen(text);
    assert_true(used + strlen(number) + 1 < 256);
    snprintf(text + used, 256 - used, "%s%s", used > 0 ? ";" : "", number);
}

static const char *metric_of(enum svp_metric metric, const struct svp_task *task, const struct svp_task *network,
                             int64_t core_khz)
{
    static char text[256];
    text[0] = '\0';
    add_metric(text, metric, task, network, core_khz);
    return text;
}

/* The network of the figure takes 28823.67 us. */
static struct svp_task figure_network(void)
{
    const struct svp_inference inference = {.total_cycle = 17294200};
    struct svp_task network;
    svp_network_of(&inference, &network);
    return network;
}

/* A task with the figure's percentages, given in hundredths, as nearly as whole cycles can have them. */
static struct svp_task figure_task(int64_t total_cycle, const int64_t percentages[SVP_CYCLE_KINDS])
{
    struct svp_task task = {.total_cycle = total_cycle, .ddr_read_bytes = DB_NULL, .ddr_write_bytes = DB_NULL};
    for (size_t i = 0; i < SVP_CYCLE_KINDS; i++)
        task.cycles[i] = (percentages[i] * total_cycle + 5000) / 10000;
    return task;
}

static const char *metrics_of(const struct svp_task *task, const struct svp_task *network)
{
    static char text[256];
    text[0] = '\0';
    for (int metric = METRIC_TIME; metric <= METRIC_MEMORY_BOUND; metric++)
        add_metric(text, (enum svp_metric)metric, task, network, KHZ);
    return text;
}

static void the_rows_of_the_op_summary_figure_come_out(void **state)
{
    (void)state;
    const struct {
        int64_t cycles, percentages[SVP_CYCLE_KINDS];
        const char *expected;
    } rows[] = {
        {1556400, {9734, 9700, 9959, 1064, 190, 109, 3054, 180}, "2594;9;97.34;97;99.59;10.64;1.9;1.09;30.54;1.8;0.31"},
        {416300, {9572, 9547, 9981, 265, 0, 0, 412, 1161}, "693.83;2.41;95.72;95.47;99.81;2.65;0;0;4.12;11.61;0.12"},
        {5800, {0, 0, 0, 0, 0, 9229, 0, 0}, "9.67;0.03;0;0;0;0;0;92.29;0;0;0"},
        {35500, {0, 0, 1257, 1123, 1444, 1135, 7218, 0}, "59.17;0.21;0;0;12.57;11.23;14.44;11.35;72.18;0;6.43"},
        {19300,
         {1931, 1907, 9660, 953, 1952, 0, 7796, 411},
         "32.17;0.11;19.31;19.07;96.6;9.53;19.52;0;77.96;4.11;4.04"},
    };
    const struct svp_task network = figure_network();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct svp_task task = figure_task(rows[i].cycles, rows[i].percentages);
        assert_string_equal(metrics_of(&task, &network), rows[i].expected);
    }
}

static void the_total_row_of_the_op_summary_figure_comes_out(void **state)
{
    (void)state;
    static const int64_t percentages[] = {6059, 5514, 6247, 615, 1560, 565, 4577, 1081};
    const struct svp_task network = figure_task(17294200, percentages);
    assert_string_equal(metrics_of(&network, &network),
                        "28823.67;100;60.59;55.14;62.47;6.15;15.6;5.65;45.77;10.81;0.76");
}

static void memory_bound_is_taken_from_unrounded_ratios(void **state)
{
    (void)state;
    /* "Slice,Permute" of the figure: 75.61 / 3.51 would be 21.54. */
    struct svp_task task = {.total_cycle = 14200, .cycles = {0, 0, 540, 499, 10737, 1812, 1025, 0}};
    const struct svp_task network = figure_network();
    assert_string_equal(metric_of(METRIC_DSTR, &task, &network, KHZ), "75.61");
    assert_string_equal(metric_of(METRIC_VEC_PPEN, &task, &network, KHZ), "3.51");
    assert_string_equal(metric_of(METRIC_MEMORY_BOUND, &task, &network, KHZ), "21.52");
}

static void the_network_s_time_is_converted_from_the_sum_of_cycles(void **state)
{
    (void)state;
    /* Three times 1/6 us print as 0.17 each, together as 0.5. */
    const struct svp_task task = {.total_cycle = 100, .cycles = {50}, .ddr_read_bytes = 7, .ddr_write_bytes = 5};
    const struct svp_inference inference = {
        .total_cycle = 300, .cycles = {150}, .ddr_read_bytes = 21, .ddr_write_bytes = 15};
    struct svp_task network;
    svp_network_of(&inference, &network);
    assert_string_equal(metric_of(METRIC_TIME, &task, &network, KHZ), "0.17");
    assert_string_equal(metric_of(METRIC_TIME, &network, &network, KHZ), "0.5");
    assert_string_equal(metric_of(METRIC_TIME_RATIO, &task, &network, KHZ), "33.33");
    assert_string_equal(metric_of(METRIC_MAC_BUSY, &network, &network, KHZ), "50");
    assert_string_equal(metric_of(METRIC_DDR_TOTAL, &network, &network, KHZ), "36");
}

static void what_the_capture_does_not_hold_is_not_available(void **state)
{
    (void)state;
    struct svp_task task = {.total_cycle = 100, .ddr_read_bytes = DB_NULL, .ddr_write_bytes = 10};
    task.cycles[SVP_DLD] = DB_NULL;
    struct svp_inference inference = {.total_cycle = 100, .ddr_read_bytes = DB_NULL, .ddr_write_bytes = 10};
    inference.cycles[SVP_DLD] = DB_NULL;
    struct svp_task network;
    svp_network_of(&inference, &network);
    static const enum svp_metric missing[] = {METRIC_DLD,      METRIC_MEMORY_BOUND, METRIC_BANDWIDTH,
                                              METRIC_DDR_READ, METRIC_DDR_TOTAL,    METRIC_DDR_TOTAL_KB};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        assert_string_equal(metric_of(missing[i], &task, &network, KHZ), "N/A");
        assert_string_equal(metric_of(missing[i], &network, &network, KHZ), "N/A");
    }
    assert_string_equal(metric_of(METRIC_DDR_WRITE, &network, &network, KHZ), "10");
    assert_string_equal(metric_of(METRIC_TIME, &task, &network, DB_NULL), "N/A");
    assert_string_equal(metric_of(METRIC_TIME_RATIO, &task, &network, DB_NULL), "100");
    assert_int_equal(svp_frames_per_second(1, &network, DB_NULL), DB_NULL);
}

static void ddr_is_in_kilobytes_of_1024_and_bandwidth_in_their_gigabytes_by_the_inferences_of_a_second(void **state)
{
    (void)state;
    /* The first row of the show figure: 574265.83 us at 700 MHz. */
    const struct svp_task network = {
        .total_cycle = 401986083, .ddr_read_bytes = 145367450, .ddr_write_bytes = 164675359};
    const struct svp_task short_network = {.total_cycle = 100000000}, long_network = {.total_cycle = 700000001};
    assert_string_equal(metric_of(METRIC_TIME, &network, &network, 700000), "574265.83");
    assert_string_equal(metric_of(METRIC_DDR_READ_KB, &network, &network, 700000), "141960.4");
    assert_string_equal(metric_of(METRIC_DDR_WRITE_KB, &network, &network, 700000), "160815.78");
    assert_string_equal(metric_of(METRIC_DDR_TOTAL_KB, &network, &network, 700000), "302776.18");
    assert_string_equal(metric_of(METRIC_BANDWIDTH, &network, &network, 700000), "0.2887");
    assert_string_equal(metric_of(METRIC_BANDWIDTH, &network, &short_network, 700000), "2.0212");
    assert_string_equal(metric_of(METRIC_BANDWIDTH, &network, &long_network, 700000), "N/A");
    assert_int_equal(svp_frames_per_second(1, &network, 700000), 1);
    assert_int_equal(svp_frames_per_second(4, &network, 700000), 6);
}

static void values_beyond_64_bits_stay_at_the_limit(void **state)
{
    (void)state;
    struct svp_task network = {.total_cycle = INT64_MAX, .ddr_read_bytes = INT64_MAX, .ddr_write_bytes = INT64_MAX};
    for (size_t i = 0; i < SVP_CYCLE_KINDS; i++)
        network.cycles[i] = INT64_MAX;
    assert_int_equal(svp_add_known(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(svp_metric_value(METRIC_DDR_TOTAL, &network, &network, KHZ), INT64_MAX);
    for (int metric = METRIC_TIME; metric <= METRIC_DDR_TOTAL_KB; metric++)
        assert_true(metric == METRIC_BANDWIDTH || /* there is less than one inference in a second */
                    svp_metric_value((enum svp_metric)metric, &network, &network, KHZ) >= 0);
}

static void the_icache_miss_rate_is_zero_when_unknown(void **state)
{
    (void)state;
    struct svp_inference inference = {.icache_miss_ppm = 402};
    assert_int_equal(svp_icache_miss_millionths(&inference), 402);
    inference.icache_miss_ppm = DB_NULL;
    assert_int_equal(svp_icache_miss_millionths(&inference), 0);
    assert_int_equal(svp_frequency_mhz(594000), 594);
    assert_int_equal(svp_frequency_mhz(DB_NULL), 0);
}

/* ---- op_statistic ---- */

/* A table of a report under test: its CSV, to be freed. */
struct made {
    sqlite3 *db;
    struct report_session session;
    struct export_options options;
    struct export_result result;
    char path[32];
};

static const struct report_scope whole = {DB_NULL, DB_NULL, DB_NULL, ""};

static void begin_table(struct made *made, enum column_set set, const char *sql)
{
    struct err err = ERR_INIT;
    *made = (struct made){.path = "/tmp/test_svp_XXXXXX"};
    int descriptor = mkstemp(made->path);
    assert_true(descriptor >= 0);
    close(descriptor);
    made->options = (struct export_options){.format = TABLE_CSV, .columns = set, .stream_path = made->path};
    assert_int_equal(database_open_memory(&made->db, &(struct err)ERR_INIT), 0);
    assert_int_equal(database_exec(made->db, "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT);", &err), 0);
    assert_int_equal(database_exec(made->db, sql, &err), 0);
    assert_int_equal(report_session_open(&made->session, made->db, &made->options, &made->result, &err), 0);
}

static char *end_table(struct made *made)
{
    struct err err = ERR_INIT;
    char *text = NULL;
    size_t length = 0;
    report_session_release(&made->session);
    sqlite3_close(made->db);
    assert_int_equal(path_read_file(made->path, 1 << 20, &text, &length, &err), 0);
    unlink(made->path);
    return text;
}

static char *statistic_table(enum column_set set, const struct svp_statistic *statistic)
{
    const struct report *report = report_find(report_all(NULL), "op_statistic", CAPTURE_SVP);
    const struct svp_table *table = report->visitor;
    const struct svp_report of = {0, 1, 0};
    struct report_run run;
    struct err err = ERR_INIT;
    struct made made;
    begin_table(&made, set, "");
    assert_int_equal(report_open(&run, &made.session, report, &whole, &err), 0);
    assert_int_equal(table->report(&run, &of, statistic, &err), 0);
    assert_int_equal(report_close(&run, 0, &err), 0);
    return end_table(&made);
}

/* Credits a task of so many hundredths of a microsecond, which rounds to whole ticks, to layers of these types. */
static void add_figure_task(struct svp_statistic *statistic, int64_t centi_us, const char *const *types)
{
    struct err err = ERR_INIT;
    int64_t cycles = (centi_us * 6 + 50) / 100 * 100;
    for (size_t i = 0; types[i] != NULL; i++)
        assert_int_equal(
            svp_statistic_credit(statistic, NULL, types[i], false, 0, svp_time_centi_us(cycles, KHZ), &err), 0);
}

#define ADD(statistic, centi_us, ...) add_figure_task(statistic, centi_us, (const char *const[]){__VA_ARGS__, NULL})

static void the_op_statistic_figure_comes_out(void **state)
{
    (void)state;
    struct svp_statistic statistic;
    svp_statistic_init(&statistic);
    ADD(&statistic, 259033, "Preprocess", "Convolution", "PoolingMax", "Convolution", "PoolingMax");
    ADD(&statistic, 2367, "Slice", "Permute");
    static const struct {
        const char *type;
        int64_t centi_us[6];
    } tasks[] = {{"Convolution", {1117, 3217, 69383, 70067, 70067, 81267}},
                 {"Permute", {967, 5917, 44367, 46317}},
                 {"Fc", {936117, 7183, 150000, 157850}},
                 {"Reshape", {39700, 650, 10000, 20000, 30000, 2050}},
                 {"Reportop", {50050, 24033, 24033, 150}},
                 {"Softmax", {64617, 6633}},
                 {"Preprocess", {150}},
                 {"DecBbox", {8783}},
                 {"FilterBox", {4217}},
                 {"NMS", {16350}},
                 {"ROIPooling", {657117}},
                 /* The ratios of the figure tell of one more row, of 244.5 to 252.1 us, that it does not show. */
                 {"Unseen", {24833}}};
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        for (size_t k = 0; k < 6 && tasks[i].centi_us[k] != 0; k++)
            ADD(&statistic, tasks[i].centi_us[k], tasks[i].type);
    svp_statistic_sort(&statistic);

    static const char expected[] =
        "Task ID,Stream ID,OP Type,Task Type,Total Time(us),Total Time Ratio(%),Count,Avg(us),Max(us),Min(us)\n"
        "0,0,Convolution,AI_CORE,8131.84,20.71,8,1016.48,2590.33,11.17\n"
        "1,0,DecBbox,AI_CORE,87.83,0.22,1,87.83,87.83,87.83\n"
        "2,0,Fc,AI_CORE,12511.5,31.86,4,3127.875,9361.17,71.83\n"
        "3,0,FilterBox,AI_CORE,42.17,0.11,1,42.17,42.17,42.17\n"
        "4,0,NMS,AI_CORE,163.5,0.42,1,163.5,163.5,163.5\n"
        "5,0,Permute,AI_CORE,999.35,2.54,5,199.87,463.17,9.67\n"
        "6,0,PoolingMax,AI_CORE,5180.66,13.19,2,2590.33,2590.33,2590.33\n"
        "7,0,Preprocess,AI_CORE,2591.83,6.6,2,1295.915,2590.33,1.5\n"
        "8,0,ROIPooling,AI_CORE,6571.17,16.73,1,6571.17,6571.17,6571.17\n"
        "9,0,Reportop,AI_CORE,982.66,2.5,4,245.665,500.5,1.5\n"
        "10,0,Reshape,AI_CORE,1024,2.61,6,170.6667,397,6.5\n"
        "11,0,Slice,AI_CORE,23.67,0.06,1,23.67,23.67,23.67\n"
        "12,0,Softmax,AI_CORE,712.5,1.81,2,356.25,646.17,66.33\n";
    char *text = statistic_table(COLUMNS_VENDOR, &statistic);
    assert_int_equal(statistic.count, 14);
    assert_memory_equal(text, expected, sizeof expected - 1);
    free(text);
    svp_statistic_release(&statistic);
}

static void an_unknown_layer_another_engine_and_another_stream_have_rows_of_their_own(void **state)
{
    (void)state;
    struct svp_statistic statistic;
    struct err err = ERR_INIT;
    svp_statistic_init(&statistic);
    assert_int_equal(svp_statistic_credit(&statistic, NULL, "NMS", true, 1, 300, &err), 0);
    assert_int_equal(svp_statistic_credit(&statistic, NULL, NULL, false, 0, 100, &err), 0);
    assert_int_equal(svp_statistic_credit(&statistic, NULL, NULL, false, 0, 100, &err), 0);
    assert_int_equal(svp_statistic_credit(&statistic, NULL, "NMS", false, 2, 400, &err), 0);
    assert_int_equal(svp_statistic_credit(&statistic, NULL, "NMS", false, 0, DB_NULL, &err), 0);
    svp_statistic_sort(&statistic);
    assert_int_equal(statistic.count, 4);
    char *text = statistic_table(COLUMNS_GUIDE, &statistic);
    assert_string_equal(
        text, "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),Min(us)\n"
              "0,0,N/A,AI_CORE,22.22,2,2,1,1,1\n"
              "1,0,NMS,AI_CORE,N/A,N/A,1,N/A,N/A,N/A\n"
              "2,2,NMS,AI_CORE,44.44,4,1,4,4,4\n"
              "3,1,NMS,AI_CPU,33.33,3,1,3,3,3\n");
    free(text);
    svp_statistic_release(&statistic);
}

static void a_statistic_holds_many_streams_and_is_empty_after_a_clear(void **state)
{
    (void)state;
    struct svp_statistic statistic;
    struct statistic_memo memo;
    struct err err = ERR_INIT;
    memset(&memo, 0, sizeof memo);
    svp_statistic_init(&statistic);
    for (int64_t i = 0; i < 20000; i++)
        assert_int_equal(svp_statistic_credit(&statistic, &memo, "Fc", false, i % 10000, 1, &err), 0);
    assert_int_equal(statistic.count, 10000);
    assert_int_equal(svp_statistic_total(&statistic), 20000);
    for (size_t i = 0; i < statistic.count; i++)
        assert_int_equal(statistic.items[i].count, 2);
    svp_statistic_clear(&statistic);
    assert_int_equal(svp_statistic_total(&statistic), DB_NULL);
    assert_int_equal(svp_statistic_credit(&statistic, &memo, "Fc", false, 5, 1, &err), 0);
    assert_int_equal(statistic.count, 1);
    svp_statistic_release(&statistic);
}

static void a_remembered_row_is_that_of_its_type_and_stream_also_in_the_next_report(void **state)
{
    (void)state;
    static const char *const types[] = {"Convolution", "Pooling"};
    struct svp_statistic with, without;
    struct statistic_memo memos[2];
    struct err err = ERR_INIT;
    memset(memos, 0, sizeof memos);
    svp_statistic_init(&with);
    svp_statistic_init(&without);
    for (int report = 0; report < 3; report++) {
        svp_statistic_clear(&with);
        svp_statistic_clear(&without);
        /* The second type is met first in every other report: its row is then another one. Streams that share a place
         * in the memo alternate. */
        for (int i = report % 2; i < 100; i++) {
            int64_t stream_id = i % 3 * STATISTIC_MEMO_STREAMS;
            assert_int_equal(svp_statistic_credit(&with, &memos[i % 2], types[i % 2], false, stream_id, i, &err), 0);
            assert_int_equal(svp_statistic_credit(&without, NULL, types[i % 2], false, stream_id, i, &err), 0);
        }
        svp_statistic_sort(&with);
        svp_statistic_sort(&without);
        assert_int_equal(with.count, 6);
        assert_int_equal(without.count, 6);
        for (size_t i = 0; i < 6; i++) {
            assert_string_equal(with.items[i].type, without.items[i].type);
            assert_int_equal(with.items[i].stream_id, without.items[i].stream_id);
            assert_int_equal(with.items[i].count, without.items[i].count);
            assert_int_equal(with.items[i].total_centi_us, without.items[i].total_centi_us);
        }
    }
    svp_statistic_release(&with);
    svp_statistic_release(&without);
}

/* ---- acl_statistic ---- */

/* Calls of the figure: so many of each function, with this total and these extremes, in us. */
static const struct figure_calls {
    const char *name;
    int64_t total, count, min, max;
} figure_calls[] = {{"svp_acl_mdl_load_from_mem", 340694, 1, 340694, 340694},
                    {"svp_acl_mdl_unload", 5898, 1, 5898, 5898},
                    {"svp_acl_mdl_execute", 1781448, 50, 35377, 41968},
                    {"svp_acl_ext_process_aicpu_task", 352740, 50, 6863, 11883}};

static void add_call(sqlite3 *db, const char *name, int64_t us)
{
    struct err err = ERR_INIT;
    char sql[160];
    snprintf(sql, sizeof sql, "INSERT INTO acl_call VALUES(1, 0, 0, 2, '%s', 0, %" PRId64 ");", name, us * 1000);
    assert_int_equal(database_exec(db, sql, &err), 0);
}

static void add_figure_calls(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof figure_calls / sizeof *figure_calls; i++) {
        const struct figure_calls *calls = &figure_calls[i];
        int64_t left = calls->total, others = calls->count - 2;
        add_call(db, calls->name, calls->min);
        left -= calls->min;
        if (calls->count > 1)
            add_call(db, calls->name, calls->max);
        left -= calls->max;
        for (int64_t k = 0; k < others; k++)
            add_call(db, calls->name, left / others + (k < left % others));
    }
}

static char *acl_table(enum column_set set)
{
    struct err err = ERR_INIT;
    struct made made;
    uint64_t rows;
    begin_table(&made, set,
                "CREATE TABLE acl_call(file_id, process_id, thread_id, api_type, name, start_ns, end_ns);"
                "CREATE TABLE source_file(id, profiled_model_id);"
                "CREATE TABLE profiled_model(id, device_id, model_id);"
                "INSERT INTO source_file VALUES(1, 1); INSERT INTO profiled_model VALUES(1, 0, 1);");
    add_figure_calls(made.db);
    assert_int_equal(
        report_write(&made.session, report_find(report_all(&err), "acl_statistic", CAPTURE_SVP), &whole, &rows, &err),
        0);
    assert_int_equal(rows, 4);
    return end_table(&made);
}

static void the_acl_statistic_figure_comes_out(void **state)
{
    (void)state;
    char *text = acl_table(COLUMNS_VENDOR);
    assert_string_equal(
        text, "Process ID,Thread ID,Type,Name,Total Time(us),Total Time Ratio(%),Count,Avg(us),Min(us),Max(us)\n"
              "0,0,model,svp_acl_mdl_execute,1781448,71.80999524,50,35628,35377,41968\n"
              "0,0,model,svp_acl_ext_process_aicpu_task,352740,14.21891502,50,7054,6863,11883\n"
              "0,0,model,svp_acl_mdl_load_from_mem,340694,13.73334193,1,340694,340694,340694\n"
              "0,0,model,svp_acl_mdl_unload,5898,0.237747805,1,5898,5898,5898\n");
    free(text);
}

static void the_guide_s_acl_columns_keep_the_average_s_nanoseconds(void **state)
{
    (void)state;
    char *text = acl_table(COLUMNS_GUIDE);
    assert_non_null(strstr(text, "0,0,model,svp_acl_mdl_execute,71.80999524,1781448,50,35628.96,41968,35377\n"));
    free(text);
}

/* ---- op_summary ---- */

static void expect_text(struct report_value value, const char *text)
{
    assert_int_equal(value.kind, VALUE_STRING);
    assert_int_equal(value.length, strlen(text));
    assert_memory_equal(value.text, text, value.length);
}

static void a_fused_task_lists_its_layers_and_one_layer_is_a_number(void **state)
{
    (void)state;
    const struct svp_layer layers[] = {{.layer_id = 17, .name = "slice1", .type = "Slice", .ori_name = "slice1"},
                                       {.layer_id = 18, .name = "perm", .type = "Permute", .ori_name = NULL}};
    struct svp_layer_lists lists;
    struct err err = ERR_INIT;
    svp_layer_lists_init(&lists);
    assert_int_equal(svp_layer_lists_set(&lists, layers, 2, ',', &err), 0);
    expect_text(svp_layer_ids_value(&lists), "17,18");
    expect_text(svp_layer_list_value(&lists, &lists.names), "slice1,perm");
    expect_text(svp_layer_list_value(&lists, &lists.types), "Slice,Permute");
    expect_text(svp_layer_list_value(&lists, &lists.ori_names), "slice1,N/A");
    assert_int_equal(svp_layer_lists_set(&lists, layers, 1, ',', &err), 0);
    assert_int_equal(svp_layer_ids_value(&lists).kind, VALUE_INTEGER);
    assert_int_equal(svp_layer_ids_value(&lists).integer, 17);
    assert_int_equal(svp_layer_lists_set(&lists, layers, 0, ',', &err), 0);
    assert_int_equal(svp_layer_ids_value(&lists).kind, VALUE_MISSING);
    assert_int_equal(svp_layer_list_value(&lists, &lists.names).kind, VALUE_MISSING);
    svp_layer_lists_release(&lists);
}

static void in_the_terminal_every_layer_has_its_own_line(void **state)
{
    (void)state;
    const struct svp_layer layers[] = {
        {.layer_id = 1, .name = "a\nb", .type = "Convolution", .ori_name = "res2a_branch2c"},
        {.layer_id = 2, .name = "res2a", .type = "Eltwise", .ori_name = "res2a,res2a_relu"}};
    struct svp_layer_lists lists;
    struct err err = ERR_INIT;
    svp_layer_lists_init(&lists);
    assert_int_equal(svp_layer_lists_set(&lists, layers, 2, '\n', &err), 0);
    assert_string_equal(lists.names.data, "a?b\nres2a");
    assert_string_equal(lists.types.data, "Convolution\nEltwise");
    assert_string_equal(lists.ori_names.data, "res2a_branch2c\nres2a\nres2a_relu");
    svp_layer_lists_release(&lists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_of_the_op_summary_figure_come_out),
        cmocka_unit_test(the_total_row_of_the_op_summary_figure_comes_out),
        cmocka_unit_test(memory_bound_is_taken_from_unrounded_ratios),
        cmocka_unit_test(the_network_s_time_is_converted_from_the_sum_of_cycles),
        cmocka_unit_test(what_the_capture_does_not_hold_is_not_available),
        cmocka_unit_test(ddr_is_in_kilobytes_of_1024_and_bandwidth_in_their_gigabytes_by_the_inferences_of_a_second),
        cmocka_unit_test(values_beyond_64_bits_stay_at_the_limit),
        cmocka_unit_test(the_icache_miss_rate_is_zero_when_unknown),
        cmocka_unit_test(the_op_statistic_figure_comes_out),
        cmocka_unit_test(an_unknown_layer_another_engine_and_another_stream_have_rows_of_their_own),
        cmocka_unit_test(a_statistic_holds_many_streams_and_is_empty_after_a_clear),
        cmocka_unit_test(a_remembered_row_is_that_of_its_type_and_stream_also_in_the_next_report),
        cmocka_unit_test(the_acl_statistic_figure_comes_out),
        cmocka_unit_test(the_guide_s_acl_columns_keep_the_average_s_nanoseconds),
        cmocka_unit_test(a_fused_task_lists_its_layers_and_one_layer_is_a_number),
        cmocka_unit_test(in_the_terminal_every_layer_has_its_own_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
