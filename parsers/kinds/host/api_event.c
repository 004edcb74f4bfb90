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
    [REQUEST_ID] = {"request_id", "Request ID", NUMBER, "Distinguishes calls of the same function and item."},
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

static ALWAYS_INLINE int add_call(struct decoder *decoder, const struct state *state,
                                  const struct record_source *source, int64_t begin_tick, int64_t end_tick, bool *keep,
                                  struct err *err)
{
    struct host_call call = {
        .begin_ns = part_ticks_ns(&state->stream.host, begin_tick),
        .end_ns = part_ticks_ns(&state->stream.host, end_tick),
        .item_id = source_integer(source, ITEM_ID),
        .type = source_u32(source, TYPE),
        .thread_id = source_u32(source, THREAD_ID),
        .level = (uint16_t)source_integer(source, LEVEL),
    };
    *keep = decoder_check_span(decoder, "the call", call.begin_ns, call.end_ns);
    return *keep && state->stream.association != NULL ? association_add_call(state->stream.association, &call, err) : 0;
}

static ALWAYS_INLINE int take_event(struct decoder *decoder, struct state *state, const struct record_source *source,
                                    bool *keep, struct err *err)
{
    struct pair_key key = {(uint64_t)source_integer(source, LEVEL) << 32 | source_u32(source, TYPE),
                           (uint64_t)source_integer(source, THREAD_ID) << 32 | source_u32(source, REQUEST_ID),
                           (uint64_t)source_integer(source, ITEM_ID)};
    struct open_half *half = map_get(&state->events, &key);
    int64_t tick = source_integer(source, BEGIN_TICK);
    if (half != NULL) {
        struct open_half first = *half;
        map_remove(&state->events, half);
        int status = add_call(decoder, state, source, first.tick, tick, keep, err);
        if (!*keep)
            half_drop(&first, DIAG_RECORD_VALUE);
        return status;
    }
    if (pair_table_is_full(&state->events))
        return decoder_refuse(decoder, keep, DIAG_CALL_UNMATCHED, NULL, "more than %u calls under way at once",
                              PAIR_TABLE_MAX);
    return pair_table_add(&state->events, &key, tick, decoder_joined_file(decoder), err);
}

static ALWAYS_INLINE int take_call(struct decoder *decoder, void *opaque, const struct record_source *source,
                                   bool *keep, struct err *err)
{
    struct state *state = opaque;
    int64_t end = source_integer(source, END_TICK);
    if (end == EVENT_END)
        return take_event(decoder, state, source, keep, err);
    if (end < 0)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "end_tick", "a value of 2^63 or more; expected less");
    return add_call(decoder, state, source, source_integer(source, BEGIN_TICK), end, keep, err);
}

RECORD_HOOKS(take_call, fields, 0, 0)

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
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_call_row, .close = close_stream,
          DIRECT(take_call, fields)),
};
