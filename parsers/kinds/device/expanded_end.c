/* SPDX-License-Identifier: Apache-2.0 */
/* First and last tasks of collectives that the AI CPU expands: records of aicpu.data. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

static const struct value_name ends[] = {{0, "first"}, {1, "last"}, {0, NULL}};

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    STORED(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it was reported, on the counter of the device.",     \
           AT(16, 8))                                                                                                  \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was reported, on the clock of the host.")          \
    STORED(KERNEL_STREAM_ID, "kernel_stream_id", "Kernel's stream", NUMBER,                                            \
           "The stream of the kernel that expands the collective; 0 on chips 15 and 16.", AT(24, 2))                   \
    STORED(KERNEL_TASK_ID, "kernel_task_id", "Kernel's task", NUMBER, "The number of that kernel.", AT(26, 2))         \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The main stream of the collective; likewise.", AT(28, 2))     \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task.", AT(30, 2))                                              \
    STORED(WHICH, "which", "Which", NAMES(PLAIN, ends), "Whether it is the first or the last task there.", AT(32, 2))

COLUMN_TABLES;

/* Chips whose tasks have numbers of 32 bits put the lower half where others have the stream. */
static void put_ids(const struct record_stream *stream, struct row *row, size_t stream_column, size_t task_column)
{
    if (!part_has_unique_tasks(stream->part->chip)) {
        aicpu_put_ids(stream, row, stream_column, task_column);
        return;
    }
    row_set_integer(row, task_column, row->cells[task_column].integer << 16 | row->cells[stream_column].integer);
    row_set_integer(row, stream_column, 0);
}

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct record_stream *stream = state;
    row_set_integer(row, DEVICE_ID, stream->device_id);
    row_set_integer(row, TIME_NS, part_device_ns(stream->part, row->cells[TICK].integer));
    put_ids(stream, row, KERNEL_STREAM_ID, KERNEL_TASK_ID);
    put_ids(stream, row, STREAM_ID, TASK_ID);
    const struct expanded_end end = {row->cells[TIME_NS].integer, row_u32(row, KERNEL_STREAM_ID),
                                     row_u32(row, KERNEL_TASK_ID), row_u32(row, STREAM_ID), row_u32(row, TASK_ID)};
    return stream->association != NULL ? association_add_expanded_end(stream->association, &end, err) : 0;
}

const struct record_kind kind_expanded_end = {
    OWN_TABLE("expanded_end"),
    .families = FAMILY_CANN,
    .title = "End of a collective of the AI CPU",
    .doc = "The first or the last task on the main stream of a collective that a kernel on the AI CPU expands.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-expanded-end-256", 12, "docs/formats/aicpu.md 1: 256 bytes, type 12")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
