/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/array.h"
#include "base/file/large.h"
#include "db/database.h"
#include "db/query/clocks.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "features/answers/load/load.h"
#include "features/frameworks/reports/host_side.h"

#include <stdlib.h>
#include <string.h>

/* ---- host calls ---- */

struct call_reading {
    sqlite3 *db;
    struct intern *names;
    int (*each)(void *arg, const struct host_call *call, struct err *err);
    void *arg;
    struct query_window window;
    int64_t hz;       /* of the clock of the host */
    int64_t first_ns; /* earlier begins are none: a record whose begin is 0 is of a call that began unseen */
    int64_t begin_ns; /* of the collection, from which on such a call is counted */
    struct cann_texts texts;
    uint32_t *numbers; /* of each id of texts, then of no name; NO_TEXT: not asked for yet */
};

/* ---- Ascend ---- */

static int number_of(struct call_reading *reading, int64_t id, uint32_t *ret, struct err *err)
{
    size_t place = id >= 0 && (uint64_t)id < reading->texts.rows ? (size_t)id : reading->texts.rows;
    struct cann_text text = cann_text(&reading->texts, id, 0);

    *ret = reading->numbers[place];
    if (*ret != NO_TEXT)
        return 0;
    int status = intern_text(reading->names, text.text != NULL ? text.text : "N/A", ret, err);
    reading->numbers[place] = *ret;
    return status;
}

/* Also calls that are still being made when the window begins: they cover gaps. */
static bool is_in_window(const struct call_reading *reading, int64_t start_ns, int64_t end_ns)
{
    return !reading->window.any || (end_ns > reading->window.from_ns && start_ns < reading->window.until_ns);
}

static int take_host_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct call_reading *reading = arg;
    struct host_call plain = {.thread = call->thread_id != DB_NULL ? call->thread_id : 0,
                              .start_ns = call->start_ns,
                              .hz = reading->hz,
                              .launches = call->launches > 0,
                              .communicates = call->level == HOST_LEVEL_COMMUNICATION};

    if (call->start_ns == DB_NULL || call->duration_ns == DB_NULL || call->duration_ns < 0 ||
        __builtin_add_overflow(call->start_ns, call->duration_ns, &plain.end_ns))
        return 0;
    if (plain.start_ns < reading->first_ns && plain.end_ns > reading->begin_ns)
        plain.start_ns = reading->begin_ns;
    if (!is_in_window(reading, plain.start_ns, plain.end_ns))
        return 0;
    int status = number_of(reading, cann_call_name_id(call), &plain.name, err);
    return status == 0 ? reading->each(reading->arg, &plain, err) : status;
}

#define OLDEST_CALL_NS (INT64_C(600) * 1000000000) /* before the collection */

/* The begin of the collection is in the time of calls since 2023. */
static int find_begin(struct call_reading *reading, int family, struct err *err)
{
    reading->first_ns = INT64_MIN;
    reading->begin_ns = 0;
    if (family != CAPTURE_CANN)
        return 0;
    if (query_number(reading->db, "SELECT coalesce(min(start_ns), 0) FROM capture_part WHERE is_host",
                     &reading->begin_ns, err) < 0)
        return err_status(err);
    reading->first_ns = number_subtract(reading->begin_ns, OLDEST_CALL_NS);
    return 0;
}

static int read_ascend(struct call_reading *reading, struct err *err)
{
    int status = cann_names_load(reading->db, &reading->texts, err);

    if (status == 0) {
        reading->numbers = malloc((reading->texts.rows + 1) * sizeof *reading->numbers);
        if (reading->numbers == NULL)
            status = err_no_memory(err);
    }
    for (size_t i = 0; status == 0 && i <= reading->texts.rows; i++)
        reading->numbers[i] = NO_TEXT;
    if (status == 0)
        status = cann_each_call(reading->db, CANN_TIMED_CALLS, take_host_call, reading, err);
    cann_texts_release(&reading->texts);
    free(reading->numbers);
    return status;
}

/* ---- SVP ---- */

static int take_acl_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_reading *reading = arg;
    struct host_call plain = {
        .thread = call->thread_id, .start_ns = call->start_ns, .end_ns = call->end_ns, .hz = TICKS_OF_NS};
    if (!is_in_window(reading, call->start_ns, call->end_ns))
        return 0;
    int status = intern_text(reading->names, call->name, &plain.name, err);

    return status == 0 ? reading->each(reading->arg, &plain, err) : status;
}

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct call_reading *reading = arg;

    return acl_each_call(reading->db, model, take_acl_call, reading, err);
}

int host_calls_each(sqlite3 *db, struct intern *names,
                    int (*each)(void *arg, const struct host_call *call, struct err *err), void *arg, struct err *err)
{
    SCOPED(cann_clocks_release) struct cann_clocks clocks = {.items = NULL};
    struct call_reading reading = {.db = db, .names = names, .each = each, .arg = arg};
    struct db_facts facts;

    if (db_read_facts(db, &facts, err) < 0 || query_window_read(db, &reading.window, err) < 0 ||
        cann_clocks_load(db, &clocks, err) < 0 || find_begin(&reading, facts.family, err) < 0)
        return err_status(err);
    reading.hz = clocks.host_hz;
    return facts.family == CAPTURE_SVP ? svp_each_model(db, take_model, &reading, err) : read_ascend(&reading, err);
}

int host_calls_known(sqlite3 *db, bool *ret, struct err *err)
{
    int64_t any = 0;
    const int status = query_number(db,
                                    "SELECT EXISTS (SELECT 1 FROM host_call WHERE start_ns IS NOT NULL"
                                    " AND duration_ns >= 0) OR EXISTS (SELECT 1 FROM acl_call)",
                                    &any, err);
    *ret = any != 0;
    return status;
}

/* ---- steps by a range ---- */

int step_range_choose(sqlite3 *db, const char *name, struct err *err)
{
    char *sql = sqlite3_mprintf("PRAGMA query_only = OFF; CREATE TEMP TABLE step_range(name TEXT);"
                                "INSERT INTO temp.step_range VALUES(%Q); PRAGMA query_only = ON",
                                name);
    int status = sql != NULL ? database_exec(db, sql, err) : err_no_memory(err);
    sqlite3_free(sql);
    return status;
}

#define CHOSEN "(SELECT name FROM temp.step_range)"
/* Times of ranges, of calls of Ascend and of calls of boards. */
static const char chosen_ranges[] =
    "SELECT start_ns, end_ns FROM msproftx WHERE message = " CHOSEN " AND end_ns > start_ns"
    " UNION ALL SELECT h.start_ns, h.start_ns + h.duration_ns FROM host_call h JOIN name n ON n.id = h.name_id"
    "  WHERE n.text = " CHOSEN " AND h.start_ns IS NOT NULL AND h.duration_ns > 0"
    " UNION ALL SELECT start_ns, end_ns FROM acl_call WHERE name = " CHOSEN " AND end_ns > start_ns"
    " ORDER BY 1, 2";

struct chosen {
    struct workload *workload;
    int64_t count;
};

/* A range of the host is a step of each device, and where none ran anything of the host alone. */
static int take_range(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct chosen *chosen = arg;
    struct workload *workload = chosen->workload;
    const struct workload_step step = {.start_ns = query_integer(row, 0),
                                       .end_ns = query_integer(row, 1),
                                       .number = ++chosen->count,
                                       .model_id = STEP_OF_NO_MODEL,
                                       .model = NO_TEXT,
                                       .source = STEPS_RANGES};
    int status = 0;

    if (workload->device_count == 0)
        return workload_add_step(workload, 0, &step, err);
    for (size_t i = 0; status == 0 && i < workload->device_count; i++)
        status = workload_add_step(workload, workload->devices[i].id, &step, err);
    return status;
}

int workload_load_chosen_ranges(sqlite3 *db, struct workload *workload, struct err *err)
{
    struct chosen chosen = {.workload = workload};
    int64_t any = 0;

    if (query_number(db, "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'step_range')", &any, err) < 0 ||
        (any && query_run(db, chosen_ranges, NULL, 0, take_range, &chosen, err) < 0))
        return err_status(err);
    if (!any || chosen.count > 0)
        return 0;
    err_set(err, ERR_NOT_FOUND, "no range or call has the name given with --step-range");
    err_hint_caller(err, "the tables ranges and api list all names");
    return err_hint(err, "'msprof show CAPTURE --table ranges' and '--table api' list all names");
}

/* ---- which there are ---- */

static int reach_name(struct named_times *times, uint32_t name, struct err *err)
{
    while (times->count <= name) {
        if (array_reserve(times, 1, err) < 0)
            return err_status(err);
        memset(&times->items[times->count], 0, sizeof times->items[0]);
        times->items[times->count].first_ns = INT64_MAX;
        times->items[times->count++].last_ns = INT64_MIN;
    }
    return 0;
}

/* hz: the rate of the clock of both times. */
static int add_time(struct named_times *times, uint32_t name, int64_t start_ns, int64_t end_ns, int64_t hz,
                    struct err *err)
{
    const int64_t length_ns = interval_length(start_ns, end_ns);
    if (reach_name(times, name, err) < 0)
        return err_status(err);
    if (start_ns < times->items[name].first_ns)
        times->items[name].first_ns = start_ns;
    if (start_ns > times->items[name].last_ns)
        times->items[name].last_ns = start_ns;
    times->items[name].total_ns += ticks_exact_ns(hz, start_ns, length_ns);
    return statistics_durations_add(&times->items[name].durations, ticks_span_ns(hz, start_ns, length_ns), hz, err);
}

struct times_reading {
    struct named_times *times;
    const struct cann_clocks *clocks;
};

static int take_mark(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct times_reading *reading = arg;
    const char *text = query_text(row, 0), *message = text != NULL ? text : "N/A";
    uint32_t name;
    int status = intern_text(&reading->times->names, message, &name, err);

    return status == 0 ? add_time(reading->times, name, query_integer(row, 1), query_integer(row, 2),
                                  reading->clocks->host_hz, err)
                       : status;
}

int named_times_of_ranges(sqlite3 *db, struct named_times *ret, struct err *err)
{
    struct query_window window;
    SCOPED(cann_clocks_release) struct cann_clocks clocks = {.items = NULL};
    struct times_reading reading = {ret, &clocks};

    *ret = (struct named_times){.items = NULL};
    if (query_window_read(db, &window, err) < 0 || cann_clocks_load(db, &clocks, err) < 0)
        return err_status(err);
    const int64_t times[] = {window.any ? window.from_ns : INT64_MIN + 1, window.any ? window.until_ns : INT64_MAX};
    return query_run(db,
                     "SELECT message, start_ns, end_ns FROM msproftx WHERE end_ns > start_ns AND start_ns >= ?1"
                     " AND start_ns < ?2 ORDER BY id",
                     times, 2, take_mark, &reading, err);
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    return add_time(arg, call->name, call->start_ns, call->end_ns, call->hz, err);
}

int named_times_of_calls(sqlite3 *db, struct named_times *ret, struct err *err)
{
    *ret = (struct named_times){.items = NULL};
    return host_calls_each(db, &ret->names, take_call, ret, err);
}

void named_times_release(struct named_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        large_free(times->items[i].durations.items);
    free(times->items);
    intern_release(&times->names);
}

/* ---- which took most time ---- */

struct ranked {
    double total_ns;
    size_t name;
};

ARRAY_COMPARE(by_total, struct ranked, ARRAY_BY_MOST(total_ns), ARRAY_BY(name))

int named_times_rank(const struct named_times *times, size_t **ret, struct err *err)
{
    struct ranked *ranked = calloc(times->count + 1, sizeof *ranked);

    *ret = scoped_memory(times->count + 1, sizeof **ret);
    if (ranked == NULL || *ret == NULL) {
        free(ranked);
        return err_no_memory(err);
    }
    for (size_t i = 0; i < times->count; i++) {
        ranked[i].name = i;
        ranked[i].total_ns = times->items[i].total_ns;
    }
    array_sort(ranked, times->count, sizeof *ranked, by_total);
    for (size_t i = 0; i < times->count; i++)
        (*ret)[i] = ranked[i].name;
    free(ranked);
    return 0;
}

int named_times_largest(const struct named_times *times, struct named_series ret[NAMED_LARGEST], size_t *ret_count,
                        struct err *err)
{
    SCOPED_FREE size_t *ranked = NULL;
    int status = named_times_rank(times, &ranked, err);

    *ret_count = 0;
    for (size_t i = 0; status == 0 && i < times->count && *ret_count < NAMED_LARGEST; i++) {
        const struct durations *durations = &times->items[ranked[i]].durations;
        struct named_series *series = &ret[*ret_count];
        if (durations->count == 0)
            continue;
        *series = (struct named_series){.name = times->names.items[ranked[i]].bytes,
                                        .period_ns = named_times_period_ns(times, ranked[i])};
        status = series_of_durations(&series->times, durations, err);
        series->times.total = times->items[ranked[i]].total_ns;
        *ret_count += status == 0;
    }
    return status;
}

double named_times_period_ns(const struct named_times *times, size_t name)
{
    double apart = (double)interval_length(times->items[name].first_ns, times->items[name].last_ns);
    size_t count = times->items[name].durations.count;

    return count > 1 ? apart / (double)(count - 1) : -1;
}

/* ---- rows of a profile ---- */

int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err)
{
    SCOPED(named_times_release) struct named_times times = {.items = NULL};

    return named_times_of_calls(db, &times, err) < 0 ||
                   (times.count > 0 && profile_add_rows(profile, BY_API, &times, err) < 0)
               ? err_status(err)
               : 0;
}

static int take_op(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct named_times *times = arg;
    const char *text = query_text(row, 0);
    uint32_t name;

    if (text == NULL)
        return err_no_memory(err);
    int status = intern_text(&times->names, text, &name, err);
    return status == 0 ? reach_name(times, name, err) : status;
}

static int take_work(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct times_reading *reading = arg;
    int64_t op = query_integer(row, 0), duration_ns = query_integer(row, 1);

    return op >= 0 && (uint64_t)op < reading->times->count && duration_ns >= 0
               ? add_time(reading->times, (uint32_t)op, 0, duration_ns,
                          cann_clock_hz(reading->clocks, query_integer(row, 2)), err)
               : 0;
}

int workload_load_lines(sqlite3 *db, struct profile *profile, struct err *err)
{
    SCOPED(named_times_release) struct named_times times = {.items = NULL};
    SCOPED(cann_clocks_release) struct cann_clocks clocks = {.items = NULL};
    struct times_reading reading = {&times, &clocks};
    int64_t attached = 0;

    return query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 ||
                   (attached &&
                    (query_run(db,
                               "SELECT name || iif(line = '', '', ' at ' || line) FROM temp.framework_op ORDER BY id",
                               NULL, 0, take_op, &times, err) < 0 ||
                     cann_clocks_load(db, &clocks, err) < 0 ||
                     query_run(db, "SELECT op_id, duration_ns, device_id FROM temp.framework_work", NULL, 0, take_work,
                               &reading, err) < 0 ||
                     profile_add_rows(profile, BY_LINE, &times, err) < 0))
               ? err_status(err)
               : 0;
}

/* ---- steps of a framework ---- */

static int take_framework_step(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct workload *workload = arg;
    const struct workload_step step = {.number = sqlite3_column_int64(row, 0),
                                       .start_ns = sqlite3_column_int64(row, 1),
                                       .end_ns = sqlite3_column_int64(row, 2),
                                       .model_id = STEP_OF_NO_MODEL,
                                       .model = NO_TEXT,
                                       .source = STEPS_FRAMEWORK};
    int status = 0;
    for (size_t i = 0; status == 0 && i < workload->device_count; i++)
        status = workload_add_step(workload, workload->devices[i].id, &step, err);
    return status;
}

int workload_load_framework_steps(sqlite3 *db, struct workload *workload, struct err *err)
{
    int64_t attached = 0;
    int status = query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);
    return attached
               ? query_run(db, "SELECT number, start_ns, end_ns FROM temp.framework_step ORDER BY start_ns, number",
                           NULL, 0, take_framework_step, workload, err)
               : status;
}
