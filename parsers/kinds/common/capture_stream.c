/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/capture_stream.h"

#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

static const struct value_name statuses[] = {{0, "normal"}, {1, "destroyed"}, {0, NULL}};

#define COLUMNS(MADE)                                                                                                  \
    MADE(STATUS, "status", "Status", NAMES(PLAIN, statuses), "Event of the capture.")                                  \
    MADE(MODEL_STREAM_ID, "model_stream_id", "Model stream ID", NUMBER, "The stream that the captured tasks run on.")  \
    MADE(ORIGINAL_STREAM_ID, "original_stream_id", "Original stream ID", NUMBER, "The stream that the program used.")  \
    MADE(MODEL_ID, "model_id", "Model ID", NUMBER, "The model that the tasks were captured into.")                     \
    MADE(DEVICE_ID, "device_id", "Device ID", NUMBER, "The device.")

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

const struct column capture_stream_columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_MADE)};

_Static_assert(sizeof capture_stream_columns / sizeof *capture_stream_columns == CAPTURE_STREAM_COLUMNS,
               "as the header says");

enum { STATUS_DESTROYED = 1 };

/* Records of both generations are rows of the first. */
static int store(struct decoder *decoder, const struct row *row, struct err *err)
{
    int status = decoder_emit_copy(decoder, &kind_capture_stream_info, row, err);
    decoder_consume(decoder);
    return status;
}

static int take_capture(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    bool failed = host_record_take(decoder, state, row, keep, err) < 0 ||
                  (stream->kind != &kind_capture_stream_info && store(decoder, row, err) < 0);
    if (failed || stream->association == NULL)
        return failed ? err_status(err) : 0;
    const struct host_capture capture = {
        .time_ns = row->cells[TIME_NS].integer,
        .device_id = row_u32(row, DEVICE_ID),
        .stream_id = row_u32(row, MODEL_STREAM_ID),
        .model_id = row_u32(row, MODEL_ID),
        .original_stream_id = row_u32(row, ORIGINAL_STREAM_ID),
        .ends = row->cells[STATUS].integer == STATUS_DESTROYED,
    };
    return association_add_capture(stream->association, &capture, err);
}

const struct kind_hooks capture_stream_hooks = {
    .state_size = sizeof(struct record_stream),
    .open = record_stream_open,
    .record = take_capture,
};
