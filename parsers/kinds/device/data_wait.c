/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of models for data: records of aicpu.data. */
#include "base/number.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    STORED(NODE, "node", "Node", NAMES(PLAIN, nodes), "Node that waited.", AT(24, 4))                                  \
    STORED(QUEUE_SIZE, "queue_size", "Queue size", NUMBER, "How many items were in the queue.", AT(32, 8))             \
    STORED(START_US, "start_us", "Start", NUMBER, "Microseconds, by a clock of its own.", AT(40, 8))                   \
    STORED(END_US, "end_us", "End", NUMBER, "By the same.", AT(48, 8))

static const struct value_name nodes[] = {{1, "GetNext_dequeue_wait"}, {0, NULL}};

COLUMN_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    (void)err;
    row_set_integer(row, DEVICE_ID, stream->device_id);
    *keep = decoder_check_span(decoder, "the wait", number_scale(row->cells[START_US].integer, 1000, 1),
                               number_scale(row->cells[END_US].integer, 1000, 1));
    return 0;
}

const struct record_kind kind_data_wait = {
    OWN_TABLE("data_wait"),
    .families = FAMILY_CANN,
    .title = "Wait for data",
    .doc = "A model waited for the next item of data.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-data-wait-256", 3, "docs/formats/aicpu.md 1: 256 bytes, type 3")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
    ONE_SERIES(.name = "aicpu_mi", .title = "Waits for data",
               .doc = "How long models waited for the next item of data.", .query = {.order_by = "device_id, id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .doc = "The device."},
                   {"Node Name", "CASE node WHEN 1 THEN 'GetNext_dequeue_wait' ELSE '' END",
                    .doc = "Node that waited."},
                   {"Start Time(us)", "start_us * 1.0", .form = FORM_FLOAT,
                    .doc = "When it began, by a clock of its own."},
                   {"End Time(us)", "end_us * 1.0", .form = FORM_FLOAT, .doc = "When it ended, by the same."},
                   {"Queue Size", "queue_size", .doc = "How many items were in the queue."})),
};
