/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of CANN's layers: *.api_event.data, a record for each call, or one for its begin and one for its end. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/pair_table.h"

enum { REQUEST_ID = THREAD_ID + 1, BEGIN_TICK, END_TICK, ITEM_ID };

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [LEVEL] = {"level", "Level", NAMES(PLAIN, level_names), "The layer of CANN that the function belongs to."},
    [TYPE] = {"type", "Type", NUMBER,
              "The function, as a type of its level; for ACL the high 16 bits name the part of ACL."},
    [THREAD_ID] = {"thread_id", "Thread ID", NUMBER, "The calling thread."},
    [REQUEST_ID] = {"request_id", "Request ID", NUMBER, "Tells calls of the same function and item apart."},
    [BEGIN_TICK] = {"begin_tick", "Begin", INTEGER(TICK, PLAIN),
                    "When the call began, or when the event happened, on the host's counter."},
    [END_TICK] = {"end_tick", "End", INTEGER(TICK, PLAIN),
                  "When the call returned, on the host's counter; -1 (all bits set): an event, one half of a call."},
    [ITEM_ID] = {"item_id", "Item", NUMBER, "Object of the call: an id of the hash dictionary, or a model id."},
};

static const struct field fields[] = {
    FIELD("level", 2, 2),           FIELD("type", 4, 4),        FIELD("thread_id", 8, 4),
    FIELD("request_id", 12, 4),     FIELD("begin_tick", 16, 8), SIGNED_FIELD("end_tick", 24, 8),
    SIGNED_FIELD("item_id", 32, 8),
};

#define EVENT_END (-1) /* the end of a record that is one half of a call */

struct state {
    struct record_stream stream; /* first: record_stream_open takes the state for it */
    const char *file_name;
    struct map events; /* of struct open_half */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    int status = record_stream_open(decoder, &state->stream, file, err);
    state->file_name = file->name;
    state->events = (struct map)PAIR_TABLE;
    return status;
}

static int add_call(struct decoder *decoder, const struct state *state, const struct row *row, int64_t begin_tick,
                    int64_t end_tick, bool *keep, struct err *err)
{
    struct host_call call = {
        .begin_ns = part_host_ns(state->stream.part, begin_tick),
        .end_ns = part_host_ns(state->stream.part, end_tick),
        .item_id = row->cells[ITEM_ID].integer,
        .type = row_u32(row, TYPE),
        .thread_id = row_u32(row, THREAD_ID),
        .level = (uint16_t)row->cells[LEVEL].integer,
    };
    *keep = decoder_check_span(decoder, "the call", call.begin_ns, call.end_ns);
    return *keep && state->stream.association != NULL ? association_add_call(state->stream.association, &call, err) : 0;
}

static int take_event(struct decoder *decoder, struct state *state, const struct row *row, bool *keep, struct err *err)
{
    const struct cell *cells = row->cells;
    struct pair_key key = {(uint64_t)cells[LEVEL].integer << 32 | row_u32(row, TYPE),
                           (uint64_t)cells[THREAD_ID].integer << 32 | row_u32(row, REQUEST_ID),
                           (uint64_t)cells[ITEM_ID].integer};
    struct open_half *half = map_get(&state->events, &key);
    int64_t tick = cells[BEGIN_TICK].integer;
    if (half != NULL) {
        struct open_half first = *half;
        map_remove(&state->events, half);
        int status = add_call(decoder, state, row, first.tick, tick, keep, err);
        if (!*keep)
            half_drop(&first, DIAG_RECORD_VALUE);
        return status;
    }
    if (pair_table_is_full(&state->events))
        return decoder_refuse(decoder, keep, DIAG_CALL_UNMATCHED, NULL, "more than %u calls under way at once",
                              PAIR_TABLE_MAX);
    return pair_table_add(&state->events, &key, tick, decoder_joined_file(decoder), err);
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    int64_t end = row->cells[END_TICK].integer;
    if (end == EVENT_END)
        return take_event(decoder, state, row, keep, err);
    if (end < 0)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "end_tick", "a value of 2^63 or more; expected less");
    return add_call(decoder, state, row, row->cells[BEGIN_TICK].integer, end, keep, err);
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    const struct open_half *half = NULL;
    while (!failed && (half = map_next(&state->events, half)) != NULL) {
        diag_report(decoder_diag(decoder), DIAG_CALL_UNMATCHED, FILE_PLACE(state->file_name, NULL),
                    "an event of level %llu type %llu at tick %lld has no second half",
                    (unsigned long long)(half->key.a >> 32), (unsigned long long)(half->key.a & 0xffffffff),
                    (long long)half->tick);
        half_drop(half, DIAG_CALL_UNMATCHED);
    }
    map_release(&state->events);
    return 0;
}

const struct record_kind kind_api_event = {
    .name = "api_event",
    .families = FAMILY_CANN,
    .title = "API call of CANN",
    .doc = "A call of a function of one of CANN's layers. Calls of a thread nest; what is launched on a device inside "
           "is joined with them.",
    .patterns = (const char *const[]){"{tag}.api_event.data.slice_{slice}", NULL},
    RECORDS_OF(columns,
               CANN_LAYOUT("cann-api-event", 40,
                           "CANN MsprofApi and MsprofEvent, 40 bytes, magic 0x5A5A (docs/formats/cann.md 3.3)")),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
