/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of captured graphs with many tensors: *.variable.capture_op_info, records of different lengths. */
#include "base/array.h"
#include "base/strbuf.h"
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/host/captured_op.h"
#include "parsers/kinds/common/sample.h"

#include <stdlib.h>
#include <string.h>

static const struct layout layouts[] = {LAYOUT(
    "cann-capture-op-info-variable", CAPTURED_OP_HEAD, captured_op_fields,
    "CANN record of variable length: 88 bytes as in capture_op_info, then as many tensors of 44 bytes as it says "
    "(docs/formats/cann.md 3.5)",
    .part = true, HOST_RECORD_MAGICS)};

#define HEADER 24 /* that the length of data does not count */

/* Where in the stream a file begins. */
struct begin {
    size_t file; /* of the capture's */
    int64_t offset;
};

struct state {
    struct record_stream stream; /* first */
    struct decode_plan plan;
    struct strbuf rest; /* what the slices so far left of a record */
    struct ARRAY_OF(struct begin) begins;
    int64_t record, offset; /* of the next record in the stream */
    bool lost;              /* what comes was reported, up to the next record */
    bool end_known;         /* of the last record that was lost: */
    int64_t lost_end;       /* where in the stream it ends, or ends at the earliest */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    strbuf_init(&state->rest, (size_t)1 << 30);
    decode_plan_init(&state->plan, file->kind, &layouts[0]);
    return record_stream_open(decoder, &state->stream, file, err);
}

/* The file in which the byte at this offset of the stream stands, and its place there. */
static struct capture_file *locate(struct decoder *decoder, const struct state *state, int64_t offset,
                                   const char *field, struct place *ret)
{
    size_t i = state->begins.count - 1;
    while (i > 0 && state->begins.items[i].offset > offset)
        i--;
    struct capture_file *file = &decoder_capture(decoder)->files[state->begins.items[i].file];
    *ret = (struct place){file->name, state->record, offset - state->begins.items[i].offset, field};
    return file;
}

static bool has_magic(const unsigned char *bytes)
{
    return bytes_load(bytes, 2, false) == layouts[0].magics[0].value;
}

/* How long a record is by its length and its count of tensors, which must agree; 0: they do not. */
static size_t length_of(const unsigned char *bytes)
{
    uint64_t count = bytes_load(bytes + 84, 4, false), length = bytes_load(bytes + 12, 4, false);
    return length == CAPTURED_OP_HEAD - HEADER + count * CAPTURED_OP_TENSOR ? HEADER + length : 0;
}

/* How long the record is that begins here; 0: none begins here. */
static size_t record_length(const unsigned char *bytes)
{
    return has_magic(bytes) ? length_of(bytes) : 0;
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
        struct place place;
        struct capture_file *file = locate(decoder, state, state->offset, captured_op_columns[bad_column].name, &place);
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "a value of 2^63 or more; expected less");
        capture_file_reject(file, DIAG_RECORD_VALUE, 1);
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

/* How long a record is whose head is damaged; 0: nothing shows that one begins here. *ret_known: whether it ends there,
 * or has that many bytes at least. */
static size_t damaged_length(const unsigned char *bytes, bool *ret_known)
{
    size_t length = length_of(bytes);
    *ret_known = length > 0;
    if (length == 0 && has_magic(bytes))
        length = CAPTURED_OP_HEAD;
    return length;
}

/* Reports only the first byte of what is no record; the search goes on behind it. Counts the records that begin in it:
 * at its start, behind one whose end is known, and where a head is that is sound in part. */
static void lose(struct decoder *decoder, struct state *state, const unsigned char *bytes)
{
    if (state->lost && state->offset < state->lost_end)
        return;
    bool known;
    size_t length = damaged_length(bytes, &known);
    if (state->lost && !state->end_known && length == 0)
        return;
    struct place place;
    struct capture_file *file = locate(decoder, state, state->offset, NULL, &place);
    if (!state->lost)
        diag_report(decoder_diag(decoder), DIAG_RECORD_MAGIC, &place,
                    "no record begins here; expected magic 0x5A5A and as many bytes as it has tensors");
    capture_file_reject(file, DIAG_RECORD_MAGIC, 1);
    state->lost = true;
    state->end_known = known;
    state->lost_end = state->offset + (int64_t)length;
    state->record++;
}

static int take_text(struct decoder *decoder, void *opaque, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    struct state *state = opaque;
    const struct begin begin = {(size_t)(file - decoder_capture(decoder)->files),
                                state->offset + (int64_t)state->rest.length};
    size_t at = 0;
    int status = array_add(&state->begins, err, begin);
    if (status < 0)
        return status;
    if (strbuf_add(&state->rest, data, length) < 0)
        return err_no_memory(err);
    const unsigned char *bytes = (const unsigned char *)state->rest.data;
    while (status == 0 && state->rest.length - at >= CAPTURED_OP_HEAD) {
        size_t whole = record_length(bytes + at);
        state->lost &= whole == 0;
        if (whole > state->rest.length - at)
            break;
        if (whole == 0) {
            lose(decoder, state, bytes + at);
        } else {
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

/* Reports a record that the end of the stream cuts; behind lost ones there is one when the end of the last is known.
 */
static void report_rest(struct decoder *decoder, const struct state *state)
{
    const int64_t end = state->offset + (int64_t)state->rest.length;
    const int64_t start = state->lost && state->lost_end > state->offset ? state->lost_end : state->offset;
    struct place place;
    if (start >= end || (state->lost && !state->end_known))
        return;
    struct capture_file *file = locate(decoder, state, start, NULL, &place);
    diag_report(decoder_diag(decoder), DIAG_RECORD_TRUNCATED, &place, "%lld bytes; expected a whole record",
                (long long)(end - start));
    capture_file_reject(file, DIAG_RECORD_TRUNCATED, 1);
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    if (!failed)
        report_rest(decoder, state);
    free(state->begins.items);
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
