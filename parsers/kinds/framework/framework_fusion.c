/* Which operators were fused into one, before 2023: Framework.fusion_op_info_<model>. */
#include "parsers/decode/decode.h"
#include "parsers/records/host/model_record.h"

static const char *const patterns[] = {
    "Framework.fusion_op_info_{model_id}.{device_id}.slice_{slice}",
    "Framework.fusion_op_info_{model_id}.dev.{device_id}.{slice}",
    "Framework.fusion_op_info_{model_id}.dev.profiler_default_tag.{device_id}.slice_{slice}",
    NULL,
};

enum {
    INPUT_BYTES = MODEL_RECORD_COLUMNS,
    OUTPUT_BYTES,
    WEIGHT_BYTES,
    WORKSPACE_BYTES,
    TOTAL_BYTES,
    OP_COUNT,
    OP_NAME0_ID,
    OP_NAME1_ID,
    OP_NAME2_ID,
    OP_NAME3_ID,
    OP_NAME4_ID,
    OP_NAME5_ID,
    OP_NAME6_ID,
    OP_NAME7_ID
};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The model."},
    MIXED_TEXT_COLUMNS(MODEL_TEXT, "fusion_name", "Fused operator", "The name of the fused operator"),
    [INPUT_BYTES] = {"input_bytes", "Memory input", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Bytes of its memory."},
    [OUTPUT_BYTES] = {"output_bytes", "Memory output", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Bytes of its memory."},
    [WEIGHT_BYTES] = {"weight_bytes", "Memory weight", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Bytes of its memory."},
    [WORKSPACE_BYTES] = {"workspace_bytes", "Memory workspace", COLUMN_INTEGER, UNIT_BYTE, 0, NULL,
                         "Bytes of its memory."},
    [TOTAL_BYTES] = {"total_bytes", "Memory total", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Bytes of its memory."},
    [OP_COUNT] = {"op_count", "Operators", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "How many operators were fused."},
    [OP_NAME0_ID] = {"op_name0_id", "Operator 0", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME1_ID] = {"op_name1_id", "Operator 1", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME2_ID] = {"op_name2_id", "Operator 2", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME3_ID] = {"op_name3_id", "Operator 3", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME4_ID] = {"op_name4_id", "Operator 4", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME5_ID] = {"op_name5_id", "Operator 5", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME6_ID] = {"op_name6_id", "Operator 6", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
    [OP_NAME7_ID] = {"op_name7_id", "Operator 7", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Name of a fused operator, as an id of the hash dictionary; 0: none."},
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},
    MIXED_TEXT_FIELDS("fusion_name", 8, 120),
    {.column = "input_bytes", .offset = 136, .width = 8},
    {.column = "output_bytes", .offset = 144, .width = 8},
    {.column = "weight_bytes", .offset = 152, .width = 8},
    {.column = "workspace_bytes", .offset = 160, .width = 8},
    {.column = "total_bytes", .offset = 168, .width = 8},
    {.column = "op_count", .offset = 176, .width = 8},
    {.column = "op_name0_id", .offset = 184, .width = 8, .is_signed = true},
    {.column = "op_name1_id", .offset = 192, .width = 8, .is_signed = true},
    {.column = "op_name2_id", .offset = 200, .width = 8, .is_signed = true},
    {.column = "op_name3_id", .offset = 208, .width = 8, .is_signed = true},
    {.column = "op_name4_id", .offset = 216, .width = 8, .is_signed = true},
    {.column = "op_name5_id", .offset = 224, .width = 8, .is_signed = true},
    {.column = "op_name6_id", .offset = 232, .width = 8, .is_signed = true},
    {.column = "op_name7_id", .offset = 240, .width = 8, .is_signed = true},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-fusion",
        .source = "CANN Framework.fusion_op_info record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 5.4)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

const struct record_kind kind_framework_fusion = {
    .name = "framework_fusion",
    .table = "framework_fusion",
    .families = FAMILY_2022,
    .title = "Operator fusion of 2022",
    .doc = "An operator that the graph compiler made of several, with its memory.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &model_record_hooks,
};
