/* SPDX-License-Identifier: Apache-2.0 */
/* ai_stack_time: the span of each layer of the software, as Ascend's tool of 2022 has it. */
#include "base/number.h"
#include "db/query/query_loop.h"
#include "exporters/reports/earlier/device_2022.h"

#include <math.h>

struct shown {
    int64_t iteration, start_ns;
    const char *module, *api;
    struct report_value duration;
};

static const struct report_column columns[] = {
    {"Infer ID", SHOWN(iteration), .flags = REPORT_NUMBER, .doc = "The iteration."},
    {"Module", SHOWN(module), .doc = "The layer of the software."},
    {"API", SHOWN(api), .doc = "The function that is its span; N/A: all that it did."},
    {"Start Time", SHOWN(start_ns), .flags = REPORT_NUMBER, .doc = "When it began, in ns."},
    {"Duration(ns)", SHOWN(duration), .flags = REPORT_NUMBER, .doc = "How long it lasted."},
    {.title = NULL},
};

/* Where the calls of an iteration begin: its model's execution. */
static const char model_call[] = "aclmdlExecute";

#define OF_DEVICE(table) "FROM " table " c JOIN source_file s ON s.id = c.file_id WHERE s.device_id = ?1"
static const char acl_span[] = "SELECT c.start_ns, c.end_ns " OF_DEVICE(
    "acl_call") " AND c.name = 'aclmdlExecute' ORDER BY c.start_ns, c.id LIMIT 1";
static const char runtime_span[] = "SELECT min(c.start_ns), max(c.end_ns) " OF_DEVICE("runtime_api");

struct span {
    double first, last;
    bool any;
};

static int take_span(void *arg, sqlite3_stmt *row, struct err *err)
{
    int64_t first = query_integer(row, 0);
    (void)err;
    *(struct span *)arg = (struct span){(double)first, (double)query_integer(row, 1), first != DB_NULL};
    return 0;
}

/* Times of the tool are in the order of their ticks. */
struct tick_span {
    int64_t first, last; /* DB_NULL: none */
};

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    (void)err;
    struct tick_span *span = arg;
    if (task->start_tick != DB_NULL && (span->first == DB_NULL || task->start_tick < span->first))
        span->first = task->start_tick;
    if (task->end_tick > span->last)
        span->last = task->end_tick;
    return 0;
}

static int put_span(struct report_run *run, const char *module, const char *api, const struct span *span,
                    struct err *err)
{
    const struct device_2022 *device = run->state;
    const struct shown row = {
        .iteration = device->range.iteration,
        .start_ns = number_from_real(span->first),
        .module = module,
        .api = api,
        .duration = decimal_2022(span->last - span->first),
    };
    return span->any ? report_put(run, &row, err) : 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct device_2022 *device = run->state;
    sqlite3 *db = run->session->db;
    struct span acl = {.any = false}, runtime = {.any = false};
    struct tick_span ticks = {DB_NULL, DB_NULL};
    bool failed = device_2022_of(device, run, err) < 0 ||
                  query_run(db, acl_span, &run->scope->device_id, 1, take_span, &acl, err) < 0 ||
                  query_run(db, runtime_span, &run->scope->device_id, 1, take_span, &runtime, err) < 0 ||
                  execution_each(db, &device->range.ticks, CANN_TICKS, take_task, &ticks, err) < 0;
    const struct span tasks = {
        .first = time_2022(device, ticks.first), .last = time_2022(device, ticks.last), .any = ticks.last != DB_NULL};
    return failed || put_span(run, "ACL", model_call, &acl, err) < 0 ||
                   put_span(run, "Runtime", NULL, &runtime, err) < 0 ||
                   put_span(run, "Task Scheduler", NULL, &tasks, err) < 0
               ? err_status(err)
               : 0;
}

const struct report report_ai_stack_time_2022 = {
    .name = "ai_stack_time",
    .title = "Layers of the software",
    .doc = "From when to when the model, the runtime and the device were busy with an iteration.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct device_2022),
    .rows = put_rows,
};
