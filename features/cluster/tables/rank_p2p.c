/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and receives between two ranks, put together: which side waited for the other. */
#include "features/cluster/tables/rank_tables.h"

#include "base/map.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "features/communication/communication.h"

#include <string.h>

static const char create[] = "CREATE TABLE p2p_end(rank INTEGER, grp TEXT, sends INTEGER, local INTEGER,"
                             " remote INTEGER, start_ns INTEGER, ns INTEGER, bytes INTEGER)";

#define LARGEST_NUMBER INT32_MAX /* of a rank in a group: larger ones say that there is none */

struct side {
    int64_t local, remote; /* numbers in the group; DB_NULL: not known */
    int64_t bytes;
};

struct sides {
    struct cann_communications items;
    struct cann_texts names;
    struct side *of; /* of each item */
    sqlite3_stmt *insert;
};

static void sides_release(struct sides *sides)
{
    cann_communications_release(&sides->items);
    cann_texts_release(&sides->names);
    free(sides->of);
    sqlite3_finalize(sides->insert);
}

static bool is_number(int64_t number)
{
    return number >= 0 && number <= LARGEST_NUMBER;
}

/* A task of an operator says between which ranks it is. */
static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct sides *sides = arg;
    const size_t place = cann_communication_place(&sides->items, transfer->op_id);

    (void)err;
    if (place == SIZE_MAX || !is_number(transfer->local_rank) || !is_number(transfer->remote_rank) ||
        transfer->local_rank == transfer->remote_rank)
        return 0;
    struct side *side = &sides->of[place];
    side->local = transfer->local_rank;
    side->remote = transfer->remote_rank;
    side->bytes = number_add(side->bytes, transfer->bytes != DB_NULL ? transfer->bytes : 0);
    return 0;
}

/* Both ways at once are not put together: nothing says which task is of which. */
static bool has_direction(const char *name, bool *ret_sends)
{
    *ret_sends = strcasestr(name, "send") != NULL;
    return communication_is_point_to_point(name) && !(*ret_sends && strcasestr(name, "rec") != NULL);
}

static int put_sides(const struct sides *sides, const struct rank_capture *capture, struct err *err)
{
    for (size_t i = 0; i < sides->items.count; i++) {
        const struct cann_communication *item = &sides->items.items[i];
        const char *name = cann_text(&sides->names, item->name_id, 0).text;
        bool sends;
        if (name == NULL || !has_direction(name, &sends) || item->start_ns == DB_NULL || item->duration_ns == DB_NULL ||
            !workload_wants(capture->workload, item->device_id, item->start_ns))
            continue;
        const int64_t hz = workload_clock_hz(capture->workload, item->device_id);
        if (rank_insert(sides->insert, err, RANK_INTEGER(capture->rank),
                        RANK_TEXT(cann_text(&sides->names, item->group_name_id, 0).text), RANK_INTEGER(sends),
                        RANK_INTEGER(sides->of[i].local), RANK_INTEGER(sides->of[i].remote),
                        RANK_INTEGER(item->start_ns),
                        RANK_INTEGER(ticks_span_ns(hz, item->start_ns, item->duration_ns)),
                        RANK_INTEGER(sides->of[i].bytes)) < 0)
            return err_status(err);
    }
    return 0;
}

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    SCOPED(sides_release) struct sides sides = {.of = NULL};

    if (cann_communications_load(capture->db, &sides.items, err) < 0 ||
        cann_names_load(capture->db, &sides.names, err) < 0 ||
        database_prepare(facts, "INSERT INTO p2p_end VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", &sides.insert, err) < 0)
        return err_status(err);
    sides.of = scoped_memory(sides.items.count + 1, sizeof *sides.of);
    if (sides.of == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < sides.items.count; i++)
        sides.of[i] = (struct side){DB_NULL, DB_NULL, 0};
    return (sides.items.count > 0 && cann_each_transfer_by_op(capture->db, take_transfer, &sides, err) < 0) ||
                   put_sides(&sides, capture, err) < 0
               ? err_status(err)
               : 0;
}

static const struct rank_fact fact = {.create = create, .add = add};

/* Of the same group, between the same two, in the same order: where both sides have as many. A number of a group is
 * that of the rank whose own tasks say it. */
#define WITH                                                                                                           \
    "peers AS MATERIALIZED (SELECT grp, local, min(rank) AS rank FROM p2p_end WHERE local IS NOT NULL"                 \
    " GROUP BY grp, local),"                                                                                           \
    " ends AS MATERIALIZED (SELECT e.*, p.rank AS peer, row_number() OVER (side ORDER BY e.start_ns) AS place,"        \
    " count(*) OVER side AS many FROM p2p_end e LEFT JOIN peers p ON p.grp IS e.grp AND p.local = e.remote"            \
    " WINDOW side AS (PARTITION BY e.rank, e.grp, e.sends, e.remote)),"                                                \
    " pairs AS (SELECT e.grp, e.place, CASE WHEN e.sends THEN e.rank ELSE e.peer END AS source,"                       \
    " CASE WHEN e.sends THEN e.peer ELSE e.rank END AS target, CASE WHEN e.sends THEN e.ns END AS send_ns,"            \
    " CASE WHEN e.sends THEN o.ns ELSE e.ns END AS receive_ns, max(e.bytes, coalesce(o.bytes, 0)) AS bytes"            \
    " FROM ends e LEFT JOIN ends o ON o.rank = e.peer AND o.peer = e.rank AND o.place = e.place"                       \
    " AND o.sends = 1 - e.sends AND o.many = e.many AND o.grp IS e.grp WHERE e.sends OR o.rank IS NULL)"

static const struct report report = {
    .name = "p2p",
    .title = "Sends and receives",
    .doc = "Sends and receives between two ranks, matched by group and order, the longest wait first. Both sides end "
           "together, so the longer one waited for the other, by the difference. Unmatched ones, and those whose "
           "numbers differ, are listed alone.",
    .needs = "sends and receives between two ranks",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = WITH,
              .from = "pairs",
              .order_by = "abs(send_ns - receive_ns) DESC NULLS LAST, grp, source, target, place"},
    .columns = VALUE_LIST(
        {"Wait(us)", "abs(send_ns - receive_ns)", FORM_SCALED, 3, .doc = "Waiting time of one side for the other."},
        {"Waiting rank", "CASE WHEN send_ns > receive_ns THEN source WHEN receive_ns > send_ns THEN target END",
         .flags = REPORT_NUMBER, .doc = "The rank that waited."},
        {"From rank", "source", .flags = REPORT_NUMBER, .doc = "The rank that sends."},
        {"To rank", "target", .flags = REPORT_NUMBER, .doc = "The rank that receives."},
        {"Index", "place", .flags = REPORT_NUMBER, .doc = "Its number between these two ranks in this group, from 1."},
        {"Send(us)", "send_ns", FORM_SCALED, 3, .doc = "Time of the send."},
        {"Receive(us)", "receive_ns", FORM_SCALED, 3, .doc = "Time of the receive."},
        {"Size(MB)", "CASE WHEN bytes > 0 THEN bytes / 1e6 END", FORM_SHORTEST, 3, .doc = "Amount that was sent."},
        {"Group", "grp", .doc = "The communication group."}),
};

const struct rank_table rank_table_p2p = {&report, &fact};
