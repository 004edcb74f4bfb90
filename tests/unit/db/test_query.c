/* SPDX-License-Identifier: Apache-2.0 */
/* Queries: what exporters get from a database, in the order that their reports promise. */
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "base/progress.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/import.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_executions.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "db/query/query_records.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Imports J and opens its database. */
static sqlite3 *import_job(void)
{
    char path[128];
    struct diagnostics diag;
    struct import_result result;
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s", in_scratch("runtime.db"));
    const struct import_request request = {
        .directory = in_scratch("J"), .database = path, .tool_version = "1", .parameters = ""};
    diag_init(&diag, false);
    if (db_import(&request, &diag, &result, &err) < 0 || database_open(path, &db, &err) < 0)
        fail_msg("%s", err_message(&err));
    diag_release(&diag);
    return db;
}

/* Callbacks write a line for each row into this. */
static struct strbuf lines;

static void assert_lines(const char *expected)
{
    assert_string_equal(lines.data, expected);
    strbuf_release(&lines);
}

static void add_number(int64_t value)
{
    if (value == DB_NULL)
        strbuf_adds(&lines, "NULL ");
    else
        strbuf_addf(&lines, "%" PRId64 " ", value);
}

static int add_model(void *arg, const struct svp_model *model, struct err *err)
{
    (void)arg;
    (void)err;
    strbuf_addf(&lines, "%s ", model->name);
    const int64_t numbers[] = {model->device_id,     model->model_id,     model->batch_num, model->inferences,
                               model->ai_core_tasks, model->ai_cpu_tasks, model->acl_calls};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(numbers[i]);
    strbuf_addc(&lines, '\n');
    return 0;
}

static int add_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    (void)arg;
    (void)err;
    strbuf_addf(&lines, "%s ", inference->model);
    const int64_t numbers[] = {inference->device_id,   inference->model_id, inference->current_pic_count,
                               inference->start_known, inference->start_ns, inference->tasks,
                               inference->total_cycle, inference->core_khz};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(numbers[i]);
    strbuf_addc(&lines, '\n');
    return 0;
}

static int add_task(void *arg, const struct svp_task *task, struct err *err)
{
    (void)arg;
    (void)err;
    add_number(task->task_id);
    add_number(task->start_ns);
    add_number(task->duration_ns);
    strbuf_addc(&lines, '\n');
    return 0;
}

static int add_call(void *arg, const struct acl_call *call, struct err *err)
{
    (void)arg;
    (void)err;
    strbuf_addf(&lines, "%s %" PRId64 "-%" PRId64 "\n", call->name, call->start_ns, call->end_ns);
    return 0;
}

static int add_statistic(void *arg, const struct acl_statistic *row, struct err *err)
{
    (void)arg;
    (void)err;
    strbuf_addf(&lines, "%s ", row->name);
    const int64_t numbers[] = {row->count, row->total_ns, row->min_ns, row->max_ns, row->report_total_ns};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(numbers[i]);
    strbuf_addc(&lines, '\n');
    return 0;
}

struct texts {
    struct cann_texts names, tensors;
};

static void add_text(const struct cann_texts *texts, int64_t id)
{
    const char *text = cann_text(texts, id, 0).text;
    strbuf_addf(&lines, "%s ", text != NULL ? text : "-");
}

static int add_execution(void *arg, const struct cann_task *task, struct err *err)
{
    const struct texts *texts = arg;
    (void)err;
    add_text(&texts->names, task->op_name_id);
    add_text(&texts->names, task->op_type_id);
    add_text(&texts->tensors, task->tensor_set_id);
    const int64_t numbers[] = {task->stream_id, task->task_id, task->start_ns, task->duration_ns, task->end_tick};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(numbers[i]);
    strbuf_addc(&lines, '\n');
    return 0;
}

static void begin(void)
{
    strbuf_init(&lines, 1 << 20);
    make_job();
}

/* ---- SVP ---- */

static void models_inferences_and_tasks_come_in_the_order_of_the_reports(void **state)
{
    (void)state;
    unsigned char bytes[6 * PMU_SIZE], *p = bytes;
    struct err err = ERR_INIT;
    begin();
    p = put_pmu(p, 1, 1200, 2, 0);
    p = put_pmu(p, 0, 600, 1, 5);
    p = put_pmu(p, 0, 600, 1, 0);
    p = put_pmu(p, 1, 600, 1, 5); /* the inference goes on after another */
    put_file("aicore.0.1.1", bytes, (size_t)(p - bytes));
    put_text("b.1.layer.info", "[]");
    put_text("a.2.layer.info", "[]");
    put_text("aicore.0.b.1.1.1.0.done", "starttime:9000\n");
    put_text("aicore.0.b.1.1.1.5.done", "starttime:2000\n");
    sqlite3 *db = import_job();
    struct db_facts facts;
    assert_int_equal(db_read_facts(db, &facts, &err), 0);
    assert_int_equal(facts.family, CAPTURE_SVP);
    assert_int_equal(facts.origin_ns, 2000);
    assert_int_equal(facts.problems, 2);
    assert_int_equal(svp_each_model(db, add_model, NULL, &err), 0);
    assert_lines("a 0 2 1 1 1 0 0 \nb 0 1 1 2 3 0 0 \n");
    strbuf_init(&lines, 1 << 20);
    assert_int_equal(svp_each_inference(db, NULL, add_inference, NULL, &err), 0);
    assert_lines("a 0 2 0 0 0 1 1200 600000 \nb 0 1 5 1 2000 2 1200 600000 \nb 0 1 0 1 9000 1 600 600000 \n");
    strbuf_init(&lines, 1 << 20);
    const struct svp_model model = {.device_id = 0, .name = "b", .model_id = 1, .batch_num = 1};
    assert_int_equal(svp_each_inference(db, &model, add_inference, NULL, &err), 0);
    assert_lines("b 0 1 5 1 2000 2 1200 600000 \nb 0 1 0 1 9000 1 600 600000 \n");
    strbuf_init(&lines, 1 << 20);
    struct svp_task_reader *reader = svp_task_reader_new(db, true, &err);
    assert_non_null(reader);
    assert_int_equal(svp_read_tasks(reader, 2, add_task, NULL, &err), 0);
    assert_lines("0 2000 1000 \n1 3000 1000 \n");
    svp_task_reader_free(reader);
    database_close(db);
}

static void what_is_not_known_is_null_and_not_0(void **state)
{
    (void)state;
    unsigned char bytes[PMU_SIZE];
    struct err err = ERR_INIT;
    begin();
    put_pmu(bytes, 0, 600, 7, 0);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    assert_int_equal(remove(in_scratch("J/info.json.0")), 0);
    sqlite3 *db = import_job();
    assert_int_equal(svp_each_inference(db, NULL, add_inference, NULL, &err), 0);
    assert_lines("unknown 0 7 0 0 0 1 600 NULL \n");
    strbuf_init(&lines, 1 << 20);
    struct svp_task_reader *reader = svp_task_reader_new(db, true, &err);
    assert_int_equal(svp_read_tasks(reader, 1, add_task, NULL, &err), 0);
    assert_lines("0 NULL NULL \n");
    svp_task_reader_free(reader);
    database_close(db);
}

static void layers_are_found_by_task_and_engine(void **state)
{
    (void)state;
    struct svp_layers layers;
    struct err err = ERR_INIT;
    size_t first;
    begin();
    put_text("net.1.layer.info",
             "[{\"layer_id\":3,\"task_id\":1,\"name\":\"d\"},{\"layer_id\":1,\"task_id\":0,\"name\":\"b\"},"
             "{\"layer_id\":0,\"task_id\":0,\"name\":\"a\"},"
             "{\"layer_id\":2,\"task_id\":0,\"name\":\"c\",\"engine\":\"AI_CPU\"}]");
    sqlite3 *db = import_job();
    assert_int_equal(svp_layers_load(db, "net", 1, &layers, &err), 0);
    assert_int_equal(layers.count, 4);
    assert_int_equal(svp_layers_of_task(&layers, 0, false, &first), 2);
    assert_string_equal(layers.layers[first].name, "a");
    assert_string_equal(layers.layers[first + 1].name, "b");
    assert_null(layers.layers[first].type);
    assert_int_equal(svp_layers_of_task(&layers, 0, true, &first), 1);
    assert_string_equal(layers.layers[first].name, "c");
    assert_int_equal(svp_layers_of_task(&layers, 1, false, &first), 1);
    assert_int_equal(svp_layers_of_task(&layers, 1, true, &first), 0);
    assert_int_equal(svp_layers_of_task(&layers, 2, false, &first), 0);
    svp_layers_release(&layers);
    assert_int_equal(svp_layers_load(db, "other", 1, &layers, &err), 0);
    assert_int_equal(layers.count, 0);
    svp_layers_release(&layers);
    database_close(db);
    strbuf_release(&lines);
}

static void calls_come_with_the_outer_before_the_inner_and_are_summed_by_name(void **state)
{
    (void)state;
    unsigned char bytes[4 * ACL_SIZE], *p = bytes;
    struct err err = ERR_INIT;
    begin();
    p = put_acl(p, "inner", 100, 300);
    p = put_acl(p, "outer", 100, 900);
    p = put_acl(p, "inner", 400, 500);
    p = put_acl(p, "before", 50, 60);
    put_file("acl_api.0.net.1", bytes, sizeof bytes);
    sqlite3 *db = import_job();
    const struct svp_model model = {.device_id = 0, .name = "net", .model_id = 1, .batch_num = 1};
    assert_int_equal(acl_each_call(db, &model, add_call, NULL, &err), 0);
    assert_lines("before 50-60\nouter 100-900\ninner 100-300\ninner 400-500\n");
    strbuf_init(&lines, 1 << 20);
    assert_int_equal(acl_each_statistic(db, add_statistic, NULL, &err), 0);
    assert_lines("outer 1 800 800 800 1110 \ninner 2 300 100 200 1110 \nbefore 1 10 10 10 1110 \n");
    assert_string_equal(acl_mode_name(2), "model");
    assert_string_equal(acl_mode_name(99), "N/A");
    database_close(db);
}

static void a_thousand_of_the_longest_calls_can_be_added_up(void **state)
{
    (void)state;
    const unsigned count = 1000;
    unsigned char *bytes = malloc((size_t)count * ACL_SIZE), *p = bytes;
    struct err err = ERR_INIT;
    assert_non_null(bytes);
    begin();
    for (unsigned i = 0; i < count; i++)
        p = put_acl(p, "long", 0, UINT64_C(1) << 53);
    put_file("acl_api.0.net.1", bytes, (size_t)count * ACL_SIZE);
    free(bytes);
    sqlite3 *db = import_job();
    assert_int_equal(acl_each_statistic(db, add_statistic, NULL, &err), 0);
    assert_lines("long 1000 9007199254740992000 9007199254740992 9007199254740992 9007199254740992000 \n");
    database_close(db);
}

static int stop(void *arg, const struct svp_model *model, struct err *err)
{
    (void)model;
    ++*(int *)arg;
    return err_set(err, ERR_FAILED, "enough");
}

static void a_callback_that_fails_ends_the_loop_with_its_error(void **state)
{
    (void)state;
    unsigned char bytes[2 * PMU_SIZE];
    struct err err = ERR_INIT;
    int calls = 0;
    begin();
    put_pmu(put_pmu(bytes, 0, 600, 1, 0), 0, 600, 2, 0);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    sqlite3 *db = import_job();
    assert_int_equal(svp_each_model(db, stop, &calls, &err), -ERR_FAILED);
    assert_string_equal(err_message(&err), "enough");
    assert_int_equal(calls, 1);
    database_close(db);
    strbuf_release(&lines);
}

/* ---- Ascend ---- */

static void executions_are_named_by_descriptions_from_task_25000_on(void **state)
{
    (void)state;
    unsigned char bytes[8 * HWTS_SIZE], *p = bytes;
    struct err err = ERR_INIT;
    begin();
    p = put_hwts(p, 0, 0, 3, 25000, 100);
    p = put_hwts(p, 1, 1, 3, 25000, 150);
    p = put_hwts(p, 0, 2, 4, 24999, 160);
    p = put_hwts(p, 1, 3, 4, 24999, 165);
    p = put_hwts(p, 0, 4, 3, 25000, 200);
    p = put_hwts(p, 1, 5, 3, 25000, 230);
    p = put_hwts(p, 0, 6, 3, 25001, 220); /* overlaps the one before */
    p = put_hwts(p, 1, 7, 3, 25001, 240);
    put_file("hwts.data.0.slice_0", bytes, sizeof bytes);
    put_text("Framework.host.vm.task_desc_info.0.slice_0",
             "a/Mul-op1 1 25000 9\nb/Add-op2 1 24999 9\nc/X-op3 1 25001 9\n");
    put_text("Framework.host.vm.graph_desc_info.0.slice_0",
             "op_name:a/Mul-op1 op_type:Mul input_id:0 input_shape:\"2,3\" input_id:1 input_shape:\"4\"\n"
             "op_name:b/Add-op2 op_type:Add\n");
    sqlite3 *db = import_job();
    struct db_facts facts;
    assert_int_equal(db_read_facts(db, &facts, &err), 0);
    assert_int_equal(facts.family, CAPTURE_JOB);
    struct texts texts;
    struct execution_range range = {0, INT64_MIN, INT64_MAX};
    assert_int_equal(cann_names_load(db, &texts.names, &err), 0);
    assert_int_equal(cann_tensor_sets_load(db, &texts.tensors, &err), 0);
    assert_int_equal(execution_each(db, &range, CANN_TICKS, add_execution, &texts, &err), 0);
    assert_lines("a/Mul-op1 Mul 2,3;4 3 25000 1000 500 150 \n- - - 4 24999 1600 50 165 \n"
                 "a/Mul-op1 Mul 2,3;4 3 25000 2000 300 230 \nc/X-op3 - - 3 25001 2200 200 240 \n");
    strbuf_init(&lines, 1 << 20);
    range.after_tick = 165;
    assert_int_equal(execution_each(db, &range, CANN_TICKS, add_execution, &texts, &err), 0);
    assert_lines("a/Mul-op1 Mul 2,3;4 3 25000 2000 300 230 \nc/X-op3 - - 3 25001 2200 200 240 \n");
    cann_texts_release(&texts.names);
    cann_texts_release(&texts.tensors);
    database_close(db);
}

static void assert_fails(int status, struct err *err)
{
    assert_true(status < 0);
    assert_non_null(strstr(err_message(err), "no such table"));
    *err = (struct err)ERR_INIT;
}

/* A database without tables: every query of it fails. */
static void a_query_that_fails_is_an_error_and_not_a_zero(void **state)
{
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    int64_t number;
    bool overlap;
    struct cann_texts texts;
    struct cann_parts parts;
    struct cann_communications communications;
    struct cann_frequencies frequencies;
    struct cann_steps steps;
    struct capture_origin origin;
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_fails(query_number(db, "SELECT max(id) FROM device_task", &number, &err), &err);
    assert_fails(cann_task_count(db, &number, &err), &err);
    assert_fails(cann_call_count(db, &number, &err), &err);
    assert_fails(cann_calls_overlap(db, &overlap, &err), &err);
    assert_fails(cann_largest_stream(db, &number, &err), &err);
    assert_fails(cann_largest_thread(db, &number, &err), &err);
    assert_fails(cann_last_connection(db, &number, &err), &err);
    assert_fails(cann_names_load(db, &texts, &err), &err);
    assert_fails(cann_tensor_sets_load(db, &texts, &err), &err);
    assert_fails(cann_parts_load(db, &parts, &err), &err);
    assert_fails(cann_communications_load(db, &communications, &err), &err);
    assert_fails(cann_frequencies_load(db, &frequencies, &err), &err);
    assert_fails(cann_steps_load(db, &steps, &err), &err);
    assert_fails(query_origin(db, CAPTURE_CANN, &origin, &err), &err);
    sqlite3_close(db);
}

static void an_operator_is_the_same_in_sql_as_in_c(void **state)
{
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    char sql[256];
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (int64_t type = 0; type < 32; type++) {
        for (int64_t name = 0; name < 2; name++) {
            const struct cann_task task = {.op_name_id = name > 0 ? name : DB_NULL, .op_task_type = type};
            int64_t is_operator;
            snprintf(sql, sizeof sql,
                     "SELECT " CANN_IS_OPERATOR " FROM (SELECT nullif(%" PRId64 ", 0) AS op_name_id, %" PRId64
                     " AS op_task_type)",
                     name, type);
            assert_int_equal(query_number(db, sql, &is_operator, &err), 0);
            assert_int_equal(is_operator, cann_is_operator(&task));
        }
    }
    sqlite3_close(db);
}

struct everything {
    int64_t number;
    bool flag;
    const char *text;
    size_t length;
    char buffer[4];
};

static const struct query_field fields[] = {
    QUERY_FIELD(struct everything, number, "1"), QUERY_FIELD(struct everything, flag, "2"),
    QUERY_FIELD(struct everything, text, "3"),   QUERY_LENGTH(struct everything, length),
    QUERY_FIELD(struct everything, buffer, "4"),
};

static int take_everything(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct everything *everything = arg;
    (void)err;
    query_take(row, 0, fields, sizeof fields / sizeof *fields, everything);
    strbuf_addf(&lines, "%d %d %s %zu '%s'\n", everything->number == DB_NULL, everything->flag,
                everything->text != NULL ? everything->text : "-", everything->length, everything->buffer);
    return 0;
}

static void each_column_is_read_as_the_type_of_its_member_says(void **state)
{
    struct err err = ERR_INIT;
    struct everything everything;
    sqlite3 *db = NULL;
    (void)state;
    strbuf_init(&lines, 1 << 20);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(query_run(db,
                               "VALUES (NULL, NULL, NULL, NULL), (7, 2, 'caf\xc3\xa9', 'too long'), (0, 0, '', 'ok')",
                               NULL, 0, take_everything, &everything, &err),
                     0);
    assert_lines("1 0 - 0 ''\n0 1 caf\xc3\xa9 5 'too'\n0 0  0 'ok'\n");
    sqlite3_close(db);
}

/* Asked by another process, because one's own locks are not in one's way. */
static bool is_locked(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
        int fd = open(path, O_RDWR | O_CLOEXEC);
        _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void nobody_can_change_a_database_that_is_open_however_often_it_was_opened(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    begin();
    put_text("a.2.layer.info", "[]");
    sqlite3 *db = import_job(), *again = NULL;
    assert_true(is_locked(in_scratch("runtime.db")));
    assert_int_equal(database_open(in_scratch("runtime.db"), &again, &err), 0);
    assert_true(is_locked(in_scratch("runtime.db")));
    database_close(again);
    assert_true(is_locked(in_scratch("runtime.db")));
    database_close(db);
    assert_false(is_locked(in_scratch("runtime.db")));
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(models_inferences_and_tasks_come_in_the_order_of_the_reports),
        SCRATCH_TEST(what_is_not_known_is_null_and_not_0),
        SCRATCH_TEST(layers_are_found_by_task_and_engine),
        SCRATCH_TEST(calls_come_with_the_outer_before_the_inner_and_are_summed_by_name),
        SCRATCH_TEST(a_thousand_of_the_longest_calls_can_be_added_up),
        SCRATCH_TEST(a_callback_that_fails_ends_the_loop_with_its_error),
        SCRATCH_TEST(executions_are_named_by_descriptions_from_task_25000_on),
        cmocka_unit_test(a_query_that_fails_is_an_error_and_not_a_zero),
        cmocka_unit_test(each_column_is_read_as_the_type_of_its_member_says),
        cmocka_unit_test(an_operator_is_the_same_in_sql_as_in_c),
        SCRATCH_TEST(nobody_can_change_a_database_that_is_open_however_often_it_was_opened),
    };
    return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}
