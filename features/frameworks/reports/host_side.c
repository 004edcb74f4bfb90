/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/reports/host_side.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "features/frameworks/reports/memory.h"
#include "features/frameworks/reports/torch_relation.h"
#include "parsers/capture/framework_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- python line ---- */

static int take_ranges(struct python_lines *lines, struct err *err)
{
    const struct framework *framework = lines->framework;
    int status = 0;
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        large_pass(i);
        const struct host_frame frame = {.thread = range->thread,
                                         .start_ns = range->start_ns,
                                         .end_ns = range->end_ns,
                                         .text = framework_text(framework, range->name)};
        if ((range->flags & RANGE_STACK) != 0)
            status = host_frames_add(&lines->frames, &frame, err);
        if (status < 0 || (range->flags & RANGE_FLOW) == 0 || range->flow == FRAMEWORK_NO_FLOW)
            continue;
        struct python_flow *flow = map_add(&lines->flows, &range->flow, NULL, err);
        if (flow == NULL)
            status = err_status(err);
        else
            flow->range = i;
    }
    return status;
}

/* Modules and functions in C have no line. */
static bool is_line(const char *name)
{
    return strstr(name, "######") == NULL && strncmp(name, "<built-in", strlen("<built-in")) != 0;
}

static int take_calls(struct python_lines *lines, struct err *err)
{
    const struct torch_calls *calls = &lines->framework->torch->calls;
    for (size_t i = 0; i < calls->count; i++) {
        const struct torch_call *call = &calls->items[i];
        const char *name = torch_function_name(lines->framework, call->key);
        const struct host_frame frame = {
            .thread = call->thread, .start_ns = call->start_ns, .end_ns = call->end_ns, .text = name};
        if (name != NULL && is_line(name) && host_frames_add(&lines->frames, &frame, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int python_lines_make(struct python_lines *lines, const struct framework *framework, struct err *err)
{
    *lines = (struct python_lines){.framework = framework, .flows = MAP_OF(struct python_flow, number)};
    int status = framework->torch != NULL ? take_calls(lines, err) : take_ranges(lines, err);
    host_frames_nest(&lines->frames);
    return status;
}

static void python_lines_release(struct python_lines *lines)
{
    free(lines->frames.items);
    map_release(&lines->flows);
}

/* The innermost frame of a thread around a time; "" when there is none. */
static const char *line_at(const struct python_lines *lines, int64_t thread, int64_t time_ns)
{
    size_t frame = host_frames_at(&lines->frames, thread, time_ns);
    return frame > 0 ? lines->frames.items[frame - 1].text : "";
}

/* Finds MindSpore's line: around a range on its own thread, else around where the arrow to it begins. "": not known.
 * The length is in *ret_length. */
static const char *python_line_of_range(const struct python_lines *lines, const struct framework_range *range,
                                        size_t *ret_length)
{
    const char *line = line_at(lines, range->thread, range->start_ns);
    const struct framework_range *begin = python_lines_flow(lines, range);
    if (*line == '\0' && begin != NULL)
        line = line_at(lines, begin->thread, begin->start_ns);
    *ret_length = strlen(line);
    return line;
}

/* Finds PyTorch's line: the first of the operator's call stack, or of the nearest around it that has one; else the call
 * around it. */
static const char *python_line_of_op(const struct python_lines *lines, const struct torch_op *op, size_t *ret_length)
{
    const struct torch_ops *ops = &lines->framework->torch->ops;
    const struct torch_op *around = op;
    while (around->stack == TORCH_NONE && around->parent != TORCH_NONE)
        around = &ops->items[around->parent];
    if (around->stack != TORCH_NONE) {
        const char *stack = framework_text(lines->framework, around->stack);
        stack += strspn(stack, " \r\n");
        *ret_length = strcspn(stack, ";\r\n");
        return stack;
    }
    const char *line = line_at(lines, op->thread, op->start_ns);
    *ret_length = strlen(line);
    return line;
}

/* The work of operators: tasks that communication operators are made of are theirs. framework_work is what answers are
 * about: all of it, unless framework_choose_work leaves a part. */
static const char work[] =
    "CREATE TEMP VIEW framework_all_work AS SELECT l.op_id AS op_id, t.op_name_id AS name_id,"
    "  t.duration_ns AS duration_ns, 0 AS communicates, t.start_ns AS start_ns, t.device_id AS device_id"
    "  FROM device_task t JOIN framework_launch l ON l.connection_id = t.connection_id"
    "  WHERE t.op_name_id IS NOT NULL AND t.op_task_type NOT IN (9, 12) AND t.collective IS NOT 2"
    " UNION ALL SELECT l.op_id, o.name_id, o.duration_ns, 1, o.start_ns, o.device_id FROM communication_op o"
    "  JOIN framework_launch l ON l.connection_id = o.connection_id;"
    "CREATE TEMP VIEW framework_work AS SELECT * FROM framework_all_work";

int framework_choose_work(sqlite3 *db, struct err *err)
{
    static const char chosen[] = "PRAGMA query_only = OFF; DROP VIEW temp.framework_work;"
                                 "CREATE TEMP VIEW framework_work AS SELECT * FROM framework_all_work WHERE %s;"
                                 "PRAGMA query_only = ON";
    char condition[8 + QUERY_WINDOW_SIZE], sql[sizeof chosen + sizeof condition];
    int64_t attached = 0;

    if (query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 || !attached ||
        query_window_condition(db, "TRUE", condition, sizeof condition, err) < 0)
        return err_status(err);
    snprintf(sql, sizeof sql, chosen, condition);
    return database_exec(db, sql, err);
}

struct attaching {
    struct framework_analysis *analysis;
    bool stacks;
    sqlite3 *db;
    struct python_lines lines;
    struct intern ops; /* "name\nline" */
    struct table_rows op_rows, launch_rows, stage_rows, piece_rows;
};

/* The number of an operator with its line, which is stored when it comes first. */
static int number_op(struct attaching *attaching, const char *name, const char *line, size_t line_length, int64_t *ret,
                     struct err *err)
{
    struct strbuf key;
    uint32_t number = 0;
    size_t before = attaching->ops.count, name_length = strlen(name);
    strbuf_init(&key, TORCH_TEXT_LIMIT);
    strbuf_adds(&key, name);
    strbuf_addc(&key, '\n');
    strbuf_add(&key, line, line_length);
    int status = key.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of an operator")
                            : intern_add(&attaching->ops, key.data, key.length, &number, err);
    if (status == 0 && attaching->ops.count > before) {
        key.data[name_length] = '\0';
        status = table_add(&attaching->op_rows, err, V(number), V(key.data), V(key.data + name_length + 1));
    }
    strbuf_release(&key);
    if (status == 0)
        *ret = number;
    return status;
}

static int add_launch(struct attaching *attaching, int64_t connection_id, struct err *err)
{
    const struct framework_analysis *analysis = attaching->analysis;
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = relation_launch(&analysis->relation, framework, connection_id);
    const struct torch_op *op = framework->torch != NULL ? torch_op_of(analysis, connection_id) : NULL;
    const struct framework_range *range =
        framework->torch == NULL && launch != NULL ? &framework->ranges.items[launch->range] : NULL;
    size_t length;
    int64_t number = 0;
    if (op == NULL && range == NULL)
        return 0;
    const char *line = op != NULL ? python_line_of_op(&attaching->lines, op, &length)
                                  : python_line_of_range(&attaching->lines, range, &length);
    const char *name = framework_text(framework, op != NULL ? op->name : range->name);
    int status = number_op(attaching, name, line, length, &number, err);
    return status == 0 ? table_add(&attaching->launch_rows, err, V(connection_id), V(number)) : status;
}

/* A figure of a stage; below 0: not known. */
static struct table_value figure(double value)
{
    return value >= 0 ? table_real(value) : NOTHING;
}

static int add_stage(void *arg, const struct minddata_stage *stage, struct err *err)
{
    struct attaching *attaching = arg;
    const struct minddata_stage *input = stage->input;
    return table_add(&attaching->stage_rows, err, V(stage->name), V(stage->op->workers), figure(stage->average),
                     figure(stage->utilization), figure(stage->empty), figure(input != NULL ? input->empty : -1),
                     figure(stage->cpu), figure(stage->cpu >= 0 ? stage->per_worker : -1),
                     V(input != NULL ? input->name : NULL));
}

static int add_stages(struct attaching *attaching, struct err *err)
{
    const struct framework_analysis *analysis = attaching->analysis;
    SCOPED(minddata_release) struct minddata data = {.op_count = 0};
    if (table_rows_open(&attaching->stage_rows, attaching->db, "temp.framework_stage",
                        "name TEXT, workers INTEGER, average REAL, used REAL, empty REAL, input_empty REAL,"
                        " cpu REAL, cpu_per_worker REAL, input TEXT",
                        err) < 0)
        return err_status(err);
    if (analysis->framework->torch != NULL || !analysis->framework->info.data_process)
        return 0;
    return minddata_load(analysis->framework, analysis->directory, &data, analysis->diag, err) < 0 ||
                   (data.has_pipeline && minddata_each_stage(&data, add_stage, attaching, err) < 0)
               ? err_status(err)
               : 0;
}

/* The framework's steps by what devices did for them. */
static int add_steps(struct attaching *attaching, struct err *err)
{
    const struct framework *framework = attaching->analysis->framework;
    SCOPED(table_rows_close) struct table_rows rows = {.insert = NULL};
    int status = table_rows_open(&rows, attaching->db, "temp.framework_step",
                                 "number INTEGER, start_ns INTEGER, end_ns INTEGER", err);
    for (size_t i = 0; status == 0 && i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        const char *id = framework_text(framework, step->id);
        int64_t number;
        if (number_parse_integer(id, strlen(id), &number) < 0)
            number = (int64_t)i; /* it has another name: by place */
        status = table_add(&rows, err, V(number), V(step->device_start_ns), V(step->device_end_ns));
    }
    return status;
}

/* The engine's pieces are not the framework's. */
static int add_piece(void *arg, const struct framework_piece *piece, struct err *err)
{
    struct attaching *attaching = arg;
    if (piece->by_engine)
        return 0;
    return table_add(&attaching->piece_rows, err, V(piece->owner), V(piece->device), V(piece->got_ns),
                     KNOWN(piece->gave_ns), V(piece->bytes));
}

static int add_pieces(struct attaching *attaching, struct err *err)
{
    int status = table_rows_open(&attaching->piece_rows, attaching->db, "temp.framework_piece",
                                 "owner TEXT, device_id INTEGER, got_ns INTEGER, gave_ns INTEGER, bytes INTEGER", err);
    return status == 0 ? framework_each_piece(attaching->analysis, add_piece, attaching, err) : status;
}

/* By their names: what asks for the next data, and waits until they are there. */
static bool waits_for_data(const char *name)
{
    static const char *const words[] = {"DataLoader", "GetNext", "get_next", "dataset"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i]) != NULL)
            return true;
    return false;
}

static int add_data_wait(struct table_rows *rows, const char *name, int64_t start_ns, int64_t end_ns, struct err *err)
{
    return waits_for_data(name) && end_ns > start_ns ? table_add(rows, err, V(name), V(start_ns), V(end_ns)) : 0;
}

/* Collections of garbage, and waits for data. */
static int add_waits(struct attaching *attaching, struct err *err)
{
    const struct framework *framework = attaching->analysis->framework;
    const struct torch *torch = framework->torch;
    SCOPED(table_rows_close) struct table_rows rows = {.insert = NULL};
    int status = table_rows_open(&rows, attaching->db, "temp.framework_wait",
                                 "name TEXT, start_ns INTEGER, end_ns INTEGER", err);

    for (size_t i = 0; torch != NULL && status == 0 && i < torch->gcs.count; i++)
        status =
            table_add(&rows, err, V(FRAMEWORK_GARBAGE), V(torch->gcs.items[i].start_ns), V(torch->gcs.items[i].end_ns));
    for (size_t i = 0; torch != NULL && status == 0 && i < torch->ops.count; i++)
        status = add_data_wait(&rows, framework_text(framework, torch->ops.items[i].name), torch->ops.items[i].start_ns,
                               torch->ops.items[i].end_ns, err);
    for (size_t i = 0; torch == NULL && status == 0 && i < framework->ranges.count; i++)
        status = add_data_wait(&rows, framework_text(framework, framework->ranges.items[i].name),
                               framework->ranges.items[i].start_ns, framework->ranges.items[i].end_ns, err);
    return status;
}

static int add_all(struct attaching *attaching, struct err *err)
{
    const struct framework_analysis *analysis = attaching->analysis;
    if (python_lines_make(&attaching->lines, analysis->framework, err) < 0 ||
        table_rows_open(&attaching->op_rows, attaching->db, "temp.framework_op",
                        "id INTEGER PRIMARY KEY, name TEXT, line TEXT", err) < 0 ||
        table_rows_open(&attaching->launch_rows, attaching->db, "temp.framework_launch",
                        "connection_id INTEGER PRIMARY KEY, op_id INTEGER", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < analysis->relation.count; i++)
        if (add_launch(attaching, (int64_t)i, err) < 0)
            return err_status(err);
    if (database_exec(attaching->db, work, err) < 0 || add_steps(attaching, err) < 0 || add_waits(attaching, err) < 0 ||
        add_pieces(attaching, err) < 0 ||
        (attaching->stacks && framework_add_stacks(analysis, &attaching->lines, err) < 0))
        return err_status(err);
    return add_stages(attaching, err);
}

static int attach(struct framework_analysis *analysis, bool stacks, struct err *err)
{
    struct attaching attaching = {.analysis = analysis, .stacks = stacks, .db = analysis->db};
    bool failed = framework_relate(analysis, err) < 0 ||
                  (analysis->framework->torch == NULL &&
                   relation_set_ends(&analysis->relation, analysis->framework, analysis->db, err) < 0) ||
                  database_exec(analysis->db, "PRAGMA query_only = OFF", err) < 0;
    /* the file itself is opened for reading */
    failed = failed || add_all(&attaching, err) < 0;
    table_rows_close(&attaching.op_rows);
    table_rows_close(&attaching.launch_rows);
    table_rows_close(&attaching.stage_rows);
    table_rows_close(&attaching.piece_rows);
    failed = failed || database_exec(analysis->db, "PRAGMA query_only = ON", err) < 0;
    intern_release(&attaching.ops);
    python_lines_release(&attaching.lines);
    framework_unrelate(analysis);
    return failed ? err_status(err) : 0;
}

int framework_attach(sqlite3 *db, const char *directory, const char *prof, const char *database, bool stacks,
                     struct diagnostics *diag, struct err *err)
{
    SCOPED(framework_release) struct framework framework = {.launch_count = 0};
    struct framework_clock clock;
    struct export_result ignored = {0};
    const struct export_options options = {
        .database = database, .directory = "", .format = TABLE_CSV, .timestamp = "", .model_id = -1};
    enum framework_kind kind;
    if (framework_kind_of(directory, &kind, err) < 0 ||
        framework_info_load(directory, kind, &framework.info, err) < 0 ||
        framework_clock_of(&framework.info, prof, &clock, err) < 0)
        return err_status(err);
    if (warm_up_is_shown())
        clock.collection_ns = 0;
    if (framework_load(&framework, directory, &clock, diag, err) < 0)
        return err_status(err);
    struct framework_analysis analysis = {.framework = &framework,
                                          .directory = directory,
                                          .db = db,
                                          .prof = prof,
                                          .database = database,
                                          .options = &options,
                                          .result = &ignored,
                                          .diag = diag,
                                          .clock = &clock};
    return attach(&analysis, stacks, err);
}
