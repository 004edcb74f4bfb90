/* SPDX-License-Identifier: Apache-2.0 */
/* When the pipes of single cores work: instr.biu_perf_group<group>_<core>. */
#include "base/number.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    STORED(CYCLES, "cycles", "Stamp", INTEGER(NONE, TRANSIENT),                                                        \
           "Cycles of the core since the record before; of the first four, a part of the counter of the device.",      \
           AT(0, 2))                                                                                                   \
    STORED(EVENTS, "events", "Stamp", INTEGER(NONE, TRANSIENT),                                                        \
           "A bit for each pipe that works; of a mark, its number.", AT(2, 2), .bit_count = 12)                        \
    STORED(KIND, "record_kind", "Stamp", INTEGER(NONE, TRANSIENT),                                                     \
           "0 to 6 a mark of a pipe, 14 the counter, 15 which pipes work.", BITS_AT(3, 1, 4, 4))                       \
    MADE(GROUP_ID, "group_id", "Group", MADE_NUMBER, "The group of cores, from the file name.")                        \
    MADE(CORE, "core", "Core", NAMES(DERIVED, cores), "Which core of the group.")                                      \
    MADE(BLOCK_ID, "block_id", "Block", MADE_NUMBER, "The block that it ran.")                                         \
    MADE(PIPE, "pipe", "Pipe", NAMES(DERIVED, pipes), "The pipe.")                                                     \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED),                                                          \
         "When it began to work, or the mark was set, since 1970.")                                                    \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it worked; of a mark 0.")             \
    MADE(MARK, "mark", "Mark", MADE_NUMBER, "The number of the mark; NULL: none.")

enum { CORE_AIC, CORE_AIV0 };
static const struct value_name cores[] = {{CORE_AIC, "aic"}, {CORE_AIV0, "aiv0"}, {CORE_AIV0 + 1, "aiv1"}, {0, NULL}};

enum { PIPES = 7, PIPE_FIXP = 6 };
#define EACH_PIPE(X) X(0, "SU") X(1, "VEC") X(2, "CUBE") X(3, "MTE1") X(4, "MTE2") X(5, "MTE3") X(6, "FIXP")
#define VALUE_NAME(number, name) {number, name},
static const struct value_name pipes[] = {EACH_PIPE(VALUE_NAME){0, NULL}};
_Static_assert(COUNT_OF(pipes) == PIPES + 1, "a name for each pipe");

/* Kinds of records: up to PIPE_FIXP a mark of the pipe of that number; of others only the time counts. */
enum { KIND_COUNTER = 14, KIND_STATE = 15 };

COLUMN_TABLES;

/* Four records wherever a block begins say where the device's counter stood, 16 bits each, and the first two of them
 * which block it is, 8 bits each. One of other bits ends the block; what stands behind it is filler. */
enum { COUNTER_PARTS = 4, COUNTER_BITS = 16, BLOCK_PARTS = 2, BLOCK_BITS = 8 };
enum { END_CYCLES = 0xffff, END_EVENTS = 0xfff, FILLER_CYCLES = 0xdddd, FILLER_KIND = 0xd, FILLER_EVENTS = 0xddd };

struct state {
    const struct record_kind *kind;
    const struct capture_part *part;
    int64_t device_id, group_id, core;
    int64_t core_hz;
    int parts; /* of the counter of the block that begins or goes on */
    uint64_t counter, block;
    int64_t cycles; /* since the counter of the block */
    bool ended;     /* the block has, and no other has begun */
    bool works[PIPES];
    int64_t since_ns[PIPES]; /* when it began */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    const struct capture_part *part = decoder_part(decoder);
    bool vector = file->identity.core_id >= 0;
    *state = (struct state){.kind = file->kind,
                            .part = part,
                            .device_id = file->identity.device_id,
                            .group_id = file->identity.group_id,
                            .core = vector ? CORE_AIV0 + file->identity.core_id : CORE_AIC,
                            .core_hz = part->aic_hz > 0 ? part->aic_hz : part->aiv_hz};
    return 0;
}

static int64_t time_of(const struct state *state)
{
    return number_add(part_device_ns(state->part, (int64_t)state->counter),
                      number_scale(state->cycles, 1000000000, state->core_hz));
}

static int emit(struct decoder *decoder, const struct state *state, int64_t pipe, int64_t from_ns, int64_t to_ns,
                struct row *ret, struct err *err)
{
    if (decoder_emit(decoder, state->kind, ret, err) < 0)
        return err_status(err);
    row_set_integer(ret, FILE_ID, decoder_file_id(decoder));
    row_set_integer(ret, DEVICE_ID, state->device_id);
    row_set_integer(ret, GROUP_ID, state->group_id);
    row_set_integer(ret, CORE, state->core);
    row_set_integer(ret, BLOCK_ID, (int64_t)state->block);
    row_set_integer(ret, PIPE, pipe);
    row_set_integer(ret, START_NS, from_ns);
    row_set_integer(ret, DURATION_NS, to_ns - from_ns);
    return 0;
}

static void take_counter(struct state *state, uint64_t part, uint64_t events)
{
    if (state->parts == COUNTER_PARTS) {
        state->parts = 0;
        state->counter = state->block = 0;
    }
    state->counter |= part << COUNTER_BITS * state->parts;
    if (state->parts < BLOCK_PARTS)
        state->block |= (events & ((1U << BLOCK_BITS) - 1)) << BLOCK_BITS * state->parts;
    state->parts++;
    state->cycles = 0;
    state->ended = false;
}

/* A pipe that no longer works is a row. Work goes on over blocks. *keep false: that of one pipe began later than now,
 * and is no row. */
static int take_pipes(struct decoder *decoder, struct state *state, uint64_t working, bool *keep, struct err *err)
{
    int status = 0;
    for (int pipe = 0; status == 0 && pipe < PIPES; pipe++) {
        bool works = (working >> pipe & 1) != 0;
        struct row row;
        if (works && !state->works[pipe])
            state->since_ns[pipe] = time_of(state);
        else if (!works && state->works[pipe] &&
                 !decoder_check_span(decoder, "the work of a pipe", state->since_ns[pipe], time_of(state)))
            *keep = false;
        else if (!works && state->works[pipe])
            status = emit(decoder, state, pipe, state->since_ns[pipe], time_of(state), &row, err);
        state->works[pipe] = works;
    }
    return status;
}

static int take_mark(struct decoder *decoder, const struct state *state, int64_t pipe, int64_t mark, struct err *err)
{
    struct row row;
    int64_t now = time_of(state);
    if (emit(decoder, state, pipe, now, now, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, MARK, mark);
    return 0;
}

/* Why the record cannot be understood; NULL: it can. */
static const char *fault_of(const struct state *state, int64_t kind)
{
    bool told = state->parts == COUNTER_PARTS;
    if (kind == KIND_COUNTER)
        return NULL;
    if (told && (state->counter > INT64_MAX || state->core_hz <= 0))
        return "expected a counter below 2^63 and the cores' frequency before it";
    return told ? NULL : "expected the counter of the device in four records, then others";
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    int64_t kind = row->cells[KIND].integer, cycles = row->cells[CYCLES].integer, events = row->cells[EVENTS].integer;
    bool ends = kind == KIND_COUNTER && cycles == END_CYCLES && events == END_EVENTS;
    bool fills = kind == FILLER_KIND && cycles == FILLER_CYCLES && events == FILLER_EVENTS;
    const char *fault = fault_of(state, kind);
    if (ends || (fills && state->ended)) {
        state->ended = true;
        decoder_consume(decoder);
        return 0;
    }
    if (fault != NULL)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "record_kind", "a record of kind %lld; %s",
                              (long long)kind, fault);
    decoder_consume(decoder);
    if (kind == KIND_COUNTER) {
        take_counter(state, (uint64_t)cycles, (uint64_t)events);
        return 0;
    }
    state->cycles = number_add(state->cycles, cycles);
    if (kind == KIND_STATE)
        return take_pipes(decoder, state, (uint64_t)events, keep, err);
    return kind <= PIPE_FIXP ? take_mark(decoder, state, kind, events, err) : 0;
}

#define CORE_NAME "CASE core WHEN 0 THEN 'aic' ELSE 'aiv' || (core - 1) END"

static const struct report_column working[] = {
    {"Core Type", CORE_NAME, .form = FORM_TEXT}, {"Block Id", "block_id", .form = FORM_TEXT}, {.title = NULL}};
#define WHEN_PIPE(number, name) " WHEN " #number " THEN '" name "'"
#define PIPE_NAME "CASE pipe" EACH_PIPE(WHEN_PIPE) " END"
#define PLACES                                                                                                         \
    "p AS MATERIALIZED (SELECT device, g, c, row_number() OVER (PARTITION BY device ORDER BY g, c) - 1 AS place FROM " \
    "(SELECT DISTINCT device_id AS device, group_id AS g, core AS c FROM biu_state))"
#define PLACED "biu_state JOIN p ON device IS device_id AND g = group_id AND c = core"
#define ON_ITS_THREAD                                                                                                  \
    .time = "start_ns", .duration = "duration_ns", .thread = "place",                                                  \
    .thread_name = "'Group' || group_id || '-' || " CORE_NAME
#define IN_ORDER .order_by = "device_id, place, start_ns, duration_ns DESC"

const struct record_kind kind_biu_state = {
    OWN_TABLE("biu_state"),
    .families = FAMILY_CANN,
    .title = "Pipes of a core at work",
    .doc = "From when to when each pipe of a core worked, and marks that programs set, on chips 15 and 16.",
    .patterns = (const char *const[]){"instr.biu_perf_group{group_id}_aic.{device_id}.slice_{slice}",
                                      "instr.biu_perf_group{group_id}_aiv{core_id}.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("biu-state-4", 4, fields, "docs/formats/system.md 13: 4 bytes")),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record),
    ONE_SERIES(.name = "instr_state", .title = "Pipes of single cores at work",
               .doc = "From when to when each pipe of a core worked.", .layer = "instr", .process = "Biu Perf",
               .number = LAYER_BIU_STATE,
               .counters = ONE_COUNTER(.name = PIPE_NAME, .values = working,
                                       .query = {.with = PLACES, .from = PLACED, IN_ORDER}, ON_ITS_THREAD)),
};
