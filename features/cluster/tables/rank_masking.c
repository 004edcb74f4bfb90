/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each group's communication the computing of the same rank masks, by operator. */
#include "features/cluster/tables/rank_tables.h"

#include "base/map.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "features/answers/analysis/gap_calls.h"

#include <math.h>

static const char create[] =
    "CREATE TABLE mask(rank INTEGER, grp TEXT, type TEXT, name TEXT, ns REAL, exposed_ns REAL)";

/* What is asked of a rank's communication operators. */
struct masking {
    const struct rank_capture *capture;
    struct cann_communications items;
    struct cann_texts names;
    struct coverage computing;
    int64_t since_ns;
    sqlite3_stmt *insert;
};

static void masking_release(struct masking *masking)
{
    cann_communications_release(&masking->items);
    cann_texts_release(&masking->names);
    coverage_release(&masking->computing);
    sqlite3_finalize(masking->insert);
}

static int put_one(struct masking *masking, const struct cann_communication *item, size_t *cursor, struct err *err)
{
    const int64_t hz = workload_clock_hz(masking->capture->workload, item->device_id);
    const char *name = cann_text(&masking->names, item->name_id, 0).text;
    char buffer[OPERATOR_NAME_SIZE];

    return rank_insert(
        masking->insert, err, RANK_INTEGER(masking->capture->rank),
        RANK_TEXT(cann_text(&masking->names, item->group_name_id, 0).text),
        RANK_TEXT(cann_text(&masking->names, item->type_id, 0).text),
        RANK_TEXT(name != NULL ? operator_unnumbered(name, item->kernel_row_id != DB_NULL, buffer) : NULL),
        RANK_REAL(ticks_exact_ns(hz, item->start_ns, item->duration_ns)),
        RANK_REAL(coverage_ticks_outside(&masking->computing, hz, masking->since_ns, item->start_ns, item->duration_ns,
                                         cursor)));
}

/* Those of one device. */
static int put_device(struct masking *masking, uint16_t device, struct err *err)
{
    const struct workload *workload = masking->capture->workload;
    size_t cursor = 0;

    coverage_release(&masking->computing);
    if (coverage_of_computing_ticks(workload, device, &masking->computing, &masking->since_ns, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < masking->items.count; i++) {
        const struct cann_communication *item = &masking->items.items[i];
        if (item->device_id == workload->devices[device].id && item->start_ns != DB_NULL &&
            item->duration_ns != DB_NULL && workload_takes(item->start_ns, item->duration_ns) &&
            workload_wants(workload, item->device_id, item->start_ns) && put_one(masking, item, &cursor, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(masking_release) struct masking masking = {.capture = capture};

    if (cann_communications_load(capture->db, &masking.items, err) < 0 ||
        cann_names_load(capture->db, &masking.names, err) < 0 ||
        database_prepare(facts, "INSERT INTO mask VALUES(?1, ?2, ?3, ?4, ?5, ?6)", &masking.insert, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->workload->device_count; i++)
        if (put_device(&masking, (uint16_t)i, err) < 0)
            return err_status(err);
    return 0;
}

static const struct rank_fact fact = {.create = create, .add = add};

#define SHARE(exposed, all) "CASE WHEN " all " > 0 THEN (" all " - " exposed ") * 100.0 / " all " END"

static const struct report report = {
    .name = "masking",
    .title = "Communication that computing masks",
    .doc = "Communication of all ranks by group and operator: how much of it the same device computes beside, the most "
           "exposed first. An operator counts from its begin to its end, also while it waits.",
    .needs = "communication operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = "ranks AS (SELECT rank, grp, type, name, count(*) AS count, sum(ns) AS ns,"
                      " sum(exposed_ns) AS exposed_ns FROM mask GROUP BY rank, grp, type, name),"
                      " ordered AS (SELECT *, row_number() OVER (PARTITION BY grp, type, name"
                      " ORDER BY exposed_ns DESC, rank) AS place FROM ranks),"
                      " sums AS (SELECT grp, type, name, sum(count) AS count, count(*) AS ranks, sum(ns) AS ns,"
                      " sum(exposed_ns) AS exposed_ns FROM ranks GROUP BY grp, type, name)",
              .from = "sums s JOIN ordered o ON o.grp IS s.grp AND o.type IS s.type AND o.name IS s.name"
                      " AND o.place = 1",
              .order_by = "s.exposed_ns DESC, s.grp, s.type, s.name"},
    .columns = VALUE_LIST(
        {"Exposed(us)", "CAST(round(s.exposed_ns) AS INTEGER)", FORM_SCALED, 3,
         .doc = "Time without concurrent computing."},
        {"Masked(us)", "CAST(round(s.ns - s.exposed_ns) AS INTEGER)", FORM_SCALED, 3,
         .doc = "Time that computing masks."},
        {"Masked(%)", SHARE("s.exposed_ns", "s.ns"), FORM_SHORTEST, 2, .doc = "Its share of both."},
        {"Count", "s.count", .flags = REPORT_NUMBER, .doc = "Count on all ranks."},
        {"Ranks", "s.ranks", .flags = REPORT_NUMBER, .doc = "Number of ranks with it."},
        {"Most rank", "o.rank", .flags = REPORT_NUMBER, .doc = "The rank with most exposed time."},
        {"Most(us)", "CAST(round(o.exposed_ns) AS INTEGER)", FORM_SCALED, 3, .doc = "Its exposed time."},
        {"Group", "s.grp", .doc = "The communication group."}, {"Type", "s.type", .doc = "The type of the operator."},
        {"Name", "s.name", .doc = "The operator, with the number of its group."}),
};

const struct rank_table rank_table_masking = {&report, &fact};
