/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/advise.h"

#include "db/query/query.h"
#include "exporters/query_compile.h"
#include "features/feature.h"

static int find_origin(sqlite3 *db, struct advice *advice, struct err *err)
{
    struct capture_origin origin;
    struct db_facts facts;

    _Static_assert(sizeof advice->problems >= PROBLEMS_TEXT_SIZE, "a text of query_losses");
    if (db_read_facts(db, &facts, err) != 0 || query_origin(db, facts.family, &origin, err) != 0 ||
        query_losses(db, advice->problems, err) != 0)
        return err_status(err);
    advice->origin_ns = origin.time_ns;
    return 0;
}

int advise_workload(sqlite3 *db, const struct workload *workload, const struct launches *launches,
                    const double *thresholds, struct advice *ret, struct err *err)
{
    SCOPED(host_evidence_release) struct host_evidence evidence = {.known = false};

    return evidence_load(db, workload, launches, NULL, &evidence, err) != 0 ||
                   advice_make(workload, &evidence, thresholds, ret, err) != 0 ||
                   evidence_name_launchers(db, ret, err) != 0 || find_origin(db, ret, err) != 0
               ? err_status(err)
               : 0;
}

int advise(sqlite3 *db, const double *thresholds, struct advice *ret, int64_t *ret_executions, struct err *err)
{
    struct workload workload;
    SCOPED(launches_release) struct launches launches = {.calls = NULL};
    const struct feature *feature;

    if (feature_of_database(db, &feature, err) != 0)
        return err_status(err);
    *ret_executions = 1;
    if (feature != NULL)
        return feature->advise(db, thresholds, ret, err);
    if (workload_load(db, WITH_COUNTERS, &workload, err) != 0)
        return err_status(err);
    *ret_executions = (int64_t)workload.execution_count;
    const bool failed = workload_load_launches(db, &workload, &launches, err) != 0 ||
                        advise_workload(db, &workload, &launches, thresholds, ret, err) != 0;
    workload_release(&workload);
    return failed ? err_status(err) : 0;
}

int advise_program(sqlite3 *db, const char *name, struct program_told *ret, struct err *err)
{
    *ret = (struct program_told){.answer = {.ranges = &ret->ranges, .calls = &ret->calls, .capture = name}};
    ret->answer.problems = ret->problems;
    return named_times_of_ranges(db, &ret->ranges, err) != 0 || named_times_of_calls(db, &ret->calls, err) != 0 ||
                   query_losses(db, ret->problems, err) != 0 ||
                   query_ask(db, "EXISTS(SELECT 1 FROM device_task)", &ret->answer.devices_ran, err) != 0
               ? err_status(err)
               : 0;
}

void program_told_release(struct program_told *told)
{
    named_times_release(&told->ranges);
    named_times_release(&told->calls);
}
