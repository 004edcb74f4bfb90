/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives that the AI CPU expands into tasks: records of aicpu.data. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    STORED(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it was reported, on the counter of the device.",     \
           AT(16, 8))                                                                                                  \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was reported, on the clock of the host.")          \
    STORED(RELAY, "relay", "Relay", NUMBER, "Whether a broken link is gone around.", BITS_AT(24, 1, 0, 1))             \
    STORED(RETRY, "retry", "Retry", NUMBER, "Whether the operator was run again after a failure.",                     \
           BITS_AT(24, 1, 1, 1))                                                                                       \
    STORED(DATA_TYPE, "data_type", "Data type", NUMBER, "Type of an element, as a number of HCCL.", AT(25, 1))         \
    STORED(ALGORITHM, "algorithm_hash", "Algorithm", NUMBER, "The algorithm, as an id of the hash dictionary.",        \
           SIGNED_AT(26, 8))                                                                                           \
    MADE(ALGORITHM_ID, "algorithm_id", "Algorithm", MADE_NUMBER, "The algorithm (name.id).")                           \
    STORED(COUNT, "count", "Count", NUMBER, "How many elements are transferred.", AT(34, 8))                           \
    STORED(GROUP, "group_hash", "Group", NUMBER, "The group, as an id of the hash dictionary.", SIGNED_AT(42, 8))      \
    MADE(GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id).")                        \
    STORED(RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(50, 4))                        \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream of the kernel that expands it.", AT(54, 2))        \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of that kernel.", AT(56, 4))

COLUMN_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct record_stream *stream = state;
    row_set_integer(row, DEVICE_ID, stream->device_id);
    row_set_integer(row, TIME_NS, part_device_ns(stream->part, row->cells[TICK].integer));
    aicpu_put_ids(stream, row, STREAM_ID, TASK_ID);
    if (record_stream_find_name(stream, row, ALGORITHM, ALGORITHM_ID, err) < 0 ||
        record_stream_find_name(stream, row, GROUP, GROUP_NAME_ID, err) < 0)
        return err_status(err);
    const struct expanded_op op = {
        .collective = {.time_ns = row->cells[TIME_NS].integer,
                       .algorithm_id = row->cells[ALGORITHM].integer,
                       .group_id = row->cells[GROUP].integer,
                       .count = row->cells[COUNT].integer,
                       .relay = row_u32(row, RELAY),
                       .retry = row_u32(row, RETRY),
                       .data_type = row_u32(row, DATA_TYPE)},
        .stream_id = row_u32(row, STREAM_ID),
        .task_id = row_u32(row, TASK_ID),
        .rank_size = row_u32(row, RANK_SIZE),
    };
    return stream->association != NULL ? association_add_expanded_op(stream->association, &op, err) : 0;
}

const struct record_kind kind_expanded_op = {
    OWN_TABLE("expanded_op"),
    .families = FAMILY_CANN,
    .title = "Collective expanded by the AI CPU",
    .doc = "A collective that a kernel on the AI CPU expands into tasks: what it transfers, and which kernel that is.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-expanded-op-256", 10, "docs/formats/aicpu.md 1: 256 bytes, type 10")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
