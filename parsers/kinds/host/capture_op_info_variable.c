/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of captured graphs with many tensors: *.variable.capture_op_info, records of different lengths. */
#include "base/strbuf.h"
#include "parsers/kinds/common/host/captured_op.h"
#include "parsers/kinds/common/sample.h"

#include <string.h>

static const struct layout layouts[] = {LAYOUT(
    "cann-capture-op-info-variable", CAPTURED_OP_HEAD, captured_op_fields,
    "CANN record of variable length: 88 bytes as in capture_op_info, then as many tensors of 44 bytes as it says "
    "(docs/formats/cann.md 3.5)",
    .part = true, HOST_RECORD_MAGICS)};

#define HEADER 24 /* that the length of data does not count */

struct state {
    struct record_stream stream; /* first */
    struct decode_plan plan;
    struct strbuf rest; /* what the slices so far left of a record */
    const char *file_name;
    int64_t record, offset; /* of the next record in the stream */
    bool lost;              /* what comes was reported, up to the next record */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    strbuf_init(&state->rest, (size_t)1 << 30);
    decode_plan_init(&state->plan, file->kind, &layouts[0]);
    return record_stream_open(decoder, &state->stream, file, err);
}

/* How long the record is that begins here; 0: none begins here. Its magic, count and length must agree. */
static size_t record_length(const unsigned char *bytes)
{
    uint64_t count = bytes_load(bytes + 84, 4, false), length = bytes_load(bytes + 12, 4, false);
    return bytes_load(bytes, 2, false) == layouts[0].magics[0].value &&
                   length == CAPTURED_OP_HEAD - HEADER + count * CAPTURED_OP_TENSOR
               ? HEADER + length
               : 0;
}

static int emit(struct decoder *decoder, struct state *state, const unsigned char *bytes, size_t length,
                struct err *err)
{
    struct cell cells[CAPTURED_OP_COLUMNS];
    uint64_t present = 0;
    struct row decoded = {cells, &present}, row = {NULL, NULL};
    int bad_column;
    decode_record(&state->plan, bytes, &decoded, &bad_column);
    if (bad_column >= 0) {
        struct place place = {state->file_name, state->record, state->offset, captured_op_columns[bad_column].name};
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "a value of 2^63 or more; expected less");
        decoder_reject(decoder, DIAG_RECORD_VALUE);
        return 0;
    }
    const struct bytes tensors = {bytes + CAPTURED_OP_HEAD, length - CAPTURED_OP_HEAD};
    decode_put_file(&state->plan, decoder_file_id(decoder), &decoded);
    if (captured_op_take(decoder, &state->stream, &decoded, &tensors, err) < 0 ||
        decoder_emit(decoder, state->stream.kind, &row, err) < 0)
        return err_status(err);
    memcpy(row.cells, cells, sizeof cells);
    *row.present = present;
    return 0;
}

/* Reports only the first byte of what is no record; the search goes on behind it. */
static void lose(struct decoder *decoder, struct state *state)
{
    if (state->lost)
        return;
    struct place place = {state->file_name, state->record, state->offset, NULL};
    diag_report(decoder_diag(decoder), DIAG_RECORD_MAGIC, &place,
                "no record begins here; expected magic 0x5A5A and as many bytes as it has tensors");
    decoder_reject(decoder, DIAG_RECORD_MAGIC);
    state->lost = true;
    state->record++;
}

static int take_text(struct decoder *decoder, void *opaque, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    struct state *state = opaque;
    size_t at = 0;
    int status = 0;
    state->file_name = file->name;
    if (strbuf_add(&state->rest, data, length) < 0)
        return err_no_memory(err);
    const unsigned char *bytes = (const unsigned char *)state->rest.data;
    while (status == 0 && state->rest.length - at >= CAPTURED_OP_HEAD) {
        size_t whole = record_length(bytes + at);
        if (whole > state->rest.length - at)
            break;
        if (whole == 0) {
            lose(decoder, state);
        } else {
            state->lost = false;
            status = emit(decoder, state, bytes + at, whole, err);
            state->record++;
        }
        at += whole > 0 ? whole : 1;
        state->offset += whole > 0 ? (int64_t)whole : 1;
    }
    memmove(state->rest.data, state->rest.data + at, state->rest.length - at);
    strbuf_cut(&state->rest, state->rest.length - at);
    return status;
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    if (!failed && state->rest.length > 0 && !state->lost) {
        struct place place = {state->file_name, state->record, state->offset, NULL};
        diag_report(decoder_diag(decoder), DIAG_RECORD_TRUNCATED, &place, "%zu bytes; expected a whole record",
                    state->rest.length);
        decoder_reject(decoder, DIAG_RECORD_TRUNCATED);
    }
    strbuf_release(&state->rest);
    return 0;
}

const struct record_kind kind_capture_op_info_variable = {
    OWN_TABLE("capture_op_info_variable"),
    .families = FAMILY_CANN,
    .title = "Operator of a captured graph, any number of tensors",
    .doc = "Which operator a task of a captured graph is, as in capture_op_info, in records that are as long as their "
           "tensors need.",
    .patterns = (const char *const[]){"{tag}.variable.capture_op_info.slice_{slice}", NULL},
    .stage = 1, /* behind the dictionaries */
    COLUMNS_OF(captured_op_columns),
    LAYOUTS_OF(layouts),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .text = take_text, .close = close_stream),
};
