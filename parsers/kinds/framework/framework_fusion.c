/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators were fused into one, before 2023: Framework.fusion_op_info_<model>. */
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/fusion.h"
#include "parsers/kinds/common/host/model_record.h"

enum {
    INPUT_BYTES = MODEL_RECORD_COLUMNS,
    OUTPUT_BYTES,
    WEIGHT_BYTES,
    WORKSPACE_BYTES,
    TOTAL_BYTES,
    OP_COUNT,
    FUSED_PLACES
};

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [MODEL_ID] = {"model_id", "Model ID", NUMBER, "The model."},
    MIXED_TEXT_COLUMNS(MODEL_TEXT, "fusion_name", "Fused operator", "The name of the fused operator"),
    FUSION_BYTES_COLUMNS,
    FUSED_COUNT_COLUMN,
    FUSED_COLUMNS,
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},
    MIXED_TEXT_FIELDS("fusion_name", 8, 120),
    FUSION_BYTES_FIELDS(136),
    {.column = "op_count", .offset = 176, .width = 8},
    FUSED_FIELDS(184),
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-fusion",
        .source = "CANN Framework.fusion_op_info record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 5.4)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

extern const struct record_kind kind_framework_fusion;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const int64_t most = OP_NAME7_ID - OP_NAME0_ID + 1;
    int64_t count = row_has(row, OP_COUNT) ? row->cells[OP_COUNT].integer : 0;
    int status = model_record_take(decoder, state, row, keep, err);
    if (status < 0)
        return status;
    return executions_expect_names(decoder, &kind_framework_fusion, row, OP_NAME0_ID,
                                   (size_t)(count < most ? count : most), err);
}

const struct record_kind kind_framework_fusion = {
    .name = "framework_fusion",
    .table = "framework_fusion",
    .families = FAMILY_2022,
    .title = "Operator fusion of 2022",
    .doc = "An operator that the graph compiler made of several, with its memory.",
    .patterns =
        (const char *const[]){"Framework.fusion_op_info_{model_id}.{device_id}.slice_{slice}",
                              "Framework.fusion_op_info_{model_id}.dev.{device_id}.{slice}",
                              "Framework.fusion_op_info_{model_id}.dev.profiler_default_tag.{device_id}.slice_{slice}",
                              NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    HOOKS(.state_size = sizeof(struct model_record), .open = model_record_open, .record = take_record),
};
