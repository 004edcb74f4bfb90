/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators were fused into one, before 2023: Framework.fusion_op_info_<model>. */
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/fusion.h"
#include "parsers/kinds/common/host/model_record.h"

#define RECORD(STORED, MADE)                                                                                           \
    MODEL_RECORD(STORED, MADE, "fusion_name", "Fused operator", "The name of the fused operator")
#define COLUMNS(STORED) FUSION_BYTES(STORED, 136) FUSED_COUNT(STORED, 176, 8) FUSED_NAMES(STORED, 184)

MODEL_RECORD_TABLES;

extern const struct record_kind kind_framework_fusion;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const int64_t most = OP_NAME7_ID - OP_NAME0_ID + 1;
    int64_t count = row_has(row, OP_COUNT) ? row->cells[OP_COUNT].integer : 0;
    if (model_record_take(decoder, state, row, keep, err) < 0)
        return err_status(err);
    return executions_expect_names(decoder, &kind_framework_fusion, row, OP_NAME0_ID,
                                   (size_t)(count < most ? count : most), err);
}

const struct record_kind kind_framework_fusion = {
    OWN_TABLE("framework_fusion"),
    .families = FAMILY_2022,
    .title = "Operator fusion of 2022",
    .doc = "An operator that the graph compiler made of several, with its memory.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.fusion_op_info_{model_id}"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-fusion", "Framework.fusion_op_info", 256)),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
