/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of memory for operators: *.additional.task_memory_info. */
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

enum { ADDRESS = HOST_RECORD_COLUMN_COUNT, BYTES, NODE_HASH, NODE_NAME_ID, ALLOCATED, RESERVED, DEVICE, DEVICE_TYPE };

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [ADDRESS] = NUMBER_COLUMN("address", "Address", "Where the memory begins."),
    [BYTES] = BYTES_COLUMN("bytes", "Size", "How much; negative: given back."),
    [NODE_HASH] = {"node_hash", "Operator hash", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL, "For whom."},
    [NODE_NAME_ID] = {"node_name_id", "Operator", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                      "For which operator (name.id)."},
    [ALLOCATED] = BYTES_COLUMN("allocated_bytes", "Allocated", "In use in all, then."),
    [RESERVED] = BYTES_COLUMN("reserved_bytes", "Reserved", "Held in all, then."),
    [DEVICE] = NUMBER_COLUMN("device_id", "Device ID", "On which device."),
    [DEVICE_TYPE] = NUMBER_COLUMN("device_type", "Device type", "Kind of device."),
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "address", .offset = 24, .width = 8, .is_signed = true},
    {.column = "bytes", .offset = 32, .width = 8, .is_signed = true},
    {.column = "node_hash", .offset = 40, .width = 8, .is_signed = true},
    {.column = "allocated_bytes", .offset = 48, .width = 8},
    {.column = "reserved_bytes", .offset = 56, .width = 8},
    {.column = "device_id", .offset = 64, .width = 4},
    {.column = "device_type", .offset = 68, .width = 4},
};

static const struct layout layouts[] = {{
    .name = "cann-task-memory-info",
    .source = "docs/formats/memory.md 3: 256 bytes",
    .record_size = 256,
    .magics = HOST_RECORD_MAGICS,
    FIELDS_OF(fields),
}};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    int status = host_record_take(decoder, state, row, keep, err);
    return status == 0 ? named_host_record_find(state, row, NODE_HASH, NODE_NAME_ID, err) : status;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_record,
};

/* Every device of a capture has all rows: what Ascend's tool gives. */
#define DEVICES "(SELECT device_id AS device FROM capture_part WHERE NOT is_host) AS d"

static const struct report_column record_table[] = {
    {"Device_id", "device", .doc = "The device of the capture."},
    {"Component", "'GE'", .doc = "Who allocated."},
    {"Timestamp(us)", "time_ns", .form = FORM_TIME, .doc = "When."},
    {"Total Allocated(KB)", "allocated_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "In use in all, then."},
    {"Total Reserved(KB)", "reserved_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "Held in all, then."},
    {"Device", "'NPU:' || device_id", .doc = "On which device."},
    {.title = NULL},
};

/* An allocation with its release: the next record of the same operator, address and device, if it gives back. */
#define ALLOCATIONS                                                                                                    \
    "r AS (SELECT *, lead(bytes) OVER w AS next_bytes, lead(id) OVER w AS next_id, lead(time_ns) OVER w AS next_ns,"   \
    " lead(allocated_bytes) OVER w AS next_allocated, lead(reserved_bytes) OVER w AS next_reserved"                    \
    " FROM task_memory_info WINDOW w AS (PARTITION BY node_name_id, address, device_id ORDER BY id)),"                 \
    " a AS (SELECT *, coalesce(next_bytes, 0) < 0 AS released FROM r WHERE bytes > 0)"

static const struct report_column operator_table[] = {
    {"Device_id", "device", .doc = "The device of the capture."},
    {"Name", "coalesce((SELECT text FROM name WHERE name.id = node_name_id), '')", .doc = "The operator."},
    {"Size(KB)", "bytes / 1024.0", FORM_SHORTEST, 3, .doc = "How much it got."},
    {"Allocation Time(us)", "time_ns", .form = FORM_TIME, .doc = "When it got it."},
    {"Duration(us)", "CASE WHEN released THEN next_ns - time_ns ELSE 0 END", FORM_SCALED, 3,
     .doc = "How long it had it; 0: until the end."},
    {"Allocation Total Allocated(KB)", "allocated_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "In use, when it got it."},
    {"Allocation Total Reserved(KB)", "reserved_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "Held, when it got it."},
    {"Release Total Allocated(KB)", "CASE WHEN released THEN next_allocated / 1024.0 ELSE 0 END", FORM_SHORTEST, 3,
     .doc = "In use, when it was given back."},
    {"Release Total Reserved(KB)", "CASE WHEN released THEN next_reserved / 1024.0 ELSE 0 END", FORM_SHORTEST, 3,
     .doc = "Held, when it was given back."},
    {"Device", "'NPU:' || device_id", .doc = "On which device."},
    {.title = NULL},
};

static const struct series_report series[] = {
    {
        .name = "memory_record",
        .title = "Memory in use by operators",
        .doc = "Memory of the device that the operators together hold, whenever that changes.",
        .query = {.from = DEVICES ", task_memory_info", .order_by = "device, id"},
        .columns = record_table,
    },
    {
        .name = "operator_memory",
        .title = "Memory of each operator",
        .doc = "Every piece of memory that an operator got: how much, when and for how long. First those that were "
               "given back, in that order, then the others.",
        .query =
            {
                .with = ALLOCATIONS,
                .from = DEVICES ", a",
                .order_by = "device, NOT released, CASE WHEN released THEN next_id ELSE id END",
            },
        .columns = operator_table,
    },
    {.name = NULL},
};

static const struct exported_column npu_op_mem_columns[] = {
    {"operatorName", "node_name_id", EXPORTED_INTEGER},
    {"addr", "address", EXPORTED_INTEGER},
    {"type", "CASE WHEN bytes > 0 THEN 'allocate' ELSE 'release' END", EXPORTED_WORD},
    {"size", "abs(bytes)", EXPORTED_INTEGER},
    {"timestampNs", "time_ns", EXPORTED_INTEGER},
    {"globalTid", "coalesce((SELECT max(process_id) FROM capture_part), 0) << 32 | thread_id", EXPORTED_INTEGER},
    {"totalAllocate", "allocated_bytes", EXPORTED_NUMERIC},
    {"totalReserve", "reserved_bytes", EXPORTED_NUMERIC},
    {"component", "'GE'", EXPORTED_WORD},
    {"deviceId", "device_id", EXPORTED_INTEGER},
    {.name = NULL},
};

static const struct exported_table exported[] = {
    {.name = "NPU_OP_MEM", .columns = npu_op_mem_columns, .query = {.order_by = "id"}},
    {.name = NULL},
};

const struct record_kind kind_task_memory_info = {
    .name = "task_memory_info",
    .families = FAMILY_CANN,
    .table = "task_memory_info",
    .title = "Memory for an operator",
    .doc = "An operator got memory of a device, or gave it back.",
    .patterns = (const char *const[]){"{tag}.additional.task_memory_info.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
    .series = series,
    .exported = exported,
};
