/* SPDX-License-Identifier: Apache-2.0 */
/* operator_memory.csv, memory_record.csv: device memory, from the framework's records and those of the capture's
 * engine. */
#include "features/frameworks/reports/memory.h"

#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"
#include "features/frameworks/mindspore/mindspore.h"
#include "features/frameworks/reports/torch_relation.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define KB 1024.0
#define MB (1024.0 * 1024.0)
#define MB_OF_1000 (1024.0 * 1000.0)

/* ---- pieces ---- */

/* Numbers of records; NONE: not yet. */
struct piece {
    uint32_t got, gave, block;
};

static bool is_shown(const struct framework_memory *memory)
{
    return memory->device_type == MEMORY_OF_NPU && memory->allocator == 0;
}

/* Pieces of addresses: the last one that each had. */
struct place_of {
    uint64_t address;
    size_t piece;
};

/* Gathers each allocation of an address and at most one release of each kind after it, by the times of allocations. */
static int gather(const struct framework_memories *memories, struct piece *pieces, size_t *ret_count, struct err *err)
{
    SCOPED(map_release) struct map places = MAP_OF(struct place_of, address);
    *ret_count = 0;
    for (size_t i = 0; i < memories->count; i++) {
        const struct framework_memory *memory = &memories->items[i];
        large_pass(i);
        if (!is_shown(memory))
            continue;
        struct place_of *place = memory->kind == MEMORY_GOT ? map_add(&places, &memory->address, NULL, err)
                                                            : map_get(&places, &memory->address);
        if (memory->kind == MEMORY_GOT) {
            if (place == NULL)
                return err_status(err);
            place->piece = (*ret_count)++;
            pieces[place->piece] = (struct piece){(uint32_t)i, NONE, NONE};
        } else if (place != NULL) {
            struct piece *piece = &pieces[place->piece];
            uint32_t *released = memory->kind == MEMORY_GAVE ? &piece->gave : &piece->block;
            if (*released == NONE)
                *released = (uint32_t)i;
        }
    }
    return 0;
}

/* The operator around an allocation: through the queue of those who take work out of it. */
static const char *owner_of(const struct framework_analysis *analysis, const struct framework_memory *memory)
{
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = framework_launch_at(framework, memory->thread, memory->time_ns);
    const struct torch_op *op = launch != NULL ? torch_op_of_dequeue(analysis, launch->range) : NULL;
    const struct torch_ops *ops = &framework->torch->ops;
    const size_t begun =
        search_until(ops->items, ops->count, sizeof *ops->items, offsetof(struct torch_op, start_ns), memory->time_ns);
    for (uint32_t i = op == NULL && begun > 0 ? (uint32_t)(begun - 1) : TORCH_NONE; i != TORCH_NONE;
         i = ops->items[i].parent) {
        if (ops->items[i].thread == memory->thread && ops->items[i].end_ns >= memory->time_ns) {
            op = &ops->items[i];
            break;
        }
    }
    return op != NULL ? framework_text(framework, op->name) : "";
}

static struct framework_held held_at(const struct framework_memory *memory)
{
    return (struct framework_held){memory->allocated, memory->reserved, memory->active};
}

static int take_own(const struct framework_analysis *analysis, const struct framework_memory *items,
                    const struct intern *owners, const struct piece *piece, framework_piece_taker *each, void *arg,
                    struct err *err)
{
    const struct framework_memory *got = &items[piece->got];
    const struct framework_piece whole = {
        .owner = owners != NULL ? owners->items[got->owner].bytes : owner_of(analysis, got),
        .owner_id = DB_NULL,
        .bytes = got->size,
        .got_ns = got->time_ns,
        .gave_ns = piece->gave != NONE ? items[piece->gave].time_ns : DB_NULL,
        .block_ns = piece->block != NONE ? items[piece->block].time_ns : DB_NULL,
        .at_got = held_at(got),
        .at_gave = piece->gave != NONE ? held_at(&items[piece->gave]) : (struct framework_held){0, 0, 0},
        .stream = got->stream,
        .device = got->device};
    return each(arg, &whole, err);
}

/* Records by time. owners: of MindSpore's; NULL: operators of PyTorch's are found by their times. */
static int each_own(const struct framework_analysis *analysis, const struct framework_memories *memories,
                    const struct intern *owners, framework_piece_taker *each, void *arg, struct err *err)
{
    size_t count = 0;
    if (memories->count >= NONE)
        return err_set(err, ERR_LIMIT, "more than %u records of memory", NONE);
    for (size_t i = 0; i < memories->count; i++) {
        large_pass(i);
        count += is_shown(&memories->items[i]) && memories->items[i].kind == MEMORY_GOT;
    }
    struct piece *pieces = large_new(count, sizeof *pieces, err);
    if (pieces == NULL)
        return err_status(err);
    int status = gather(memories, pieces, &count, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        large_passed(8); /* as many places in memory as records, launches and operators around it are */
        if (framework_wants_time(analysis, memories->items[pieces[i].got].time_ns))
            status = take_own(analysis, memories->items, owners, &pieces[i], each, arg, err);
    }
    large_free(pieces);
    return status;
}

/* A row of what the capture's engine records: memory that it gets, and gives back with a negative size. */
struct engine_row {
    int64_t node_name_id, address, device_id; /* which of its pieces */
    int64_t id, bytes, time_ns, allocated, reserved;
};
static const struct scan_column engine_columns[] = {
    {"node_name_id", 0, false}, {"address", 1, false}, {"device_id", 2, false},       {"id", 3, false},
    {"bytes", 4, false},        {"time_ns", 5, false}, {"allocated_bytes", 6, false}, {"reserved_bytes", 7, false},
};
enum { ENGINE_COLUMNS = sizeof engine_columns / sizeof *engine_columns };

struct held_piece {
    struct {
        int64_t node_name_id, address, device_id;
    } key;
    struct engine_row got;
};

struct engine_taking {
    const struct framework_analysis *analysis;
    framework_piece_taker *each;
    void *arg;
    const struct cann_texts *names;
    struct map held;                                     /* of held_piece */
    struct engine_rows ARRAY_OF(struct engine_row) kept; /* pieces that are never given back */
};

static int64_t known(int64_t value)
{
    return value != DB_NULL ? value : 0;
}

/* gave: NULL: it is never given back. */
static int give_engine_piece(const struct engine_taking *taking, const struct engine_row *got,
                             const struct engine_row *gave, struct err *err)
{
    const struct cann_text owner = cann_text(taking->names, got->node_name_id, 0);
    const struct framework_piece piece = {
        .by_engine = true,
        .owner = owner.text != NULL ? owner.text : "",
        .owner_id = got->node_name_id,
        .bytes = got->bytes,
        .got_ns = known(got->time_ns),
        .gave_ns = gave != NULL ? gave->time_ns : DB_NULL,
        .block_ns = DB_NULL,
        .at_got = {known(got->allocated), known(got->reserved), 0},
        .at_gave = {gave != NULL ? known(gave->allocated) : 0, gave != NULL ? known(gave->reserved) : 0, 0},
        .device = known(got->device_id),
    };
    return framework_wants_time(taking->analysis, piece.got_ns) ? taking->each(taking->arg, &piece, err) : 0;
}

static int keep_piece(struct engine_taking *taking, const struct engine_row *got, struct err *err)
{
    if (large_reserve(&taking->kept, 1, err) < 0)
        return err_status(err);
    taking->kept.items[taking->kept.count++] = *got;
    return 0;
}

/* The next record for a piece shows whether it is released. */
static int take_engine_row(void *arg, int64_t *values, struct err *err)
{
    struct engine_taking *taking = arg;
    const struct engine_row *row = (const struct engine_row *)(const void *)values;
    struct held_piece *held = map_get(&taking->held, values);
    if (held != NULL && (row->bytes < 0 && row->bytes != DB_NULL ? give_engine_piece(taking, &held->got, row, err)
                                                                 : keep_piece(taking, &held->got, err)) < 0)
        return err_status(err);
    if (row->bytes <= 0 && held != NULL)
        map_remove(&taking->held, held);
    if (row->bytes <= 0)
        return 0;
    if (held == NULL && (held = map_add(&taking->held, values, NULL, err)) == NULL)
        return err_status(err);
    held->got = *row;
    return 0;
}

ARRAY_COMPARE(compare_rows, struct engine_row, ARRAY_BY(id))

static int give_kept(struct engine_taking *taking, struct err *err)
{
    for (const struct held_piece *held = map_next(&taking->held, NULL); held != NULL;
         held = map_next(&taking->held, held))
        if (keep_piece(taking, &held->got, err) < 0)
            return err_status(err);
    large_sort(taking->kept.items, taking->kept.count, sizeof *taking->kept.items, compare_rows);
    for (size_t i = 0; i < taking->kept.count; i++)
        if (give_engine_piece(taking, &taking->kept.items[i], NULL, err) < 0)
            return err_status(err);
    return 0;
}

/* Gives the engine's pieces: those that are given back in the order of that, then the others. */
static int each_of_engine(struct engine_taking *taking, struct err *err)
{
    struct query_scan *scan;
    if (query_scan_new(taking->analysis->db, "task_memory_info", NULL, engine_columns, ENGINE_COLUMNS, ENGINE_COLUMNS,
                       &scan, err) < 0)
        return err_status(err);
    bool failed =
        query_scan(scan, INT64_MIN + 1, INT64_MAX, take_engine_row, taking, err) < 0 || give_kept(taking, err) < 0;
    query_scan_free(scan);
    map_release(&taking->held);
    large_free(taking->kept.items);
    return failed ? err_status(err) : 0;
}

ARRAY_COMPARE(compare_times, struct framework_memory, ARRAY_BY(time_ns))

int framework_each_piece(struct framework_analysis *analysis, framework_piece_taker *each, void *arg, struct err *err)
{
    if (analysis->framework->torch == NULL) {
        struct framework_memories memories;
        SCOPED(intern_release) struct intern owners = {.items = NULL};
        int status =
            mindspore_memory_load(analysis->framework, analysis->directory, &owners, &memories, analysis->diag, err);
        array_sort(memories.items, memories.count, sizeof *memories.items, compare_times);
        if (status == 0)
            status = each_own(analysis, &memories, &owners, each, arg, err);
        free(memories.items);
        return status;
    }
    struct engine_taking taking = {.analysis = analysis,
                                   .each = each,
                                   .arg = arg,
                                   .names = report_names(&analysis->session, true, err),
                                   .held = MAP_OF(struct held_piece, key)};
    if (taking.names == NULL || each_own(analysis, &analysis->framework->torch->memories, NULL, each, arg, err) < 0)
        return err_status(err);
    return each_of_engine(&taking, err);
}

/* ---- operator_memory.csv ---- */

struct piece_row {
    const char *name, *device;
    double kb;
    struct report_value got, gave, active_gave, duration, active_duration;
    struct report_value got_allocated, got_reserved, got_active, gave_allocated, gave_reserved, gave_active, stream;
};

struct time_text {
    char text[48];
};

/* "NPU:0" */
static const char *put_device(struct time_text *text, int64_t device)
{
    memcpy(text->text, "NPU:", 4);
    *number_put_signed(text->text + 4, device) = '\0';
    return text->text;
}

/* As PyTorch has it with a tab behind, so that spreadsheets do not round. */
static struct report_value put_us(bool pytorch, struct time_text *text, int64_t ns)
{
    if (!pytorch)
        return value_real((double)ns / 1000.0);
    char *p = number_put_us(text->text, ns);
    *p++ = '\t';
    return value_text_of(text->text, (size_t)(p - text->text));
}

static struct report_value megabytes(int64_t bytes)
{
    return value_real((double)bytes / MB);
}

/* Puts a row; an engine's piece that was never released has its release at its beginning. */
static int put_memory(void *arg, const struct framework_piece *piece, struct err *err)
{
    struct report_run *run = arg;
    bool pytorch = report_analysis(run)->framework->torch != NULL;
    const struct report_value none = pytorch ? value_text("") : value_none();
    struct piece_row row = {
        .kb = (double)piece->bytes / KB,
        .gave = none,
        .active_gave = none,
        .duration = none,
        .active_duration = none,
        .got_active = none,
        .gave_allocated = none,
        .gave_reserved = none,
        .gave_active = none,
        .stream = none,
    };
    struct time_text times[5], device;
    bool gives = piece->by_engine || piece->gave_ns != DB_NULL;
    int64_t gave_ns = piece->gave_ns != DB_NULL ? piece->gave_ns : piece->got_ns,
            kept_ns = number_subtract(gave_ns, piece->got_ns);
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, TORCH_TEXT_LIMIT);
    strbuf_adds(&name, piece->by_engine ? "cann::" : "");
    strbuf_adds(&name, piece->owner);
    row.name = name.data;
    row.device = put_device(&device, piece->device);
    row.got = put_us(pytorch, &times[0], piece->got_ns);
    row.got_allocated = megabytes(piece->at_got.allocated);
    row.got_reserved = megabytes(piece->at_got.reserved);
    if (gives) {
        row.gave = put_us(pytorch, &times[1], gave_ns);
        row.duration = piece->by_engine ? value_scaled(kept_ns, 3) : put_us(pytorch, &times[2], kept_ns);
        row.gave_allocated = megabytes(piece->at_gave.allocated);
        row.gave_reserved = megabytes(piece->at_gave.reserved);
    }
    if (!piece->by_engine) {
        row.got_active = megabytes(piece->at_got.active);
        row.stream = value_integer((int64_t)piece->stream);
        if (gives)
            row.gave_active = megabytes(piece->at_gave.active);
    }
    if (piece->block_ns != DB_NULL) {
        row.active_gave = put_us(pytorch, &times[3], piece->block_ns);
        row.active_duration = put_us(pytorch, &times[4], piece->block_ns - piece->got_ns);
    }
    return name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of an operator")
                       : report_put(run, &row, err);
}

static int put_pieces(struct report_run *run, struct err *err)
{
    return framework_each_piece(report_analysis(run), put_memory, run, err);
}

static const struct report operator_memory = {
    .name = "operator_memory",
    .title = "Memory of operators",
    .doc = "Every piece of device memory that an operator got.",
    .columns =
        VALUE_LIST({"Name", REPORT_FIELD(struct piece_row, name), .doc = "The operator."},
                   {"Size(KB)", REPORT_FIELD(struct piece_row, kb), FORM_FLOAT, .doc = "Size."},
                   {"Allocation Time(us)", REPORT_FIELD(struct piece_row, got), FORM_FLOAT, .doc = "Allocation time."},
                   {"Release Time(us)", REPORT_FIELD(struct piece_row, gave), FORM_FLOAT, .doc = "Time of release."},
                   {"Active Release Time(us)", REPORT_FIELD(struct piece_row, active_gave), FORM_FLOAT,
                    .doc = "Time when it became free for use."},
                   {"Duration(us)", REPORT_FIELD(struct piece_row, duration), FORM_FLOAT, .doc = "Time in use."},
                   {"Active Duration(us)", REPORT_FIELD(struct piece_row, active_duration), FORM_FLOAT,
                    .doc = "Time until it became free for use."},
                   {"Allocation Total Allocated(MB)", REPORT_FIELD(struct piece_row, got_allocated), FORM_FLOAT,
                    .doc = "In use, when it got it."},
                   {"Allocation Total Reserved(MB)", REPORT_FIELD(struct piece_row, got_reserved), FORM_FLOAT,
                    .doc = "Held, when it got it."},
                   {"Allocation Total Active(MB)", REPORT_FIELD(struct piece_row, got_active), FORM_FLOAT,
                    .doc = "Not free for use yet, when it got it."},
                   {"Release Total Allocated(MB)", REPORT_FIELD(struct piece_row, gave_allocated), FORM_FLOAT,
                    .doc = "In use, when it was given back."},
                   {"Release Total Reserved(MB)", REPORT_FIELD(struct piece_row, gave_reserved), FORM_FLOAT,
                    .doc = "Held, when it was given back."},
                   {"Release Total Active(MB)", REPORT_FIELD(struct piece_row, gave_active), FORM_FLOAT,
                    .doc = "Not free for use yet, when it was given back."},
                   {"Stream Ptr", REPORT_FIELD(struct piece_row, stream), .flags = REPORT_NUMBER, .doc = "The stream."},
                   {"Device Type", REPORT_FIELD(struct piece_row, device), .doc = "The device."}),
    .rows = put_pieces,
};

/* ---- totals ---- */

struct merging {
    const struct framework_analysis *analysis;
    framework_total_taker *each;
    void *arg;
    const struct framework_memories *own;
    size_t next; /* of own */
    bool pytorch;
    struct framework_total last; /* of the framework and of the engine */
};

static int take_total(const struct merging *merging, const struct framework_total *total, struct err *err)
{
    return framework_wants_time(merging->analysis, total->time_ns) ? merging->each(merging->arg, total, err) : 0;
}

/* Gives a row of one of them, and the sum of both behind it. */
static int take_both(struct merging *merging, const struct framework_total *total, struct err *err)
{
    struct framework_total both = merging->last;
    both.component = merging->pytorch ? FRAMEWORK_BOTH : "MindSpore+GE";
    both.time_ns = total->time_ns;
    both.device = merging->pytorch ? total->device : merging->analysis->framework->info.rank;
    both.has_active = true;
    return take_total(merging, total, err) < 0 ? err_status(err) : take_total(merging, &both, err);
}

/* Whether the framework's next row comes before the engine's (NULL: there is no further one). */
static bool is_next(const struct merging *merging, const struct framework_total *engine)
{
    if (merging->next == merging->own->count || engine == NULL)
        return merging->next < merging->own->count;
    int64_t time_ns = merging->own->items[merging->next].time_ns;
    return time_ns < engine->time_ns || (time_ns == engine->time_ns && merging->pytorch);
}

static int take_own_before(struct merging *merging, const struct framework_total *engine, struct err *err)
{
    int status = 0;
    for (; status == 0 && is_next(merging, engine); merging->next++) {
        const struct framework_memory *memory = &merging->own->items[merging->next];
        bool caching = memory->component == MEMORY_CACHING;
        const struct framework_total total = {.component = !merging->pytorch ? "MindSpore"
                                                           : caching         ? "PTA"
                                                                             : "WORKSPACE",
                                              .time_ns = memory->time_ns,
                                              .own = held_at(memory),
                                              .has_active = true,
                                              .has_stream = true,
                                              .stream = memory->stream,
                                              .device = merging->pytorch ? memory->device
                                                                         : merging->analysis->framework->info.rank};
        if (memory->device_type != MEMORY_OF_NPU)
            continue;
        if (caching) {
            merging->last.own = total.own;
            merging->last.stream = total.stream;
            merging->last.has_stream = true;
        }
        status = caching ? take_both(merging, &total, err) : take_total(merging, &total, err);
    }
    return status;
}

static int take_engine(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct merging *merging = arg;
    const struct framework_total total = {.component = "GE",
                                          .time_ns = sqlite3_column_int64(row, 0),
                                          .engine = {sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2), 0},
                                          .device = sqlite3_column_int64(row, 3)};
    if (take_own_before(merging, &total, err) < 0)
        return err_status(err);
    merging->last.engine = total.engine;
    return take_both(merging, &total, err);
}

int framework_each_total(const struct framework_analysis *analysis, framework_total_taker *each, void *arg,
                         struct err *err)
{
    const struct torch *torch = analysis->framework->torch;
    struct framework_memories lines = {.count = 0};
    struct merging merging = {.analysis = analysis,
                              .each = each,
                              .arg = arg,
                              .own = torch != NULL ? &torch->memories : &lines,
                              .pytorch = torch != NULL};
    bool failed = (torch == NULL &&
                   mindspore_totals_load(analysis->framework, analysis->directory, &lines, analysis->diag, err) < 0) ||
                  query_run(analysis->db,
                            "SELECT time_ns, allocated_bytes, reserved_bytes, device_id FROM task_memory_info"
                            " ORDER BY time_ns, id",
                            NULL, 0, take_engine, &merging, err) < 0 ||
                  take_own_before(&merging, NULL, err) < 0;
    free(lines.items);
    return failed ? err_status(err) : 0;
}

/* ---- memory_record.csv ---- */

struct record {
    const char *component, *device;
    int64_t time_ns;
    double reserved;
    struct report_value allocated, active, stream; /* or nothing: empty */
};

static const struct report_column torch_columns[] = {
    {"Component", REPORT_FIELD(struct record, component), .doc = "Whose memory."},
    {"Timestamp(us)", REPORT_FIELD(struct record, time_ns), FORM_TIME, .doc = "Time."},
    {"Total Allocated(MB)", REPORT_FIELD(struct record, allocated), FORM_FLOAT, .doc = "In use."},
    {"Total Reserved(MB)", REPORT_FIELD(struct record, reserved), FORM_FLOAT, .doc = "Held."},
    {"Total Active(MB)", REPORT_FIELD(struct record, active), FORM_FLOAT, .doc = "Not free for use yet."},
    {"Stream Ptr", REPORT_FIELD(struct record, stream), .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Device Type", REPORT_FIELD(struct record, device), .doc = "The device."},
    {.title = NULL},
};

static const struct report_column mindspore_columns[] = {
    {"Component", REPORT_FIELD(struct record, component), .doc = "Whose memory."},
    {"Timestamp(us)", REPORT_FIELD(struct record, time_ns), FORM_SCALED, 3, .doc = "Time."},
    {"Total Allocated(MB)", REPORT_FIELD(struct record, allocated), FORM_FLOAT,
     .doc = "In use, in units of 1024000 bytes."},
    {"Total Reserved(MB)", REPORT_FIELD(struct record, reserved), FORM_FLOAT, .doc = "Held, in the same unit."},
    {"Total Active(MB)", REPORT_FIELD(struct record, active), FORM_FLOAT,
     .doc = "Not free for use yet, in the same unit."},
    {"Device Type", REPORT_FIELD(struct record, device), .doc = "The device."},
    {.title = NULL},
};

/* Adds bytes up as each framework does. */
static double sum_of(bool pytorch, int64_t own, int64_t engine)
{
    return pytorch ? (double)(own + engine) / MB : (double)own / MB_OF_1000 + (double)engine / MB_OF_1000;
}

static int put_total(void *arg, const struct framework_total *total, struct err *err)
{
    struct report_run *run = arg;
    const bool pytorch = report_analysis(run)->framework->torch != NULL;
    const struct framework_held *own = &total->own, *engine = &total->engine;
    struct time_text device;
    const struct record row = {
        .component = total->component,
        .device = put_device(&device, total->device),
        .time_ns = total->time_ns,
        .reserved = sum_of(pytorch, own->reserved, engine->reserved),
        .allocated = value_real(sum_of(pytorch, own->allocated, engine->allocated)),
        .active = total->has_active || !pytorch ? value_real(sum_of(pytorch, own->active, 0)) : value_text(""),
        .stream = total->has_stream ? value_integer((int64_t)total->stream) : value_text(""),
    };
    return report_put(run, &row, err);
}

/* Puts what the device says of the application's memory. */
static int put_application(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct report_run *run = arg;
    const struct framework_analysis *analysis = report_analysis(run);
    const bool pytorch = analysis->framework->torch != NULL;
    struct time_text device;
    if (!framework_wants_time(analysis, sqlite3_column_int64(row, 0)))
        return 0;
    const struct record values = {
        .component = "APP",
        .device = put_device(&device, pytorch ? sqlite3_column_int64(row, 2) : analysis->framework->info.rank),
        .time_ns = sqlite3_column_int64(row, 0),
        .reserved = (double)sqlite3_column_int64(row, 1) / (pytorch ? KB : 1000.0),
        .allocated = pytorch ? value_text("") : value_real(0),
        .active = pytorch ? value_text("") : value_real(0),
        .stream = value_text(""),
    };
    return report_put(run, &values, err);
}

/* MindSpore has the application's rows behind the others, PyTorch before them. */
static int put_records(struct report_run *run, struct err *err)
{
    const struct framework_analysis *analysis = report_analysis(run);
    const bool pytorch = analysis->framework->torch != NULL;
    if ((!pytorch && framework_each_total(analysis, put_total, run, err) < 0) ||
        query_run(analysis->db,
                  "SELECT time_ns, (ddr_bytes + hbm_bytes) / 1024, device_id FROM npu_mem WHERE user = 0 ORDER BY id",
                  NULL, 0, put_application, run, err) < 0 ||
        (pytorch && framework_each_total(analysis, put_total, run, err) < 0))
        return err_status(err);
    return 0;
}

int framework_write_memory(struct framework_analysis *analysis, struct err *err)
{
    struct torch *torch = analysis->framework->torch;
    const struct framework_info *info = &analysis->framework->info;
    const struct report memory_record = {
        .name = "memory_record",
        .title = "Memory in use",
        .doc = "Memory of the device that the framework and the capture's engine hold.",
        .columns = torch != NULL ? torch_columns : mindspore_columns,
        .rows = put_records,
    };
    bool failed = info->memory &&
                  (((torch != NULL || info->with_cpu) && framework_write_report(analysis, &operator_memory, err) < 0) ||
                   framework_write_report(analysis, &memory_record, err) < 0);
    if (torch != NULL && !analysis->databases)
        torch_forget_memory(torch);
    return failed ? err_status(err) : 0;
}
