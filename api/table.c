/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"

#include "base/thread.h"
#include "base/words.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/stable_views.h"
#include "exporters/export.h"
#include "exporters/extension.h"
#include "exporters/table/choice.h"
#include "exporters/table/report.h"
#include "exporters/table/writer.h"
#include "features/answers/load/load.h"

#include <pthread.h>
#include <time.h>

#define BLOCK_ROWS 1024 /* of 45 columns, so that a block stays in a cache */
#define BLOCK_ROWS_MOST ((size_t)1024 * 1024)
#define POLL_NS 20000000 /* how often who waits looks whether it is interrupted */

struct msprof_table {
    struct msprof_capture *capture;
    sqlite3 *db; /* of the thread */
    char *name;
    struct report_files query; /* of SQL; else empty */
    struct words filters;
    char *columns, *sort;
    struct table_choice choice;
    size_t block_rows;
    struct shape *shape;
    struct block *building, *given, *empty; /* empty: the columns */

    pthread_t thread;
    bool runs;
    atomic_int stop; /* the interrupt flag of the thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    struct block *ready;
    bool finished;
    struct err err; /* why the thread ended early */
};

/* ---- the thread that makes the rows ---- */

static int begin(void *arg, const struct report_plan *plan, struct err *err)
{
    struct msprof_table *table = arg;
    if (table->shape == NULL)
        return (table->shape = shape_new(plan, err)) != NULL ? 0 : err_status(err);
    if (shape_fits(table->shape, plan))
        return 0;
    err_set(err, ERR_FAILED, "the columns of table '%s' differ between its devices", table->name);
    return err_hint(err, "choose columns that all of them have");
}

static int hand_over(struct msprof_table *table, struct err *err)
{
    block_finish(table->building);
    pthread_mutex_lock(&table->lock);
    while (table->ready != NULL && atomic_load(&table->stop) == 0)
        pthread_cond_wait(&table->changed, &table->lock);
    const bool stopped = table->ready != NULL;
    if (!stopped) {
        table->ready = table->building;
        table->building = NULL;
        pthread_cond_broadcast(&table->changed);
    }
    pthread_mutex_unlock(&table->lock);
    return stopped ? interrupt_error(err) : 0;
}

static int take_values(void *arg, const struct typed_value *values, struct err *err)
{
    struct msprof_table *table = arg;
    if (table->building != NULL && block_is_full(table->building) && hand_over(table, err) < 0)
        return err_status(err);
    if (table->building == NULL && (table->building = block_new(table->shape, table->block_rows, err)) == NULL)
        return err_status(err);
    return block_add(table->building, values, err);
}

static void *make_rows(void *arg)
{
    struct msprof_table *table = arg;
    struct table_sink sink = {.begin = begin, .values = take_values, .arg = table};
    const struct show_options options = {.database = table->capture->database,
                                         .plain = true,
                                         .report_files = table->query.count > 0 ? &table->query : NULL,
                                         .sink = &sink};
    struct export_result result;
    struct err err = ERR_INIT;

    interrupt_flag = &table->stop;
    int status = give_table(table->db, table->name, &table->choice, &options, &result, &err);
    if (status == 0 && table->building != NULL)
        status = hand_over(table, &err);
    pthread_mutex_lock(&table->lock);
    table->finished = true;
    if (status < 0)
        table->err = err;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->lock);
    return NULL;
}

/* ---- who takes them ---- */

/* Waits for a block or the end, with the lock held. */
static int wait_for_rows(struct msprof_table *table, struct err *err)
{
    while (table->ready == NULL && !table->finished && !interrupted()) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += POLL_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&table->changed, &table->lock, &until);
    }
    if (interrupted()) {
        atomic_store(&table->stop, INTERRUPT_BY_CALLER);
        return interrupt_error(err);
    }
    if (table->ready == NULL && table->err.code != ERR_NONE) {
        *err = table->err;
        return err_status(err);
    }
    return 0;
}

int table_take(struct msprof_table *table, struct block **ret, struct err *err)
{
    pthread_mutex_lock(&table->lock);
    int status = wait_for_rows(table, err);
    *ret = status == 0 ? table->ready : NULL;
    if (*ret != NULL) {
        table->ready = NULL;
        status = 1;
        pthread_cond_broadcast(&table->changed);
    }
    pthread_mutex_unlock(&table->lock);
    return status;
}

const struct block *table_columns(const struct msprof_table *table)
{
    return table->empty;
}

atomic_int *table_interrupt(const struct msprof_table *table)
{
    return &table->capture->interrupt;
}

/* ---- opening ---- */

static char *copy_of(const char *text, struct err *err)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    if (text != NULL && copy == NULL)
        err_no_memory(err);
    return copy;
}

static int take_options(struct msprof_table *table, const struct msprof_table_options *options, struct err *err)
{
    table->columns = copy_of(options->columns, err);
    table->sort = copy_of(options->sort, err);
    for (size_t i = 0; err->code == ERR_NONE && options->filters != NULL && options->filters[i] != NULL; i++)
        words_add(&table->filters, options->filters[i], err);
    if (table->filters.count > CHOICE_MAX_FILTERS)
        err_set(err, ERR_LIMIT, "%zu filters; at most %d are possible", table->filters.count, CHOICE_MAX_FILTERS);
    if (err->code != ERR_NONE)
        return err_status(err);
    table->block_rows = options->block_rows == 0                ? BLOCK_ROWS
                        : options->block_rows < BLOCK_ROWS_MOST ? options->block_rows
                                                                : BLOCK_ROWS_MOST;
    table->choice = (struct table_choice){.columns = table->columns,
                                          .sort = table->sort,
                                          .filters = (const char *const *)table->filters.items,
                                          .filter_count = table->filters.count,
                                          .top = options->top};
    return window_choose_texts(table->db, options->step, options->from, options->until, "", err);
}

/* The thread is started, and has said what the columns are, or why there are none. */
static int start(struct msprof_table *table, struct err *err)
{
    const int failure = thread_start(&table->thread, make_rows, table);
    if (failure != 0)
        return err_set_errno(err, failure, "cannot start a thread for table '%s'", table->name);
    table->runs = true;
    pthread_mutex_lock(&table->lock);
    int status = wait_for_rows(table, err);
    pthread_mutex_unlock(&table->lock);
    if (status < 0)
        return status;
    table->empty = table->shape != NULL ? block_new(table->shape, 1, err) : NULL;
    if (table->empty == NULL)
        return err->code != ERR_NONE ? err_status(err)
                                     : err_set(err, ERR_FAILED, "table '%s' has no columns", table->name);
    block_finish(table->empty);
    return 0;
}

static struct msprof_table *table_new(struct msprof_capture *capture, const char *name, struct err *err)
{
    struct msprof_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        err_no_memory(err);
        return NULL;
    }
    table->capture = capture;
    atomic_fetch_add(&capture->users, 1);
    pthread_mutex_init(&table->lock, NULL);
    pthread_cond_init(&table->changed, NULL);
    table->name = copy_of(name, err);
    return table;
}

/* query: NULL for a table by its name. */
static int open_table(struct msprof_capture *capture, const char *name, const char *query,
                      const struct msprof_table_options *given, struct msprof_table **ret, struct msprof_error **error)
{
    struct msprof_table_options options = {.size = 0};
    struct visit visit;
    struct err err = ERR_INIT;

    *ret = NULL;
    enter(&visit, &capture->interrupt);
    struct msprof_table *table = table_new(capture, name, &err);
    const bool opened = err.code == ERR_NONE && copy_options(&options, sizeof options, given, &err) == 0 &&
                        capture_connect(capture, false, &table->db, &err) == 0 &&
                        (query == NULL || (stable_views_hide(table->db, &err) == 0 &&
                                           report_files_add_query(&table->query, name, query, &err) == 0)) &&
                        take_options(table, &options, &err) == 0 && start(table, &err) == 0;
    if (!opened)
        msprof_table_close(table);
    else
        *ret = table;
    return leave(&visit, &err, error);
}

int msprof_table_open(struct msprof_capture *capture, const char *name, const struct msprof_table_options *options,
                      struct msprof_table **ret, struct msprof_error **error)
{
    const char *null = NULL_OF_THREE(capture, name, ret);
    if (null != NULL)
        return fail_null(null, error);
    return open_table(capture, name, NULL, options, ret, error);
}

int msprof_sql(struct msprof_capture *capture, const char *query, struct msprof_table **ret,
               struct msprof_error **error)
{
    const char *null = NULL_OF_THREE(capture, query, ret);
    if (null != NULL)
        return fail_null(null, error);
    return open_table(capture, "sql", query, NULL, ret, error);
}

int msprof_table_next(struct msprof_table *table, const struct msprof_block **ret, struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(table, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct visit visit;
    struct err err = ERR_INIT;

    *ret = NULL;
    block_free(table->given);
    table->given = NULL;
    enter(&visit, &table->capture->interrupt);
    const int status = table_take(table, &table->given, &err);
    if (status == 1)
        *ret = &table->given->shown;
    leave(&visit, &err, error);
    return status;
}

int msprof_table_columns(struct msprof_table *table, const struct msprof_block **ret, struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(table, ret);
    if (null != NULL)
        return fail_null(null, error);
    *ret = &table->empty->shown;
    return 0;
}

void msprof_table_close(struct msprof_table *table)
{
    if (table == NULL)
        return;
    if (table->runs) {
        atomic_store(&table->stop, INTERRUPT_BY_CALLER);
        pthread_mutex_lock(&table->lock);
        pthread_cond_broadcast(&table->changed);
        pthread_mutex_unlock(&table->lock);
        pthread_join(table->thread, NULL);
    }
    block_free(table->ready);
    block_free(table->building);
    block_free(table->given);
    block_free(table->empty);
    shape_release(table->shape);
    database_close(table->db);
    report_files_release(&table->query);
    words_release(&table->filters);
    pthread_mutex_destroy(&table->lock);
    pthread_cond_destroy(&table->changed);
    msprof_close(table->capture);
    free(table->columns);
    free(table->sort);
    free(table->name);
    free(table);
}

/* ---- which there are ---- */

struct listing {
    int (*each)(void *arg, const char *name, const char *title);
    void *arg;
    int status;
};

static int list_one(void *arg, const struct report *report, struct err *err)
{
    struct listing *listing = arg;
    listing->status = listing->each(listing->arg, report->name, report->title);
    return listing->status != 0 ? err_set(err, ERR_FAILED, "the caller has enough") : 0;
}

int msprof_tables(struct msprof_capture *capture, int (*each)(void *arg, const char *name, const char *title),
                  void *arg, struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(capture, each);
    if (null != NULL)
        return fail_null(null, error);
    struct listing listing = {each, arg, 0};
    struct visit visit;
    struct err err = ERR_INIT;

    enter(&visit, &capture->interrupt);
    if (each_table(capture->db, capture->database, list_one, &listing, &err) < 0 && listing.status != 0)
        err = (struct err)ERR_INIT;
    const int status = leave(&visit, &err, error);
    return status < 0 ? status : listing.status;
}
