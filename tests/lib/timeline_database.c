/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/timeline_database.h"

#include "db/database.h"
#include "db/schema.h"
#include "tests/lib/scratch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct database_build build;
static int64_t next_inference, next_task, inference_end, cpu_tasks;

void run_sql(const char *format, ...)
{
    struct err err = ERR_INIT;
    char sql[2048];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(sql, sizeof(sql), format, args);
    va_end(args);
    assert_true(length > 0 && (size_t)length < sizeof(sql));
    if (database_exec(build.db, sql, &err) < 0)
        fail_msg("%s: %s", sql, err_message(&err));
}

void begin_database(const char *family)
{
    struct err err = ERR_INIT;
    next_inference = next_task = 1;
    cpu_tasks = 0;
    assert_int_equal(database_setup(&err), 0);
    assert_int_equal(database_build_open(&build, in_scratch("runtime.db"), true, &err), 0);
    assert_int_equal(schema_create_tables(build.db, &err), 0);
    run_sql("INSERT INTO meta VALUES('family', '%s')", family);
    run_sql("INSERT INTO meta VALUES('problems', '0')");
    run_sql(
        "INSERT INTO source_file(id, path, kind, size_bytes, modified_ns, records_decoded, records_rejected, device_id,"
        " model_name, model_id, batch_num) VALUES(1, 'c', 'aicpu_task', 0, 0, 0, 0, 0, 'net', 6, 1)");
    run_sql(
        "INSERT INTO source_file(id, path, kind, size_bytes, modified_ns, records_decoded, records_rejected, device_id,"
        " model_name, model_id) VALUES(2, 'a', 'acl_call', 0, 0, 0, 0, 0, 'net', 6)");
    /* Something at the origin, of another model. */
    run_sql(
        "INSERT INTO inference(inference_id, device_id, model_name, model_id, batch_num, start_ns, end_ns, start_known,"
        " tasks) VALUES(0, 7, 'other', 1, 1, %" PRId64 ", %" PRId64 ", 1, 0)",
        TIMELINE_ORIGIN, TIMELINE_ORIGIN);
}

void add_inference(int64_t start_ns, bool known)
{
    inference_end = known ? TIMELINE_ORIGIN + start_ns : start_ns;
    run_sql("INSERT INTO inference(inference_id, device_id, model_name, model_id, batch_num, input_pic_num, start_ns,"
            " end_ns, start_known, tasks, core_khz) VALUES(%" PRId64 ", 0, 'net', 6, 1, 1, %" PRId64 ", %" PRId64
            ", %d, 0, 600000)",
            next_inference, inference_end, inference_end, known);
    run_sql("INSERT INTO inference_run(inference_id, first_task, last_task) VALUES(%" PRId64 ", %" PRId64 ", %" PRId64
            ")",
            next_inference++, next_task, next_task - 1);
}

void add_tasks(int64_t count, int64_t stream_id, int64_t task_id, int64_t duration_ns)
{
    run_sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %" PRId64 ")"
            " INSERT INTO ai_core_task(id, inference_id, start_ns, duration_ns, stream_id, task_id)"
            " SELECT %" PRId64 " + i, %" PRId64 ", %" PRId64 " + i * %" PRId64 ", %" PRId64 ", nullif(%" PRId64
            ", -1), %" PRId64 " FROM n",
            count, next_task, next_inference - 1, inference_end, duration_ns, duration_ns, stream_id, task_id);
    next_task += count;
    inference_end += count * duration_ns;
    run_sql("UPDATE inference SET tasks = tasks + %" PRId64 ", end_ns = %" PRId64 " WHERE inference_id = %" PRId64,
            count, inference_end, next_inference - 1);
    run_sql("UPDATE inference_run SET last_task = %" PRId64 " WHERE inference_id = %" PRId64, next_task - 1,
            next_inference - 1);
}

void add_cpu_tasks(int64_t count, int64_t start_ns, int64_t step_ns, int64_t duration_ns, int64_t stream_id,
                   int64_t task_id)
{
    run_sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %" PRId64 ")"
            " INSERT INTO ai_cpu_task(file_id, start_ns, duration_ns, stream_id, task_id)"
            " SELECT 1, %" PRId64 " + i * %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 " FROM n",
            count, TIMELINE_ORIGIN + start_ns, step_ns, duration_ns, stream_id, task_id);
    cpu_tasks += count;
}

void add_layer(int64_t layer_id, int64_t task_id, const char *engine, const char *ori_name)
{
    run_sql("INSERT INTO layer(model_name, model_id, layer_id, task_id, engine, name, type, ori_name)"
            " VALUES('net', 6, %" PRId64 ", %" PRId64 ", '%s', 'l', 't', '%s')",
            layer_id, task_id, engine, ori_name);
}

void add_call(int64_t process_id, int64_t thread_id, int64_t start_ns, int64_t end_ns, const char *name)
{
    run_sql("INSERT INTO acl_call(file_id, api_type, process_id, thread_id, start_ns, end_ns, name)"
            " VALUES(2, 2, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", '%s')",
            process_id, thread_id, TIMELINE_ORIGIN + start_ns, TIMELINE_ORIGIN + end_ns, name);
    run_sql("UPDATE source_file SET records_decoded = records_decoded + 1 WHERE id = 2");
}

char reports[REPORTS_MAX][64];
size_t report_count;

static void note_report(void *arg, const char *report, const char *path)
{
    (void)arg;
    assert_true(report_count < REPORTS_MAX);
    const char *name = strrchr(path, '/') + 1;
    snprintf(reports[report_count++], sizeof(reports[0]), "%s %s", report, name);
}

/* As import finds it. */
static void set_origin(void)
{
    run_sql("INSERT INTO meta SELECT 'origin_ns', coalesce(min(t), 0) FROM ("
            "  SELECT min(start_ns) AS t FROM inference WHERE start_known = 1"
            "  UNION ALL SELECT min(start_ns) FROM acl_call UNION ALL SELECT min(start_ns) FROM ai_cpu_task"
            "  UNION ALL SELECT min(start_ns) FROM device_task WHERE start_tick IS NOT NULL"
            "  UNION ALL SELECT min(time_ns) FROM training_trace UNION ALL SELECT min(start_ns) FROM aicpu_log"
            "  UNION ALL SELECT min(time_ns) FROM data_queue_log)");
}

void finish_database(void)
{
    struct err err = ERR_INIT;
    run_sql("UPDATE source_file SET records_decoded = %" PRId64 " WHERE id = 1", cpu_tasks);
    set_origin();
    assert_int_equal(schema_finish(build.db, &err), 0);
    assert_int_equal(database_build_commit(&build, &err), 0);
}

int export_to(const char *directory, struct export_result *result, struct err *err)
{
    sqlite3 *db;
    struct export_options options = {
        .database = in_scratch("runtime.db"), .directory = directory, .written = note_report};
    report_count = 0;
    assert_int_equal(database_open(options.database, &db, err), 0);
    int status = export_timeline(db, &options, result, err);
    database_close(db);
    return status;
}

struct export_result export_all(void)
{
    struct err err = ERR_INIT;
    struct export_result result;
    finish_database();
    if (export_to(scratch_directory, &result, &err) < 0)
        fail_msg("%s", err_message(&err));
    return result;
}
