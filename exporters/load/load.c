/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load.h"

#include "analysis/sampling.h"
#include "db/query/query.h"

#include <stdio.h>

static int load_family(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err)
{
    static const struct {
        const char *name;
        int (*load)(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err);
    } families[] = {
        [CAPTURE_SVP] = {"SVP", workload_load_svp},
        [CAPTURE_JOB] = {"Ascend JOB", workload_load_ascend},
        [CAPTURE_2022] = {"CANN 2022", workload_load_ascend},
        [CAPTURE_CANN] = {"CANN", workload_load_ascend},
    };
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    if (status != 0)
        return status;
    snprintf(ret->facts.family, sizeof ret->facts.family, "%s", families[facts.family].name);
    ret->facts.problems = facts.problems;
    ret->facts.tick_ns = 10;
    return families[facts.family].load(db, counters, ret, err);
}

int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err)
{
    workload_init(ret);
    int status = load_family(db, counters, ret, err);

    ret->facts.devices = (int64_t)ret->device_count;
    if (status == 0)
        status = workload_load_chosen_ranges(db, ret, err);
    if (status == 0)
        status = workload_finish(ret, err);
    if (status == 0)
        status = steps_relate(ret, err);
    if (status != 0)
        workload_release(ret);
    return status;
}

int workload_load_sums(sqlite3 *db, struct workload *ret, struct err *err)
{
    workload_init(ret);
    ret->sums_only = true;
    int status = load_family(db, WITH_COUNTERS, ret, err);

    if (status != 0)
        workload_release(ret);
    return status;
}
