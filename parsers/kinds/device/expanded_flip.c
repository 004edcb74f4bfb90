/* SPDX-License-Identifier: Apache-2.0 */
/* Task numbers of streams of the AI CPU that begin again: records of aicpu.data. */
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    STORED(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it was reported, on the counter of the device.",     \
           AT(16, 8))                                                                                                  \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was reported, on the clock of the host.")          \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(24, 2))                                      \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the flip's own task.", AT(26, 2))                     \
    STORED(FLIP_NUM, "flip_num", "Flips", NUMBER, "How often the task numbers of the stream have begun again.",        \
           AT(28, 4))

COLUMN_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    (void)err;
    const struct record_stream *stream = state;
    row_set_integer(row, DEVICE_ID, stream->device_id);
    row_set_integer(row, TIME_NS, part_device_ns(stream->part, row->cells[TICK].integer));
    aicpu_put_ids(stream, row, STREAM_ID, TASK_ID);
    return 0;
}

const struct record_kind kind_expanded_flip = {
    OWN_TABLE("expanded_flip"),
    .families = FAMILY_CANN,
    .title = "Flip of tasks of the AI CPU",
    .doc = "The task numbers of a stream on which the AI CPU launches tasks begin again.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-expanded-flip-256", 11, "docs/formats/aicpu.md 1: 256 bytes, type 11")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
