/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory of PyTorch, from the framework's records and those of the capture's engine. */
#include "exporters/reports/framework/torch_memory_rows.h"

#include "base/array.h"
#include "db/database.h"
#include "exporters/reports/framework/torch_relation.h"

#include <stdlib.h>

/* ---- pieces ---- */

/* Numbers of records, which are by time; TORCH_NONE: not yet. */
struct piece {
    uint32_t got, gave, block;
};

static bool is_shown(const struct torch_memory *memory)
{
    return memory->device_type == TORCH_DEVICE_NPU && memory->allocator == 0;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct torch_memory *x = *(const struct torch_memory *const *)a, *y = *(const struct torch_memory *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x > y) - (x < y); /* by time */
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->got > y->got) - (x->got < y->got);
}

/* Of one address an allocation, then at most one release of each kind. */
static size_t gather(const struct torch_memories *memories, const struct torch_memory *const *sorted, size_t count,
                     struct piece *pieces)
{
    size_t used = 0;
    struct piece *open = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct torch_memory *memory = sorted[i];
        uint32_t number = (uint32_t)(memory - memories->items);
        if (memory->kind == TORCH_MALLOC) {
            open = &pieces[used++];
            *open = (struct piece){number, TORCH_NONE, TORCH_NONE};
        } else if (open != NULL && memories->items[open->got].address == memory->address) {
            uint32_t *place = memory->kind == TORCH_FREE ? &open->gave : &open->block;
            if (*place == TORCH_NONE)
                *place = number;
        }
    }
    return used;
}

/* The operator around an allocation: through the queue of those who take work out of it. */
static const char *owner_of(const struct framework_analysis *analysis, const struct torch_memory *memory)
{
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = framework_launch_at(framework, memory->thread, memory->time_ns);
    const struct torch_op *op = launch != NULL ? torch_op_of_dequeue(analysis, launch->range) : NULL;
    const struct torch_ops *ops = &framework->torch->ops;
    size_t low = 0, high = ops->count;
    while (low < high) { /* the last that begins until then */
        size_t middle = (low + high) / 2;
        if (ops->items[middle].start_ns <= memory->time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = op == NULL && low > 0 ? (uint32_t)(low - 1) : TORCH_NONE; i != TORCH_NONE;
         i = ops->items[i].parent) {
        if (ops->items[i].thread == memory->thread && ops->items[i].end_ns >= memory->time_ns) {
            op = &ops->items[i];
            break;
        }
    }
    return op != NULL ? framework_text(framework, op->name) : "";
}

static int take_own(const struct framework_analysis *analysis, const struct piece *piece,
                    int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                    struct err *err)
{
    const struct torch_memory *items = analysis->framework->torch->memories.items, *got = &items[piece->got];
    const struct torch_memory *gave = piece->gave != TORCH_NONE ? &items[piece->gave] : NULL;
    const struct torch_memory *block = piece->block != TORCH_NONE ? &items[piece->block] : NULL;
    struct torch_piece whole = {.owner = owner_of(analysis, got),
                                .owner_id = DB_NULL,
                                .bytes = got->size,
                                .got_ns = got->time_ns,
                                .gave_ns = gave != NULL ? gave->time_ns : DB_NULL,
                                .block_ns = block != NULL ? block->time_ns : DB_NULL,
                                .at_got = {got->allocated, got->reserved, got->active},
                                .stream = got->stream,
                                .device = got->device};
    if (gave != NULL)
        whole.at_gave = (struct torch_held){gave->allocated, gave->reserved, gave->active};
    return each(arg, &whole, err);
}

static int each_own(const struct framework_analysis *analysis,
                    int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                    struct err *err)
{
    const struct torch_memories *memories = &analysis->framework->torch->memories;
    size_t most_pieces = 0, shown = 0;
    if (memories->count >= TORCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u records of memory", TORCH_NONE);
    for (size_t i = 0; i < memories->count; i++)
        most_pieces += is_shown(&memories->items[i]) && memories->items[i].kind == TORCH_MALLOC;
    const struct torch_memory **sorted = calloc(memories->count + 1, sizeof(const struct torch_memory *));
    struct piece *pieces = calloc(most_pieces + 1, sizeof *pieces);
    int status = sorted != NULL && pieces != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for allocations");
    for (size_t i = 0; status == 0 && i < memories->count; i++) {
        if (is_shown(&memories->items[i]))
            sorted[shown++] = &memories->items[i];
    }
    if (status == 0) {
        array_sort(sorted, shown, sizeof(const struct torch_memory *), compare_addresses);
        size_t count = gather(memories, sorted, shown, pieces);
        array_sort(pieces, count, sizeof *pieces, compare_pieces);
        for (size_t i = 0; status == 0 && i < count; i++) {
            if (framework_wants_time(analysis, memories->items[pieces[i].got].time_ns))
                status = take_own(analysis, &pieces[i], each, arg, err);
        }
    }
    free(sorted);
    free(pieces);
    return status;
}

#define ALLOCATIONS                                                                                                    \
    "WITH r AS (SELECT *, lead(bytes) OVER w AS next_bytes, lead(id) OVER w AS next_id, lead(time_ns) OVER w AS"       \
    " next_ns, lead(allocated_bytes) OVER w AS next_allocated, lead(reserved_bytes) OVER w AS next_reserved"           \
    " FROM task_memory_info WINDOW w AS (PARTITION BY node_name_id, address, device_id ORDER BY id)),"                 \
    " a AS (SELECT *, coalesce(next_bytes, 0) < 0 AS released FROM r WHERE bytes > 0)"                                 \
    " SELECT coalesce((SELECT text FROM name WHERE name.id = node_name_id), ''), bytes, time_ns,"                      \
    " CASE WHEN released THEN next_ns END, allocated_bytes, reserved_bytes,"                                           \
    " CASE WHEN released THEN next_allocated ELSE 0 END, CASE WHEN released THEN next_reserved ELSE 0 END, device_id," \
    " node_name_id"                                                                                                    \
    " FROM a ORDER BY NOT released, CASE WHEN released THEN next_id ELSE id END"

static int64_t integer_at(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) != SQLITE_NULL ? sqlite3_column_int64(row, column) : DB_NULL;
}

static struct torch_piece engine_piece(sqlite3_stmt *row)
{
    enum { OWNER, BYTES, GOT, GAVE, ALLOCATED, RESERVED, GAVE_ALLOCATED, GAVE_RESERVED, DEVICE, OWNER_ID };
    return (struct torch_piece){
        .by_engine = true,
        .owner = (const char *)sqlite3_column_text(row, OWNER),
        .owner_id = integer_at(row, OWNER_ID),
        .bytes = sqlite3_column_int64(row, BYTES),
        .got_ns = sqlite3_column_int64(row, GOT),
        .gave_ns = integer_at(row, GAVE),
        .block_ns = DB_NULL,
        .at_got = {sqlite3_column_int64(row, ALLOCATED), sqlite3_column_int64(row, RESERVED), 0},
        .at_gave = {sqlite3_column_int64(row, GAVE_ALLOCATED), sqlite3_column_int64(row, GAVE_RESERVED), 0},
        .device = sqlite3_column_int64(row, DEVICE),
    };
}

int torch_each_piece(const struct framework_analysis *analysis,
                     int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                     struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = each_own(analysis, each, arg, err);
    if (status == 0)
        status = database_prepare(analysis->db, ALLOCATIONS, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct torch_piece piece = engine_piece(statement);
        if (framework_wants_time(analysis, piece.got_ns))
            status = each(arg, &piece, err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, analysis->db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

/* ---- records ---- */

struct merging {
    const struct framework_analysis *analysis;
    int (*each)(void *arg, const struct torch_record *record, struct err *err);
    void *arg;
    size_t next;                   /* of the framework's */
    struct torch_held own, engine; /* the last ones */
    uint64_t stream;
    bool has_stream;
};

static int take_record(const struct merging *merging, const struct torch_record *record, struct err *err)
{
    return framework_wants_time(merging->analysis, record->time_ns) ? merging->each(merging->arg, record, err) : 0;
}

static int take_both(struct merging *merging, int64_t time_ns, int64_t device, struct err *err)
{
    const struct torch_record both = {
        .component = TORCH_BOTH,
        .time_ns = time_ns,
        .held = {merging->own.allocated + merging->engine.allocated, merging->own.reserved + merging->engine.reserved,
                 merging->own.active},
        .has_active = true,
        .has_stream = merging->has_stream,
        .stream = merging->stream,
        .device = device,
    };
    return take_record(merging, &both, err);
}

static int take_own_until(struct merging *merging, int64_t until_ns, struct err *err)
{
    const struct torch_memories *memories = &merging->analysis->framework->torch->memories;
    int status = 0;
    for (; status == 0 && merging->next < memories->count && memories->items[merging->next].time_ns <= until_ns;
         merging->next++) {
        const struct torch_memory *memory = &memories->items[merging->next];
        if (memory->device_type != TORCH_DEVICE_NPU)
            continue;
        bool caching = memory->component == TORCH_CACHING;
        const struct torch_record record = {.component = caching ? "PTA" : "WORKSPACE",
                                            .time_ns = memory->time_ns,
                                            .held = {memory->allocated, memory->reserved, memory->active},
                                            .has_active = true,
                                            .has_stream = true,
                                            .stream = memory->stream,
                                            .device = memory->device};
        status = take_record(merging, &record, err);
        if (!caching)
            continue;
        merging->own = record.held;
        merging->stream = memory->stream;
        merging->has_stream = true;
        if (status == 0)
            status = take_both(merging, memory->time_ns, memory->device, err);
    }
    return status;
}

static int take_engine(struct merging *merging, sqlite3_stmt *row, struct err *err)
{
    const struct torch_record record = {.component = "GE",
                                        .time_ns = sqlite3_column_int64(row, 0),
                                        .held = {sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2), 0},
                                        .device = sqlite3_column_int64(row, 3)};
    int status = take_own_until(merging, record.time_ns, err);
    merging->engine = record.held;
    if (status == 0)
        status = take_record(merging, &record, err);
    return status == 0 ? take_both(merging, record.time_ns, record.device, err) : status;
}

int torch_each_record(const struct framework_analysis *analysis,
                      int (*each)(void *arg, const struct torch_record *record, struct err *err), void *arg,
                      struct err *err)
{
    struct merging merging = {.analysis = analysis, .each = each, .arg = arg};
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(analysis->db,
                                                      "SELECT time_ns, allocated_bytes, reserved_bytes, device_id"
                                                      " FROM task_memory_info ORDER BY time_ns, id",
                                                      &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = take_engine(&merging, statement, err);
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, analysis->db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status == 0 ? take_own_until(&merging, INT64_MAX, err) : status;
}
