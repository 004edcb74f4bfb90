/* Tasks and operators of Ascend captures of the JOB era. */
#include "db/database.h"
#include "db/query.h"
#include "db/query_loop.h"

struct device_loop {
    int (*each)(void *arg, int64_t device_id, struct err *err);
    void *arg;
};

static int give_device(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct device_loop *loop = arg;
    return loop->each(loop->arg, query_integer(row, 0), err);
}

int job_each_device(sqlite3 *db, int (*each)(void *arg, int64_t device_id, struct err *err), void *arg, struct err *err)
{
    struct device_loop loop = {each, arg};
    return query_run(db, "SELECT DISTINCT device_id FROM task ORDER BY 1", NULL, 0, give_device, &loop, err);
}

/* Descriptions of task ids below 25000 would match tasks of other streams: those ids are not unique. */
#define NAMED_TASKS                                                                                                    \
    " FROM task t LEFT JOIN task_description d ON t.task_id >= 25000 AND d.id = (SELECT min(id) FROM task_description" \
    "   WHERE task_id = t.task_id AND device_id IS t.device_id)"                                                       \
    " LEFT JOIN operator_description o ON o.id = (SELECT min(id) FROM operator_description WHERE name = d.name)"       \
    " WHERE t.device_id IS ?1"

struct job_task_loop {
    int (*each)(void *arg, const struct job_task *task, struct err *err);
    void *arg;
    bool operators_only, seen;
    int64_t last_end_ns;
};

static int give_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct job_task_loop *loop = arg;
    struct job_task task = {
        .stream_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .start_ns = query_integer(row, 2),
        .duration_ns = query_integer(row, 3),
        .name = query_text(row, 4),
        .type = query_text(row, 5),
        .input_shapes = query_text(row, 6),
        .input_types = query_text(row, 7),
        .input_formats = query_text(row, 8),
        .output_shapes = query_text(row, 9),
        .output_types = query_text(row, 10),
        .output_formats = query_text(row, 11),
        .touches = sqlite3_column_int(row, 12) != 0,
    };
    task.wait_ns = loop->seen && task.start_ns > loop->last_end_ns ? task.start_ns - loop->last_end_ns : 0;
    loop->last_end_ns = task.start_ns + task.duration_ns;
    loop->seen = true;
    return loop->operators_only && task.name == NULL ? 0 : loop->each(loop->arg, &task, err);
}

int job_each_task(sqlite3 *db, int64_t device_id, bool operators_only,
                  int (*each)(void *arg, const struct job_task *task, struct err *err), void *arg, struct err *err)
{
    struct job_task_loop loop = {each, arg, operators_only, false, 0};
    return query_run(db,
                     "SELECT t.stream_id, t.task_id, t.start_ns, t.duration_ns, d.name, o.type, o.input_shapes,"
                     " o.input_data_types, o.input_formats, o.output_shapes, o.output_data_types, o.output_formats,"
                     " EXISTS(SELECT 1 FROM task n WHERE n.device_id IS t.device_id AND n.start_ns = t.start_ns + "
                     "t.duration_ns)" NAMED_TASKS " ORDER BY t.start_ns, t.id",
                     &device_id, 1, give_task, &loop, err);
}

struct job_statistic_loop {
    int (*each)(void *arg, const struct job_statistic *row, struct err *err);
    void *arg;
};

static int give_statistic(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct job_statistic_loop *loop = arg;
    const struct job_statistic statistic = {
        .type = query_text(row, 0),
        .count = query_integer(row, 1),
        .total_ns = query_integer(row, 2),
        .min_ns = query_integer(row, 3),
        .max_ns = query_integer(row, 4),
        .report_total_ns = query_integer(row, 5),
    };
    return loop->each(loop->arg, &statistic, err);
}

int job_each_statistic(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct job_statistic *row, struct err *err), void *arg,
                       struct err *err)
{
    struct job_statistic_loop loop = {each, arg};
    return query_run(db,
                     "SELECT *, sum(total_ns) OVER () FROM (SELECT coalesce(o.type, 'N/A') AS type, count(*),"
                     " sum(t.duration_ns) AS total_ns, min(t.duration_ns), max(t.duration_ns)" NAMED_TASKS
                     " AND d.name IS NOT NULL GROUP BY 1) ORDER BY total_ns DESC, type",
                     &device_id, 1, give_statistic, &loop, err);
}
