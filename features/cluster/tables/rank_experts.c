/* SPDX-License-Identifier: Apache-2.0 */
/* How evenly the experts of a mixture are loaded: the tokens that each rank's grouped products of matrices take, and
 * the bytes that all-to-all operators move. */
#include "features/cluster/tables/rank_tables.h"

#include "base/number.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"

#include <math.h>
#include <string.h>

static const char create[] = "CREATE TABLE expert(rank INTEGER, count INTEGER, tokens INTEGER, ns REAL, bytes INTEGER)";

static bool is_grouped(const struct workload *workload, const struct workload_operator *op)
{
    static const char type[] = "GroupedMatmul";
    return strncasecmp(workload_text(workload, op->key.type), type, sizeof type - 1) == 0;
}

/* The first size of the first input; 0: not known. */
static int64_t tokens_of(const char *shapes)
{
    int64_t tokens = 0;
    shapes += shapes[0] == '"';
    return number_parse_integer(shapes, strspn(shapes, "0123456789"), &tokens) == 0 ? tokens : 0;
}

/* ---- what all-to-all moves ---- */

struct exchange {
    const struct rank_capture *capture;
    struct cann_communications items;
    struct cann_texts names;
    int64_t op_id; /* of the transfers that come now */
    bool moves;    /* it is of all-to-all, and wanted */
    int64_t bytes;
    bool known; /* an operator of all-to-all ran */
};

static void exchange_release(struct exchange *exchange)
{
    cann_communications_release(&exchange->items);
    cann_texts_release(&exchange->names);
}

static bool exchanges(const struct exchange *exchange, const struct cann_communication *item)
{
    const char *name = cann_text(&exchange->names, item->name_id, 0).text;
    return name != NULL && strcasestr(name, "alltoall") != NULL && item->start_ns != DB_NULL &&
           workload_wants(exchange->capture->workload, item->device_id, item->start_ns);
}

static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct exchange *exchange = arg;

    (void)err;
    if (transfer->op_id != exchange->op_id) {
        const size_t place = cann_communication_place(&exchange->items, transfer->op_id);
        exchange->op_id = transfer->op_id;
        exchange->moves = place != SIZE_MAX && exchanges(exchange, &exchange->items.items[place]);
    }
    if (exchange->moves && transfer->bytes != DB_NULL && transfer->bytes > 0 && transfer->remote_rank != DB_NULL &&
        transfer->local_rank != transfer->remote_rank)
        exchange->bytes = number_add(exchange->bytes, transfer->bytes);
    return 0;
}

static int find_exchange(const struct rank_capture *capture, int64_t *ret_bytes, struct err *err)
{
    SCOPED(exchange_release) struct exchange exchange = {.capture = capture, .op_id = DB_NULL};

    if (cann_communications_load(capture->db, &exchange.items, err) < 0 ||
        cann_names_load(capture->db, &exchange.names, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < exchange.items.count && !exchange.known; i++)
        exchange.known = exchanges(&exchange, &exchange.items.items[i]);
    if (exchange.known && cann_each_transfer_by_op(capture->db, take_transfer, &exchange, err) < 0)
        return err_status(err);
    *ret_bytes = exchange.known ? exchange.bytes : DB_NULL;
    return 0;
}

/* ---- facts ---- */

static int add(sqlite3 *facts, const struct rank_capture *capture, struct err *err)
{
    const struct workload *workload = capture->workload;
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    int64_t count = 0, tokens = 0, bytes = DB_NULL;
    double ns = 0;
    bool known = true;

    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (!is_grouped(workload, op))
            continue;
        const int64_t of_one = tokens_of(workload_text(workload, op->key.shapes));
        known = known && of_one > 0;
        count += op->count;
        ns += op->total_ns;
        tokens = number_add(tokens, number_multiply(of_one, op->count));
    }
    if (find_exchange(capture, &bytes, err) < 0)
        return err_status(err);
    if (count == 0 && bytes == DB_NULL)
        return 0;
    known = known && count > 0;
    return database_prepare(facts, "INSERT INTO expert VALUES(?1, ?2, ?3, ?4, ?5)", &insert, err) < 0 ||
                   rank_insert(insert, err, RANK_INTEGER(capture->rank), RANK_INTEGER(count),
                               RANK_INTEGER(known ? tokens : DB_NULL), RANK_REAL(count > 0 ? ns : NAN),
                               RANK_INTEGER(bytes)) < 0
               ? err_status(err)
               : 0;
}

static const struct rank_fact fact = {.create = create, .add = add};

static const struct report report = {
    .name = "experts",
    .title = "Load of experts",
    .doc = "For each rank the tokens that its grouped products of matrices (GroupedMatmul) take, the most loaded "
           "first: the first size of their first input, of all executions. N/A where shapes were not recorded. Beside "
           "them the bytes that the rank's transfers of operators named alltoall move between ranks.",
    .needs = "operators of type GroupedMatmul, or all-to-all operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .query = {.with = "mean AS (SELECT avg(tokens) AS tokens, avg(ns) AS ns, avg(bytes) AS bytes FROM expert)",
              .from = "expert e, mean m",
              .order_by = "e.tokens DESC NULLS LAST, e.ns DESC NULLS LAST, e.bytes DESC, e.rank"},
    .columns = VALUE_LIST({"Rank", "e.rank", .flags = REPORT_NUMBER, .doc = "The rank."},
                          {"Tokens", "e.tokens", .flags = REPORT_NUMBER, .doc = "The tokens of all executions."},
                          {"Of mean(%)", "CASE WHEN m.tokens > 0 THEN e.tokens * 100.0 / m.tokens END", FORM_SHORTEST,
                           2, .doc = "Relative to the mean of all ranks; 100 % is even."},
                          {"Count", "e.count", .flags = REPORT_NUMBER, .doc = "Number of executions."},
                          {"Time(us)", "CAST(round(e.ns) AS INTEGER)", FORM_SCALED, 3, .doc = "Total time."},
                          {"Time of mean(%)", "CASE WHEN m.ns > 0 THEN e.ns * 100.0 / m.ns END", FORM_SHORTEST, 2,
                           .doc = "Relative to the mean of all ranks."},
                          {"All-to-all(MB)", "e.bytes / 1e6", FORM_SHORTEST, 3, .id = "all_to_all",
                           .doc = "Bytes that transfers of all-to-all operators move."},
                          {"All-to-all of mean(%)", "CASE WHEN m.bytes > 0 THEN e.bytes * 100.0 / m.bytes END",
                           FORM_SHORTEST, 2, .id = "all_to_all_of_mean", .doc = "Relative to the mean of all ranks."}),
};

const struct rank_table rank_table_experts = {&report, &fact};
