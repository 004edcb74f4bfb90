/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about a step, or about a stretch of time: --step, --from, --until. */
#include "base/file/large.h"
#include "features/answers/load/load.h"

#include "base/number.h"
#include "base/quantity.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_window.h"
#include "features/answers/analysis/splits.h"
#include "features/frameworks/reports/host_side.h"

#include <stdio.h>
#include <string.h>

/* ---- loading ---- */

static struct workload_window window_of(const struct query_window *window)
{
    return (struct workload_window){.any = window->any,
                                    .from_ns = window->from_ns,
                                    .until_ns = window->until_ns,
                                    .device_id = window->device_id,
                                    .step = window->step};
}

int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err)
{
    SCOPED(workload_release) struct workload whole;
    struct query_window window;

    workload_init(&whole);
    if (query_window_read(db, &window, err) < 0)
        return err_status(err);
    if (!window.any)
        return workload_load_part(db, counters, NULL, NULL, ret, err);
    const struct workload_window part = window_of(&window);
    return workload_load_part(db, WITHOUT_COUNTERS, NULL, NULL, &whole, err) < 0 ||
                   workload_load_part(db, counters, &part, &whole, ret, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- choosing ---- */

/* The step of the longest group that counts and took longest; SIZE_MAX: there is none. */
static size_t slowest_of(const struct splits *splits)
{
    const size_t group = splits_longest_group(splits);
    size_t slowest = SIZE_MAX;

    for (size_t k = 0; group != SIZE_MAX && k < splits->groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(splits, group, k);
        if (splits_counts(splits, i) &&
            (slowest == SIZE_MAX || splits->items[i].own.time_ns > splits->items[slowest].own.time_ns))
            slowest = i;
    }
    return slowest;
}

/* The first of the leading family with a number; SIZE_MAX: there is none. */
static size_t numbered(const struct splits *splits, int64_t number)
{
    size_t i = 0;

    while (i < splits->count && (splits->items[i].step == NULL || splits->items[i].step->number != number ||
                                 splits->groups.items[splits->items[i].group].source != splits->source))
        large_pass(i++);
    return i < splits->count ? i : SIZE_MAX;
}

static int find_step(const struct workload *workload, const struct splits *splits, const struct window_wanted *wanted,
                     struct query_window *ret, struct err *err)
{
    const char *text = wanted->step;
    int64_t number = 0;
    size_t i = SIZE_MAX;

    if (splits->whole || splits->count == 0) {
        err_set(err, ERR_NOT_FOUND, "the capture is not divided into steps: there is no step %s", text);
        err_hint_caller(err, "choose a time range: from and until, or from_ and until in Python");
        return err_hint(
            err,
            "use --from and --until to choose a time range, or --step-range to take ranges of the program as steps");
    }
    if (wanted->numbered) {
        i = number_parse_integer(text, strlen(text), &number) == 0 ? numbered(splits, number) : SIZE_MAX;
        if (i == SIZE_MAX)
            return err_set(err, ERR_NOT_FOUND, "the capture has no step of the number %s", text);
    } else if (strcmp(text, "slowest") == 0)
        i = slowest_of(splits);
    else if (number_parse_integer(text, strlen(text), &number) == 0 && number >= 1 && (uint64_t)number <= splits->count)
        i = (size_t)number - 1;
    if (i == SIZE_MAX) {
        err_set(err, ERR_NOT_FOUND, "the capture has no step %s: steps are numbered from 1 to %zu", text,
                splits->count);
        err_hint_caller(err, "the table overlap lists them");
        return err_hint(err, "'msprof show --table overlap' lists them");
    }
    const struct split *split = &splits->items[i];
    *ret = (struct query_window){true, split->start_ns, split_end_ns(split), workload->devices[split->device].id,
                                 (int64_t)i + 1};
    return 0;
}

static int choose_step(sqlite3 *db, const struct window_wanted *wanted, struct query_window *ret, struct err *err)
{
    SCOPED(workload_release) struct workload workload;
    SCOPED(splits_release) struct splits splits = {.items = NULL};

    workload_init(&workload);
    return workload_load(db, WITHOUT_COUNTERS, &workload, err) < 0 || splits_make(&workload, &splits, err) < 0 ||
                   find_step(&workload, &splits, wanted, ret, err) < 0
               ? err_status(err)
               : 0;
}

static int choose(sqlite3 *db, const struct query_window *window, struct err *err)
{
    return query_window_set(db, window, err) < 0 || framework_choose_work(db, err) < 0 ? err_status(err) : 0;
}

int window_choose(sqlite3 *db, const struct window_wanted *wanted, struct err *err)
{
    struct query_window window = {true, INT64_MIN, INT64_MAX, DB_NULL, 0};
    struct capture_origin origin;
    struct db_facts facts;

    if (wanted->step != NULL)
        return choose_step(db, wanted, &window, err) < 0 ? err_status(err) : choose(db, &window, err);
    if (db_read_facts(db, &facts, err) < 0 || query_origin(db, facts.family, &origin, err) < 0)
        return err_status(err);
    if (wanted->from_ns > 0)
        window.from_ns = number_add(origin.time_ns, wanted->from_ns);
    if (wanted->until_ns > 0)
        window.until_ns = number_add(origin.time_ns, wanted->until_ns);
    return choose(db, &window, err);
}

int window_choose_texts(sqlite3 *db, const char *step, const char *from, const char *until, const char *dashes,
                        struct err *err)
{
    struct window_wanted wanted = {.step = step};
    char from_name[8], until_name[8];

    if (step == NULL && from == NULL && until == NULL)
        return 0;
    if (step != NULL && (from != NULL || until != NULL))
        return err_set(err, ERR_USAGE, "%sstep already chooses a time range: omit %sfrom and %suntil", dashes, dashes,
                       dashes);
    snprintf(from_name, sizeof from_name, "%sfrom", dashes);
    snprintf(until_name, sizeof until_name, "%suntil", dashes);
    if (quantity_read_time(from_name, from, &wanted.from_ns, err) < 0 ||
        quantity_read_time(until_name, until, &wanted.until_ns, err) < 0)
        return err_status(err);
    if (until != NULL && wanted.until_ns <= wanted.from_ns)
        return err_set(err, ERR_USAGE, "%suntil %s must be later than %sfrom %s", dashes, until, dashes,
                       from != NULL ? from : "0s");
    return window_choose(db, &wanted, err);
}
