/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of models, before 2023: Framework.model_time_info_<model>_<request>. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/model_record.h"

#define RECORD(STORED, MADE) MODEL_RECORD(STORED, MADE, "model_name", "Model", "The name of the model")
#define COLUMNS(STORED)                                                                                                \
    STORED(REQUEST_ID, "request_id", "Request ID", NUMBER, "Number of the execution.", AT(136, 4))                     \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The calling thread.", AT(140, 4))                             \
    STORED(INPUT_START_NS, "input_start_ns", "Input start", INTEGER(NS, PLAIN),                                        \
           "When it began, monotonic clock of the host.", AT(144, 8))                                                  \
    STORED(INPUT_END_NS, "input_end_ns", "Input end", INTEGER(NS, PLAIN),                                              \
           "When it was done, monotonic clock of the host.", AT(152, 8))                                               \
    STORED(INFERENCE_START_NS, "inference_start_ns", "Inference start", INTEGER(NS, PLAIN),                            \
           "When it began, monotonic clock of the host.", AT(160, 8))                                                  \
    STORED(INFERENCE_END_NS, "inference_end_ns", "Inference end", INTEGER(NS, PLAIN),                                  \
           "When it was done, monotonic clock of the host.", AT(168, 8))                                               \
    STORED(OUTPUT_START_NS, "output_start_ns", "Output start", INTEGER(NS, PLAIN),                                     \
           "When it began, monotonic clock of the host.", AT(176, 8))                                                  \
    STORED(OUTPUT_END_NS, "output_end_ns", "Output end", INTEGER(NS, PLAIN),                                           \
           "When it was done, monotonic clock of the host.", AT(184, 8))

MODEL_RECORD_TABLES;

const struct record_kind kind_framework_model_time = {
    OWN_TABLE("framework_model_time"),
    .families = FAMILY_2022,
    .title = "Execution of a model",
    .doc = "When a model took its input, ran and gave its output.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.model_time_info_{model_id}_{number}"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-model-time", "Framework.model_time_info", 256)),
    .hooks = &model_record_hooks,
};
