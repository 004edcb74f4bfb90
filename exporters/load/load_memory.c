/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load.h"

#include "db/query/query_loop.h"
#include "exporters/reports/framework/host_side.h"

#include <string.h>

struct memory_load {
    struct intern *owners;
    struct memory_pieces *pieces;
};

static int add_owner(struct memory_load *load, const char *name, uint32_t *ret, struct err *err)
{
    return intern_add(load->owners, name != NULL ? name : "", name != NULL ? strlen(name) : 0, ret, err);
}

static int take_name(void *arg, sqlite3_stmt *row, struct err *err)
{
    uint32_t ignored;
    return add_owner(arg, query_text(row, 0), &ignored, err);
}

static int take_piece(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct memory_load *load = arg;
    int64_t end_ns = query_integer(row, 3);
    struct memory_piece piece = {.device = query_integer(row, 1),
                                 .start_ns = query_integer(row, 2),
                                 .end_ns = end_ns != DB_NULL ? end_ns : MEMORY_KEPT,
                                 .bytes = query_integer(row, 4)};
    int status = add_owner(load, query_text(row, 0), &piece.owner, err);

    return status == 0 ? memory_pieces_add(load->pieces, &piece, err) : status;
}

/* Owners have numbers in the order of their names. Pieces end with the release behind their allocation. */
static const char names[] = "SELECT text FROM name WHERE id IN (SELECT node_name_id FROM task_memory_info) ORDER BY id";
static const char records[] =
    "SELECT n.text, m.device_id, m.time_ns, iif(m.next < 0, m.next_ns, NULL), m.bytes FROM"
    " (SELECT *, lead(bytes) OVER place AS next, lead(time_ns) OVER place AS next_ns FROM task_memory_info"
    "  WHERE time_ns IS NOT NULL AND bytes <> 0"
    "  WINDOW place AS (PARTITION BY node_name_id, address, device_id ORDER BY id)) m"
    " LEFT JOIN name n ON n.id = m.node_name_id WHERE m.bytes > 0 ORDER BY m.id";
static const char framework_pieces[] = "SELECT owner, device_id, got_ns, gave_ns, bytes FROM temp.framework_piece";

int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err)
{
    struct memory_load load = {owners, ret};
    int64_t attached = 0;

    if (query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err) < 0 ||
        query_run(db, names, NULL, 0, take_name, &load, err) < 0 ||
        query_run(db, records, NULL, 0, take_piece, &load, err) < 0)
        return err_status(err);
    return attached ? query_run(db, framework_pieces, NULL, 0, take_piece, &load, err) : 0;
}
