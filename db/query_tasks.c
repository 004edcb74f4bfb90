/* Tasks of SVP inferences: the rows that there are millions of. */
#include "base/interrupt.h"
#include "db/database.h"
#include "db/query.h"
#include "db/query_loop.h"

#include <stdlib.h>

struct svp_task_reader {
    sqlite3 *db;
    sqlite3_stmt *runs, *tasks, *times;
    /* Of the read under way: */
    sqlite3_stmt *statement;
    int (*each)(void *arg, const struct svp_task *task, struct err *err);
    void *arg;
    struct err *err;
    int status;
    unsigned polled;
};

static int64_t value_integer(sqlite3_value *value)
{
    int64_t result = sqlite3_value_int64(value);
    return result == 0 && sqlite3_value_type(value) == SQLITE_NULL ? DB_NULL : result;
}

enum { TASK_TIMES = 4, TASK_VALUES = TASK_TIMES + 1 + SVP_CYCLE_KINDS + 2 };

/* An aggregate that hands every row to the callback: SQLite calls it from inside its own loop, which is about half
 * again as fast as stepping out for each row. Its arguments are a task's times, or all of its values. */
static void give_task(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct svp_task_reader *reader = sqlite3_user_data(context);
    struct svp_task task;
    task.start_ns = value_integer(argv[0]);
    task.duration_ns = value_integer(argv[1]);
    task.stream_id = value_integer(argv[2]);
    task.task_id = value_integer(argv[3]);
    if (argc == TASK_VALUES) {
        task.total_cycle = value_integer(argv[TASK_TIMES]);
        for (int i = 0; i < SVP_CYCLE_KINDS; i++)
            task.cycles[i] = value_integer(argv[TASK_TIMES + 1 + i]);
        task.ddr_read_bytes = value_integer(argv[TASK_VALUES - 2]);
        task.ddr_write_bytes = value_integer(argv[TASK_VALUES - 1]);
    }
    if (reader->status == 0)
        reader->status = (++reader->polled & 1023) == 0 && interrupted()
                             ? interrupt_error(reader->err)
                             : reader->each(reader->arg, &task, reader->err);
    if (reader->status != 0)
        sqlite3_result_error(context, "stopped", -1);
}

static void end_tasks(sqlite3_context *context)
{
    sqlite3_result_int(context, 0);
}

static int create_give_task(struct svp_task_reader *reader, int argc, struct err *err)
{
    return sqlite3_create_function_v2(reader->db, "give_task", argc, SQLITE_UTF8, reader, NULL, give_task, end_tasks,
                                      NULL) == SQLITE_OK
               ? 0
               : database_error(err, reader->db, "the database cannot be read");
}

struct svp_task_reader *svp_task_reader_new(sqlite3 *db, struct err *err)
{
    struct svp_task_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    int status = create_give_task(reader, TASK_TIMES, err);
    if (status == 0)
        status = create_give_task(reader, TASK_VALUES, err);
    if (status == 0)
        status = database_prepare(
            db, "SELECT first_task, last_task FROM inference_run WHERE inference_id = ?1 ORDER BY first_task",
            &reader->runs, err);
    if (status == 0)
        status = database_prepare(
            db,
            "SELECT give_task(start_ns, duration_ns, stream_id, task_id, total_cycle, mac_busy_cycle, mac_ppen_cycle,"
            " vec_busy_cycle, vec_ppen_cycle, dstr_cycle, dtrans_cycle, dld_cycle, wld_cycle, ddr_read_bytes,"
            " ddr_write_bytes) FROM ai_core_task WHERE id BETWEEN ?1 AND ?2",
            &reader->tasks, err);
    if (status == 0)
        status = database_prepare(db,
                                  "SELECT give_task(start_ns, duration_ns, stream_id, task_id) FROM ai_core_task"
                                  " WHERE id BETWEEN ?1 AND ?2",
                                  &reader->times, err);
    if (status < 0) {
        svp_task_reader_free(reader);
        return NULL;
    }
    return reader;
}

void svp_task_reader_free(struct svp_task_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_finalize(reader->runs);
    sqlite3_finalize(reader->tasks);
    sqlite3_finalize(reader->times);
    free(reader);
}

static int read_run(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct svp_task_reader *reader = arg;
    sqlite3_stmt *statement = reader->statement;
    reader->status = 0;
    reader->err = err;
    sqlite3_bind_int64(statement, 1, sqlite3_column_int64(row, 0));
    sqlite3_bind_int64(statement, 2, sqlite3_column_int64(row, 1));
    int code = sqlite3_step(statement), status = reader->status;
    if (status == 0 && code != SQLITE_ROW)
        status = database_error(err, reader->db, "the database cannot be read");
    sqlite3_reset(statement);
    return status;
}

static int read_tasks(struct svp_task_reader *reader, sqlite3_stmt *statement, int64_t inference_id,
                      int (*each)(void *arg, const struct svp_task *task, struct err *err), void *arg, struct err *err)
{
    reader->statement = statement;
    reader->each = each;
    reader->arg = arg;
    sqlite3_bind_int64(reader->runs, 1, inference_id);
    return query_loop(reader->db, reader->runs, read_run, reader, err);
}

int svp_read_tasks(struct svp_task_reader *reader, int64_t inference_id,
                   int (*each)(void *arg, const struct svp_task *task, struct err *err), void *arg, struct err *err)
{
    return read_tasks(reader, reader->tasks, inference_id, each, arg, err);
}

int svp_read_task_times(struct svp_task_reader *reader, int64_t inference_id,
                        int (*each)(void *arg, const struct svp_task *task, struct err *err), void *arg,
                        struct err *err)
{
    return read_tasks(reader, reader->times, inference_id, each, arg, err);
}
