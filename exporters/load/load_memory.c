/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load.h"

#include "base/map.h"
#include "db/query/query_loop.h"
#include "exporters/reports/framework/host_side.h"

#include <string.h>

struct held_place {
    struct held_key {
        int64_t name, address, device;
    } key;
    size_t piece; /* counted from 1; 0: nothing is held there */
};

struct memory_load {
    struct intern *owners;
    struct memory_pieces *pieces;
    struct map places, names; /* names: of struct named */
};

struct named {
    int64_t id;
    uint32_t owner;
};

static int add_owner(struct memory_load *load, const char *name, uint32_t *ret, struct err *err)
{
    return intern_add(load->owners, name != NULL ? name : "", name != NULL ? strlen(name) : 0, ret, err);
}

static int take_name(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct memory_load *load = arg;
    int64_t id = query_integer(row, 0);
    struct named *named = map_add(&load->names, &id, NULL, err);

    return named != NULL ? add_owner(load, query_text(row, 1), &named->owner, err) : err_status(err);
}

static int take_record(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct memory_load *load = arg;
    const struct held_key key = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2)};
    int64_t bytes = query_integer(row, 3), time_ns = query_integer(row, 4);
    struct held_place *place = map_add(&load->places, &key, NULL, err);
    const struct named *named = map_get(&load->names, &key.name);
    struct memory_piece piece = {.start_ns = time_ns, .end_ns = MEMORY_KEPT, .bytes = bytes, .device = key.device};
    int status = 0;

    if (place == NULL)
        return err_status(err);
    if (bytes < 0) {
        if (place->piece > 0)
            load->pieces->items[place->piece - 1].end_ns = time_ns;
        place->piece = 0;
        return 0;
    }
    if (named == NULL)
        status = add_owner(load, NULL, &piece.owner, err);
    else
        piece.owner = named->owner;
    if (status != 0)
        return status;
    status = memory_pieces_add(load->pieces, &piece, err);
    place->piece = load->pieces->count;
    return status;
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

static int load_records(struct memory_load *load, sqlite3 *db, struct err *err)
{
    if (query_run(db,
                  "SELECT id, text FROM name WHERE id IN (SELECT node_name_id FROM task_memory_info)"
                  " ORDER BY id",
                  NULL, 0, take_name, load, err) < 0)
        return err_status(err);
    return query_run(db,
                     "SELECT node_name_id, address, device_id, bytes, time_ns FROM task_memory_info"
                     " WHERE time_ns IS NOT NULL AND bytes <> 0 ORDER BY id",
                     NULL, 0, take_record, load, err);
}

static int load_all(struct memory_load *load, sqlite3 *db, struct err *err)
{
    int64_t attached = 0;
    int status = query_number(db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);

    if (status != 0)
        return status;
    status = load_records(load, db, err);
    if (status != 0 || !attached)
        return status;
    return query_run(db, "SELECT owner, device_id, got_ns, gave_ns, bytes FROM temp.framework_piece", NULL, 0,
                     take_piece, load, err);
}

int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err)
{
    struct memory_load load = {
        .owners = owners, .pieces = ret, .places = MAP_OF(struct held_place, key), .names = MAP_OF(struct named, id)};
    int status = load_all(&load, db, err);

    map_release(&load.places);
    map_release(&load.names);
    return status;
}
