/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of memory for operators: *.additional.task_memory_info. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(ADDRESS, "address", "Address", NUMBER, "Where the memory begins.", SIGNED_AT(24, 8))                        \
    STORED(BYTES, "bytes", "Size", INTEGER(BYTE, PLAIN), "How much; negative: given back.", SIGNED_AT(32, 8))          \
    STORED(NODE_HASH, "node_hash", "Operator hash", INTEGER(NONE, TRANSIENT), "For whom.", SIGNED_AT(40, 8))           \
    MADE(NODE_NAME_ID, "node_name_id", "Operator", MADE_NUMBER, "For which operator (name.id).")                       \
    STORED(ALLOCATED, "allocated_bytes", "Allocated", INTEGER(BYTE, PLAIN), "In use in all, then.", AT(48, 8))         \
    STORED(RESERVED, "reserved_bytes", "Reserved", INTEGER(BYTE, PLAIN), "Held in all, then.", AT(56, 8))              \
    STORED(DEVICE, "device_id", "Device ID", NUMBER, "On which device.", AT(64, 4))                                    \
    STORED(DEVICE_TYPE, "device_type", "Device type", NUMBER, "Kind of device.", AT(68, 4))

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    int status = host_record_take(decoder, state, row, keep, err);
    return status == 0 ? record_stream_find_name(state, row, NODE_HASH, NODE_NAME_ID, err) : status;
}

/* Rows of a device that is no part of the capture stand under every one, as Ascend's tool gives all of them. */
#define DEVICES "(SELECT device_id AS device FROM capture_part WHERE NOT is_host) AS d"
#define OF_DEVICE "device = device_id OR device_id NOT IN (SELECT p.device_id FROM capture_part p WHERE NOT p.is_host)"

/* An allocation with its release: the next record of the same operator, address and device, if it gives back. One of no
 * bytes does neither. One that was given back after the collection started is shown, though it was made in warm-up
 * (db/warm_up.h). */
#define ALLOCATIONS                                                                                                    \
    "r AS (SELECT *, lead(bytes) OVER w AS next_bytes, lead(id) OVER w AS next_id, lead(time_ns) OVER w AS next_ns,"   \
    " lead(allocated_bytes) OVER w AS next_allocated, lead(reserved_bytes) OVER w AS next_reserved"                    \
    " FROM main.task_memory_info WHERE bytes <> 0 WINDOW w AS (PARTITION BY node_name_id, address, device_id ORDER "   \
    "BY id)),"                                                                                                         \
    " a AS (SELECT *, coalesce(next_bytes, 0) < 0 AS released FROM r WHERE bytes > 0)"

const struct record_kind kind_task_memory_info = {
    OWN_TABLE("task_memory_info"),
    .title = "Memory for an operator",
    .doc = "An operator got memory of a device, or gave it back.",
    HOST_RECORD("additional", 256, "task_memory_info", "task-memory-info", take_record,
                "docs/formats/memory.md 3: 256 bytes"),
    SEVERAL_SERIES(
        {
            .name = "memory_record",
            .title = "Memory in use by operators",
            .doc = "Memory of the device that the operators together hold, whenever that changes.",
            .query = {.from = DEVICES ", task_memory_info", .where = OF_DEVICE, .order_by = "device, id"},
            .columns = VALUE_LIST(
                {"Device_id", "device", .doc = "The device of the capture."},
                {"Component", "'GE'", .doc = "Who allocated."},
                {"Timestamp(us)", "time_ns", .form = FORM_TIME, .doc = "When."},
                {"Total Allocated(KB)", "allocated_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "In use in all, then."},
                {"Total Reserved(KB)", "reserved_bytes / 1024.0", FORM_SHORTEST, 3, .doc = "Held in all, then."},
                {"Device", "'NPU:' || device_id", .doc = "On which device."}),
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
                    .where = "(" OF_DEVICE ") AND (NOT released OR next_id IN (SELECT id FROM task_memory_info))",
                    .order_by = "device, NOT released, CASE WHEN released THEN next_id ELSE id END",
                },
            .columns = VALUE_LIST(
                {"Device_id", "device", .doc = "The device of the capture."},
                {"Name", "coalesce((SELECT text FROM name WHERE name.id = node_name_id), '')", .doc = "The operator."},
                {"Size(KB)", "bytes / 1024.0", FORM_SHORTEST, 3, .doc = "How much it got."},
                {"Allocation Time(us)", "time_ns", .form = FORM_TIME, .doc = "When it got it."},
                {"Duration(us)", "CASE WHEN released THEN next_ns - time_ns ELSE 0 END", FORM_SCALED, 3,
                 .doc = "How long it had it; 0: until the end."},
                {"Allocation Total Allocated(KB)", "allocated_bytes / 1024.0", FORM_SHORTEST, 3,
                 .doc = "In use, when it got it."},
                {"Allocation Total Reserved(KB)", "reserved_bytes / 1024.0", FORM_SHORTEST, 3,
                 .doc = "Held, when it got it."},
                {"Release Total Allocated(KB)", "CASE WHEN released THEN next_allocated / 1024.0 ELSE 0 END",
                 FORM_SHORTEST, 3, .doc = "In use, when it was given back."},
                {"Release Total Reserved(KB)", "CASE WHEN released THEN next_reserved / 1024.0 ELSE 0 END",
                 FORM_SHORTEST, 3, .doc = "Held, when it was given back."},
                {"Device", "'NPU:' || device_id", .doc = "On which device."}),
        }),
    EXPORTED_TABLE(.name = "NPU_OP_MEM",
                   .columns = EXPORTED_COLUMNS(
                       {"operatorName", "node_name_id", EXPORTED_INTEGER}, {"addr", "address", EXPORTED_INTEGER},
                       {"type", "iif(bytes < 0, 'release', 'allocate')", EXPORTED_WORD},
                       {"size", "abs(bytes)", EXPORTED_INTEGER}, {"timestampNs", "time_ns", EXPORTED_INTEGER},
                       {"globalTid", "coalesce((SELECT max(process_id) FROM capture_part), 0) << 32 | thread_id",
                        EXPORTED_INTEGER},
                       {"totalAllocate", "allocated_bytes", EXPORTED_NUMERIC},
                       {"totalReserve", "reserved_bytes", EXPORTED_NUMERIC}, {"component", "'GE'", EXPORTED_WORD},
                       {"deviceId", "device_id", EXPORTED_INTEGER}),
                   .query = {.order_by = "id"}),
};
