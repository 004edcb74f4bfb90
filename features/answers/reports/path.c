/* SPDX-License-Identifier: Apache-2.0 */
/* Critical paths of steps: by operator, and one of them from its begin to its end. */
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/step_path.h"
#include "features/answers/load/answer.h"
#include "features/answers/load/load.h"

#include <stdlib.h>

/* All nodes of an operator, or of a call of the host, in the steps that count. */
struct path_total {
    struct path_total_key {
        uint32_t is_call, place; /* of the workload's operators; the name of the call */
    } key;
    int64_t count, critical;            /* executions; of those on a path */
    double path_ns, waits_ns, total_ns; /* of those on a path; of all: not rounded */
    int64_t slack_ns;                   /* the least slack of those that are on no path, PATH_NO_SLACK: none */
};

struct path_rows {
    struct report_run *run;
    const struct cann_texts *names;
    struct path_steps *steps;
    struct map totals;
    double steps_ns; /* all steps that count */
};

static int take_node(struct path_rows *rows, const struct step_path *path, uint32_t i, int64_t times, struct err *err)
{
    const struct path_node *node = &path->nodes[i];
    const struct step_path_node *it = &path->items[i];
    const struct path_total_key key = {it->is_call, it->is_call ? rows->steps->launches.calls[it->place].name
                                                                : rows->steps->workload.executions[it->place].op};
    const struct workload *workload = &rows->steps->workload;
    const struct launches *launches = &rows->steps->launches;
    const double work_ns = (double)times * step_path_length(path, workload, launches, i);
    const int64_t slack_ns = step_path_slack_ns(node);
    bool added;
    struct path_total *total = map_add(&rows->totals, &key, &added, err);

    if (total == NULL)
        return err_status(err);
    if (added)
        total->slack_ns = PATH_NO_SLACK;
    total->count += times;
    total->total_ns += work_ns;
    if (node->critical) {
        total->critical += times;
        total->path_ns += work_ns;
        total->waits_ns += (double)times * step_path_lag(path, workload, launches, i);
    } else if (slack_ns != PATH_NO_SLACK && (total->slack_ns == PATH_NO_SLACK || slack_ns < total->slack_ns)) {
        total->slack_ns = slack_ns;
    }
    return 0;
}

static int take_path(void *arg, const struct step_path *path, size_t times, struct err *err)
{
    struct path_rows *rows = arg;
    int status = 0;

    rows->steps_ns += (double)times * step_path_time(path, &rows->steps->workload);
    for (size_t i = 0; i < path->count && status == 0; i++)
        status = take_node(rows, path, (uint32_t)i, (int64_t)times, err);
    return status;
}

/* ---- by operator ---- */

struct shown_total {
    struct path_total of;
    double share; /* of 10000 */
    int64_t slack_ns;
    const char *side, *type, *name;
};
#define TOTAL(member) REPORT_FIELD(struct shown_total, member)

static double cost_ns(const struct path_total *total)
{
    return total->path_ns + total->waits_ns;
}

ARRAY_COMPARE(by_cost, struct path_total, array_order(cost_ns(right), cost_ns(left)), ARRAY_BY_MOST(total_ns),
              ARRAY_BY(key.is_call), ARRAY_BY(key.place))

static int put_total(const struct path_rows *rows, const struct path_total *total, struct err *err)
{
    const struct workload *workload = &rows->steps->workload;
    const struct workload_operator *op = total->key.is_call ? NULL : &workload->operators[total->key.place];
    const struct shown_total row = {
        .of = *total,
        .share = rows->steps_ns > 0 ? cost_ns(total) / rows->steps_ns * 1e4 : 0,
        .slack_ns = total->slack_ns != PATH_NO_SLACK ? total->slack_ns : DB_NULL,
        .side = op != NULL ? "device" : "host",
        .type = op != NULL ? workload_text(workload, op->key.type) : NULL,
        .name = op != NULL ? workload_text(workload, op->key.name) : cann_text(rows->names, total->key.place, 0).text,
    };
    return report_put(rows->run, &row, err);
}

static int put_totals(const struct path_rows *rows, struct err *err)
{
    SCOPED_FREE struct path_total *sorted = map_items(&rows->totals, err);
    size_t count = rows->totals.used;

    if (sorted == NULL)
        return err_status(err);
    array_sort(sorted, count, sizeof *sorted, by_cost);
    for (size_t i = 0; i < count; i++)
        if (put_total(rows, &sorted[i], err) < 0)
            return err_status(err);
    return 0;
}

static int put_of_all(struct path_rows *rows, struct err *err)
{
    return path_steps_each(rows->steps, take_path, rows, err) < 0 || put_totals(rows, err) < 0 ? err_status(err) : 0;
}

static int put_made(struct report_run *run, struct path_steps *steps,
                    int (*put)(struct path_rows *rows, struct err *err), struct err *err)
{
    struct path_rows rows = {.run = run,
                             .steps = steps,
                             .totals = MAP_OF(struct path_total, key),
                             .names = report_names(run->session, true, err)};
    int status = rows.names != NULL ? put(&rows, err) : err_status(err);

    map_release(&rows.totals);
    return status;
}

/* A page makes them once for all of its tables. */
static int put_rows(struct report_run *run, int (*put)(struct path_rows *rows, struct err *err), struct err *err)
{
    struct path_steps steps = {.paths.room = 0};

    if (run->session->paths != NULL)
        return put_made(run, run->session->paths, put, err);
    if (answer_workload(run, WITHOUT_COUNTERS, &steps.workload, err) < 0)
        return err_status(err);
    bool failed = path_steps_load(run->session->db, &steps, err) < 0 || put_made(run, &steps, put, err) < 0;
    path_steps_release(&steps);
    workload_release(&steps.workload);
    return failed ? err_status(err) : 0;
}

static int put_path(struct report_run *run, struct err *err)
{
    return put_rows(run, put_of_all, err);
}

#define NEEDS "steps, and when each task ran"

const struct report report_paths = {
    .name = "path",
    .title = "Critical path of the steps by operator",
    .doc = "The critical path of the steps: operators and host calls that a step waited for, the largest share first. "
           "The path is followed back from the end of the step, each time to the last event that was waited for: the "
           "task before on the stream, the launching call, or the last task to end on the device. All counted steps of "
           "the leading family are added up. On path and Waits never exceed the steps.",
    .needs = NEEDS,
    .families = FAMILY_ANY,
    .shown_only = true,
    .windowed = true,
    .columns = VALUE_LIST(
        {"Share(%)", TOTAL(share), FORM_SCALED, 2, .doc = "On the path and waits before it, of the time of all steps."},
        {"On path(us)", TOTAL(of.path_ns), FORM_SCALED, 3, .doc = "Time on the critical path."},
        {"Waits(us)", TOTAL(of.waits_ns), FORM_SCALED, 3,
         .doc = "Time between the end of the event waited for and the start; the records do not explain it."},
        {"Total(us)", TOTAL(of.total_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The time of all of them."},
        {"Count on path", TOTAL(of.critical), .flags = REPORT_NUMBER, .doc = "Number of executions on a path."},
        {"Count", TOTAL(of.count), .flags = REPORT_NUMBER, .doc = "Count."},
        {"Slack(us)", TOTAL(slack_ns), FORM_SCALED, 3,
         .doc = "Slack of the others: the smallest delay that would extend their step."},
        {"Kind", TOTAL(side), .doc = "device, or host: a call that launches or waits."},
        {"Type", TOTAL(type), .flags = REPORT_NARROW, .doc = "The type of the operator."},
        {"Name", TOTAL(name), .doc = "The operator, or the call."}),
    .rows = put_path,
};

/* ---- one step ---- */

struct shown_node {
    int64_t start_ns, stream, step;
    double time_ns, lag_ns;
    const char *reason, *side, *name;
};
#define NODE(member) REPORT_FIELD(struct shown_node, member)

static const struct report_column node_columns[] = {
    {"Start(us)", NODE(start_ns), FORM_TIME, .doc = "Start."},
    {"Wait(us)", NODE(lag_ns), FORM_SCALED, 3,
     .doc = "Time since the end of the event waited for, or since the start of the step."},
    {"Time(us)", NODE(time_ns), FORM_SCALED, 3, .id = "time", .doc = "Its time within the step."},
    {"After", NODE(reason),
     .doc = "The event that it waited for. stream, other stream: a task of its own or another stream; launch: the "
            "launching call; thread, other thread: an earlier call on its thread, or one that waited on another; task: "
            "the task that a call waited for; begin: none is known."},
    {"Step", NODE(step), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The step, as numbered in table overlap."},
    {"Stream", NODE(stream), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The stream of a task."},
    {"Kind", NODE(side), .flags = REPORT_NARROW, .doc = "device or host; end: from the last end to that of the step."},
    {"Name", NODE(name), .doc = "The operator, or the call."},
    {.title = NULL},
};

static int put_node(const struct path_rows *rows, const struct step_path *path, uint32_t i, size_t split,
                    struct err *err)
{
    const struct workload *workload = &rows->steps->workload;
    const struct step_path_node *it = &path->items[i];
    const struct path_node *node = &path->nodes[i];
    const struct launches *launches = &rows->steps->launches;
    int64_t stream = it->is_call ? -1 : workload->streams[workload->executions[it->place].stream].id;
    const struct shown_node row = {
        .start_ns = node->start_ns,
        .time_ns = step_path_length(path, workload, launches, i),
        .lag_ns = step_path_lag(path, workload, launches, i),
        .stream = stream >= 0 ? stream : DB_NULL,
        .step = (int64_t)splits_place(&rows->steps->splits, split),
        .reason = step_path_reason_name(step_path_reason(path, workload, launches, i)),
        .side = it->is_call ? "host" : "device",
        .name = it->is_call ? cann_text(rows->names, rows->steps->launches.calls[it->place].name, 0).text
                            : execution_name(workload, it->place),
    };
    return report_put(rows->run, &row, err);
}

static int put_one(struct path_rows *rows, struct err *err)
{
    size_t split = path_steps_typical(rows->steps);
    const struct step_path *path = NULL;
    int status = 0;

    if (split == SIZE_MAX)
        return 0;
    status = path_steps_find(rows->steps, split, &path, err);
    if (status != 0 || path->last == PATH_NONE)
        return status;
    for (size_t i = 0; i < path->count && status == 0; i++)
        if (path->nodes[i].critical)
            status = put_node(rows, path, (uint32_t)i, split, err);
    if (status != 0 || path->nodes[path->last].end_ns >= path->end_ns)
        return status;
    const struct shown_node rest = {
        .start_ns = path->end_ns,
        .time_ns = 0,
        .lag_ns = step_path_rest(path, &rows->steps->workload, &rows->steps->launches),
        .stream = DB_NULL,
        .step = (int64_t)splits_place(&rows->steps->splits, split),
        .side = "end",
    };
    return report_put(rows->run, &rest, err);
}

static int put_step(struct report_run *run, struct err *err)
{
    return put_rows(run, put_one, err);
}

const struct report report_path_step = {
    .name = "path_step",
    .title = "Critical path of one step",
    .doc = "The critical path of a typical step, event by event from its start to its end: the step nearest to the "
           "median of the group with most time. Wait and Time of all rows add up to the step.",
    .needs = NEEDS,
    .families = FAMILY_ANY,
    .shown_only = true,
    .windowed = true,
    .columns = node_columns,
    .rows = put_step,
};
