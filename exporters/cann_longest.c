#include "exporters/cann_longest.h"

#include "exporters/cann_table.h"

#include <stdlib.h>

struct longest {
    sqlite3 *db;
    const struct cann_texts *names;
    const struct cann_communications *communications;
    struct cann_task_reader *reader;
    struct cann_table table;
    int64_t *tasks; /* ids, the longest first */
    size_t task_count;
    const struct cann_communication **collectives; /* likewise */
    size_t collective_count;
};

/* ---- waiting ---- */

/* The first communication operator, in the order of the list, that does not stand before this. */
static size_t first_behind(const struct cann_communications *communications, int64_t device_id, int64_t start_ns)
{
    size_t low = 0, high = communications->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cann_stands_before(&communications->items[middle], device_id, start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t wait_since(const struct cann_row *before, int64_t device_id, int64_t start_ns)
{
    return before->device_id == device_id && before->end_ns != DB_NULL && start_ns > before->end_ns
               ? start_ns - before->end_ns
               : 0;
}

static struct cann_row row_of(const struct cann_communication *communication)
{
    return (struct cann_row){communication->device_id, communication->start_ns,
                             communication->start_ns + communication->duration_ns};
}

/* As op_summary has it: since the end of the row before. */
static int wait_of_task(const struct longest *longest, const struct cann_task *task, int64_t *ret_wait_ns,
                        struct err *err)
{
    struct cann_row before = {.device_id = DB_NULL};
    int status = cann_operator_before(longest->reader, task->id, &before, err);
    if (status < 0)
        return status;
    size_t behind = first_behind(longest->communications, task->device_id, task->start_ns);
    const struct cann_communication *communication = behind > 0 ? &longest->communications->items[behind - 1] : NULL;
    if (communication != NULL &&
        (before.device_id == DB_NULL || !cann_stands_before(communication, before.device_id, before.start_ns)))
        before = row_of(communication);
    *ret_wait_ns = wait_since(&before, task->device_id, task->start_ns);
    return 0;
}

static int wait_of_communication(const struct longest *longest, const struct cann_communication *communication,
                                 int64_t *ret_wait_ns, struct err *err)
{
    struct cann_row before = {.device_id = DB_NULL};
    int64_t behind;
    const struct cann_communication *first = longest->communications->items;
    int status = cann_task_from(longest->db, communication->device_id, communication->start_ns + 1, &behind, err);
    if (status == 0)
        status = cann_operator_before(longest->reader, behind, &before, err);
    if (status < 0)
        return status;
    if (communication > first &&
        (before.device_id == DB_NULL || !cann_stands_before(communication - 1, before.device_id, before.start_ns)))
        before = row_of(communication - 1);
    *ret_wait_ns = wait_since(&before, communication->device_id, communication->start_ns);
    return 0;
}

/* ---- rows ---- */

static int give_operator(void *arg, const struct cann_task *task, struct err *err)
{
    struct longest *longest = arg;
    struct row_put put;
    int64_t wait_ns;
    int status = wait_of_task(longest, task, &wait_ns, err);
    if (status == 0)
        status = cann_table_begin(&longest->table, cann_task_text_room(longest->names, task), &put, err);
    if (status < 0)
        return status;
    cann_put_operator(&put, longest->names, task, wait_ns);
    cann_table_end(&longest->table, &put);
    return 0;
}

static int give_communication(struct longest *longest, const struct cann_communication *communication, struct err *err)
{
    struct row_put put;
    int64_t wait_ns;
    int status = wait_of_communication(longest, communication, &wait_ns, err);
    if (status == 0)
        status =
            cann_table_begin(&longest->table, cann_communication_text_room(longest->names, communication), &put, err);
    if (status < 0)
        return status;
    cann_put_communication(&put, longest->names, communication, wait_ns);
    cann_table_end(&longest->table, &put);
    return 0;
}

static int get_task(void *arg, const struct cann_task *task, struct err *err)
{
    (void)err;
    *(struct cann_task *)arg = *task;
    return 0;
}

/* Tasks and communication operators merged by duration; of equal ones the task. */
static int give_rows(struct longest *longest, size_t limit, struct err *err)
{
    size_t task = 0, collective = 0;
    int status = 0;
    while (status == 0 && task + collective < limit &&
           (task < longest->task_count || collective < longest->collective_count)) {
        const struct cann_communication *communication =
            collective < longest->collective_count ? longest->collectives[collective] : NULL;
        struct cann_task next = {.duration_ns = INT64_MIN};
        if (task < longest->task_count)
            status =
                cann_read_tasks(longest->reader, longest->tasks[task], longest->tasks[task] + 1, get_task, &next, err);
        if (status < 0)
            break;
        if (communication != NULL && communication->duration_ns > next.duration_ns) {
            status = give_communication(longest, communication, err);
            collective++;
        } else {
            status = give_operator(longest, &next, err);
            task++;
        }
    }
    return status;
}

/* ---- which ---- */

static int by_duration(const void *a, const void *b)
{
    const struct cann_communication *x = *(const struct cann_communication *const *)a,
                                    *y = *(const struct cann_communication *const *)b;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static int find_longest(struct longest *longest, bool operators_only, size_t limit, struct err *err)
{
    size_t count = longest->communications != NULL ? longest->communications->count : 0;
    longest->reader = cann_task_reader_new(longest->db, false, err);
    if (longest->reader == NULL)
        return -(int)err->code;
    longest->tasks = calloc(limit + 1, sizeof *longest->tasks);
    longest->collectives = calloc(count + 1, sizeof *longest->collectives);
    if (longest->tasks == NULL || longest->collectives == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        longest->collectives[i] = &longest->communications->items[i];
    longest->collective_count = count;
    if (count > 0)
        qsort(longest->collectives, count, sizeof *longest->collectives, by_duration);
    return cann_longest_tasks(longest->db, operators_only, limit, longest->tasks, &longest->task_count, err);
}

static void release(struct longest *longest)
{
    cann_task_reader_free(longest->reader);
    free(longest->tasks);
    free(longest->collectives);
}

int cann_longest_operators(sqlite3 *db, const struct cann_texts *names,
                           const struct cann_communications *communications, size_t limit,
                           const struct export_options *options, struct export_result *result, struct err *err)
{
    enum {
        MODEL = 1 << 1,
        STREAM = 1 << 3,
        NAME = 1 << 4,
        TYPE = 1 << 5,
        STATE = 1 << 6,
        CORE_TYPE = 1 << 7,
        WAIT = 1 << 10,
        BLOCKS = 1 << 11
    };
    struct longest longest = {.db = db, .names = names, .communications = communications};
    int status = cann_table_open(&longest.table, "op_summary", cann_operator_titles, CANN_OPERATOR_COLUMNS, limit,
                                 options, result, err);
    if (status < 0)
        return status;
    longest.table.shown = (struct show_columns){.texts = NAME | TYPE | CORE_TYPE,
                                                .hidden = MODEL | STATE,
                                                .stackable = STREAM | TYPE | CORE_TYPE | WAIT | BLOCKS};
    status = find_longest(&longest, true, limit, err);
    if (status == 0)
        status = give_rows(&longest, limit, err);
    release(&longest);
    return cann_table_close(&longest.table, status, err);
}

static int give_task_time(void *arg, const struct cann_task *task, struct err *err)
{
    struct longest *longest = arg;
    struct row_put put;
    int status = cann_table_begin(&longest->table, cann_task_text_room(longest->names, task), &put, err);
    if (status < 0)
        return status;
    cann_put_task_time(&put, longest->names, task);
    cann_table_end(&longest->table, &put);
    return 0;
}

int cann_longest_task_times(sqlite3 *db, const struct cann_texts *names, size_t limit,
                            const struct export_options *options, struct export_result *result, struct err *err)
{
    enum { NAME = 1 << 1, TYPE = 1 << 2, TASK = 1 << 4, STOP = 1 << 7 };
    struct longest longest = {.db = db, .names = names};
    int status = cann_table_open(&longest.table, "task_time", cann_task_time_titles, CANN_TASK_TIME_COLUMNS, limit,
                                 options, result, err);
    if (status < 0)
        return status;
    longest.table.shown = (struct show_columns){.texts = NAME | TYPE, .stackable = TYPE | TASK | STOP};
    status = find_longest(&longest, false, limit, err);
    for (size_t i = 0; status == 0 && i < longest.task_count; i++)
        status = cann_read_tasks(longest.reader, longest.tasks[i], longest.tasks[i] + 1, give_task_time, &longest, err);
    release(&longest);
    return cann_table_close(&longest.table, status, err);
}
