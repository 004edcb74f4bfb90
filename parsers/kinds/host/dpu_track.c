/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of DPUs: *.compact.dpu_track. */
#include "base/number.h"
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(DEVICE_ID, "device_id", "Device ID", NUMBER, "The DPU.", BITS_AT(24, 2, 0, 12))                             \
    STORED(DEVICE_TYPE, "device_type", "Device type", NUMBER, "1: a DPU.", BITS_AT(24, 2, 12, 4))                      \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(26, 2))                                      \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task.", AT(28, 4))                                              \
    STORED(TASK_TYPE, "task_type", "Task type", NUMBER, "Its type, as a number.", AT(32, 4))                           \
    STORED(START_TICK, "start_tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it began, on the host's counter.",       \
           AT(40, 8))                                                                                                  \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                            \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it ran: until it was reported.")

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    return host_record_take_span(decoder, state, row, START_TICK, START_NS, keep, err);
}

#define KERNELS                                                                                                        \
    "k AS MATERIALIZED (SELECT t.device_id AS device, t.task_id AS task, min(n.text) AS kernel FROM dpu_kernel AS t"   \
    " JOIN name AS n ON n.id = t.kernel_name_id GROUP BY t.device_id, t.task_id)"
#define NAMED "dpu_track AS d LEFT JOIN k ON k.device = d.device_id AND k.task = d.task_id"

const struct record_kind kind_dpu_track = {
    OWN_TABLE("dpu_track"),
    .title = "Task of a DPU",
    .doc = "A task that ran on a DPU, as the host reports it.",
    COMPACT_RECORD("dpu_track", "dpu-track", take_record,
                   "device, stream, task, type, start (docs/formats/cann.md 3.8)"),
    /* Ids follow those of tasks and of marks of devices. */
    EXPORTED_TABLE(.name = "DPU_TASK",
                   .columns = EXPORTED_COLUMNS(
                       {"dpuDeviceId", "d.device_id", EXPORTED_INTEGER}, {"globalTid", "thread_id", EXPORTED_NUMERIC},
                       {"startNs", "start_ns", EXPORTED_NUMERIC}, {"endNs", "start_ns + duration_ns", EXPORTED_NUMERIC},
                       {"globalTaskId",
                        "(SELECT coalesce(max(id), 0) FROM device_task) + (SELECT coalesce(max(id), 0) FROM "
                        "device_mark) + d.id",
                        EXPORTED_NUMERIC},
                       {"streamId", "stream_id", EXPORTED_NUMERIC}, {"taskId", "d.task_id", EXPORTED_NUMERIC},
                       {"opName", "coalesce(kernel, 'N/A')", EXPORTED_NUMERIC_WORD},
                       {"args",
                        "json_array('Thread Id', thread_id, 'Physic Stream Id', stream_id, 'Task Id', d.task_id,"
                        " 'Task Type', 'AI_CPU')",
                        EXPORTED_NUMERIC_WORD}),
                   .query = {.with = KERNELS, .from = NAMED, .order_by = "d.id"}),
    ONE_SERIES(.name = "dpu", .title = "Tasks of DPUs", .doc = "From when to when each task of a DPU ran, by stream.",
               .process = "DPU", .number = LAYER_DPU,
               .counters = ONE_COUNTER(.name = "coalesce(kernel, 'N/A')",
                                       .values = VALUE_LIST({"Thread Id", "thread_id", .form = FORM_TEXT},
                                                            {"Physic Stream Id", "stream_id", .form = FORM_TEXT},
                                                            {"Task Id", "d.task_id", .form = FORM_TEXT},
                                                            {"Task Type", "'AI_CPU'", .form = FORM_TEXT}),
                                       .query = {.with = KERNELS,
                                                 .from = NAMED,
                                                 .order_by = "d.device_id, stream_id, start_ns, duration_ns DESC"},
                                       .time = "start_ns", .duration = "duration_ns", .device = "d.device_id",
                                       .thread = "stream_id", .thread_name = "'Stream ' || stream_id")),
};
