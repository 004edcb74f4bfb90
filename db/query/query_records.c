#include "db/query/query_records.h"

#include "db/database.h"
#include "db/query/query_loop.h"

#include <stdlib.h>

/* Fills the members of a struct of integers from the columns of a row, in their order. */
static void take_integers(sqlite3_stmt *row, int64_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        members[i] = query_integer(row, (int)i);
}

#define INTEGERS(type) (sizeof(type) / sizeof(int64_t))

static int take_integer(void *arg, sqlite3_stmt *row, struct err *err)
{
    int64_t *value = arg;
    (void)err;
    *value = sqlite3_column_int64(row, 0);
    return 0;
}

/* 0 when it cannot be told: what needs it fails later, with the reason. */
static int64_t single_integer(sqlite3 *db, const char *sql)
{
    struct err ignored = ERR_INIT;
    int64_t value = 0;
    return query_run(db, sql, NULL, 0, take_integer, &value, &ignored) == 0 ? value : 0;
}

/* ---- communication ---- */

struct communications_load {
    struct cann_communications *communications;
    size_t capacity;
};

static int take_communication(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct communications_load *load = arg;
    struct cann_communications *communications = load->communications;
    if (communications->count == load->capacity) {
        size_t capacity = load->capacity != 0 ? 2 * load->capacity : 256;
        struct cann_communication *larger = reallocarray(communications->items, capacity, sizeof *larger);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        communications->items = larger;
        load->capacity = capacity;
    }
    take_integers(row, (int64_t *)&communications->items[communications->count++], INTEGERS(struct cann_communication));
    return 0;
}

int cann_communications_load(sqlite3 *db, struct cann_communications *ret, struct err *err)
{
    struct communications_load load = {.communications = ret};
    *ret = (struct cann_communications){.items = NULL};
    int status =
        query_run(db,
                  "SELECT id, device_id, name_id, type_id, group_name_id, group_id, algorithm_id, data_type, count, "
                  "relay, retry, rank_size,"
                  " model_id, thread_id, connection_id, host_start_ns, start_ns, duration_ns, all_duration_ns"
                  " FROM communication_op ORDER BY id",
                  NULL, 0, take_communication, &load, err);
    if (status < 0)
        cann_communications_release(ret);
    return status;
}

void cann_communications_release(struct cann_communications *communications)
{
    free(communications->items);
    *communications = (struct cann_communications){.items = NULL};
}

int64_t cann_last_connection(sqlite3 *db)
{
    return single_integer(db, "SELECT max(connection_id) FROM host_call");
}

struct transfer_loop {
    int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err);
    void *arg;
};

static int give_transfer(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct transfer_loop *loop = arg;
    struct cann_transfer transfer;
    take_integers(row, (int64_t *)&transfer, INTEGERS(struct cann_transfer));
    return loop->each(loop->arg, &transfer, err);
}

#define TRANSFERS                                                                                                      \
    "SELECT c.task_row_id, c.op_id, c.type_id, c.master, c.group_name_id, c.plane_id, c.notify_id,"                    \
    " c.local_rank, c.remote_rank, c.transport_type, c.link_type, c.rdma_type, c.data_type, c.bytes,"                  \
    " c.estimated_ns, t.device_id, t.stream_id, t.task_id, t.context_id, t.start_ns, t.duration_ns"                    \
    " FROM communication_task c JOIN device_task t ON t.id = c.task_row_id"

int cann_each_transfer(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                       void *arg, struct err *err)
{
    struct transfer_loop loop = {each, arg};
    return query_run(db, TRANSFERS " ORDER BY c.id", NULL, 0, give_transfer, &loop, err);
}

int cann_each_transfer_by_op(sqlite3 *db, int (*each)(void *arg, const struct cann_transfer *transfer, struct err *err),
                             void *arg, struct err *err)
{
    struct transfer_loop loop = {each, arg};
    return query_run(db, TRANSFERS " ORDER BY c.op_id, t.start_ns, c.id", NULL, 0, give_transfer, &loop, err);
}

/* ---- frequencies ---- */

struct frequencies_load {
    struct cann_frequencies *frequencies;
    size_t capacity;
};

static int take_frequency(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct frequencies_load *load = arg;
    struct cann_frequencies *frequencies = load->frequencies;
    if (frequencies->count == load->capacity) {
        size_t capacity = load->capacity != 0 ? 2 * load->capacity : 256;
        struct cann_frequency *larger = reallocarray(frequencies->items, capacity, sizeof *larger);
        if (larger == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        frequencies->items = larger;
        load->capacity = capacity;
    }
    take_integers(row, (int64_t *)&frequencies->items[frequencies->count++], INTEGERS(struct cann_frequency));
    return 0;
}

int cann_frequencies_load(sqlite3 *db, struct cann_frequencies *ret, struct err *err)
{
    struct frequencies_load load = {.frequencies = ret};
    *ret = (struct cann_frequencies){.items = NULL};
    int status =
        query_run(db, "SELECT device_id, time_ns, mhz, measured FROM core_frequency_report ORDER BY device_id, time_ns",
                  NULL, 0, take_frequency, &load, err);
    if (status < 0)
        cann_frequencies_release(ret);
    return status;
}

void cann_frequencies_release(struct cann_frequencies *frequencies)
{
    free(frequencies->items);
    *frequencies = (struct cann_frequencies){.items = NULL};
}

int64_t cann_frequency_hz(const struct cann_frequencies *frequencies, int64_t device_id, int64_t time_ns)
{
    size_t low = 0, high = frequencies->count;
    while (low < high) { /* the first that is later */
        size_t middle = (low + high) / 2;
        const struct cann_frequency *item = &frequencies->items[middle];
        if (item->device_id < device_id || (item->device_id == device_id && item->time_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct cann_frequency *last = low > 0 ? &frequencies->items[low - 1] : NULL;
    if (last == NULL || last->device_id != device_id || !last->measured || last->mhz <= 0)
        return 0;
    return last->mhz * 1000000;
}
