/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of models for data: records of aicpu.data. */
#include "parsers/kinds/common/sample_columns.h"

static const struct value_name nodes[] = {{1, "GetNext_dequeue_wait"}, {0, NULL}};

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NAMED_COLUMN("node", "Node", nodes, "What waited."),
    NUMBER_COLUMN("queue_size", "Queue size", "How many items were in the queue."),
    NUMBER_COLUMN("start_us", "Start", "Microseconds, by a clock of its own."),
    NUMBER_COLUMN("end_us", "End", "By the same."),
};

static const struct field fields[] = {
    {.column = "node", .offset = 24, .width = 4},
    {.column = "queue_size", .offset = 32, .width = 8},
    {.column = "start_us", .offset = 40, .width = 8},
    {.column = "end_us", .offset = 48, .width = 8},
};

static const struct layout layouts[] = {{
    .name = "cann-data-wait-256",
    .source = "docs/formats/aicpu.md 1: 256 bytes, type 3",
    .part = true,
    .record_size = 256,
    .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}, {.offset = 4, .width = 4, .value = 3}},
    FIELDS_OF(fields),
}};

static const struct report_column table[] = {
    {"Device_id", "device_id", .doc = "The device."},
    {"Node Name", "CASE node WHEN 1 THEN 'GetNext_dequeue_wait' ELSE '' END", .doc = "What waited."},
    {"Start Time(us)", "start_us * 1.0", .form = FORM_FLOAT, .doc = "When it began, by a clock of its own."},
    {"End Time(us)", "end_us * 1.0", .form = FORM_FLOAT, .doc = "When it ended, by the same."},
    {"Queue Size", "queue_size", .doc = "How many items were in the queue."},
    {.title = NULL},
};

static const struct series_report series[] = {
    {
        .name = "aicpu_mi",
        .title = "Waits for data",
        .doc = "How long models waited for the next item of data.",
        .query = {.order_by = "device_id, id"},
        .columns = table,
    },
    {.name = NULL},
};

const struct record_kind kind_data_wait = {
    .name = "data_wait",
    .families = FAMILY_CANN,
    .table = "data_wait",
    .title = "Wait for data",
    .doc = "A model waited for the next item of data.",
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &sample_hooks,
    .series = series,
};
