/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries and timelines of each family of captures out of a database with a few rows, as text. */
#include "tests/lib/scratch.h"
#include "tests/lib/timeline_database.h"
#include "tests/lib/timeline_reader.h"

#include "db/database.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define TIMESTAMP "20250101120000"

/* Every summary, as CSV and as JSON, and every timeline. */
static void export_everything(void)
{
    static const enum table_format formats[] = {TABLE_CSV, TABLE_JSON};
    struct err err = ERR_INIT;
    struct export_result result;
    sqlite3 *db;
    struct export_options options = {
        .database = in_scratch("runtime.db"), .directory = scratch_directory, .timestamp = TIMESTAMP, .model_id = -1};
    assert_int_equal(database_open(options.database, &db, &err), 0);
    /* tables as JSON have the same names */
    assert_int_equal(mkdir(in_scratch("timeline"), 0700), 0);
    options.directory = in_scratch("timeline");
    int status = export_timeline(db, &options, &result, &err);
    options.directory = scratch_directory;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && status >= 0; i++) {
        options.format = formats[i];
        status = export_summary(db, &options, &result, &err);
    }
    if (status < 0)
        fail_msg("%s", err_message(&err));
    database_close(db);
}

static void assert_has(const char *name, const char *part)
{
    char *text = read_text(name);
    if (strstr(text, part) == NULL)
        fail_msg("%s has no\n%s\nin\n%s", name, part, text);
    free(text);
}

static void assert_has_not(const char *name, const char *part)
{
    char *text = read_text(name);
    assert_null(strstr(text, part));
    free(text);
}

/* Two tasks of "a/Mul" and one of "b/Add" of a device, 10 us apart, in streams 3 and 4. */
static void add_operators(int64_t device, int64_t connection)
{
    static const char *const texts[] = {"a/Mul", "b/Add", "Mul", "Add", "mul_kernel", "KERNEL_AICORE"};
    static const int64_t tasks[][5] = {{3, 25001, 1, 3, 4000}, {3, 25002, 1, 3, 6000}, {4, 25003, 2, 4, 2500}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        run_sql("INSERT INTO name(id, text) VALUES(%zu, '%s')", i + 1, texts[i]);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        run_sql("INSERT INTO device_task(id, device_id, stream_id, task_id, op_name_id, op_type_id, duration_ns,"
                " start_ns, type, batch_id, op_task_type, op_state, op_flag, block_num, mix_block_num, connection_id,"
                " kernel_name_id, host_type_id) VALUES(%zu, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                ", %" PRId64 ", %" PRId64 ", %" PRId64 ", 0, 0, 0, 0, 0, 8, 0, nullif(%" PRId64 ", 0), 5, 6)",
                i + 1, device, tasks[i][0], tasks[i][1], tasks[i][2], tasks[i][3], tasks[i][4],
                TIMELINE_ORIGIN + 1000 + 10000 * (int64_t)i, connection != 0 ? connection + (int64_t)i : 0);
}

static void add_part(int64_t id, int64_t device, bool host, int64_t chip)
{
    run_sql("INSERT INTO capture_part(id, directory, device_id, is_host, chip, host_hz, device_hz, aic_hz, ai_core_num,"
            " process_id, start_ns, unix_offset_ns, host_monotonic_ns, device_tick) VALUES(%" PRId64 ", 'part', %s, %d,"
            " %" PRId64 ", 1000000000, 50000000, 1000000000, 8, 77, %" PRId64 ", 0, %" PRId64 ", 0)",
            id, host ? "NULL" : "0", host, chip, TIMELINE_ORIGIN, TIMELINE_ORIGIN);
    if (!host)
        run_sql("UPDATE capture_part SET device_id = %" PRId64 " WHERE id = %" PRId64, device, id);
}

static void boards_have_tables_and_timelines_and_no_value_where_the_records_have_none(void **state)
{
    (void)state;
    begin_database("svp");
    add_layer(0, 0, "AI_CORE", "conv");
    add_layer(1, 1, "AI_CPU", "softmax");
    add_inference(1000, true);
    add_tasks(2, 3, 0, 5500);
    add_cpu_tasks(1, 13000, 0, 100, 4, 1);
    add_call(70, 71, 500, 900, "svp_acl_mdl_execute");
    finish_database();
    export_everything();
    scratch_assert_content("acl_statistic_0_6_1.csv",
                           "Process ID,Thread ID,Type,Name,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),"
                           "Min(us)\n70,71,model,svp_acl_mdl_execute,100,0.4,1,0.4,0.4,0.4\n");
    scratch_assert_content(
        "op_statistic_0_6_unknown_1.csv",
        "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,Avg(us),"
        "Max(us),Min(us)\n0,3,t,AI_CORE,N/A,N/A,2,N/A,N/A,N/A\n1,4,t,AI_CPU,100,0.1,1,0.1,0.1,0.1\n");
    assert_has("acl_statistic_0_6_1.json", "\"Name\": \"svp_acl_mdl_execute\",\n        \"Total Time Ratio(%)\": 100");
    assert_has("timeline/task_time_0.net.6.1.json",
               "{\"name\":\"softmax\",\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":13.000,\"dur\":0.099999,\"args\":{\"Task "
               "Type\":\"AI_CPU\",\"Stream Id\":4,\"Task Id\":1,\"Layer Type\":\"t\"}}");
    assert_has("timeline/msprof_0.net.6.1.json",
               "\"name\":\"Inference 1\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":1.000,"
               "\"dur\":11.000,\"args\":{\"Tasks\":2,\"Input\":1,\"Batch\":1}");
    assert_has_not("timeline/msprof_0.net.6.1.json", "\"ph\":\"C\"");
}

static void boards_have_counters_of_what_their_tasks_used(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(1000, true);
    add_tasks(1, 3, 0, 5500);
    run_sql("UPDATE ai_core_task SET total_cycle = 1000, mac_busy_cycle = 250, ddr_read_bytes = 11000");
    finish_database();
    export_everything();
    /* 11000 bytes in 5.5 us are 2000 MB/s; nothing is used behind the last task */
    assert_has("timeline/msprof_0.net.6.1.json",
               "{\"name\":\"MAC busy\",\"ph\":\"C\",\"pid\":0,\"tid\":0,\"ts\":1.000,\"args\":{\"%\":25}}");
    assert_has("timeline/msprof_0.net.6.1.json",
               "{\"name\":\"DDR read\",\"ph\":\"C\",\"pid\":0,\"tid\":0,\"ts\":1.000,\"args\":{\"MB/s\":2000}}");
    assert_has("timeline/msprof_0.net.6.1.json",
               "{\"name\":\"DDR read\",\"ph\":\"C\",\"pid\":0,\"tid\":0,\"ts\":6.500,\"args\":{\"MB/s\":0}}");
    assert_has_not("timeline/msprof_0.net.6.1.json", "DDR write");
}

static void captures_of_the_job_era_have_tables_and_a_timeline(void **state)
{
    (void)state;
    begin_database("ascend-job");
    add_operators(1, 0);
    run_sql("UPDATE device_task SET start_tick = 100 * id, end_tick = 100 * id + 9");
    finish_database();
    export_everything();
    scratch_assert_content("op_statistic_1.csv",
                           "OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
                           "Mul,2,10.000,4.000,5.000,6.000,80\nAdd,1,2.500,2.500,2.500,2.500,20\n");
    scratch_assert_content(
        "op_summary_1.csv",
        "Op Name,OP Type,Stream ID,Task ID,Task Start Time(us),Task Duration(us),Task Wait Time(us),"
        "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats\n"
        "a/Mul,Mul,3,25001,54382576025.666,4.000,0.000,N/A,N/A,N/A,N/A,N/A,N/A\n"
        "a/Mul,Mul,3,25002,54382576035.666,6.000,6.000,N/A,N/A,N/A,N/A,N/A,N/A\n"
        "b/Add,Add,4,25003,54382576045.666,2.500,4.000,N/A,N/A,N/A,N/A,N/A,N/A\n");
    assert_has("op_statistic_1.json",
               "\"OP Type\": \"Add\",\n        \"Count\": 1,\n        \"Total Time(us)\": 2.500");
    assert_has("timeline/task_time_1.json",
               "{\"name\":\"Add\",\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":20.000,\"dur\":2.500,\"args\":{\"Task "
               "Type\":\"AI_CORE\",\"Stream Id\":4,\"Task Id\":25003,\"Op Name\":\"b/Add\",\"OP Type\":\"Add\",\"Block "
               "Num\":8}}");
}

/* A tick is 20 ns; the first is at the origin. */
static void captures_of_2022_have_tables_and_timelines(void **state)
{
    (void)state;
    static const int ticks[][2] = {{50, 250}, {550, 850}, {1050, 1175}};
    begin_database("ascend-2022");
    add_part(1, 0, false, 1);
    add_operators(0, 1);
    for (int i = 0; i < 3; i++)
        run_sql("UPDATE device_task SET start_tick = %d, end_tick = %d WHERE id = %d", ticks[i][0], ticks[i][1], i + 1);
    add_call(70, 71, 500, 900, "aclopExecuteV2");
    finish_database();
    export_everything();
    scratch_assert_content("op_statistic_0_1.csv",
                           "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
                           "Mul,AI_CORE,2,10,4,5,6,80\nAdd,AI_CORE,1,2.5,2.5,2.5,2.5,20\n");
    scratch_assert_content("acl_statistic_0_1.csv",
                           "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID\n"
                           "aclopExecuteV2,ACL_MODEL,100,0.4,1,0.4,0.4,0.4,70,71\n");
    assert_has("task_time_0_1.csv",
               "\na/Mul,AI_CORE,3,25002,6,\"\"\"54382576035666\"\"\",\"\"\"54382576041666\"\"\"\n");
    assert_has("op_statistic_0_1.json", "\"OP Type\": \"Mul\",");
    assert_has("timeline/task_time_0_1.json",
               "{\"name\":\"Add\",\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":20.000,\"dur\":2.500,");
    assert_has("timeline/acl_0_1.json", "\"name\":\"aclopExecuteV2\"");
}

static void captures_since_2023_have_tables_and_a_timeline_with_arrows(void **state)
{
    (void)state;
    begin_database("ascend-cann");
    add_part(1, 0, true, 5);
    add_part(2, 0, false, 5);
    add_operators(0, 1);
    run_sql("INSERT INTO name(id, text) VALUES(7, 'launch')");
    for (int i = 0; i < 3; i++)
        run_sql("INSERT INTO host_call(id, thread_id, level, type, name_id, start_ns, duration_ns, connection_id,"
                " launches) VALUES(%d, 71, 10000, 5, 7, %" PRId64 ", %d, %d, 1)",
                i + 1, TIMELINE_ORIGIN + 200 * i, 100 + 20 * i, i + 1);
    finish_database();
    export_everything();
    scratch_assert_content("op_statistic_" TIMESTAMP ".csv",
                           "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
                           "Ratio(%)\n0,Mul,AI_CORE,2,10,4,5,6,80\n0,Add,AI_CORE,1,2.5,2.5,2.5,2.5,20\n");
    scratch_assert_content("api_statistic_" TIMESTAMP ".csv",
                           "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
                           "host,node,launch,0.36,3,0.12,0.1,0.14,0\n");
    scratch_assert_content("task_time_" TIMESTAMP ".csv",
                           "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
                           "task_stop(us)\n"
                           "0,mul_kernel,AI_CORE,3,25001,4,54382576025.666\t,54382576029.666\t\n"
                           "0,mul_kernel,AI_CORE,3,25002,6,54382576035.666\t,54382576041.666\t\n"
                           "0,mul_kernel,AI_CORE,4,25003,2.5,54382576045.666\t,54382576048.166\t\n");
    assert_has("api_statistic_" TIMESTAMP ".json", "\"API Name\": \"launch\",\n        \"Time(us)\": 0.36");
    assert_has("timeline/msprof_" TIMESTAMP ".json",
               "{\"name\":\"HostToDevice\",\"cat\":\"HostToDevice\",\"ph\":\"f\",\"id\":3,\"pid\":79296,\"tid\":4,"
               "\"ts\":21.000,\"bp\":\"e\"}");
    assert_has("timeline/msprof_" TIMESTAMP ".json",
               "{\"name\":\"Free\",\"ph\":\"X\",\"pid\":79840,\"tid\":3,\"ts\":5.000,\"dur\":6.000,\"args\":{}}");
}

#define REPORT_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPORT_TEST(boards_have_tables_and_timelines_and_no_value_where_the_records_have_none),
        REPORT_TEST(boards_have_counters_of_what_their_tasks_used),
        REPORT_TEST(captures_of_the_job_era_have_tables_and_a_timeline),
        REPORT_TEST(captures_of_2022_have_tables_and_timelines),
        REPORT_TEST(captures_since_2023_have_tables_and_a_timeline_with_arrows),
    };
    return cmocka_run_group_tests_name("reports of families", tests, NULL, NULL);
}
