/* Timelines out of a database that each test fills: threads, order, numbering, what does not fit. */
#include "base/fsutil.h"
#include "base/json_in.h"
#include "db/database.h"
#include "db/schema.h"
#include "exporters/export.h"
#include "tests/lib/scratch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ORIGIN INT64_C(54382576024666)
#define TEXT_LIMIT (64 * 1024 * 1024)
#define TASK_TIME "task_time_0.net.6.1.json"
#define ACL "acl_0.net.6.1.json"

/* ---- filling the database ---- */

static struct database_build build;
static int64_t next_inference, next_task, cpu_tasks;

static void run_sql(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run_sql(const char *format, ...)
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

static void begin_database(const char *family)
{
    struct err err = ERR_INIT;
    next_inference = next_task = 1;
    cpu_tasks = 0;
    assert_int_equal(database_setup(&err), 0);
    assert_int_equal(database_build_open(&build, in_scratch("runtime.db"), &err), 0);
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
        ORIGIN, ORIGIN);
}

/* Begins an inference; its tasks follow one another from start_ns. */
static int64_t inference_end;
static void add_inference(int64_t start_ns, bool known)
{
    inference_end = known ? ORIGIN + start_ns : start_ns;
    run_sql("INSERT INTO inference(inference_id, device_id, model_name, model_id, batch_num, input_pic_num, start_ns,"
            " end_ns, start_known, tasks, core_khz) VALUES(%" PRId64 ", 0, 'net', 6, 1, 1, %" PRId64 ", %" PRId64
            ", %d, 0, 600000)",
            next_inference, inference_end, inference_end, known);
    run_sql("INSERT INTO inference_run(inference_id, first_task, last_task) VALUES(%" PRId64 ", %" PRId64 ", %" PRId64
            ")",
            next_inference++, next_task, next_task - 1);
}

/* Adds count tasks of the same kind to the last inference. */
static void add_tasks(int64_t count, int64_t stream_id, int64_t task_id, int64_t duration_ns)
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

static void add_cpu_tasks(int64_t count, int64_t start_ns, int64_t step_ns, int64_t duration_ns, int64_t stream_id,
                          int64_t task_id)
{
    run_sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %" PRId64 ")"
            " INSERT INTO ai_cpu_task(file_id, start_ns, duration_ns, stream_id, task_id)"
            " SELECT 1, %" PRId64 " + i * %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 " FROM n",
            count, ORIGIN + start_ns, step_ns, duration_ns, stream_id, task_id);
    cpu_tasks += count;
}

static void add_layer(int64_t layer_id, int64_t task_id, const char *engine, const char *ori_name)
{
    run_sql("INSERT INTO layer(model_name, model_id, layer_id, task_id, engine, name, type, ori_name)"
            " VALUES('net', 6, %" PRId64 ", %" PRId64 ", '%s', 'l', 't', '%s')",
            layer_id, task_id, engine, ori_name);
}

static void add_call(int64_t process_id, int64_t thread_id, int64_t start_ns, int64_t end_ns, const char *name)
{
    run_sql("INSERT INTO acl_call(file_id, api_type, process_id, thread_id, start_ns, end_ns, name)"
            " VALUES(2, 2, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", '%s')",
            process_id, thread_id, ORIGIN + start_ns, ORIGIN + end_ns, name);
    run_sql("UPDATE source_file SET records_decoded = records_decoded + 1 WHERE id = 2");
}

/* ---- exporting ---- */

static char reports[8][64];
static size_t report_count;

static void note_report(void *arg, const char *report, const char *path)
{
    (void)arg;
    assert_true(report_count < 8);
    const char *name = strrchr(path, '/') + 1;
    snprintf(reports[report_count++], sizeof(reports[0]), "%s %s", report, name);
}

static void finish_database(void)
{
    struct err err = ERR_INIT;
    run_sql("UPDATE source_file SET records_decoded = %" PRId64 " WHERE id = 1", cpu_tasks);
    assert_int_equal(schema_finish(build.db, &err), 0);
    assert_int_equal(database_build_commit(&build, &err), 0);
}

static int export_to(const char *directory, struct export_result *result, struct err *err)
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

static struct export_result export_all(void)
{
    struct err err = ERR_INIT;
    struct export_result result;
    finish_database();
    if (export_to(scratch_directory, &result, &err) < 0)
        fail_msg("%s", err_message(&err));
    return result;
}

/* ---- reading a timeline back ---- */

struct event {
    char phase;
    int64_t pid, tid, start_ns, duration_ns, task_id, stream_id;
    bool ai_cpu;
    char name[64], args[160];
};

struct timeline {
    struct event *events;
    size_t count;
    struct {
        int64_t pid, tid;
        char name[64];
    } threads[2048];
    size_t thread_count;
};

static int64_t number_after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? -1 : strtoll(found + strlen(key), NULL, 10);
}

/* "12.345" as 12345 */
static int64_t ns_after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (found == NULL)
        return -1;
    char *point;
    int64_t us = strtoll(found + strlen(key), &point, 10);
    assert_int_equal(*point, '.');
    const char *decimals = point + 1;
    int64_t fraction = strtoll(decimals, &point, 10);
    assert_true(*point == ',' || *point == '}');
    assert_true(point - decimals == 3 || point - decimals == 6);
    /* Six decimals: a slice that touches the next, a picosecond short of its whole nanoseconds. */
    return us * 1000 + (point - decimals == 3 ? fraction : (fraction + 1) / 1000);
}

static void text_after(const char *line, const char *key, char *text, size_t size)
{
    const char *found = strstr(line, key);
    assert_non_null(found);
    snprintf(text, size, "%s", found + strlen(key));
    text[strcspn(text, "\"\n")] = '\0';
}

static void read_line(struct timeline *timeline, const char *line)
{
    struct event event = {.phase = '?'};
    assert_int_equal(strncmp(line, "{\"name\":\"", 9), 0);
    text_after(line, "{\"name\":\"", event.name, sizeof(event.name));
    event.phase = *(strstr(line, "\"ph\":\"") + 6);
    event.pid = number_after(line, "\"pid\":");
    event.tid = number_after(line, "\"tid\":");
    if (event.phase == 'M') {
        if (strcmp(event.name, "thread_name") != 0)
            return;
        assert_true(timeline->thread_count < 2048);
        timeline->threads[timeline->thread_count].pid = event.pid;
        timeline->threads[timeline->thread_count].tid = event.tid;
        text_after(line, "\"args\":{\"name\":\"", timeline->threads[timeline->thread_count].name, 64);
        timeline->thread_count++;
        return;
    }
    event.start_ns = ns_after(line, "\"ts\":");
    event.duration_ns = event.phase == 'X' ? ns_after(line, "\"dur\":") : ns_after(line, "\"Duration(us)\":");
    event.task_id = number_after(line, "\"Task Id\":");
    event.stream_id = number_after(line, "\"Stream Id\":");
    event.ai_cpu = strstr(line, "\"AI_CPU\"") != NULL;
    snprintf(event.args, sizeof(event.args), "%s", strstr(line, "\"args\":") + 7);
    event.args[strcspn(event.args, "\n")] = '\0';
    if (timeline->count % 1024 == 0) {
        timeline->events = reallocarray(timeline->events, timeline->count + 1024, sizeof(event));
        assert_non_null(timeline->events);
    }
    timeline->events[timeline->count++] = event;
}

static char *read_text(const char *name)
{
    struct err err = ERR_INIT;
    char *text;
    size_t length;
    if (read_whole_file(in_scratch(name), TEXT_LIMIT, &text, &length, &err) < 0)
        fail_msg("%s", err_message(&err));
    return text;
}

static struct timeline *read_timeline(const char *name)
{
    struct timeline *timeline = calloc(1, sizeof(*timeline));
    assert_non_null(timeline);
    char *text = read_text(name), *rest = text, *line;
    assert_string_equal(strsep(&rest, "\n"), "{\"traceEvents\":[");
    while ((line = strsep(&rest, "\n")) != NULL && *line != ']')
        read_line(timeline, line);
    assert_non_null(line);
    free(text);
    return timeline;
}

static void free_timeline(struct timeline *timeline)
{
    free(timeline->events);
    free(timeline);
}

static const char *thread_name(const struct timeline *timeline, int64_t pid, int64_t tid)
{
    const char *name = NULL;
    for (size_t i = 0; i < timeline->thread_count; i++) {
        if (timeline->threads[i].pid == pid && timeline->threads[i].tid == tid) {
            assert_null(name); /* a thread is named once */
            name = timeline->threads[i].name;
        }
    }
    assert_non_null(name);
    return name;
}

static int compare_by_thread(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->pid != y->pid || x->tid != y->tid)
        return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (x->tid < y->tid ? -1 : 1);
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

/* What holds for every task timeline: Task Ids are 0, 1, ... in file order; each thread is of one engine, is named, and
 * its slices do not overlap. */
static void check_tasks(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        assert_int_equal(timeline->events[i].task_id, i);
    qsort(timeline->events, timeline->count, sizeof(*timeline->events), compare_by_thread);
    const struct event *before = NULL;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct event *event = &timeline->events[i];
        if (event->phase != 'X')
            continue;
        if (before == NULL || before->tid != event->tid) {
            thread_name(timeline, event->pid, event->tid);
        } else {
            assert_int_equal(before->ai_cpu, event->ai_cpu);
            if (before->start_ns + before->duration_ns > event->start_ns)
                fail_msg("thread %" PRId64 ": a slice until %" PRId64 " meets one from %" PRId64, event->tid,
                         before->start_ns + before->duration_ns, event->start_ns);
        }
        before = event;
    }
}

static void assert_in_time_order(const struct timeline *timeline)
{
    for (size_t i = 1; i < timeline->count; i++)
        assert_true(timeline->events[i - 1].start_ns <= timeline->events[i].start_ns);
}

/* ---- tests: one inference after another ---- */

static void a_task_is_named_after_its_original_layers(void **state)
{
    (void)state;
    begin_database("svp");
    add_layer(0, 0, "AI_CORE", "data");
    add_layer(1, 0, "AI_CORE", "conv 1");
    add_layer(2, 1, "AI_CPU", "softmax");
    add_inference(1000, true);
    add_tasks(1, 3, 0, 5500);
    add_tasks(1, 3, 9, 10);
    add_cpu_tasks(1, 7000, 0, 100, 4, 1);
    struct export_result result = export_all();
    assert_int_equal(result.files, 1);
    assert_int_equal(result.rows, 3);
    assert_int_equal(report_count, 1);
    assert_string_equal(reports[0], "task_time " TASK_TIME);
    char *text = read_text(TASK_TIME);
    assert_non_null(
        strstr(text, ",\n{\"name\":\"data,conv 1\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1.000,\"dur\":5.499999,"
                     "\"args\":{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":0}},\n"
                     "{\"name\":\"N/A\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":6.500,\"dur\":0.009999,"
                     "\"args\":{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":1}},\n"
                     "{\"name\":\"softmax\",\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":7.000,\"dur\":0.100,"
                     "\"args\":{\"Task Type\":\"AI_CPU\",\"Stream Id\":4,\"Task Id\":2}},\n"));
    assert_non_null(strstr(
        text, "\"origin_ns\":\"54382576024666\",\"device_id\":0,\"model\":\"net\",\"model_id\":6,\"batch_num\":1}"));
    free(text);
}

static void hostile_layer_names_keep_the_document_valid(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    begin_database("svp");
    add_layer(0, 0, "AI_CORE", "a\"b\\c\n\t\x01\xff\xc3");
    add_inference(0, true);
    add_tasks(2, 0, 0, 5);
    export_all();
    char *text = read_text(TASK_TIME);
    struct json *root = json_parse(text, strlen(text), &err);
    if (root == NULL)
        fail_msg("%s", err_message(&err));
    const struct json *event = json_element(json_member(root, "traceEvents"), 2);
    assert_string_equal(json_string(json_member(event, "name")), "a\"b\\c\n\t\x01\xef\xbf\xbd\xef\xbf\xbd");
    json_free(root);
    free(text);
}

static void a_name_longer_than_every_buffer_is_written_whole(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 200; i++)
        run_sql("INSERT INTO layer(model_name, model_id, layer_id, task_id, engine, ori_name)"
                " VALUES('net', 6, %d, 0, 'AI_CORE', printf('%%.*c', 16000, 'x'))",
                i);
    add_inference(0, true);
    add_tasks(3, 0, 0, 5);
    export_all();
    char *text = read_text(TASK_TIME);
    const char *first = strstr(text, "{\"name\":\"xxxx");
    assert_non_null(first);
    assert_int_equal(strspn(first + 9, "x,"), 200 * 16000 + 199);
    free(text);
}

static void an_inference_without_a_start_counts_from_the_capture(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(500, false);
    add_tasks(1, 0, 0, 100);
    add_inference(250, true);
    add_tasks(1, 0, 0, 100);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 2);
    assert_int_equal(timeline->events[0].start_ns, 250);
    assert_int_equal(timeline->events[1].start_ns, 500);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void without_times_there_is_no_file(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(3, 0, 0, 100);
    run_sql("UPDATE ai_core_task SET start_ns = NULL, duration_ns = NULL");
    run_sql("UPDATE inference SET start_ns = NULL, end_ns = NULL, core_khz = NULL WHERE inference_id > 0");
    struct export_result result = export_all();
    assert_int_equal(result.files, 0);
    assert_int_equal(result.rows, 0);
    assert_int_equal(report_count, 0);
    assert_int_equal(scratch_count(), 1); /* the database */
}

static void ai_cpu_tasks_alone_make_a_timeline(void **state)
{
    (void)state;
    begin_database("svp");
    add_cpu_tasks(3, 10, 100, 50, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 3);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void a_missing_directory_is_an_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct export_result result;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(3, 0, 0, 100);
    finish_database();
    assert_int_equal(export_to(in_scratch("missing"), &result, &err), -ERR_NOT_FOUND);
    assert_int_equal(result.files, 0);
}

static void the_same_capture_gives_the_same_bytes(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct export_result result;
    begin_database("svp");
    for (int i = 0; i < 500; i++) {
        add_inference(i * 1000, true);
        add_tasks(60, i % 3, 0, 30);
    }
    add_cpu_tasks(2000, 5, 250, 300, 2, 0);
    export_all();
    char *first = read_text(TASK_TIME);
    assert_int_equal(export_to(scratch_directory, &result, &err), 0);
    char *second = read_text(TASK_TIME);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* ---- tests: what runs at the same time ---- */

static void ai_cpu_tasks_never_share_a_thread_with_ai_core_tasks(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 0, 0, 100);
    add_cpu_tasks(1, 150, 0, 100, 0, 0); /* the number of an AI core stream */
    add_cpu_tasks(1, 160, 0, 100, 5, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 3);
    assert_string_equal(thread_name(timeline, 0, 0), "Stream 0");
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 5");
    assert_string_equal(thread_name(timeline, 0, 6), "Stream 0 AI_CPU");
    free_timeline(timeline);
}

static void overlapping_inferences_of_two_streams_keep_their_streams_threads(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 200; i++) {
        add_inference(i * 600, true);
        add_tasks(50, i % 2, 0, 20);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 200 * 50);
    assert_in_time_order(timeline); /* Task Ids count in execution order */
    for (size_t i = 0; i < timeline->count; i++)
        assert_int_equal(timeline->events[i].tid, timeline->events[i].stream_id);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 2);
    free_timeline(timeline);
}

static void overlapping_inferences_of_one_stream_get_threads_of_their_own(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 4, 0, 100);
    add_inference(450, true);
    add_tasks(10, 4, 0, 100);
    add_inference(2000, true);
    add_tasks(1, 4, 0, 100);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 2);
    assert_string_equal(thread_name(timeline, 0, 4), "Stream 4");
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 4 (2)");
    free_timeline(timeline);
}

static void overlapping_ai_cpu_tasks_get_threads_of_their_own(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 0, 0, 100);
    add_cpu_tasks(3, 50, 10, 100, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    check_tasks(timeline);
    assert_string_equal(thread_name(timeline, 0, 1), "Stream 1");
    assert_string_equal(thread_name(timeline, 0, 2), "Stream 1 (2)");
    assert_string_equal(thread_name(timeline, 0, 3), "Stream 1 (3)");
    free_timeline(timeline);
}

static void a_stream_that_appears_late_still_has_its_number_to_itself(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 100; i++) {
        add_inference(i * 1000, true);
        add_tasks(20, 0, 0, 10);
    }
    add_cpu_tasks(2, 50, 1, 100, 0, 0); /* would take the numbers 1 and 2 */
    add_inference(200000, true);
    add_tasks(20, 1, 0, 10);
    add_inference(300000, true);
    add_tasks(20, 2, 0, 10);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    for (size_t i = 0; i < timeline->count; i++) {
        if (!timeline->events[i].ai_cpu)
            assert_int_equal(timeline->events[i].tid, timeline->events[i].stream_id);
    }
    check_tasks(timeline);
    assert_string_equal(thread_name(timeline, 0, 3), "Stream 0 AI_CPU");
    free_timeline(timeline);
}

static void a_task_without_a_stream_is_drawn_on_a_thread_without_a_number(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(2, 0, 0, 10);
    add_tasks(2, -1, 0, 10);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 4);
    assert_string_equal(timeline->events[3].args, "{\"Task Type\":\"AI_CORE\",\"Stream Id\":\"N/A\",\"Task Id\":3}},");
    assert_string_equal(thread_name(timeline, 0, timeline->events[3].tid), "Stream N/A");
    assert_int_not_equal(timeline->events[3].tid, 0);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void what_finds_no_lane_is_an_instant_with_its_duration(void **state)
{
    (void)state;
    begin_database("svp");
    add_cpu_tasks(300, 50, 1, 100000, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 300);
    assert_int_equal(timeline->events[255].phase, 'X');
    assert_int_equal(timeline->events[256].phase, 'i');
    assert_int_equal(timeline->events[299].duration_ns, 100000);
    assert_string_equal(thread_name(timeline, 0, timeline->events[299].tid), "Stream 1 (more)");
    check_tasks(timeline);
    free_timeline(timeline);
}

static void hundreds_of_inferences_at_once_lose_nothing(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 400; i++) {
        add_inference(i * 10, true);
        add_tasks(40, i % 2, 0, 1000);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 400 * 40);
    check_tasks(timeline);
    free_timeline(timeline);
}

/* ---- tests: sizes that do not fit one unit ---- */

static void an_inference_larger_than_a_buffer_is_drawn_whole_and_in_order(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 4; i++) {
        add_inference(i * 1000000, true);
        add_tasks(15000, 0, 0, 50);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 60000);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void an_inference_with_very_many_ai_cpu_tasks_is_divided_without_loss(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(5000, 0, 0, 1000);
    add_inference(6000000, true);
    add_tasks(100, 0, 0, 10);
    add_cpu_tasks(70000, 1003, 70, 20, 1, 0);
    add_cpu_tasks(40000, 6000000, 0, 0, 1, 0); /* all at the same time */
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 5100 + 110000);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    free_timeline(timeline);
}

static uint64_t random_state;
static int64_t random_below(int64_t limit)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((random_state >> 33) % (uint64_t)limit);
}

static void random_captures_come_out_complete_ordered_and_without_overlap(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 6; seed++) {
        random_state = seed;
        begin_database("svp");
        int64_t tasks = 0, total_ns = 0, start_ns = 0;
        for (int i = 0; i < 300; i++) {
            int64_t count = 1 + random_below(60), duration_ns = random_below(40);
            add_inference(start_ns, true);
            add_tasks(count, random_below(3), random_below(9), duration_ns);
            tasks += count;
            total_ns += count * duration_ns;
            start_ns += random_below(seed % 2 == 0 ? 1500 : 9000);
        }
        for (int i = 0; i < 300; i++) {
            int64_t count = 1 + random_below(20), duration_ns = random_below(50);
            add_cpu_tasks(count, random_below(start_ns), random_below(100), duration_ns, random_below(4), 0);
            tasks += count;
            total_ns += count * duration_ns;
        }
        export_all();
        struct timeline *timeline = read_timeline(TASK_TIME);
        assert_int_equal(timeline->count, tasks);
        assert_in_time_order(timeline);
        for (size_t i = 0; i < timeline->count; i++)
            total_ns -= timeline->events[i].duration_ns;
        assert_int_equal(total_ns, 0);
        check_tasks(timeline);
        free_timeline(timeline);
        unlink(in_scratch("runtime.db"));
        unlink(in_scratch(TASK_TIME));
    }
}

/* ---- tests: ACL calls ---- */

static void nested_calls_share_a_thread_and_come_parent_first(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(77, 1432, 200, 300, "inner");
    add_call(77, 1432, 100, 400, "outer");
    add_call(77, 1432, 400, 500, "next");
    struct export_result result = export_all();
    assert_int_equal(result.rows, 3);
    assert_string_equal(reports[0], "acl " ACL);
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 3);
    assert_string_equal(timeline->events[0].name, "outer");
    assert_string_equal(timeline->events[0].args, "{\"Mode\":\"model\",\"Process_Id\":77,\"Thread_Id\":1432}},");
    assert_string_equal(timeline->events[1].name, "inner");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(timeline->events[i].tid, 1432);
        assert_int_equal(timeline->events[i].pid, 0);
    }
    assert_int_equal(timeline->thread_count, 1);
    assert_string_equal(thread_name(timeline, 0, 1432), "Stream 1432");
    free_timeline(timeline);
}

static void calls_that_overlap_in_part_go_to_another_thread(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(77, 10, 100, 300, "a");
    add_call(77, 10, 200, 400, "b");
    add_call(77, 10, 250, 300, "c");
    add_call(77, 11, 100, 300, "d");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 4);
    assert_int_equal(timeline->events[0].tid, 10);
    assert_int_equal(timeline->events[1].tid, 12);
    assert_int_equal(timeline->events[2].tid, 10);
    assert_int_equal(timeline->events[3].tid, 11);
    assert_string_equal(thread_name(timeline, 0, 12), "Stream 10 (2)");
    free_timeline(timeline);
}

static void calls_nested_or_overlapping_beyond_all_bounds_lose_nothing(void **state)
{
    (void)state;
    begin_database("svp");
    run_sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
            " INSERT INTO acl_call(file_id, api_type, process_id, thread_id, start_ns, end_ns, name)"
            " SELECT 2, 9, 1, 1 + i %% 2, %" PRId64 " + i, %" PRId64
            " + CASE i %% 2 WHEN 0 THEN 9000 - i ELSE 9000 + i END, 'x'"
            " FROM n",
            ORIGIN, ORIGIN);
    run_sql("UPDATE source_file SET records_decoded = 500 WHERE id = 2");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 500);
    size_t instants = 0;
    for (size_t i = 0; i < timeline->count; i++)
        instants += timeline->events[i].phase == 'i';
    assert_int_equal(instants, 250 - 64); /* of the thread whose calls overlap in part */
    free_timeline(timeline);
}

static void each_process_is_a_process_of_the_trace(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(500, 1, 100, 200, "second");
    add_call(77, 1, 100, 200, "first");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_string_equal(timeline->events[0].name, "first");
    assert_int_equal(timeline->events[0].pid, 0);
    assert_int_equal(timeline->events[1].pid, 1);
    assert_string_equal(thread_name(timeline, 1, 1), "Stream 1");
    free_timeline(timeline);
    char *text = read_text(ACL);
    assert_non_null(strstr(
        text, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"Task Scheduler\"}}"));
    free(text);
}

/* ---- tests: Ascend, JOB era ---- */

static void job_tasks_are_threads_by_stream_and_overlap_never(void **state)
{
    (void)state;
    begin_database("ascend-job");
    const int64_t times[][4] = {{3, 30092, 100, 50}, {3, 2, 120, 50}, {4, 3, 130, 10}, {3, 4, 170, 10}};
    for (size_t i = 0; i < 4; i++)
        run_sql("INSERT INTO task(device_id, stream_id, task_id, start_ns, duration_ns) VALUES(1, %" PRId64 ", %" PRId64
                ", %" PRId64 ", %" PRId64 ")",
                times[i][0], times[i][1], ORIGIN + times[i][2], times[i][3]);
    run_sql(
        "INSERT INTO task_description(device_id, task_id, stream_id, name) VALUES(1, 30092, 3, 'Default/Mul-op29')");
    struct export_result result = export_all();
    assert_int_equal(result.rows, 4);
    assert_string_equal(reports[0], "task_time task_time_1.json");
    struct timeline *timeline = read_timeline("task_time_1.json");
    assert_string_equal(timeline->events[0].name, "Default/Mul-op29");
    assert_string_equal(timeline->events[0].args, "{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":30092}},");
    assert_string_equal(timeline->events[1].name, "N/A");
    assert_string_equal(timeline->events[1].args, "{\"Task Type\":\"UNKNOWN\",\"Stream Id\":3,\"Task Id\":2}},");
    assert_int_equal(timeline->events[0].tid, 3);
    assert_int_equal(timeline->events[1].tid, 5);
    assert_int_equal(timeline->events[2].tid, 4);
    assert_int_equal(timeline->events[3].tid, 3);
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 3 (2)");
    free_timeline(timeline);
}

#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(a_task_is_named_after_its_original_layers),
        TIMELINE_TEST(hostile_layer_names_keep_the_document_valid),
        TIMELINE_TEST(a_name_longer_than_every_buffer_is_written_whole),
        TIMELINE_TEST(an_inference_without_a_start_counts_from_the_capture),
        TIMELINE_TEST(without_times_there_is_no_file),
        TIMELINE_TEST(ai_cpu_tasks_alone_make_a_timeline),
        TIMELINE_TEST(a_missing_directory_is_an_error),
        TIMELINE_TEST(the_same_capture_gives_the_same_bytes),
        TIMELINE_TEST(ai_cpu_tasks_never_share_a_thread_with_ai_core_tasks),
        TIMELINE_TEST(overlapping_inferences_of_two_streams_keep_their_streams_threads),
        TIMELINE_TEST(overlapping_inferences_of_one_stream_get_threads_of_their_own),
        TIMELINE_TEST(overlapping_ai_cpu_tasks_get_threads_of_their_own),
        TIMELINE_TEST(a_stream_that_appears_late_still_has_its_number_to_itself),
        TIMELINE_TEST(a_task_without_a_stream_is_drawn_on_a_thread_without_a_number),
        TIMELINE_TEST(what_finds_no_lane_is_an_instant_with_its_duration),
        TIMELINE_TEST(hundreds_of_inferences_at_once_lose_nothing),
        TIMELINE_TEST(an_inference_larger_than_a_buffer_is_drawn_whole_and_in_order),
        TIMELINE_TEST(an_inference_with_very_many_ai_cpu_tasks_is_divided_without_loss),
        TIMELINE_TEST(random_captures_come_out_complete_ordered_and_without_overlap),
        TIMELINE_TEST(nested_calls_share_a_thread_and_come_parent_first),
        TIMELINE_TEST(calls_that_overlap_in_part_go_to_another_thread),
        TIMELINE_TEST(calls_nested_or_overlapping_beyond_all_bounds_lose_nothing),
        TIMELINE_TEST(each_process_is_a_process_of_the_trace),
        TIMELINE_TEST(job_tasks_are_threads_by_stream_and_overlap_never),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
