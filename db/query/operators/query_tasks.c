/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of SVP inferences: the rows that there are millions of. */
#include "db/query/query.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"

#include <stdlib.h>

struct svp_task_reader {
    sqlite3 *db;
    sqlite3_stmt *runs;
    struct query_scan *scan;
};

static const struct query_field time_fields[] = {
    QUERY_MEMBERS(struct svp_task, "", start_ns, duration_ns, stream_id, task_id, ddr_read_bytes, ddr_write_bytes),
};
static const struct query_field counter_fields[] = {
    QUERY_FIELD(struct svp_task, total_cycle, "total_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_MAC_BUSY], "mac_busy_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_MAC_PPEN], "mac_ppen_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_VEC_BUSY], "vec_busy_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_VEC_PPEN], "vec_ppen_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_DSTR], "dstr_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_DTRANS], "dtrans_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_DLD], "dld_cycle"),
    QUERY_FIELD(struct svp_task, cycles[SVP_WLD], "wld_cycle"),
};
static const struct query_select times = {QUERY_FIELDS(time_fields)}, counters = {QUERY_FIELDS(counter_fields)};

struct svp_task_reader *svp_task_reader_new(sqlite3 *db, bool with_counters, struct err *err)
{
    struct svp_task_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_no_memory(err);
        return NULL;
    }
    reader->db = db;
    int status = database_prepare(
        db, "SELECT first_task, last_task FROM inference_run WHERE inference_id = ?1 ORDER BY first_task",
        &reader->runs, err);
    if (status == 0 && query_scan_fields(db, &times, with_counters ? &counters : NULL, "ai_core_task",
                                         sizeof(struct svp_task), &reader->scan, err) == 0)
        return reader;
    svp_task_reader_free(reader);
    return NULL;
}

void svp_task_reader_free(struct svp_task_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_finalize(reader->runs);
    query_scan_free(reader->scan);
    free(reader);
}

/* One read of an inference's tasks. */
struct task_read {
    struct query_scan *scan;
    int (*each)(void *arg, const struct svp_task *task, struct err *err);
    void *arg;
};

static int give_task(void *arg, int64_t *row, struct err *err)
{
    const struct task_read *read = arg;
    return read->each(read->arg, (const struct svp_task *)(void *)row, err);
}

static int read_run(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct task_read *read = arg;
    int64_t first = sqlite3_column_int64(row, 0), last = sqlite3_column_int64(row, 1);
    return query_scan(read->scan, first, last < INT64_MAX ? last + 1 : last, give_task, read, err);
}

int svp_read_tasks(struct svp_task_reader *reader, int64_t inference_id,
                   int (*each)(void *arg, const struct svp_task *task, struct err *err), void *arg, struct err *err)
{
    struct task_read read = {reader->scan, each, arg};
    sqlite3_bind_int64(reader->runs, 1, inference_id);
    return query_loop(reader->db, reader->runs, read_run, &read, err);
}
