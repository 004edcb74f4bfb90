/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each rank's time its matrix units multiply. */
#include "features/cluster/tables/rank_tables.h"

#include "db/database.h"
#include "features/answers/analysis/splits.h"

#include <math.h>

static const char create[] =
    "CREATE TABLE mfu(rank INTEGER, time_ns INTEGER, operators_ns REAL, counted_ns REAL, busy_ns REAL)";

/* Operators that use the matrix units, where that was counted. */
struct use {
    double operators_ns, counted_ns, busy_ns; /* busy_ns: of the units of all cores */
};

static struct use use_of(const struct workload *workload)
{
    struct use use = {0};
    bool counted = false;

    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (!work_computes(op->key.work) || op->units[UNIT_CUBE_ALL] < 0 || op->counted_ns <= 0)
            continue;
        counted = true;
        if (op->units[UNIT_CUBE] <= 0)
            continue;
        use.operators_ns += op->total_ns;
        use.counted_ns += op->counted_ns;
        use.busy_ns += op->units[UNIT_CUBE_ALL];
    }
    return counted ? use : (struct use){NAN, NAN, NAN};
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(splits_release) struct splits splits = {.borrowed = true};
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    const struct use use = use_of(capture->workload);

    if (splits_make(capture->workload, &splits, err) < 0) {
        splits = (struct splits){.borrowed = true};
        return err_status(err);
    }
    return database_prepare(facts, "INSERT INTO mfu VALUES(?1, ?2, ?3, ?4, ?5)", &insert, err) < 0 ||
                   rank_insert(insert, err, RANK_INTEGER(capture->rank), RANK_INTEGER(splits.all.time_ns),
                               RANK_REAL(use.operators_ns), RANK_REAL(use.counted_ns), RANK_REAL(use.busy_ns)) < 0
               ? err_status(err)
               : 0;
}

static const struct rank_fact fact = {.create = create, .counters = true, .add = add};

static const struct report report = {
    .name = "mfu",
    .title = "Use of the matrix units",
    .doc = "Utilisation of the matrix units of all cores of each rank, the lowest first; N/A without their counters. "
           "Mere occupancy of cores does not count.",
    .needs = "devices that ran something",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.from = "mfu", .where = "time_ns > 0", .order_by = "busy_ns / time_ns NULLS LAST, rank"},
    .columns = VALUE_LIST(
        {"Rank", "rank", .flags = REPORT_NUMBER, .doc = "The rank."},
        {"MFU(%)", "busy_ns * 100.0 / time_ns", FORM_SHORTEST, 2, .doc = "MAC busy by the time of the device."},
        {"MAC busy(%)", "CASE WHEN counted_ns > 0 THEN busy_ns * 100.0 / counted_ns END", FORM_SHORTEST, 2,
         .doc = "MAC busy by the time of the operators that use matrix units, where it was counted."},
        {"MAC busy(us)", "CAST(round(busy_ns) AS INTEGER)", FORM_SCALED, 3, .id = "mac_busy_time",
         .doc = "Busy time of the units, over all cores."},
        {"Operators(us)", "CAST(round(operators_ns) AS INTEGER)", FORM_SCALED, 3,
         .doc = "The time of the operators that use matrix units."},
        {"Time(us)", "time_ns", FORM_SCALED, 3, .doc = "The time of the device."}),
};

const struct rank_table rank_table_mfu = {&report, &fact};
