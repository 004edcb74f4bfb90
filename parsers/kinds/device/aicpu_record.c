/* What the AI CPU of a device tells: aicpu.data, records of several kinds. */
#include "parsers/records/sample_columns.h"
#include "parsers/records/split_record.h"

static const char *const patterns[] = {"aicpu.data.{device_id}.slice_{slice}", NULL};

static const struct column columns[] = {
    {"record_type", "Type", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL,
     "0 an operator, 1 a queue of data, 3 a wait of the model for data."},
};

static const struct field fields[] = {{.column = "record_type", .offset = 4, .width = 4}};

static const struct layout layouts[] = {{
    .name = "cann-aicpu-256",
    .source = "docs/formats/aicpu.md 1: 256 bytes",
    .record_size = 256,
    .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
    FIELDS_OF(fields),
}};

extern const struct record_kind kind_aicpu_node, kind_data_queue, kind_data_wait;

static const struct record_kind *const parts[] = {&kind_aicpu_node, &kind_data_queue, &kind_data_wait, NULL};

const struct record_kind kind_aicpu_record = {
    .name = "aicpu_record",
    .families = FAMILY_CANN,
    .title = "What the AI CPU tells",
    .doc =
        "Operators that the AI CPU ran, and what it waited for. Each record becomes a row of the kind that it is of.",
    .patterns = patterns,
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &split_hooks,
    .parts = parts,
};
