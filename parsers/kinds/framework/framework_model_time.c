/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of models, before 2023: Framework.model_time_info_<model>_<request>. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/model_record.h"

enum {
    REQUEST_ID = MODEL_RECORD_COLUMNS,
    THREAD_ID,
    INPUT_START_NS,
    INPUT_END_NS,
    INFERENCE_START_NS,
    INFERENCE_END_NS,
    OUTPUT_START_NS,
    OUTPUT_END_NS
};

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [MODEL_ID] = {"model_id", "Model ID", NUMBER, "The model."},
    MIXED_TEXT_COLUMNS(MODEL_TEXT, "model_name", "Model", "The name of the model"),
    [REQUEST_ID] = {"request_id", "Request ID", NUMBER, "Which execution it is."},
    [THREAD_ID] = {"thread_id", "Thread ID", NUMBER, "The calling thread."},
    [INPUT_START_NS] = {"input_start_ns", "Input start", INTEGER(NS, PLAIN),
                        "When it began, monotonic clock of the host."},
    [INPUT_END_NS] = {"input_end_ns", "Input end", INTEGER(NS, PLAIN),
                      "When it was done, monotonic clock of the host."},
    [INFERENCE_START_NS] = {"inference_start_ns", "Inference start", INTEGER(NS, PLAIN),
                            "When it began, monotonic clock of the host."},
    [INFERENCE_END_NS] = {"inference_end_ns", "Inference end", INTEGER(NS, PLAIN),
                          "When it was done, monotonic clock of the host."},
    [OUTPUT_START_NS] = {"output_start_ns", "Output start", INTEGER(NS, PLAIN),
                         "When it began, monotonic clock of the host."},
    [OUTPUT_END_NS] = {"output_end_ns", "Output end", INTEGER(NS, PLAIN),
                       "When it was done, monotonic clock of the host."},
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},
    MIXED_TEXT_FIELDS("model_name", 8, 120),
    {.column = "request_id", .offset = 136, .width = 4},
    {.column = "thread_id", .offset = 140, .width = 4},
    {.column = "input_start_ns", .offset = 144, .width = 8},
    {.column = "input_end_ns", .offset = 152, .width = 8},
    {.column = "inference_start_ns", .offset = 160, .width = 8},
    {.column = "inference_end_ns", .offset = 168, .width = 8},
    {.column = "output_start_ns", .offset = 176, .width = 8},
    {.column = "output_end_ns", .offset = 184, .width = 8},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-model-time",
        .source = "CANN Framework.model_time_info record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 5.4)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

const struct record_kind kind_framework_model_time = {
    .name = "framework_model_time",
    .table = "framework_model_time",
    .families = FAMILY_2022,
    .title = "Execution of a model",
    .doc = "When a model took its input, ran and gave its output.",
    .patterns =
        (const char *const[]){
            "Framework.model_time_info_{model_id}_{number}.{device_id}.slice_{slice}",
            "Framework.model_time_info_{model_id}_{number}.dev.{device_id}.{slice}",
            "Framework.model_time_info_{model_id}_{number}.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &model_record_hooks,
};
