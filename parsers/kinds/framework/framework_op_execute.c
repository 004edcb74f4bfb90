/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the host for dynamic operators, before 2023: Framework.dynamic_op_execute. */
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"

enum { FILE_ID, THREAD_ID, OP_TYPE_ID, EVENT_TYPE_ID, START_NS, END_NS };

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [THREAD_ID] = {"thread_id", "Thread ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The thread."},
    [OP_TYPE_ID] = {"op_type_id", "Operator type", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "The type, as an id of the hash dictionary."},
    [EVENT_TYPE_ID] = {"event_type_id", "Step", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                       "Step of the work, as an id of the hash dictionary."},
    [START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, 0, NULL, "When it began, monotonic clock of the host."},
    [END_NS] = {"end_ns", "End", COLUMN_INTEGER, UNIT_NS, 0, NULL, "When it was done, monotonic clock of the host."},
};

static const struct field fields[] = {
    {.column = "thread_id", .offset = 4, .width = 4},
    {.column = "op_type_id", .offset = 8, .width = 8, .is_signed = true},
    {.column = "event_type_id", .offset = 16, .width = 8, .is_signed = true},
    {.column = "start_ns", .offset = 24, .width = 8},
    {.column = "end_ns", .offset = 32, .width = 8},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-op-execute",
        .source = "CANN Framework.dynamic_op_execute record, magic 0x5A5A, 64 bytes (docs/formats/cann.md 5.4)",
        .record_size = 64,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

extern const struct record_kind kind_framework_op_execute;

static int check_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)state;
    *keep = decoder_check_span(decoder, "the step", row->cells[START_NS].integer, row->cells[END_NS].integer);
    return *keep ? executions_expect_names(decoder, &kind_framework_op_execute, row, OP_TYPE_ID, 2, err) : 0;
}

static const struct kind_hooks hooks = {.record = check_record};

const struct record_kind kind_framework_op_execute = {
    .name = "framework_op_execute",
    .table = "framework_op_execute",
    .families = FAMILY_2022,
    .title = "Host step of an operator",
    .doc = "Work of the host for an operator of dynamic shape, and how long it took.",
    .patterns =
        (const char *const[]){"Framework.dynamic_op_execute.{device_id}.slice_{slice}",
                              "Framework.dynamic_op_execute.dev.{device_id}.{slice}",
                              "Framework.dynamic_op_execute.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
