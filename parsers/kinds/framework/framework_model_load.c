/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of models, before 2023: Framework.model_load_info_<model>. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/model_record.h"

enum { START_NS = MODEL_RECORD_COLUMNS, END_NS };

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [MODEL_ID] = {"model_id", "Model ID", NUMBER, "The model."},
    MIXED_TEXT_COLUMNS(MODEL_TEXT, "model_name", "Model", "The name of the model"),
    [START_NS] = {"start_ns", "Start", INTEGER(NS, PLAIN), "When it began, monotonic clock of the host."},
    [END_NS] = {"end_ns", "End", INTEGER(NS, PLAIN), "When it was done, monotonic clock of the host."},
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},
    MIXED_TEXT_FIELDS("model_name", 8, 120),
    {.column = "start_ns", .offset = 136, .width = 8},
    {.column = "end_ns", .offset = 144, .width = 8},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-model-load",
        .source = "CANN Framework.model_load_info record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 5.4)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

const struct record_kind kind_framework_model_load = {
    .name = "framework_model_load",
    .table = "framework_model_load",
    .families = FAMILY_2022,
    .title = "Load of a model",
    .doc = "When a model was loaded, and its name.",
    .patterns =
        (const char *const[]){"Framework.model_load_info_{model_id}.{device_id}.slice_{slice}",
                              "Framework.model_load_info_{model_id}.dev.{device_id}.{slice}",
                              "Framework.model_load_info_{model_id}.dev.profiler_default_tag.{device_id}.slice_{slice}",
                              NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &model_record_hooks,
};
